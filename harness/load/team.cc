// Threads that wait for jobs.
#include "harness/load/team.h"

#include <sched.h>

#include <chrono>
#include <cstring>
#include <system_error>

namespace hotlap::load {
namespace {

std::string pin_to(int thread, int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (cpu >= 0 && cpu < CPU_SETSIZE) CPU_SET(static_cast<std::size_t>(cpu), &set);
  if (sched_setaffinity(0, sizeof set, &set) == 0) return "";
  return "cannot pin load thread " + std::to_string(thread) + " to CPU " + std::to_string(cpu) +
         ": " + std::strerror(errno) + "; name CPUs that exist and are allowed to this process";
}

}  // namespace

void Rendezvous::arrive_and_wait() {
  const std::uint32_t turn = turn_.load(std::memory_order_relaxed);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == parties_) {
    arrived_.store(0, std::memory_order_relaxed);
    turn_.store(turn + 1, std::memory_order_release);
    if (parties_ > 1) turn_.notify_all();
    return;
  }
  while (turn_.load(std::memory_order_acquire) == turn) {
    turn_.wait(turn, std::memory_order_acquire);
  }
}

std::unique_ptr<Team> Team::start(const std::vector<int>& cpus, int threads, std::string& error) {
  if (threads < 1) {
    error = "a load needs at least one thread";
    return nullptr;
  }
  std::unique_ptr<Team> team(new Team(threads));
  team->busy_ = threads;
  try {
    for (int i = 0; i < threads; ++i) {
      const int cpu = cpus.empty() ? -1 : cpus[static_cast<std::size_t>(i) % cpus.size()];
      const bool pinned = !cpus.empty();
      team->threads_.emplace_back(
          [raw = team.get(), i, cpu, pinned] { raw->work(i, pinned ? cpu : INT32_MIN); });
    }
  } catch (const std::system_error& failure) {
    error = "only " + std::to_string(team->threads_.size()) + " of " + std::to_string(threads) +
            " load threads could be started: " + failure.what();
    return nullptr;
  }
  std::unique_lock lock(team->mutex_);
  team->job_done_.wait(lock, [&] { return team->busy_ == 0; });
  error = team->error_;
  lock.unlock();
  return error.empty() ? std::move(team) : nullptr;
}

Team::~Team() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  job_given_.notify_all();
}

void Team::work(int thread, int cpu) {
  const std::string error = cpu == INT32_MIN ? "" : pin_to(thread, cpu);
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  if (error_.empty()) error_ = error;
  while (true) {
    if (--busy_ == 0) job_done_.notify_all();
    job_given_.wait(lock, [&] { return stopping_ || job_number_ != seen; });
    if (stopping_) return;
    seen = job_number_;
    const Job& job = *job_;
    lock.unlock();
    job(thread);
    lock.lock();
  }
}

void Team::begin(const Job& job) {
  {
    const std::lock_guard lock(mutex_);
    job_ = &job;
    busy_ = size_;
    ++job_number_;
  }
  job_given_.notify_all();
}

bool Team::finished(std::int64_t wait_ns) {
  std::unique_lock lock(mutex_);
  return job_done_.wait_for(lock, std::chrono::nanoseconds(wait_ns), [&] { return busy_ == 0; });
}

void Team::run(const Job& job) {
  begin(job);
  std::unique_lock lock(mutex_);
  job_done_.wait(lock, [&] { return busy_ == 0; });
}

}  // namespace hotlap::load
