// A raw call in strace's form, as far as registers go: descriptors with what they are, sizes,
// counts and flags; "..." for what is in memory. Of calls that are not known here the name and the
// result alone.
#ifndef HOTLAP_HARNESS_AUDIT_RAW_CALL_TEXT_H_
#define HOTLAP_HARNESS_AUDIT_RAW_CALL_TEXT_H_

#include <string>

#include "harness/audit/raw_call.h"

namespace hotlap::audit {

// Whether argument `index` of that call is a descriptor.
bool is_descriptor(const std::string& name, size_t index);

// "6<TCP:[127.0.0.1:80->127.0.0.1:1]>, ..., 4096, 0, NULL, NULL"
std::string arguments_text(const RawCall& call);

// "78", "-1 EAGAIN", "5<anon_inode:[eventfd]>", "0x7f12…" of what returns an address, "?"
std::string result_text(const RawCall& call);

}  // namespace hotlap::audit

#endif  // HOTLAP_HARNESS_AUDIT_RAW_CALL_TEXT_H_
