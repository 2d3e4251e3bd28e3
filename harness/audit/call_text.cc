// Masks and roles; see call_text.h.
#include "harness/audit/call_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace hotlap::audit {
namespace {

using std::string_view;

// Below it a hexadecimal number is a flag or a size.
constexpr size_t kAddressDigits = 5;

template <size_t n>
bool is_one_of(string_view name, const std::array<string_view, n>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Calls whose texts are paths and not contents.
bool takes_path(string_view name) {
  static constexpr std::array<string_view, 22> kNames = {
      "open",       "openat", "openat2",  "stat",      "lstat",      "newfstatat",
      "statx",      "access", "chdir",    "faccessat", "faccessat2", "readlink",
      "readlinkat", "unlink", "unlinkat", "mkdir",     "mkdirat",    "rename",
      "renameat2",  "execve", "execveat", "statfs"};
  return is_one_of(name, kNames);
}

bool returns_task(string_view name) {
  static constexpr std::array<string_view, 10> kNames = {
      "clone",  "clone3", "fork",   "vfork",           "wait4",
      "waitid", "getpid", "gettid", "set_tid_address", "getppid"};
  return is_one_of(name, kNames);
}

bool addresses_task(string_view name) {
  static constexpr std::array<string_view, 4> kNames = {"kill", "tgkill", "tkill", "wait4"};
  return is_one_of(name, kNames);
}

// The argument that says how long to wait, in milliseconds.
int timeout_argument(string_view name) {
  if (name == "epoll_wait" || name == "epoll_pwait") return 3;
  return name == "poll" ? 2 : -1;
}

// The end of what opens at `begin` with one of ([{<", one past its close.
size_t end_of_group(string_view text, size_t begin) {
  int depth = 0;
  for (size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\' ? 1 : 0;
      continue;
    }
    if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
    // "->" of a connection and "=>" of a changed value close nothing.
    const bool arrow = c == '>' && i > 0 && (text[i - 1] == '-' || text[i - 1] == '=');
    if ((c == ')' || c == ']' || c == '}' || (c == '>' && !arrow)) && --depth == 0) return i + 1;
  }
  return text.size();
}

std::vector<std::string> split_arguments(string_view text) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '(' || c == '[' || c == '{') {
      i = end_of_group(text, i);
    } else if (text.substr(i).starts_with(", ")) {
      parts.emplace_back(text.substr(begin, i - begin));
      begin = i += 2;
    } else {
      ++i;
    }
  }
  if (begin < text.size() || !parts.empty()) parts.emplace_back(text.substr(begin));
  return parts;
}

// "TCP:[127.0.0.1:80->127.0.0.1:5000]" → the port before the arrow.
bool is_local_port(string_view annotation, uint16_t port) {
  const size_t arrow = annotation.find("->");
  const string_view local = annotation.substr(0, arrow);
  return local.ends_with(absl::StrCat(":", port));
}

std::string socket_role(string_view annotation, uint16_t port) {
  if (annotation.starts_with("TCP")) {
    if (annotation.find("->") != string_view::npos) {
      return is_local_port(annotation, port) ? "connection" : "outbound connection";
    }
    const size_t open = annotation.find('[');
    const bool bound = annotation.find(':', open) != string_view::npos;
    return bound ? "listener" : "socket";
  }
  if (annotation.starts_with("UDP")) return "udp socket";
  if (annotation.starts_with("UNIX")) return "unix socket";
  if (annotation.starts_with("NETLINK")) return "netlink socket";
  if (annotation.starts_with("socket:")) return "socket";
  return "";
}

// "anon_inode:[eventpoll]" → "eventpoll"; "" for all else.
string_view anonymous_kind(string_view annotation) {
  constexpr string_view kPrefix = "anon_inode:";
  if (!annotation.starts_with(kPrefix)) return "";
  annotation.remove_prefix(kPrefix.size());
  while (annotation.starts_with('[')) annotation.remove_prefix(1);
  return annotation.substr(0, annotation.find_first_of("]:"));
}

