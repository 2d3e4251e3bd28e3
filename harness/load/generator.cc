// Arms, lanes and threads put together: what each call asks of every load thread.
#include "harness/load/generator.h"

#include <sys/eventfd.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "harness/load/arm.h"
#include "harness/load/clock.h"
#include "harness/load/lane.h"
#include "harness/load/socket.h"
#include "harness/load/team.h"

namespace hotlap::load {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{128} * 1024;
constexpr std::int64_t kLongestNs = std::int64_t{30} * 24 * 3600 * 1'000'000'000;
constexpr std::int64_t kRampNs = 1'000'000'000;
constexpr std::int64_t kShortestSteadyNs = 10'000'000;

std::string remedy(int error, const Endpoint& endpoint) {
  switch (error) {
    case EMFILE: {
      rlimit limit{};
      getrlimit(RLIMIT_NOFILE, &limit);
      return "this process may have " + std::to_string(limit.rlim_cur) +
             " file descriptors; raise the limit (ulimit -n) or ask for fewer connections";
    }
    case ENFILE:
      return "the system is out of file descriptors; raise fs.file-max";
    case EADDRNOTAVAIL:
      return "no local port is left; widen net.ipv4.ip_local_port_range or wait for TIME_WAIT";
    case ECONNREFUSED:
      return "does a server listen on " + endpoint.text() + "?";
    case ETIMEDOUT:
      return "the server does not take more connections: raise its backlog and descriptor limit";
    case ECANCELED:
      return "the load was cancelled";
    default:
      return "check that " + endpoint.text() + " can be reached";
  }
}

}  // namespace

class Generator::Crew {
 public:
  struct Worker {
    std::vector<char> buffer = std::vector<char>(kBufferBytes);
    std::vector<std::unique_ptr<Lane>> lanes;  // by arm; null until the arm is opened
    LaneTotals totals;
    std::int64_t cpu_ns = 0;
  };

  // What the threads of one run() share. Written by thread 0 between barriers.
  struct Slices {
    const std::vector<SliceSpec>& schedule;
    const EdgeCallback& edge;
    RunResult result;
    std::int64_t start_ns = 0;
    bool go = true;
  };

  Lane* lane(int thread, std::size_t arm) {
    auto& lanes = workers[static_cast<std::size_t>(thread)].lanes;
    return arm < lanes.size() ? lanes[arm].get() : nullptr;
  }
  void run_slices(int thread, Slices& slices);
  SliceResult sum_up(const SliceSpec& slice, std::int64_t start_ns) const;
  bool edge(const Slices& slices, std::size_t index, const SliceResult* result) const;
  void drive(int thread, std::size_t arm, const Stint& stint);
  LoadProgress progress(std::size_t arm, std::int64_t start_ns);
  LoadReport report(std::int64_t start_ns) const;

