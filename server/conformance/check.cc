#include "server/conformance/check.h"

#include <algorithm>
#include <array>

#include "server/conformance/reply.h"

namespace hotlap::conformance {
namespace {

std::vector<bool> heads_of(const Case& one) {
  std::vector<bool> heads;
  for (const ExpectedReply& reply : one.replies) heads.push_back(reply.without_body);
  return heads;
}

// The fields that replies carry, in their order; a reply has some of them and no other.
constexpr std::array<std::string_view, 5> kFields = {"Date", "Content-Type", "Content-Length",
                                                     "Allow", "Connection"};

std::string check_form(const Reply& reply) {
  if (reply.status < 200) return "";
  size_t next = 0;
  std::string_view head = reply.head;
  head.remove_prefix(head.find("\r\n") + 2);
  while (head != "\r\n") {
    std::string_view name = head.substr(0, head.find(':'));
    auto* field = std::find(kFields.begin() + next, kFields.end(), name);
    if (field == kFields.end()) return "field '" + std::string(name) + "' out of order or unknown";
    next = static_cast<size_t>(field - kFields.begin()) + 1;
    head.remove_prefix(head.find("\r\n") + 2);
  }
  std::string_view date = reply.field("Date");
  if (date.size() != 29 || !date.ends_with(" GMT")) {
    return "Date is not 29 bytes that end in GMT: '" + std::string(date) + "'";
  }
  return "";
}

std::string check_reply(const ExpectedReply& expected, const Reply& reply) {
  if (reply.status != expected.status) {
    return "status " + std::to_string(reply.status) + ", expected " +
           std::to_string(expected.status);
  }
  if (std::string wrong = check_form(reply); !wrong.empty()) return wrong;
  if (expected.checks_body && reply.body != expected.body) {
    return "body " + describe_difference(expected.body, reply.body);
  }
  for (const auto& [name, value] : expected.fields) {
    if (reply.field(name) != value) {
      return name + ": '" + std::string(reply.field(name)) + "', expected '" + value + "'";
    }
  }
  for (const std::string& name : expected.absent_fields) {
    if (reply.field(name).data() != nullptr) return "has a field " + name;
  }
  return "";
}

std::string check_end(const Case& one, const CutReplies& cut, const Outcome& outcome) {
  if (outcome.reset) return "the connection was reset";
  if (!outcome.closed) return "the connection was not closed";
  size_t surplus = cut.replies.size() - one.replies.size();
  if (surplus == 0) {
    bool may_close = one.half_close || one.afterwards != Afterwards::keep;
    return may_close ? "" : "closed, expected to be kept";
  }
  if (one.half_close || one.afterwards == Afterwards::close) {
    return "served what follows, expected to be closed";
  }
  const Reply& probe = cut.replies.back();
  if (surplus > 1 || probe.status != 200 || probe.body != "pong") {
    return "the next request got " + std::to_string(surplus) + " replies, the last of status " +
           std::to_string(probe.status);
  }
  return "";
}

}  // namespace

Script script_for(const Case& one, std::span<const size_t> points) {
  Script script;
  script.pieces = cut_at(one.bytes, points);
  script.heads = heads_of(one);
  script.replies = one.replies.size();
  script.probe = one.afterwards != Afterwards::close && !one.half_close;
  script.half_close = one.half_close;
  return script;
}

Script script_of_bytes(const Case& one) {
  std::vector<size_t> points;
  for (size_t at = 1; at < one.bytes.size(); ++at) points.push_back(at);
  return script_for(one, points);
}

std::string check_outcome(const Case& one, const Outcome& outcome) {
  CutReplies cut = cut_replies(outcome.received, heads_of(one), true);
  for (size_t i = 0; i < std::min(cut.replies.size(), one.replies.size()); ++i) {
    std::string wrong = check_reply(one.replies[i], cut.replies[i]);
    if (!wrong.empty()) return "reply " + std::to_string(i + 1) + ": " + wrong;
  }
  if (!outcome.error.empty()) {
    return outcome.error + " after " + std::to_string(cut.replies.size()) + " of " +
           std::to_string(one.replies.size()) + " replies";
  }
  if (!cut.error.empty()) return cut.error;
  if (cut.replies.size() < one.replies.size()) {
    return std::to_string(cut.replies.size()) + " of " + std::to_string(one.replies.size()) +
           " replies" + (outcome.reset ? ", then a reset" : ", then closed");
  }
  if (cut.consumed != outcome.received.size()) return "an incomplete reply at the end";
  return check_end(one, cut, outcome);
}

std::string comparable(const Case& one, const Outcome& outcome) {
  CutReplies cut = cut_replies(outcome.received, heads_of(one), true);
  std::string out;
  for (const Reply& reply : cut.replies) out += mask_reply(reply);
  out += outcome.received.substr(cut.consumed);
  out += outcome.reset ? "[reset]" : outcome.closed ? "[closed]" : "[open]";
  if (!outcome.error.empty()) out += "[" + outcome.error + "]";
  return out;
}

std::string describe_difference(const std::string& want, const std::string& got) {
  auto [a, b] = std::mismatch(want.begin(), want.end(), got.begin(), got.end());
  size_t at = static_cast<size_t>(a - want.begin());
  size_t from = at > 30 ? at - 30 : 0;
  return "differs at byte " + std::to_string(at) + ": '" +
         printable(std::string_view(got).substr(from), 80) + "', expected '" +
         printable(std::string_view(want).substr(from), 80) + "'";
}

std::string printable(std::string_view bytes, size_t max_bytes) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  for (char c : bytes.substr(0, max_bytes)) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '\r') {
      out += "\\r";
    } else if (c == '\n') {
      out += "\\n";
    } else if (c < ' ' || c > '~') {
      ((out += "\\x") += kHex[byte >> 4]) += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  if (bytes.size() > max_bytes) out += "...";
  return out;
}

}  // namespace hotlap::conformance
