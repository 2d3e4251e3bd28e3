// Arms, lanes and threads put together: what each call but run() and load() asks of every thread.
#include "harness/load/generator.h"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "harness/load/crew.h"

namespace hotlap::load {
namespace {

std::string remedy(int error, const Endpoint& endpoint, bool tls) {
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
      if (tls) {
        return "is that a TLS server? Else it does not take more connections: raise its backlog "
               "and "
               "descriptor limit";
      }
      return "the server does not take more connections: raise its backlog and descriptor limit";
    case EPROTO:
      return "is that a TLS server, and its certificate one to trust (--ca, --insecure)?";
    case ECANCELED:
      return "the load was cancelled";
    default:
      return "check that " + endpoint.text() + " can be reached";
  }
}

// Merges what each lane of an arm gives.
template <typename Take>
Histogram gather(int threads, Take take) {
  Histogram sum;
  for (int thread = 0; thread < threads; ++thread) take(thread, sum);
  return sum;
}

}  // namespace

Generator::Generator(std::unique_ptr<Crew> crew) : crew_(std::move(crew)) {}
Generator::~Generator() = default;

std::unique_ptr<Generator> Generator::start(const std::vector<int>& cpus, int threads,
                                            std::string& error, SimulatedTime* simulated) {
  if (simulated != nullptr && threads != 1) {
    error = "simulated time passes for one load thread only";
    return nullptr;
  }
  auto crew = std::make_unique<Crew>(Clock(simulated));
  if (!crew->end_event.valid()) {
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
  for (std::int64_t* part : {&spec.connect_timeout_ns, &spec.first_byte_timeout_ns}) {
    *part = *part > 0 ? std::min(*part, spec.timeout_ns) : spec.timeout_ns;
  }
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
                                    crew_->end_event.get(), crew_->ending, crew_->clock);
    }
    achieved[static_cast<std::size_t>(thread)] = lane->open();
  });
  for (const int count : achieved) opened.achieved += count;
  if (opened.achieved == opened.asked) return opened;
  int error = crew_->to_end() ? ECANCELED : ECONNRESET;
  std::string fault = std::strerror(error);
  for (int thread = 0; thread < crew_->team->size(); ++thread) {
    const Lane& lane = *crew_->lane(thread, arm_index);
    if (lane.open_error() == 0) continue;
    error = lane.open_error();
    fault = lane.connect_fault(error);
  }
  opened.error = where + "only " + std::to_string(opened.achieved) + " of " +
                 std::to_string(opened.asked) + " connections could be opened (" + fault +
                 "): " + remedy(error, arm.spec.endpoint, arm.tls != nullptr);
  return opened;
}

void Generator::close(std::size_t arm) {
  crew_->team->run([&](int thread) {
    if (Lane* lane = crew_->lane(thread, arm)) lane->close();
  });
}

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

void Generator::Crew::drive(int thread, std::size_t arm, const Stint& stint) {
  Worker& worker = workers[static_cast<std::size_t>(thread)];
  Lane& lane = *worker.lanes[arm];
  const std::int64_t cpu_before_ns = thread_cpu_ns();
  const std::int64_t before_ns = clock.now_ns();
  lane.drive(stint);
  worker.cpu_ns = thread_cpu_ns() - cpu_before_ns;
  worker.wall_ns = clock.now_ns() - before_ns;
}

void Generator::Crew::end(Ending how) {
  Ending none = Ending::kNone;
  if (!ending.compare_exchange_strong(none, how) && how == Ending::kCancel) ending.store(how);
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(end_event.get(), &one, sizeof one);
}

void Generator::stop() { crew_->end(Ending::kStop); }
void Generator::cancel() { crew_->end(Ending::kCancel); }

}  // namespace hotlap::load
