// An access log made ready to be asked again: each distinct request once, as the bytes that its
// wire begins with, and their sequence, four bytes a request. Ten million lines of a hundred
// thousand distinct requests take about 50 MB, and 80 MB more while they are read. A log beyond the
// limits below is refused.
#ifndef HOTLAP_HARNESS_LOAD_REPLAY_LOG_H_
#define HOTLAP_HARNESS_LOAD_REPLAY_LOG_H_

#include <cstdint>
#include <istream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/load/access_log.h"
#include "harness/load/arrivals.h"

namespace hotlap::load {

inline constexpr std::size_t kMostReplayed = 20'000'000;                   // requests of a log
inline constexpr std::size_t kMostReplayedBytes = std::size_t{256} << 20;  // of distinct ones
inline constexpr std::size_t kMostLineBytes = std::size_t{64} << 10;

struct ReplayRules {
  bool any_status = false;    // else replies must have the logged status
  bool empty_bodies = false;  // POST, PUT and PATCH, whose bodies no log has, are sent without
  double allowed_bad_share = 0.01;  // of lines
};

// What was read, and what of it is not replayed. `lines` is the sum of the others' classes.
struct ReplayTally {
  std::int64_t lines = 0;
  std::int64_t requests = 0;      // replayed
  std::int64_t bad = 0;           // no lines of an access log
  std::int64_t no_request = 0;    // what the client sent was no HTTP request
  std::int64_t without_body = 0;  // needed a body, and are left out
  std::int64_t no_replay = 0;     // CONNECT, and upgrades to another protocol
  std::int64_t distinct = 0;      // of `requests`: method, target and status
  std::int64_t out_of_order = 0;  // of `requests`: logged behind a later one, and put before it
  std::int64_t first_bad_line = 0;
  std::string first_bad;  // why
};

class ReplayLog {
 public:
  // What a reply must be like.
  struct Expectation {
    bool head = false;
    int status = 0;  // 0: any
    bool operator==(const Expectation&) const = default;
  };

  // Null where there is nothing to replay, and `error` names the file, the line and the remedy.
  static std::shared_ptr<const ReplayLog> read(const std::string& path, const ReplayRules& rules,
                                               std::string& error);
  static std::shared_ptr<const ReplayLog> read(std::istream& text, const ReplayRules& rules,
                                               std::string& error);

  std::size_t size() const { return sequence_.size(); }
  std::size_t distinct() const { return kinds_.size(); }
  // Which distinct request is number `number`; the log begins anew at its end.
  std::size_t kind(std::uint64_t number) const { return sequence_[number % sequence_.size()]; }
  // "GET /x" of a distinct request.
  std::string_view start_line(std::size_t kind) const {
    return std::string_view(text_).substr(kinds_[kind].begin, kinds_[kind].size);
  }
  bool takes_body(std::size_t kind) const { return kinds_[kind].takes_body; }
  std::uint32_t expectation(std::size_t kind) const { return kinds_[kind].expectation; }
  const std::vector<Expectation>& expectations() const { return expectations_; }
  std::size_t longest() const { return longest_; }  // start line
  const std::shared_ptr<const Timeline>& timeline() const { return timeline_; }
  const ReplayTally& tally() const { return tally_; }

 private:
  friend class ReplayReader;
  struct Kind {
    std::uint32_t begin;
    std::uint32_t size;
    std::uint16_t expectation;
    bool takes_body;
  };

  std::string text_;
  std::vector<Kind> kinds_;
  std::vector<std::uint32_t> sequence_;
  std::vector<Expectation> expectations_;
  std::shared_ptr<const Timeline> timeline_;
  std::size_t longest_ = 0;
  ReplayTally tally_;
};

}  // namespace hotlap::load

#endif  // HOTLAP_HARNESS_LOAD_REPLAY_LOG_H_