  Fd cancel_event{eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
  std::atomic<bool> cancelled{false};
  std::vector<std::unique_ptr<Arm>> arms;
  std::vector<Worker> workers;
  std::unique_ptr<Team> team;  // last: its threads end before what they use
};

Generator::Generator(std::unique_ptr<Crew> crew) : crew_(std::move(crew)) {}
Generator::~Generator() = default;

std::unique_ptr<Generator> Generator::start(const std::vector<int>& cpus, int threads,
                                            std::string& error) {
  auto crew = std::make_unique<Crew>();
  if (!crew->cancel_event.valid()) {
    error = std::string("cannot make an eventfd for the load: ") + std::strerror(errno);
    return nullptr;
  }
  crew->team = Team::start(cpus, threads, error);
  if (!crew->team) return nullptr;
  crew->workers = std::vector<Crew::Worker>(static_cast<std::size_t>(threads));
  return std::unique_ptr<Generator>(new Generator(std::move(crew)));
}

std::size_t Generator::add_arm(ArmSpec spec) {
  spec.timeout_ns = std::min(spec.timeout_ns, kLongestNs);
  crew_->arms.push_back(std::make_unique<Arm>(std::move(spec)));
  for (Crew::Worker& worker : crew_->workers) worker.lanes.resize(crew_->arms.size());
  return crew_->arms.size() - 1;
}

Opened Generator::open(std::size_t arm_index) {
  Opened opened;
  if (arm_index >= crew_->arms.size()) {
    opened.error = "there is no arm " + std::to_string(arm_index);
    return opened;
  }
  Arm& arm = *crew_->arms[arm_index];
  const std::string where = arm.spec.endpoint.text() + ": ";
  opened.asked = std::max(arm.spec.connections, 0);
  if (!arm.fault.empty()) {
    opened.error = where + arm.fault;
    return opened;
  }
  std::vector<int> achieved(crew_->workers.size());
  crew_->team->run([&](int thread) {
    Crew::Worker& worker = crew_->workers[static_cast<std::size_t>(thread)];
    std::unique_ptr<Lane>& lane = worker.lanes[arm_index];
    if (!lane) {
      lane = std::make_unique<Lane>(arm, thread, crew_->team->size(), worker.buffer,
                                    crew_->cancel_event.get(), crew_->cancelled);
    }
    achieved[static_cast<std::size_t>(thread)] = lane->open();
  });
  for (const int count : achieved) opened.achieved += count;
  if (opened.achieved == opened.asked) return opened;
  int error = crew_->cancelled.load() ? ECANCELED : ECONNRESET;
  for (int thread = 0; thread < crew_->team->size(); ++thread) {
    if (const int own = crew_->lane(thread, arm_index)->open_error(); own != 0) error = own;
  }
  opened.error = where + "only " + std::to_string(opened.achieved) + " of " +
                 std::to_string(opened.asked) + " connections could be opened (" +
                 std::strerror(error) + "): " + remedy(error, arm.spec.endpoint);
  return opened;
}

void Generator::close(std::size_t arm) {
  crew_->team->run([&](int thread) {
    if (Lane* lane = crew_->lane(thread, arm)) lane->close();
  });
}

void Generator::Crew::drive(int thread, std::size_t arm, const Stint& stint) {
  Worker& worker = workers[static_cast<std::size_t>(thread)];
  Lane& lane = *worker.lanes[arm];
  const std::int64_t cpu_before_ns = thread_cpu_ns();
  lane.drive(stint);
  worker.cpu_ns = thread_cpu_ns() - cpu_before_ns;
}

bool Generator::Crew::edge(const Slices& slices, std::size_t index,
                           const SliceResult* result) const {
  if (cancelled.load()) return false;
  if (!slices.edge) return true;
  const bool go = slices.edge({index, slices.schedule[index].arm, result});
  return go && !cancelled.load();
}

SliceResult Generator::Crew::sum_up(const SliceSpec& slice, std::int64_t start_ns) const {
  SliceResult result;
  result.arm = slice.arm;
  result.start_ns = start_ns;
  for (const Worker& worker : workers) {
    result.counts += worker.totals.counts;
    result.bytes_received += worker.totals.bytes_received;
    result.response_ns += worker.totals.response_ns;
    result.reopened += static_cast<int>(worker.totals.reopened);
    result.generator_cpu_ns += worker.cpu_ns;
    result.late_ns = std::max(result.late_ns, worker.totals.first_send_ns - start_ns);
    result.duration_ns = std::max(result.duration_ns, worker.totals.last_reply_ns - start_ns);
  }
  return result;
}

void Generator::Crew::run_slices(int thread, Slices& slices) {
  Rendezvous& all = team->rendezvous();
  Worker& worker = workers[static_cast<std::size_t>(thread)];
  for (std::size_t i = 0; i < slices.schedule.size(); ++i) {
    const SliceSpec& slice = slices.schedule[i];
    worker.lanes[slice.arm]->prepare();
    all.arrive_and_wait();
    if (thread == 0) {
      slices.go = edge(slices, i, nullptr);
      slices.start_ns = monotonic_ns();
    }
    all.arrive_and_wait();
    if (!slices.go) return;
    Stint stint;
    stint.stop_ns = slices.start_ns + std::clamp<std::int64_t>(slice.duration_ns, 0, kLongestNs);
    drive(thread, slice.arm, stint);
    worker.totals = worker.lanes[slice.arm]->take_totals();
    all.arrive_and_wait();
    if (thread == 0) {
      slices.result.slices.push_back(sum_up(slice, slices.start_ns));
      slices.go = edge(slices, i, &slices.result.slices.back());
    }
    all.arrive_and_wait();
    if (!slices.go) return;
  }
}

RunResult Generator::run(const std::vector<SliceSpec>& schedule, const EdgeCallback& edge) {
  Crew::Slices slices{schedule, edge, {}, 0, true};
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    if (crew_->lane(0, schedule[i].arm) != nullptr) continue;
    slices.result.error = "slice " + std::to_string(i) + " is of arm " +
                          std::to_string(schedule[i].arm) + ", which was never opened";
    return std::move(slices.result);
  }
  slices.result.slices.reserve(schedule.size());
  crew_->team->run([&](int thread) { crew_->run_slices(thread, slices); });
  slices.result.cancelled = crew_->cancelled.load();
  return std::move(slices.result);
}