bool is_number(string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace

// One pass over a text of strace.
class CallText::Masking {
 public:
  Masking(CallText& owner, const TracedEvent& event, pid_t process)
      : owner_(owner), event_(event), process_(process) {}

  std::string mask(string_view text) {
    std::string out;
    for (size_t i = 0; i < text.size();) i = step(text, i, out);
    return out;
  }

 private:
  // Copies or masks what stands at `i`; returns where the next thing stands.
  size_t step(string_view text, size_t i, std::string& out) {
    const char c = text[i];
    if (c == '"') return literal(text, i, out);
    if (text.substr(i).starts_with("/*")) {
      const size_t end = text.find("*/", i);
      while (out.ends_with(' ')) out.pop_back();
      return end == string_view::npos ? text.size() : end + 2;
    }
    if (c == '{') return structure(text, i, out);
    const bool in_word =
        i > 0 && (std::isalnum(static_cast<unsigned char>(text[i - 1])) != 0 || text[i - 1] == '_');
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 && !in_word) return number(text, i, out);
    out += c;
    return i + 1;
  }

  size_t literal(string_view text, size_t i, std::string& out) const {
    size_t end = i + 1;
    while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    end = std::min(end + 1, text.size());
    const string_view whole = text.substr(i, end - i);
    if (text.substr(end).starts_with("...")) end += 3;
    if (takes_path(event_.name)) {
      out += whole;
    } else {
      out += "...";
    }
    return end;
  }

  size_t structure(string_view text, size_t i, std::string& out) {
    const size_t end = end_of_group(text, i);
    const string_view inside = text.substr(i + 1, end - i - 2);
    if (inside.starts_with("sa_family=")) {
      absl::StrAppend(&out, "{", std::string(inside.substr(10, inside.find(',') - 10)), "}");
    } else if (inside.starts_with("tv_sec=")) {
      out += "{time}";
    } else if (inside.starts_with("iov_base=")) {
      const size_t length = inside.rfind("iov_len=");
      out += length == string_view::npos ? inside : inside.substr(length + 8);
    } else if (inside.starts_with("flags=CLONE_")) {
      absl::StrAppend(&out, "{", std::string(inside.substr(6, inside.find(',') - 6)), "}");
    } else if (inside.starts_with("parent_tid=")) {
      out += "{pid}";
    } else if (inside.starts_with("msg_name=")) {
      absl::StrAppend(&out, "{", message(inside), "}");
    } else if (inside.starts_with("events=") && inside.find(", data=") != string_view::npos) {
      absl::StrAppend(&out, "{", std::string(inside.substr(7, inside.find(", data=") - 7)), "}");
    } else {
      absl::StrAppend(&out, "{", mask(inside), "}");
    }
    return end;
  }

  // A msghdr's parts, without the fields that are empty or say again how many parts there are.
  std::string message(string_view inside) {
    std::vector<std::string> kept;
    for (const std::string& field : split_arguments(inside)) {
      if (field == "msg_name=NULL" || field == "msg_namelen=0" || field == "msg_controllen=0" ||
          field == "msg_flags=0" || string_view(field).starts_with("msg_iovlen=")) {
        continue;
      }
      const bool parts = string_view(field).starts_with("msg_iov=");
      kept.push_back(mask(parts ? string_view(field).substr(8) : field));
    }
    return absl::StrJoin(kept, ", ");
  }

  size_t number(string_view text, size_t i, std::string& out) {
    if (text.substr(i).starts_with("0x")) {
      size_t end = i + 2;
      while (end < text.size() && std::isxdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
      out += end - i - 2 >= kAddressDigits ? string_view("address") : text.substr(i, end - i);
      return end;
    }
    size_t end = i;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    if (end < text.size() && text[end] == '<' && end - i < 10) {
      const size_t close = end_of_group(text, end);
      int64_t fd = 0;
      for (const char digit : text.substr(i, end - i)) fd = fd * 10 + (digit - '0');
      out += owner_.role(fd, text.substr(end + 1, close - end - 2), process_);
      return close;
    }
    out += text.substr(i, end - i);
    return end;
  }

  CallText& owner_;
  const TracedEvent& event_;
  pid_t process_;
};

std::string CallText::role(int64_t fd, string_view annotation, pid_t process) {
  std::string role = socket_role(annotation, port_);
  if (role == "connection") return role;  // one that was opened anew plays the same part
  const string_view kind = anonymous_kind(annotation);
  if (kind == "eventpoll") {
    role = "epoll";
  } else if (!kind.empty()) {
    role = std::string(kind);
  } else if (fd <= 2 && (annotation.starts_with("pipe:") || annotation.starts_with("/dev/"))) {
    return std::array{"stdin", "stdout", "stderr"}[static_cast<size_t>(fd)];
  } else if (annotation.starts_with("pipe:")) {
    role = "pipe";
  } else if (role.empty()) {
    // A file; a device has its numbers in another pair of angles.
    return std::string(annotation.substr(0, annotation.find('<')));
  }
  auto& alike = numbered_[role];
  const size_t number = alike.try_emplace({process, fd}, alike.size() + 1).first->second;
  return number == 1 ? role : absl::StrCat(role, " ", number);
}

std::string CallText::describe(const TracedEvent& event, pid_t process) {
  if (event.kind == EventKind::kSignal) return absl::StrCat("signal ", event.name);
  Masking masking(*this, event, process);
  std::vector<std::string> arguments = split_arguments(masking.mask(event.arguments));
  const int timeout = timeout_argument(event.name);
  if (timeout >= 0 && static_cast<size_t>(timeout) < arguments.size()) {
    std::string& wait = arguments[static_cast<size_t>(timeout)];
    if (is_number(wait) && wait != "0") wait = "ms";
  }
  // A registered ring goes by its index, which is no descriptor.
  const bool registered = event.arguments.find("IORING_ENTER_REGISTERED_RING") != std::string::npos;
  if (event.name == "io_uring_enter" && registered) arguments.front() = "ring";
  if (addresses_task(event.name)) {
    for (std::string& argument : arguments) {
      if (is_number(argument) && argument != "0") argument = "pid";
    }
  }
  std::string result = event.result;
  // In words: the error's text, or a list of descriptors that strace does not annotate.
  result = result.substr(0, result.find(" ("));
  result = masking.mask(result);
  const bool task = is_number(result.substr(0, result.find(' ')));
  if (returns_task(event.name) && task && result != "0") result = "pid";
  return absl::StrCat(event.name, "(", absl::StrJoin(arguments, ", "), ") = ", result);
}

}  // namespace hotlap::audit
