// An arm made ready: requests in bytes, and what their replies must hold, shared by all load
// threads.
#ifndef HOTLAP_HARNESS_LOAD_ARM_H_
#define HOTLAP_HARNESS_LOAD_ARM_H_

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "harness/load/expected_body.h"
#include "harness/load/generator.h"

namespace hotlap::load {

struct Arm {
  explicit Arm(ArmSpec asked) : spec(std::move(asked)), bodies(spec.requests.size()) {
    fault = prepare();
  }

  ArmSpec spec;
  std::vector<Request> requests;
  std::vector<ExpectedBody> bodies;   // one a request
  std::vector<std::size_t> turns;     // which request comes when, on each connection; then again
  std::shared_ptr<const TlsArm> tls;  // null in plain
  bool per_connection = false;        // some body is learned by each connection for itself
  std::string fault;                  // why it cannot be loaded; empty when it can

 private:
  std::string prepare() {
    if (spec.requests.empty()) return "an arm needs at least one request";
    if (spec.connections < 1) return "an arm needs at least one connection";
    if (spec.timeout_ns < 1) return "the request timeout must be above zero";
    if (spec.pipeline < 1) return "a connection needs room for at least one request";
    if (spec.pipeline > 1 && !spec.keep_alive) {
      return "pipelining needs connections that are kept";
    }
    std::string error;
    if (spec.tls && (tls = TlsArm::make(*spec.tls, error)) == nullptr) return error;
    for (std::size_t i = 0; i < spec.requests.size(); ++i) {
      auto request = build_request(spec.requests[i], spec.endpoint, spec.keep_alive, error);
      if (!request) return error;
      if (request->body_rule == BodyRule::kExact) {
        Body body;
        body.append(request->expected_body);
        bodies[i].learn(std::move(body));
      }
      per_connection |= request->body_rule == BodyRule::kLearnedPerConnection;
      if (spec.requests[i].weight < 1) return "a request's weight must be at least 1";
      requests.push_back(*std::move(request));
    }
    take_turns();
    return "";
  }

  // Each request as often as it weighs, spread evenly: the one that is furthest behind its share
  // comes next.
  void take_turns() {
    std::vector<int> behind(spec.requests.size());
    int sum = 0;
    for (const RequestSpec& request : spec.requests) sum += request.weight;
    for (int turn = 0; turn < sum; ++turn) {
      for (std::size_t i = 0; i < behind.size(); ++i) behind[i] += spec.requests[i].weight;
      const auto next = std::max_element(behind.begin(), behind.end());
      *next -= sum;
      turns.push_back(static_cast<std::size_t>(next - behind.begin()));
    }
  }
};

}  // namespace hotlap::load

#endif  // HOTLAP_HARNESS_LOAD_ARM_H_
