// The pinned load threads, which all run the same job at the same time, and the barrier at which
// they wait for one another at the edges of a slice.
#ifndef HOTLAP_HARNESS_LOAD_TEAM_H_
#define HOTLAP_HARNESS_LOAD_TEAM_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace hotlap::load {

// A reusable barrier. Waiting sleeps on a futex; with one thread it costs two stores.
class Rendezvous {
 public:
  explicit Rendezvous(int parties) : parties_(parties) {}
  void arrive_and_wait();

 private:
  const int parties_;
  std::atomic<int> arrived_{0};
  std::atomic<std::uint32_t> turn_{0};
};

class Team {
 public:
  using Job = std::function<void(int thread)>;

  // Null on failure, and `error` names the thread and CPU.
  static std::unique_ptr<Team> start(const std::vector<int>& cpus, int threads, std::string& error);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return size_; }
  Rendezvous& rendezvous() { return rendezvous_; }

  // Runs the job in every thread and returns when all are done.
  void run(const Job& job);
  // The same in two steps. One job at a time; `job` must live until finished() has said true.
  void begin(const Job& job);
  bool finished(std::int64_t wait_ns);

 private:
  explicit Team(int threads) : size_(threads), rendezvous_(threads) {}
  void work(int thread, int cpu);

  const int size_;
  Rendezvous rendezvous_;
  std::mutex mutex_;
  std::condition_variable job_given_;
  std::condition_variable job_done_;
  const Job* job_ = nullptr;
  std::uint64_t job_number_ = 0;
  int busy_ = 0;
  bool stopping_ = false;
  std::string error_;
  std::vector<std::jthread> threads_;
};

}  // namespace hotlap::load

#endif  // HOTLAP_HARNESS_LOAD_TEAM_H_
