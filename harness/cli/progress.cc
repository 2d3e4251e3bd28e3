// Lines of progress; see progress.h.
#include "harness/cli/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace hotlap::cli {
namespace {

size_t terminal_columns() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

// Cut at a character's edge, since a terminal shows UTF-8.
std::string cut_to(const std::string& line, size_t columns) {
  size_t shown = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    const bool starts_character = (static_cast<unsigned char>(line[i]) & 0xC0) != 0x80;
    if (starts_character && shown++ == columns) return line.substr(0, i);
  }
  return line;
}

}  // namespace

Progress::Style Progress::style_of_stderr() {
  return isatty(STDERR_FILENO) ? Style::kTerminal : Style::kPlain;
}

void Progress::update(const std::string& line) {
  if (style_ == Style::kSilent) return;
  if (style_ == Style::kTerminal) {
    fprintf(stderr, "\r\033[K%s", cut_to(line, terminal_columns() - 1).c_str());
    fflush(stderr);
    shown_ = true;
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  const std::string phase = line.substr(0, line.find_first_of("0123456789"));
  if (phase == phase_ && now - last_plain_ < kPlainInterval) return;
  phase_ = phase;
  last_plain_ = now;
  fprintf(stderr, "%s\n", line.c_str());
}

void Progress::say(const std::string& line) {
  if (style_ == Style::kSilent) return;
  clear();
  fprintf(stderr, "%s\n", line.c_str());
}

void Progress::clear() {
  if (!shown_) return;
  fprintf(stderr, "\r\033[K");
  fflush(stderr);
  shown_ = false;
}

std::string duration_text(double seconds) {
  const long whole = std::lround(seconds);
  if (whole < 60) return absl::StrCat(whole, " s");
  return absl::StrFormat("%d:%02d", whole / 60, whole % 60);
}

}  // namespace hotlap::cli
