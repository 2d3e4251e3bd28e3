// /proc's numbers of a process whose doings are known: this one.
#include "harness/capture/process_sample.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <future>
#include <thread>

namespace hotlap::capture {
namespace {

constexpr int64_t kPages = 2000;

void touch_pages(char* memory, int64_t page_bytes) {
  for (int64_t i = 0; i < kPages; ++i) static_cast<volatile char*>(memory)[i * page_bytes] = 1;
}

TEST(ProcessSampleTest, FaultsAndResidentMemoryGrowWithThePagesTouched) {
  const int64_t page_bytes = sysconf(_SC_PAGESIZE);
  void* const memory = mmap(nullptr, kPages * page_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, kPages * page_bytes, MADV_NOHUGEPAGE);
  const auto before = sample_processes({getpid()});
  touch_pages(static_cast<char*>(memory), page_bytes);
  const auto after = sample_processes({getpid()});
  munmap(memory, kPages * page_bytes);
  const auto released = sample_processes({getpid()});
  ASSERT_TRUE(before.ok() && after.ok() && released.ok());
  EXPECT_LE(released->rss_bytes, after->rss_bytes - (kPages - 300) * page_bytes);
  EXPECT_GE(released->rss_peak_bytes, after->rss_bytes - 300 * page_bytes) << "the peak stays";
  EXPECT_GE(after->minor_faults - before->minor_faults, kPages);
  EXPECT_LE(after->minor_faults - before->minor_faults, kPages + 500);
  // The kernel keeps resident pages in batches per CPU.
  EXPECT_GE(after->rss_bytes - before->rss_bytes, (kPages - 300) * page_bytes);
}

TEST(ProcessSampleTest, FaultsOfWaitedChildrenStay) {
  const int64_t page_bytes = sysconf(_SC_PAGESIZE);
  const auto before = sample_processes({getpid()});
  const pid_t child = fork();
  if (child == 0) {
    void* const memory = mmap(nullptr, kPages * page_bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory, kPages * page_bytes, MADV_NOHUGEPAGE);
    touch_pages(static_cast<char*>(memory), page_bytes);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  const auto after = sample_processes({getpid()});
  ASSERT_TRUE(before.ok() && after.ok());
  EXPECT_GE(after->minor_faults - before->minor_faults, kPages);
}

TEST(ProcessSampleTest, SwitchesAreSummedOverThreads) {
  constexpr int kSleeps = 50;
  std::promise<void> slept;
  std::promise<void> end;
  const auto before = sample_processes({getpid()});
  std::thread other([&] {
    // tidy: allow sleep: each is a voluntary switch, which is what is counted
    for (int i = 0; i < kSleeps; ++i) usleep(500);
    slept.set_value();
    end.get_future().wait();
  });
  slept.get_future().wait();
  const auto after = sample_processes({getpid()});
  end.set_value();
  other.join();
  ASSERT_TRUE(before.ok() && after.ok());
  EXPECT_EQ(after->threads, before->threads + 1);
  // On a busy machine a sleep may be over before it has begun.
  EXPECT_GE(after->voluntary_switches - before->voluntary_switches, kSleeps * 8 / 10);
}

TEST(ProcessSampleTest, EndedProcessesAreSkippedAndNoneIsAnError) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(sample_processes({child}).status().code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(sample_processes({}).ok());
  const auto both = sample_processes({child, getpid()});
  ASSERT_TRUE(both.ok());
  EXPECT_EQ(both->processes, 1);
}

}  // namespace
}  // namespace hotlap::capture
