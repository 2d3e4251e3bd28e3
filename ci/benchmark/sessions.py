"""Sessions of `hotlap ab` for the benchmarks beside this file: how they are run, kept and read.

A session is one run of `hotlap ab` with a fixed number of rounds, chosen so that the whole command
takes about the wall time asked for. It is kept as a run directory, the JSON that it printed beside
it as NAME.json.
"""

import argparse
import csv
import datetime
import json
import math
import os
import re
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parents[2]
Z_95 = 1.959964  # two-sided 95 % of a normal
PILOT_ROUNDS = 6
UNIT_NS = {"ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9}


class BenchmarkError(Exception):
    """What went wrong and what to do, for the person at the terminal."""


@dataclass(frozen=True)
class Metric:
    """B relative to A; in nanoseconds and per cent. The interval is that of the only look, 95 %."""

    a_ns: float
    estimate_percent: float
    interval_percent: tuple[float, float]
    estimate_ns: float
    interval_ns: tuple[float, float]
    p: float

    @property
    def found(self) -> bool:
        """The interval excludes no difference."""
        return not self.interval_percent[0] <= 0 <= self.interval_percent[1]

    @property
    def ratio(self) -> float:
        return 1 + self.estimate_percent / 100

    @property
    def ratio_interval(self) -> tuple[float, float]:
        return (1 + self.interval_percent[0] / 100, 1 + self.interval_percent[1] / 100)


@dataclass(frozen=True)
class Session:
    directory: Path
    wall_s: float
    report: dict[str, Any]  # what --json printed
    rounds: list[dict[str, str]]  # rows of rounds.csv: timing pass, not void

    @property
    def cpu(self) -> Metric:
        """CPU per request, the primary metric."""
        found = [m for m in self.report["metrics"] if m["name"] == "cpu_per_request"]
        if len(found) != 1 or found[0]["interval_percent"] is None:
            why = self.report.get("reason") or "no reason given"
            raise BenchmarkError(f"{self.directory}: no estimate of cpu_per_request: {why}")
        m = found[0]
        ns = UNIT_NS.get(m["unit"].split("/")[0])
        if ns is None:
            raise BenchmarkError(f"{self.directory}: cpu_per_request in unknown unit {m['unit']}")
        low, high = m["interval_absolute"]
        return Metric(
            m["a"] * ns,
            m["estimate_percent"],
            (m["interval_percent"][0], m["interval_percent"][1]),
            m["estimate_absolute"] * ns,
            (low * ns, high * ns),
            m["p"],
        )

    def differences(self) -> list[float]:
        """d = ln(B/A) of CPU per request, one a round."""
        value: dict[tuple[str, str], float] = {}
        for row in self.rounds:
            value[row["round"], row["arm"]] = float(row["cpu_ns"]) / float(row["ok"])
        arms = sorted({arm for _, arm in value})
        if len(arms) != 2:
            raise BenchmarkError(f"{self.directory}: rounds.csv has arms {arms}, not two")
        a, b = arms
        rounds = [r for r, arm in value if arm == a and (r, b) in value]
        return [math.log(value[r, b] / value[r, a]) for r in rounds]

    def standard_error_percent(self) -> float:
        """Of the Hodges-Lehmann estimate, from the spread over rounds: 1.4826 MAD, and
        pi/3 = 1.047 for the efficiency of the estimator."""
        d = self.differences()
        centre = statistics.median(d)
        spread = 1.4826 * statistics.median(abs(x - centre) for x in d)
        return 100 * spread * math.sqrt(math.pi / 3 / len(d))

    def standard_error_of_mean_percent(self) -> float:
        """From the plain standard deviation: larger than the other where there are outliers."""
        d = self.differences()
        return 100 * statistics.stdev(d) / math.sqrt(len(d))

    def step_ns(self) -> tuple[float, float]:
        """Cost of a ballast step as measured beside the rounds, and the standard error of it."""
        values = {
            r["round"]: float(r["ballast_step_ns"]) for r in self.rounds if r["ballast_step_ns"]
        }
        if len(values) < 3:
            raise BenchmarkError(f"{self.directory}: rounds.csv lacks ballast_step_ns")
        steps = list(values.values())
        return statistics.median(steps), 1.2533 * statistics.stdev(steps) / math.sqrt(len(steps))


class Bench:
    """Runs sessions, keeps them in one directory, and knows how many rounds fill a wall time."""

    def __init__(self, name: str, options: argparse.Namespace):
        self.hotlap = Path(options.hotlap)
        if not os.access(self.hotlap, os.X_OK):
            raise BenchmarkError(
                f"{self.hotlap} is not a program: build it (cmake --preset release && "
                "cmake --build build/release), or name it with --hotlap"
            )
        self.seconds: float = options.seconds
        now = datetime.datetime.now(datetime.UTC).strftime("%Y%m%d-%H%M%S")
        self.results = Path(options.results or TOP / "results" / f"run-{name}-{now}")
        self.results.mkdir(parents=True, exist_ok=True)
        self._pilots: dict[tuple[str, ...], Session] = {}

    def session(self, name: str, a: str, b: str, *flags: str) -> Session:
        """A session of about `seconds`; the first of its kind is preceded by a short pilot."""
        rounds = self._rounds_within_time(self.pilot(a, b, *flags))
        return self._run(name, a, b, rounds, *flags)

    def pilot(self, a: str, b: str, *flags: str) -> Session:
        """A few rounds that tell how long one takes; those of the same A and flags are reused."""
        key = (a, *flags)
        if key not in self._pilots:
            kind = re.sub(r"[^a-z0-9]+", "-", "-".join(key))
            self._pilots[key] = self._run(f"pilot-{kind}", a, b, PILOT_ROUNDS, *flags)
        return self._pilots[key]

    def counted(self, name: str, a: str, b: str, *flags: str) -> Session:
        """One round that is timed, and all of the passes that count."""
        return self._run(name, a, b, 1, *flags, counting=True)

    def _rounds_within_time(self, pilot: Session) -> int:
        rounds = {row["round"]: float(row["round_ns"]) * 1e-9 for row in pilot.rounds}
        one_s = statistics.mean(rounds.values())
        rest_s = max(0.0, pilot.wall_s - one_s * PILOT_ROUNDS)
        return max(PILOT_ROUNDS, int((self.seconds - rest_s) / one_s))

    def _run(
        self, name: str, a: str, b: str, rounds: int, *flags: str, counting: bool = False
    ) -> Session:
        directory = self.results / name
        command = [str(self.hotlap), "ab", "--a", a, "--b", b, "--plan", f"fixed:{rounds}"]
        command += ["--no-report", "--quiet", "--json", "--out", str(directory)]
        command += [*flags] if counting else ["--no-counting", *flags]
        begin = time.monotonic()
        done = run_to_its_end(command)
        wall_s = time.monotonic() - begin
        if done.returncode != 0:
            raise BenchmarkError(
                f"{' '.join(command)}: exit code {done.returncode}: {done.stderr.strip()[-2000:]}"
            )
        (self.results / f"{name}.json").write_text(done.stdout)
        return read_session(directory, done.stdout, wall_s)


def run_to_its_end(command: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    """What a command printed. Where we are stopped before it ends, it is stopped, as by Ctrl-C, and
    waited for."""
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            printed, errors = process.communicate()
        except BaseException:
            process.send_signal(signal.SIGINT)
            process.communicate()
            raise
    return subprocess.CompletedProcess(list(command), process.returncode, printed, errors)


def read_session(directory: Path, printed: str, wall_s: float) -> Session:
    try:
        report = json.loads(printed)
        with (directory / "rounds.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, ValueError) as error:
        raise BenchmarkError(f"{directory}: not a readable run: {error}") from error
    rounds = [row for row in rows if row["pass"] == "timing" and not row["void_cause"]]
    if not rounds:
        raise BenchmarkError(f"{directory}: no round that counts; all {len(rows)} rows are void")
    return Session(directory, wall_s, report, rounds)


def parser(
    prog: str, description: str | None, sessions: int, seconds: float
) -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(
        prog=f"ci/benchmark/{prog}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = result.add_argument
    add("--sessions", type=int, default=sessions, help="sessions of each kind (%(default)s)")
    add("--seconds", type=float, default=seconds, help="wall time of a session (%(default)s)")
    add("--results", help="directory to keep the runs in (results/run-NAME-TIME)")
    add("--hotlap", default=TOP / "build/release/bin/hotlap", help="the program (%(default)s)")
    return result


def interval(low: float, high: float, digits: int) -> str:
    return f"[{low:.{digits}f}, {high:.{digits}f}]"


def say(text: str) -> None:
    print(text, flush=True)


def goal(what: str, wanted: str, reached: str, held: bool) -> bool:
    """The final line of a promise."""
    say(f"{'reached' if held else 'MISSED '}  {what}: goal {wanted}, reached {reached}")
    return held


def main(body: Any) -> None:
    """Runs a benchmark: exit code 0 for every goal reached, 1 for one missed, 3 for a failure. A
    command that runs when it is told to stop is stopped too."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        goals: Sequence[bool] = body()
    except BenchmarkError as error:
        print(f"{Path(sys.argv[0]).name}: {error}", file=sys.stderr)
        sys.exit(3)
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(0 if all(goals) else 1)
