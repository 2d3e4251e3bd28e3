// Reading files that may vanish or refuse meanwhile, those of /proc/PID above all: such a one has
// no text, and throws nothing, unlike the streams and directory iterators of the standard library.
#ifndef HOTLAP_HARNESS_CAPTURE_WHOLE_FILE_H_
#define HOTLAP_HARNESS_CAPTURE_WHOLE_FILE_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace hotlap::capture {

// All of a file; nullopt when it cannot be read, and errno says why.
std::optional<std::string> read_whole_file(const std::string& path);

// Thread ids of a process, in no order; none once it has ended.
std::vector<pid_t> threads_of(pid_t process);

}  // namespace hotlap::capture

#endif  // HOTLAP_HARNESS_CAPTURE_WHOLE_FILE_H_
