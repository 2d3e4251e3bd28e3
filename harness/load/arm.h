// An arm made ready: requests in bytes, and what their replies must hold, shared by all load
// threads.
#ifndef HOTLAP_HARNESS_LOAD_ARM_H_
#define HOTLAP_HARNESS_LOAD_ARM_H_

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/load/expected_body.h"
#include "harness/load/generator.h"
#include "harness/load/request_template.h"

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
  // By request; absent where its bytes are always the same.
  std::vector<std::optional<RequestTemplate>> templates;
  std::string after_target;        // of a replayed request, from the space behind its target
  std::string after_target_empty;  // the same where it says that its body is empty
  std::size_t longest = 0;         // bytes of a request that is written anew each time; 0: none is
  bool per_connection = false;     // some body is learned by each connection for itself
  std::string fault;               // why it cannot be loaded; empty when it can

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
    if (spec.replay != nullptr) return prepare_replay();
    if (spec.ids && !(error = spec.ids->fault()).empty()) return error;
    templates.resize(spec.requests.size());
    for (std::size_t i = 0; i < spec.requests.size(); ++i) {
      auto request = prepare_request(i, error);
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

  std::optional<Request> prepare_request(std::size_t index, std::string& error) {
    const RequestSpec& wanted = spec.requests[index];
    if (!spec.ids || !has_place(wanted)) {
      return build_request(wanted, spec.endpoint, spec.keep_alive, error);
    }
    auto made = RequestTemplate::make(wanted, spec.endpoint, spec.keep_alive, *spec.ids, error);
    if (!made) return std::nullopt;
    longest = std::max(longest, made->longest());
    templates[index] = *std::move(made);
    return templates[index]->request();
  }

  // A request for each expectation: what a logged one begins with is the log's.
  std::string prepare_replay() {
    std::string error;
    RequestSpec common = spec.requests.front();
    common.method = "GET";
    common.target = "/";
    auto request = build_request(common, spec.endpoint, spec.keep_alive, error);
    if (!request) return error;
    constexpr std::size_t kBegin = std::string_view("GET /").size();
    after_target = request->wire.substr(kBegin);
    common.method = "POST";  // without a body
    after_target_empty =
        build_request(common, spec.endpoint, spec.keep_alive, error)->wire.substr(kBegin + 1);
    for (const ReplayLog::Expectation& expectation : spec.replay->expectations()) {
      Request& logged = requests.emplace_back();
      logged.head = expectation.head;
      logged.expected_status = expectation.status;
      logged.body_rule = BodyRule::kAny;
    }
    bodies = std::vector<ExpectedBody>(requests.size());
    longest = spec.replay->longest() + after_target_empty.size();
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
