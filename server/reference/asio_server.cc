// An independent server on standalone asio and C++20 coroutines, written to be fast, for the lab's
// server to be compared with. N threads each run an io_context of their own; one acceptor deals
// connections out in turn. Per request: one recv that succeeds, one send, and asio's reactor. All
// requests that a read brought are answered with one send. It knows no timeouts.
#include <netinet/tcp.h>

#include <array>
#include <asio.hpp>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "server/reference/asio_http.h"
#include "server/reference/flags.h"

namespace hotlap::reference {
namespace {

using asio::ip::tcp;
// The concrete executor: the type-erased default costs virtual calls on every operation.
using Executor = asio::io_context::executor_type;
using Socket = asio::basic_stream_socket<tcp, Executor>;
using Task = asio::awaitable<void, Executor>;
constexpr asio::use_awaitable_t<Executor> kAwait;

constexpr size_t kDrainBytes = 64 * 1024;

Addresses addresses_of(const Socket& socket) {
  auto show = [](const tcp::endpoint& end) {
    return printable_address(end.address().to_string(), end.port());
  };
  asio::error_code ignored;
  return {"peer " + show(socket.remote_endpoint(ignored)) + "\nlocal " +
          show(socket.local_endpoint(ignored)) + "\n"};
}

bool has_lone_line_feed(std::string_view bytes) {
  for (size_t at = bytes.find('\n'); at != std::string_view::npos; at = bytes.find('\n', at + 1)) {
    if (at > 0 && bytes[at - 1] != '\r') return true;
  }
  return false;
}

class Session {
 public:
  explicit Session(Socket socket) : socket_(std::move(socket)), in_(kMaxHeadBytes + 1, '\0') {}

  static Task run(Socket socket) {
    Session session(std::move(socket));
    asio::error_code error;
    session.socket_.set_option(tcp::no_delay(true), error);
    session.addresses_ = addresses_of(session.socket_);
    co_await session.serve();
    co_await session.close_lingering();
  }

 private:
  // Serves until the peer leaves or a reply closes the connection.
  Task serve() {
    while (true) {
      bool open = true;
      while (open && cut_request()) open = answer_complete();
      if (!out_.empty()) {
        asio::error_code error;
        co_await asio::async_write(socket_, asio::buffer(out_),
                                   asio::redirect_error(kAwait, error));
        out_.clear();
        if (error) co_return;
      }
      if (!open) co_return;
      if (!co_await read_more()) co_return;
    }
  }

