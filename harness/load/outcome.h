// What became of a request. Every request started falls in exactly one class, so that after each
// slice, and at the end of each load, the classes sum to `started`. In the open loop a request is
// started when its time has come: one that was due and never sent is in a class as well.
#ifndef HOTLAP_HARNESS_LOAD_OUTCOME_H_
#define HOTLAP_HARNESS_LOAD_OUTCOME_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hotlap::load {

enum class Outcome : std::uint8_t {
  kOk,                // the expected reply, whole
  kUnexpectedStatus,  // a whole reply, another status
  kUnexpectedBody,    // a whole reply, the expected status, another body
  kConnect,           // no connection: refused, unreachable, out of descriptors or ports
  kReset,             // the connection ended, by RST or FIN, before the reply was whole
  kTimeout,           // no whole reply by the request's deadline, connecting included
  kProtocol,          // what came is not a well-formed reply, or a reply that nobody asked for
  kTls,               // a handshake that failed, or records that are none
  kInFlight,          // unanswered when the load ended
  kNeverSent,         // open loop: due, but no connection was free in time
};

inline constexpr std::size_t kOutcomes = 10;

// What a request waited for in vain when it timed out.
enum class Wait : std::uint8_t { kConnection, kFirstByte, kWholeReply };

inline constexpr std::size_t kWaits = 3;

// The class's name as results print it: "ok", "unexpected_status", ….
std::string_view name(Outcome outcome);

struct Counts {
  std::int64_t started = 0;
  std::int64_t late = 0;  // open loop: of those, sent late, whatever became of them
  std::array<std::int64_t, kOutcomes> by_outcome{};
  std::array<std::int64_t, kWaits> timeouts{};  // these sum to the class kTimeout

  std::int64_t& operator[](Outcome outcome) {
    return by_outcome[static_cast<std::size_t>(outcome)];
  }
  std::int64_t operator[](Outcome outcome) const {
    return by_outcome[static_cast<std::size_t>(outcome)];
  }
  std::int64_t& timeout(Wait wait) { return timeouts[static_cast<std::size_t>(wait)]; }
  std::int64_t timeout(Wait wait) const { return timeouts[static_cast<std::size_t>(wait)]; }
  std::int64_t ok() const { return (*this)[Outcome::kOk]; }
  // The sum over all classes; equals `started` whenever nothing runs.
  std::int64_t classified() const {
    std::int64_t sum = 0;
    for (std::int64_t count : by_outcome) sum += count;
    return sum;
  }
  std::int64_t never_sent() const { return (*this)[Outcome::kNeverSent]; }
  std::int64_t sent() const { return started - never_sent(); }
  // Neither the load's end nor a full queue is a failure of the request.
  std::int64_t failed() const {
    return classified() - ok() - (*this)[Outcome::kInFlight] - never_sent();
  }

  Counts& operator+=(const Counts& other) {
    started += other.started;
    late += other.late;
    for (std::size_t i = 0; i < kOutcomes; ++i) by_outcome[i] += other.by_outcome[i];
    for (std::size_t i = 0; i < kWaits; ++i) timeouts[i] += other.timeouts[i];
    return *this;
  }
  bool operator==(const Counts&) const = default;
};

}  // namespace hotlap::load

#endif  // HOTLAP_HARNESS_LOAD_OUTCOME_H_
