// What a load times, as histograms that add up over lanes and stretches of time. 1.2 MB.
#ifndef HOTLAP_HARNESS_LOAD_TIMES_H_
#define HOTLAP_HARNESS_LOAD_TIMES_H_

#include "harness/load/histogram.h"

namespace hotlap::load {

struct Times {
  // Of the expected replies, from when the request was to start (in the closed loop: from when it
  // did) until its last byte was in: what a user waits.
  Histogram response;
  // Of the same replies, from just before the send or connect: what the server and the network
  // took. In the closed loop that is the response time, and nothing is recorded here.
  Histogram service;
  // Of the failures, from when the request was to start until the failure was known.
  Histogram failures;
  // Of the connections that came about, from the connect until one could send: with TLS, until
  // hands were shaken.
  Histogram connecting;

  void merge(const Times& other) {
    response.merge(other.response);
    service.merge(other.service);
    failures.merge(other.failures);
    connecting.merge(other.connecting);
  }
  void reset() {
    response.reset();
    service.reset();
    failures.reset();
    connecting.reset();
  }
};

}  // namespace hotlap::load

#endif  // HOTLAP_HARNESS_LOAD_TIMES_H_
