"""The lab's server as a child on a CPU of its own, for benchmarks that load it by themselves."""

import os
import re
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from sessions import BenchmarkError


def cpus() -> tuple[int, int]:
    """The server's and the load's."""
    usable = sorted(os.sched_getaffinity(0))
    if len(usable) < 2:
        raise BenchmarkError("one CPU only: server and load need one each")
    return usable[0], usable[-1]


class LabServer:
    """Ends with the `with`. `under` is a command to run it under as its only child, which ends when
    the server does."""

    def __init__(self, program: Path, pipeline: str, cpu: int, under: Sequence[str] = ()):
        self.under = under
        command = [*under, str(program), "--pipeline", pipeline, "--listen", "127.0.0.1:0"]
        self.process = subprocess.Popen(
            ["taskset", "-c", str(cpu), *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        first = self.process.stdout.readline()
        match = re.fullmatch(r"listening on (\S+)", first.strip())
        if match is None:
            self.stop()
            raise BenchmarkError(f"{program} did not start: its first line is {first!r}")
        self.url = f"http://{match.group(1)}/hello"

    def stop(self) -> None:
        """The server itself is told to stop: perf, told so, would print nothing."""
        pid = self.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        os.kill(int(children[0]) if self.under and children else pid, signal.SIGTERM)
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def __enter__(self) -> "LabServer":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
