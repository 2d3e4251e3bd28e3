// What a waiting person sees on standard error: on a terminal one line that is rewritten, cut to
// its width; elsewhere a plain line now and then. Standard output is left to the result.
#ifndef HOTLAP_HARNESS_CLI_PROGRESS_H_
#define HOTLAP_HARNESS_CLI_PROGRESS_H_

#include <chrono>
#include <string>

namespace hotlap::cli {

class Progress {
 public:
  enum class Style { kTerminal, kPlain, kSilent };

  explicit Progress(Style style) : style_(style) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // The style that standard error asks for.
  static Style style_of_stderr();

  // The state of things; replaces the line before on a terminal. Elsewhere one that begins as the
  // last one did, up to its first number, is shown at most every kPlainInterval.
  void update(const std::string& line);
  // A sentence that stays.
  void say(const std::string& line);
  void clear();

 private:
  static constexpr std::chrono::seconds kPlainInterval{5};

  Style style_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_plain_{};
  std::string phase_;
};

// "1:05" or "12 s".
std::string duration_text(double seconds);

}  // namespace hotlap::cli

#endif  // HOTLAP_HARNESS_CLI_PROGRESS_H_
