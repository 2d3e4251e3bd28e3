"""Runs the hotlap command as a script would, and finds every process that it left behind.

Each Hotlap puts a mark into the environment of what it starts. Children inherit it, so a look over
/proc finds them all, orphans too, and nobody else's.
"""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("HOTLAP_BIN", TREE / "build" / "release" / "bin")).resolve()
FAULTY_SERVER = Path(__file__).with_name("faulty_server.py")

# Where servers and load share a CPU no round is void for being disturbed: nothing is measured here.
# Files of tests that run at a time mostly take different ones.
CPUS = sorted(os.sched_getaffinity(0))
CPU = str(CPUS[os.getpid() % len(CPUS)])
SHARED = ("--server-cpus", CPU, "--load-cpus", CPU, "--share-cpus")
BRIEF = ("--sets", "1", "--warmup-ms", "10", "--no-report", *SHARED)
SMALL = ("--set-ms", "20", *BRIEF)
ONE_ROUND = ("--plan", "fixed:1", *SMALL)
TWO_FAST = ("--a", "fast", "--b", "fast")


@dataclass
class Result:
    code: int
    out: str
    err: str
    seconds: float

    def json(self) -> dict:
        return json.loads(self.out)


@dataclass
class Hotlap:
    """One test's hotlap, with a temporary directory of its own."""

    temporary: Path
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)
    binary: Path = BIN / "hotlap"

    def environment(self, **more: str) -> dict[str, str]:
        own = {"HOTLAP_TEST_MARK": self.mark, "TMPDIR": str(self.temporary)}
        return {**os.environ, **own, **more}

    def run(
        self,
        *arguments: object,
        prefix: Sequence[str] = (),
        timeout_s: float = 60,
        cwd: Path | None = None,
    ) -> Result:
        begin = time.monotonic()
        done = subprocess.run(
            [*prefix, str(self.binary), *map(str, arguments)],
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            cwd=cwd,
        )
        return Result(done.returncode, done.stdout, done.stderr, time.monotonic() - begin)

    def start(self, *arguments: object, prefix: Sequence[str] = ()) -> Started:
        process = subprocess.Popen(
            [*prefix, str(self.binary), *map(str, arguments)],
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        return Started(self, process)

    def pids(self) -> dict[int, str]:
        """What runs with this mark: program name and arguments."""
        wanted = f"HOTLAP_TEST_MARK={self.mark}".encode()
        found = {}
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == os.getpid():
                continue
            try:
                if wanted in (entry / "environ").read_bytes().split(b"\0"):
                    words = (entry / "cmdline").read_bytes().decode().split("\0")
                    found[int(entry.name)] = " ".join([Path(words[0]).name, *words[1:]])
            except OSError:
                continue
        return found

    def pid_of(self, begin: str) -> int | None:
        """A process whose command line, less the program's directory, begins so."""
        return next((pid for pid, line in self.pids().items() if line.startswith(begin)), None)

    def assert_all_gone(self, within_s: float = 8) -> None:
        left: dict[int, str] = {}

        def gone() -> bool:
            left.clear()
            left.update(self.pids())
            return not left

        ended = holds_within(within_s, gone)
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        assert ended, f"left running {within_s} s after the end: {left}"


@dataclass
class Started:
    """A hotlap at work."""

    hotlap: Hotlap
    process: subprocess.Popen

    def wait_for(self, what: Callable[[], bool], within_s: float = 20) -> None:
        held = holds_within(within_s, lambda: what() or self.process.poll() is not None)
        if self.process.poll() is not None and not what():
            result = self.end()
            raise AssertionError(f"hotlap ended early, code {result.code}: {result.err}")
        assert held, "what was waited for did not come about"

    def wait_for_rounds(self, run: Path, rounds: int) -> None:
        self.wait_for(lambda: finished_rounds(run) >= rounds)

    def end(self, timeout_s: float = 30) -> Result:
        begin = time.monotonic()
        out, err = self.process.communicate(timeout=timeout_s)
        return Result(self.process.returncode, out, err, time.monotonic() - begin)


@contextmanager
def server(
    hotlap: Hotlap, pipeline: str = "fast", *flags: object
) -> Iterator[tuple[subprocess.Popen, str]]:
    """The lab's server on a port of its own, and its URL."""
    process = subprocess.Popen(
        [str(BIN / "hotlap-server"), "--pipeline", pipeline, *map(str, flags)]
        + ["--listen", "127.0.0.1:0"],
        stdout=subprocess.PIPE,
        text=True,
        env=hotlap.environment(),
    )
    try:
        assert process.stdout is not None
        first = process.stdout.readline()
        assert first.startswith("listening on 127.0.0.1:")
        yield process, "http://" + first.split()[-1]
    finally:
        process.kill()
        process.communicate()


def holds_within(seconds: float, condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)  # tidy: allow sleep: what is waited for is in another process's hands
    return True


def cpu_ticks(pid: int) -> int:
    """User and system time of a process; -1 once it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return -1
    return int(fields[11]) + int(fields[12])


def rows(run: Path, name: str = "rounds.csv") -> list[dict[str, str]]:
    with open(run / name, newline="") as file:
        return list(csv.DictReader(file))


def finished_rounds(run: Path) -> int:
    """Whole timing rounds on disk, of two arms each."""
    if not (run / "rounds.csv").exists():
        return 0
    return sum(row["pass"] == "timing" for row in rows(run)) // 2


def run_facts(run: Path) -> dict:
    return json.loads((run / "run.json").read_text())


def faulty(mode: str, *more: object) -> str:
    """A command target that behaves as `mode` says."""
    words = " ".join(str(word) for word in more)
    return f"cmd:exec {sys.executable} {FAULTY_SERVER} {mode} {{port}} {words}"


def assert_error(result: Result, *words: str) -> None:
    """Exit code 3 and one message that holds every word, with nothing of a crash in it."""
    assert result.code == 3, (result.code, result.err)
    assert result.err.count("hotlap: ") == 1, result.err
    for word in words:
        assert word in result.err, (word, result.err)
    for trace in ("terminate called", "Traceback", "assertion", "core dumped"):
        assert trace not in result.err, result.err