  asio::awaitable<bool, Executor> read_more() {
    if (begin_ > 0) {
      std::memmove(in_.data(), in_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    asio::error_code error;
    size_t got = co_await socket_.async_read_some(asio::buffer(&in_[end_], in_.size() - end_),
                                                  asio::redirect_error(kAwait, error));
    end_ += got;
    co_return !error;
  }

  std::string_view unread() const { return {in_.data() + begin_, end_ - begin_}; }

  // True where a whole request, or an error to answer, is at hand.
  bool cut_request() {
    if (status_ == 0 && !have_head_ && !cut_head()) return false;
    if (status_ != 0) return true;
    std::string_view rest = unread();
    bool whole = true;
    if (request_.framing == Framing::length) {
      size_t wanted = request_.content_length - body_.size();
      body_.append(rest.substr(0, wanted));
      rest.remove_prefix(std::min(wanted, rest.size()));
      whole = body_.size() == request_.content_length;
    } else if (request_.framing == Framing::chunked) {
      auto state = chunks_.feed(rest, body_);
      if (state == ChunkedBody::State::bad) status_ = 400;
      if (state == ChunkedBody::State::too_large) status_ = 413;
      whole = state != ChunkedBody::State::more;
    }
    begin_ = end_ - rest.size();
    return whole;
  }

  bool cut_head() {
    std::string_view bytes = unread();
    if (!skipped_line_ && bytes.starts_with("\r\n")) {
      begin_ += 2;
      skipped_line_ = true;
      bytes.remove_prefix(2);
    }
    size_t from = scanned_ > 3 ? scanned_ - 3 : 0;
    size_t end = bytes.find("\r\n\r\n", from);
    if (end == std::string_view::npos) {
      scanned_ = bytes.size();
      if (has_lone_line_feed(bytes.substr(from))) status_ = 400;
      if (status_ == 0 && bytes.size() >= kMaxHeadBytes)
        status_ = bytes.find('\n') > 8200 ? 414 : 431;
      return status_ != 0;
    }
    scanned_ = 0;
    // The views of the request stay good until the next read moves the buffer, so what outlives
    // a read (a request whose body is still to come) is kept in head_.
    std::string_view head = bytes.substr(0, end + 4);
    begin_ += head.size();
    request_ = Request{};
    status_ = parse_head(head, request_);
    if (status_ == 0 && request_.framing != Framing::none) {
      head_.assign(head);
      request_ = Request{};
      parse_head(head_, request_);
      if (request_.expect_continue) out_ += "HTTP/1.1 100 Continue\r\n\r\n";
    }
    have_head_ = true;
    return true;
  }

  bool answer_complete() {
    if (status_ != 0) {
      answer_error(status_, date_, out_);
      return false;
    }
    bool open = answer(request_, body_, addresses_, date_, out_);
    body_.clear();
    chunks_ = ChunkedBody();
    have_head_ = skipped_line_ = false;
    return open;
  }

  // A close with unread input would reset the connection and might destroy the last reply.
  Task close_lingering() {
    asio::error_code error;
    socket_.shutdown(tcp::socket::shutdown_send, error);
    for (size_t drained = 0; !error && drained < kDrainBytes;) {
      drained +=
          co_await socket_.async_read_some(asio::buffer(in_), asio::redirect_error(kAwait, error));
    }
  }

  static thread_local HttpDate date_;

  Socket socket_;
  Addresses addresses_;
  std::string in_;
  size_t begin_ = 0, end_ = 0;
  size_t scanned_ = 0;  // bytes of an unfinished head that hold no end of head
  Request request_;
  std::string head_, body_, out_;
  ChunkedBody chunks_;
  int status_ = 0;
  bool have_head_ = false, skipped_line_ = false;
};

thread_local HttpDate Session::date_;

using Contexts = std::vector<std::unique_ptr<asio::io_context>>;

Task accept_all(asio::basic_socket_acceptor<tcp, Executor>& acceptor, Contexts& contexts) {
  for (size_t next = 0;; ++next) {
    asio::io_context& context = *contexts[next % contexts.size()];
    Socket socket(context.get_executor());
    asio::error_code error;
    co_await acceptor.async_accept(socket, asio::redirect_error(kAwait, error));
    if (error == asio::error::operation_aborted) co_return;
    if (!error)
      asio::co_spawn(context.get_executor(), Session::run(std::move(socket)), asio::detached);
  }
}

int serve(const Flags& flags) {
  Contexts contexts;
  for (int i = 0; i < flags.threads; ++i) {
    contexts.push_back(std::make_unique<asio::io_context>(1));
  }
  asio::basic_socket_acceptor<tcp, Executor> acceptor(contexts[0]->get_executor());
  asio::error_code error;
  auto address = asio::ip::make_address(flags.host, error);
  tcp::endpoint endpoint(address, flags.port);
  if (!error) acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  // As the lab's own: a default of BBR is noisy on loopback.
  setsockopt(acceptor.native_handle(), IPPROTO_TCP, TCP_CONGESTION, "cubic", 5);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(4096, error);
  if (error) {
    std::fprintf(stderr, "hotlap-asio: cannot listen on %s: %s; choose another port, or 0\n",
                 printable_address(flags.host, flags.port).c_str(), error.message().c_str());
    return 3;
  }
  asio::signal_set signals(*contexts[0], SIGTERM, SIGINT);
  signals.async_wait([&](asio::error_code, int) {
    for (auto& context : contexts) context->stop();
  });
  endpoint = acceptor.local_endpoint(error);
  std::printf("listening on %s\n",
              printable_address(endpoint.address().to_string(), endpoint.port()).c_str());
  std::fflush(stdout);

  asio::co_spawn(contexts[0]->get_executor(), accept_all(acceptor, contexts), asio::detached);
  std::vector<std::jthread> threads;
  for (size_t i = 1; i < contexts.size(); ++i) {
    threads.emplace_back([&context = *contexts[i]] {
      auto stay = asio::make_work_guard(context);
      context.run();
    });
  }
  contexts[0]->run();
  return 0;
}

}  // namespace
}  // namespace hotlap::reference

int main(int argc, char** argv) {
  using namespace hotlap::reference;
  auto parsed =
      parse_flags(argc, argv, "hotlap-asio: a server on standalone asio, to compare with");
  if (auto* stop = std::get_if<Exit>(&parsed)) return stop->code;
  return serve(std::get<Flags>(parsed));
}