LoadProgress Generator::Crew::progress(std::size_t arm, std::int64_t start_ns) {
  LoadProgress sum;
  sum.elapsed_ns = monotonic_ns() - start_ns;
  for (Worker& worker : workers) {
    const Lane::Published published = worker.lanes[arm]->published();
    sum.counts += published.counts;
    sum.bytes_received += published.bytes_received;
  }
  return sum;
}

LoadReport Generator::Crew::report(std::int64_t start_ns) const {
  LoadReport report;
  std::int64_t steady_in_flight_ns = 0;
  std::int64_t steady_capacity_ns = 0;
  std::int64_t connections = 0;
  for (const Worker& worker : workers) {
    const LaneTotals& totals = worker.totals;
    report.counts += totals.counts;
    report.bytes_received += totals.bytes_received;
    report.generator_cpu_ns += worker.cpu_ns;
    report.reopened += totals.reopened;
    report.wall_ns = std::max(report.wall_ns, totals.last_reply_ns - start_ns);
    report.sending_ns = std::max(report.sending_ns, totals.stopped_ns - start_ns);
    steady_in_flight_ns += totals.steady_in_flight_ns;
    steady_capacity_ns += totals.steady_capacity_ns;
    connections += totals.steady_capacity_ns > 0 ? 1 : 0;
  }
  if (steady_capacity_ns >= kShortestSteadyNs * std::max<std::int64_t>(connections, 1)) {
    report.little_ratio =
        static_cast<double>(steady_in_flight_ns) / static_cast<double>(steady_capacity_ns);
  }
  report.cancelled = cancelled.load();
  return report;
}

LoadReport Generator::load(std::size_t arm, const LoadPlan& plan,
                           const std::function<void(const LoadProgress&)>& progress) {
  if (crew_->lane(0, arm) == nullptr) return {};
  const std::int64_t every_ns =
      std::clamp<std::int64_t>(plan.progress_every_ns, 1'000'000, kLongestNs);
  const std::int64_t duration_ns = std::clamp<std::int64_t>(plan.duration_ns, 0, kLongestNs);
  std::atomic<std::int64_t> budget{plan.requests};
  const std::int64_t start_ns = monotonic_ns();
  Stint stint;
  stint.stop_ns = start_ns + (duration_ns > 0 ? duration_ns : kLongestNs);
  stint.drain_ns = std::clamp<std::int64_t>(plan.drain_ns, 0, kLongestNs);
  stint.budget = plan.requests > 0 ? &budget : nullptr;
  stint.revive = true;
  stint.steady_from_ns =
      start_ns + (duration_ns > 0 ? std::min(kRampNs, duration_ns / 10) : kRampNs / 10);
  stint.publish_every_ns = std::max<std::int64_t>(every_ns / 4, 1'000'000);
  const Team::Job job = [&](int thread) {
    crew_->drive(thread, arm, stint);
    Lane& lane = *crew_->lane(thread, arm);
    lane.probe(1);
    crew_->workers[static_cast<std::size_t>(thread)].totals = lane.take_totals();
  };
  crew_->team->begin(job);
  while (!crew_->team->finished(every_ns)) {
    if (progress) progress(crew_->progress(arm, start_ns));
  }
  return crew_->report(start_ns);
}

namespace {

// Merges what each lane of an arm gives.
template <typename Take>
Histogram gather(int threads, Take take) {
  Histogram sum;
  for (int thread = 0; thread < threads; ++thread) take(thread, sum);
  return sum;
}

}  // namespace

Histogram Generator::latency(std::size_t arm) {
  return gather(crew_->team->size(), [&](int thread, Histogram& sum) {
    if (Lane* lane = crew_->lane(thread, arm)) lane->take_latency(sum);
  });
}

Histogram Generator::failure_latency(std::size_t arm) {
  return gather(crew_->team->size(), [&](int thread, Histogram& sum) {
    if (Lane* lane = crew_->lane(thread, arm)) lane->take_failure_latency(sum);
  });
}

std::string Generator::first_failure(std::size_t arm) {
  std::string first;
  for (int thread = 0; thread < crew_->team->size(); ++thread) {
    if (Lane* lane = crew_->lane(thread, arm)) {
      std::string own = lane->take_first_failure();
      if (first.empty()) first = std::move(own);
    }
  }
  return first;
}

void Generator::cancel() {
  crew_->cancelled.store(true);
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(crew_->cancel_event.get(), &one, sizeof one);
}

}  // namespace hotlap::load
