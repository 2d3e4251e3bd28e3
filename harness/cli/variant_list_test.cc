// What `hotlap variants` shows: the server's list whole, and figures only where they were measured
// here.
#include "harness/cli/variant_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hotlap::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kList[] = R"({"stages": [
  {"name": "request_line", "variants": [
    {"name": "scalar", "summary": "by hand", "costs": "little", "exemptions": [],
     "supported": true, "reason": null},
    {"name": "avx9", "summary": "wide", "costs": "less", "exemptions": ["growing"],
     "supported": false, "reason": "no AVX9"}]},
  {"name": "dispatch", "variants": []}],
 "profiles": [{"name": "fast", "summary": "the best", "pipeline": "request_line=scalar"}]})";

constexpr int64_t kNow = 1'800'000'000;

record::MicroFigures figures(int64_t age_s) {
  record::MicroFigure figure;
  figure.stage = "request_line";
  figure.variant = "scalar";
  figure.input = "browser";
  figure.typical = true;
  figure.cpu_ns = 37.456;
  figure.allocations = 0;
  record::MicroFigure other = figure;
  other.input = "curl";
  other.typical = false;
  other.cpu_ns = 9;
  return {
      .cpu_model = "Example 9000", .measured_at_unix_s = kNow - age_s, .figures = {other, figure}};
}

std::string shown(const absl::StatusOr<record::MicroFigures>& measured) {
  auto list = parse_variant_list(kList);
  EXPECT_TRUE(list.ok()) << list.status();
  add_figures(*list, measured, kNow);
  return variant_list_text(*list);
}

TEST(VariantList, ShowsWhatTheServerSays) {
  EXPECT_THAT(shown(absl::NotFoundError("none")),
              AllOf(HasSubstr("request_line\n"), HasSubstr("scalar            by hand\n"),
                    HasSubstr("costs little; runs here\n"),
                    HasSubstr("costs less; does not run here: no AVX9; declares the fault growing"),
                    HasSubstr("profiles\n"), HasSubstr("request_line=scalar"),
                    HasSubstr("no figures of this machine yet: run `hotlap-micro --save`"),
                    Not(HasSubstr("a call ("))));
}

TEST(VariantList, ShowsTheTypicalFigureWithItsAgeAndProcessor) {
  const std::string text = shown(figures(7300));
  EXPECT_THAT(text,
              AllOf(HasSubstr("alone 37.5 ns and 0 allocations a call (browser)"),
                    HasSubstr("measured 2 hours ago on Example 9000"), Not(HasSubstr("(curl)"))));
  // The other variant was not measured, and so has no figure.
  EXPECT_EQ(text.find("alone ", text.find("avx9")), std::string::npos);
}

TEST(VariantList, FiguresAreReadableWhateverTheirSize) {
  for (const auto& [ns, text] : {std::pair{1.234, "alone 1.23 ns"},
                                 {99.96, "alone 100 ns"},
                                 {1234.5, "alone 1234 ns"},
                                 {89'946.0, "alone 89946 ns"}}) {
    record::MicroFigures measured = figures(1);
    for (record::MicroFigure& figure : measured.figures) figure.cpu_ns = ns;
    EXPECT_THAT(shown(measured), HasSubstr(text));
  }
}

TEST(VariantList, AgesAreInTheirLargestUnit) {
  EXPECT_THAT(shown(figures(0)), HasSubstr("measured just now on"));
  EXPECT_THAT(shown(figures(-60)), HasSubstr("measured just now on"));
  EXPECT_THAT(shown(figures(1)), HasSubstr("1 second ago"));
  EXPECT_THAT(shown(figures(59)), HasSubstr("59 seconds ago"));
  EXPECT_THAT(shown(figures(3599)), HasSubstr("59 minutes ago"));
  EXPECT_THAT(shown(figures(86'400)), HasSubstr("1 day ago"));
}

TEST(VariantList, FiguresOfAnotherProcessorAreToldAndNotShown) {
  const std::string text =
      shown(absl::FailedPreconditionError("the figures saved are of another processor"));
  EXPECT_THAT(text, AllOf(HasSubstr("another processor; run `hotlap-micro --save`"),
                          Not(HasSubstr("a call ("))));
}

TEST(VariantList, JsonHasFiguresOrTheReason) {
  auto list = parse_variant_list(kList);
  ASSERT_TRUE(list.ok());
  add_figures(*list, figures(10), kNow);
  EXPECT_EQ((*list)["micro"]["age_s"], 10);
  const auto& variants = (*list)["stages"][0]["variants"];
  EXPECT_EQ(variants[0]["micro"]["cpu_ns_per_call"], 37.456);
  EXPECT_FALSE(variants[0]["micro"].contains("cycles_per_call"));
  EXPECT_FALSE(variants[1].contains("micro"));
  list = parse_variant_list(kList);
  add_figures(*list, absl::NotFoundError("none"), kNow);
  EXPECT_TRUE((*list)["micro"].is_null());
  EXPECT_THAT((*list)["micro_absent"].get<std::string>(), HasSubstr("hotlap-micro --save"));
}

TEST(VariantList, WhatIsNoListIsAnError) {
  for (const char* text : {"", "[]", "{}", R"({"stages": [], "profiles": 3})",
                           R"({"stages": [{"name": "a"}], "profiles": []})",
                           R"({"stages": [{"name": "a", "variants": [{}]}], "profiles": []})"}) {
    EXPECT_FALSE(parse_variant_list(text).ok()) << text;
  }
}

}  // namespace
}  // namespace hotlap::cli
