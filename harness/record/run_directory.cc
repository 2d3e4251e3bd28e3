// Rows and files of a run directory; see run_directory.h.
#include "harness/record/run_directory.h"

#include <fcntl.h>
#include <google/protobuf/util/json_util.h>

#include <fstream>
#include <sstream>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "harness/record/csv.h"
#include "harness/record/file.h"

namespace hotlap::record {
namespace {

namespace fs = std::filesystem;
using hotlap::v1::ArmRound;
using hotlap::v1::ErrorCounts;
using hotlap::v1::Round;

constexpr char kSlices[] = "slices.csv";
constexpr char kRounds[] = "rounds.csv";
constexpr char kLatency[] = "latency.csv";
constexpr char kSyscalls[] = "syscalls.csv";
constexpr char kRun[] = "run.json";

constexpr char kCountColumns[] =
    "started,ok,unexpected_status,unexpected_body,connect,reset,timeout,protocol,tls,in_flight";

std::string slices_header() {
  return absl::StrCat("pass,round,set,block,position,arm,start_ns,duration_ns,", kCountColumns,
                      ",server_cpu_ns,generator_cpu_ns,syscalls\n");
}

std::string rounds_header(const std::vector<std::string>& events) {
  std::string columns;
  for (const std::string& event : events) absl::StrAppend(&columns, ",event:", event);
  return absl::StrCat(
      "pass,round,arm,launch_position,connect_position,path_slot,padding_bytes,port,pids,",
      kCountColumns,
      ",load_ns,own_slices_ns,cpu_ns,cpu_own_slices_ns,generator_cpu_ns,"
      "minor_faults,major_faults,voluntary_switches,involuntary_switches,rss_begin_bytes,"
      "rss_end_bytes,rss_requests,user_ns_sampled,system_ns_sampled,syscalls,allocations,"
      "allocated_bytes,frees,cgroup_cpu_ns,reply_bytes,rss_peak_bytes,latency_p50_ns,"
      "latency_p90_ns,latency_p99_ns,steal_ns,other_load_ns,generator_late_ns,"
      "ballast_step_ns,round_ns,void_cause,void_arm",
      columns, "\n");
}

constexpr char kLatencyHeader[] = "pass,round,arm,low_ns,high_ns,count,min_ns,max_ns,sum_ns\n";

constexpr char kSyscallsHeader[] = "pass,round,arm,name,calls\n";

void add_counts(CsvLine& line, const ErrorCounts& c) {
  for (int64_t n : {c.started(), c.ok(), c.unexpected_status(), c.unexpected_body(), c.connect(),
                    c.reset(), c.timeout(), c.protocol(), c.tls(), c.in_flight()}) {
    line.integer(n);
  }
}

#define HOTLAP_OPTIONAL(message, field) \
  ((message).has_##field() ? std::optional<int64_t>((message).field()) : std::optional<int64_t>())

std::optional<int64_t> count_of(const ArmRound& arm, const std::string& event) {
  for (const auto& counted : arm.events()) {
    if (counted.event() == event) return counted.count();
  }
  return std::nullopt;
}

std::string round_row(const Round& round, const ArmRound& arm,
                      const std::vector<std::string>& names,
                      const std::vector<std::string>& events) {
  std::string pids;
  for (int pid : arm.pids()) absl::StrAppend(&pids, pids.empty() ? "" : ";", pid);
  CsvLine line;
  line.text(round.pass()).integer(int64_t{round.index()}).text(names[arm.arm()]);
  line.integer(int64_t{arm.roles().launch_position()});
  line.integer(int64_t{arm.roles().connect_position()});
  line.integer(int64_t{arm.roles().path_slot()}).integer(int64_t{arm.roles().padding_bytes()});
  line.integer(int64_t{arm.roles().port()}).text(pids);
  add_counts(line, arm.counts());
  line.integer(arm.load_ns());
  for (auto value : {HOTLAP_OPTIONAL(arm, own_slices_ns),
                     HOTLAP_OPTIONAL(arm, cpu_ns),
                     HOTLAP_OPTIONAL(arm, cpu_own_slices_ns),
                     HOTLAP_OPTIONAL(arm, generator_cpu_ns),
                     HOTLAP_OPTIONAL(arm, minor_faults),
                     HOTLAP_OPTIONAL(arm, major_faults),
                     HOTLAP_OPTIONAL(arm, voluntary_switches),
                     HOTLAP_OPTIONAL(arm, involuntary_switches),
                     HOTLAP_OPTIONAL(arm, rss_begin_bytes),
                     HOTLAP_OPTIONAL(arm, rss_end_bytes),
                     HOTLAP_OPTIONAL(arm, rss_requests),
                     HOTLAP_OPTIONAL(arm, user_ns_sampled),
                     HOTLAP_OPTIONAL(arm, system_ns_sampled),
                     HOTLAP_OPTIONAL(arm, syscalls),
                     HOTLAP_OPTIONAL(arm, allocations),
                     HOTLAP_OPTIONAL(arm, allocated_bytes),
                     HOTLAP_OPTIONAL(arm, frees),
                     HOTLAP_OPTIONAL(arm, cgroup_cpu_ns),
                     HOTLAP_OPTIONAL(arm, reply_bytes),
                     HOTLAP_OPTIONAL(arm, rss_peak_bytes),
                     HOTLAP_OPTIONAL(arm, latency_p50_ns),
                     HOTLAP_OPTIONAL(arm, latency_p90_ns),
                     HOTLAP_OPTIONAL(arm, latency_p99_ns),
                     HOTLAP_OPTIONAL(round, steal_ns),
                     HOTLAP_OPTIONAL(round, other_load_ns),
                     HOTLAP_OPTIONAL(round, generator_late_ns)}) {
    line.integer(value);
  }
  line.real(round.has_ballast_step_ns() ? std::optional<double>(round.ballast_step_ns())
                                        : std::nullopt);
  line.integer(round.duration_ns()).text(round.void_cause());
  line.text(round.has_void_arm() ? names[round.void_arm()] : "");
  for (const std::string& event : events) line.integer(count_of(arm, event));
  return std::move(line).finish();
}

std::string slice_row(const Round& round, const hotlap::v1::Slice& slice,
                      const std::vector<std::string>& names) {
  CsvLine line;
  line.text(round.pass()).integer(int64_t{round.index()}).integer(int64_t{slice.set()});
  line.integer(int64_t{slice.block()}).integer(int64_t{slice.position()});
  line.text(names[slice.arm()]).integer(slice.start_ns()).integer(slice.duration_ns());
  add_counts(line, slice.counts());
  line.integer(HOTLAP_OPTIONAL(slice, server_cpu_ns));
  line.integer(HOTLAP_OPTIONAL(slice, generator_cpu_ns));
  line.integer(HOTLAP_OPTIONAL(slice, syscalls));
  return std::move(line).finish();
}

std::string latency_rows(const std::string& pass, uint32_t index, const std::string& arm,
                         const hotlap::v1::Latency& latency) {
  std::string rows;
  for (int i = 0; i < latency.buckets_size(); ++i) {
    const auto& bucket = latency.buckets(i);
    CsvLine line;
    line.text(pass).integer(int64_t{index}).text(arm);
    line.integer(bucket.low_ns()).integer(bucket.high_ns()).integer(bucket.count());
    if (i == 0) {
      line.integer(latency.min_ns()).integer(latency.max_ns()).integer(latency.sum_ns());
    } else {
      line.empty().empty().empty();
    }
    rows += std::move(line).finish();
  }
  return rows;
}

std::string syscall_rows(const Round& round, const ArmRound& arm,
                         const std::vector<std::string>& names) {
  std::string rows;
  for (const auto& count : arm.syscalls_by_name()) {
    CsvLine line;
    line.text(round.pass()).integer(int64_t{round.index()}).text(names[arm.arm()]);
    line.text(count.name()).integer(count.calls());
    rows += std::move(line).finish();
  }
  return rows;
}

}  // namespace

absl::StatusOr<RunDirectory> RunDirectory::create(const fs::path& path,
                                                  std::vector<std::string> arm_names,
                                                  std::vector<std::string> events) {
  const absl::Status made = make_run_directory(path);
  if (!made.ok()) return made;
  RunDirectory directory(path, std::move(arm_names), std::move(events));
  for (const auto& [file, header] : {std::pair<const char*, std::string>{kSlices, slices_header()},
                                     {kRounds, rounds_header(directory.events_)},
                                     {kLatency, kLatencyHeader},
                                     {kSyscalls, kSyscallsHeader}}) {
    absl::Status status = write_file(path / file, O_CREAT | O_TRUNC, header);
    if (!status.ok()) return status;
  }
  return directory;
}

absl::Status RunDirectory::append_text(const char* file, const std::string& rows) const {
  if (rows.empty()) return absl::OkStatus();
  const fs::path path = path_ / file;
  std::error_code error;
  const auto before = fs::file_size(path, error);
  absl::Status status = write_file(path, O_APPEND, rows);
  // Half a round would be read as a whole one: take its rows back.
  if (!status.ok() && !error) fs::resize_file(path, before, error);
  return status;
}

absl::Status RunDirectory::append(const Round& round) {
  std::string slices, rounds, latency, syscalls;
  for (const auto& slice : round.slices()) slices += slice_row(round, slice, arm_names_);
  for (const auto& arm : round.arms()) {
    latency += latency_rows(round.pass(), round.index(), arm_names_[arm.arm()], arm.latency());
    syscalls += syscall_rows(round, arm, arm_names_);
    rounds += round_row(round, arm, arm_names_, events_);
  }
  for (const auto& [file, rows] : {std::pair<const char*, const std::string*>{kSlices, &slices},
                                   {kLatency, &latency},
                                   {kSyscalls, &syscalls},
                                   {kRounds, &rounds}}) {
    absl::Status status = append_text(file, *rows);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status RunDirectory::append(const hotlap::v1::OpenPass& pass) {
  std::string rows;
  for (const auto& arm : pass.arms()) {
    const std::string& name = arm_names_[arm.arm()];
    rows += latency_rows("open", pass.index(), name, arm.response_latency());
    rows += latency_rows("open_service", pass.index(), name, arm.service_latency());
  }
  return append_text(kLatency, rows);
}

absl::Status RunDirectory::write_run(const hotlap::v1::Run& run) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = true;
  std::string json;
  if (!google::protobuf::util::MessageToJsonString(run, &json, options).ok()) {
    return absl::InternalError("cannot print run.json: a text in it is not UTF-8");
  }
  return replace_file(path_ / kRun, json);
}

absl::StatusOr<hotlap::v1::Run> read_run(const fs::path& run_directory) {
  const fs::path path = run_directory / kRun;
  std::ifstream file(path);
  if (!file) {
    return absl::NotFoundError(absl::StrCat(path.string(), " cannot be read: is ",
                                            run_directory.string(), " a run directory?"));
  }
  std::stringstream text;
  text << file.rdbuf();
  hotlap::v1::Run run;
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  const auto parsed = google::protobuf::util::JsonStringToMessage(text.str(), &run, options);
  if (!parsed.ok()) {
    return absl::DataLossError(
        absl::StrCat(path.string(), " is damaged: ", std::string(parsed.message())));
  }
  if (run.schema_version() != kSchemaVersion) {
    return absl::FailedPreconditionError(absl::StrCat(
        path.string(), " has schema version ", run.schema_version(), "; this hotlap reads version ",
        kSchemaVersion, ": use the hotlap that wrote it, or a later one"));
  }
  return run;
}

}  // namespace hotlap::record
