// Cuts a stream of received bytes into HTTP replies: enough to know where each ends, whatever
// server sent it (Content-Length, chunked, or until close). Not fast, and no validator.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hotlap::conformance {

struct Reply {
  int status = 0;
  std::string_view head;  // status line and fields, with the empty line
  std::string body;       // decoded where chunked

  // The first field of that name, any case, trimmed; nothing is an empty view with null data.
  std::string_view field(std::string_view name) const;
};

// The answer to the Nth final reply's request has no body where heads[N]. Interim replies (1xx)
// count as entries of their own, so `heads` is aligned with every reply on the wire.
struct CutReplies {
  std::vector<Reply> replies;  // complete ones; views into the input
  size_t consumed = 0;         // bytes of those
  std::string error;           // not HTTP, or framing that makes no sense
};
// `closed`: the stream has ended, so that a body without framing is complete.
CutReplies cut_replies(std::string_view bytes, const std::vector<bool>& heads, bool closed);

// What differs between any two runs is replaced: the value of every Date field by 29 '*', and both
// addresses in the reply to /address by `peer` and `local` (with Content-Length made to fit).
std::string mask_reply(const Reply& reply);

}  // namespace hotlap::conformance
