"""hotlap load that is interrupted: what was measured is printed, and a second wish ends it."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from loading import answering, checked, ok
from running import Hotlap, Result, holds_within, server

LONG = ("-d", "60s", "-c", "4")


def interrupt_when(
    hotlap: Hotlap, ready: Callable[[], bool], *arguments: object, number: int = signal.SIGINT
) -> Result:
    started = hotlap.start("load", *arguments)
    started.wait_for(ready)
    started.process.send_signal(number)
    return started.end()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("more", [(), ("-R", "200")])
def test_the_table_of_what_was_measured(
    hotlap: Hotlap, number: signal.Signals, more: tuple[str, ...]
) -> None:
    with answering(ok) as (address, heads):
        url = f"http://{address}/"
        result = interrupt_when(
            hotlap, lambda: len(heads) > 50, url, *LONG, *more, "--quiet", number=number
        )
    assert result.code == 130
    assert re.search(r"hotlap: interrupted after [\d.]+ s of 1:00: ", result.err), result.err
    assert re.search(r"requests +[\d,]+ started: [\d,]+ ok$", result.out, re.M), result.out
    assert "response time" in result.out


def test_json_and_files_too(hotlap: Hotlap, tmp_path: Path) -> None:
    hgrm, table = tmp_path / "out.hgrm", tmp_path / "out.csv"
    with answering(ok) as (address, heads):
        files = ("--hgrm", hgrm, "--csv", table)
        result = interrupt_when(
            hotlap, lambda: len(heads) > 50, f"http://{address}/", *LONG, "--json", *files
        )
    load = checked(result.out)
    assert result.code == 130
    assert load["interrupted"] is True
    assert load["requests"]["ok"] == load["requests"]["started"] > 0
    assert load["elapsed_s"] < 60
    assert "Total count" in hgrm.read_text() and table.read_text().startswith("end_s,")


def test_replies_under_way_are_awaited(hotlap: Hotlap) -> None:
    pause = threading.Event()

    def after_400_ms(number: int, head: bytes) -> bytes:
        pause.wait(0.4)
        return ok(number, head)

    with answering(after_400_ms) as (address, heads):
        result = interrupt_when(
            hotlap, lambda: len(heads) >= 4, f"http://{address}/", *LONG, "--json"
        )
    load = checked(result.out)
    assert load["requests"]["in_flight"] == 0
    assert load["requests"]["ok"] == load["requests"]["started"] >= 4


def test_a_search_says_what_it_found(hotlap: Hotlap) -> None:
    with answering(ok) as (address, heads):
        search = ("--max-rate-within", "p50<1s", "-R", "50", "-d", "600ms", "-c", "2", "--json")
        result = interrupt_when(hotlap, lambda: len(heads) > 120, f"http://{address}/", *search)
    assert result.code == 130
    found = result.json()
    assert [step["kept"] for step in found["steps"]] == [True] * len(found["steps"])
    assert found["steps"] and found["highest_rate_per_s"] >= 50
    assert "interrupted" in result.err


@dataclass
class OnTerminal:
    process: subprocess.Popen
    keys: int  # written to, they are typed
    seen: bytes = b""

    def read_until(self, words: bytes) -> None:
        while words not in self.seen:
            self.seen += os.read(self.keys, 4096)


@contextmanager
def on_terminal(hotlap: Hotlap, *arguments: object) -> Iterator[OnTerminal]:
    """hotlap whose controlling terminal is a new one, so that Ctrl-C comes from the kernel."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [hotlap.binary, *map(str, arguments)],
        env=hotlap.environment(),
        stdin=follower,
        stdout=subprocess.PIPE,
        stderr=follower,
        start_new_session=True,
        preexec_fn=lambda: os.close(os.open(os.ttyname(0), os.O_RDWR)),
    )
    os.close(follower)
    try:
        yield OnTerminal(process, leader)
    finally:
        process.kill()
        process.wait()
        os.close(leader)


def test_a_second_ctrl_c_ends_it_at_once(hotlap: Hotlap) -> None:
    """The replies never come: the first Ctrl-C waits a second for them, the next does not."""
    with answering(lambda _number, _head: b"") as (address, heads):
        arguments = ("load", f"http://{address}/", *LONG, "--timeout", "50s")
        with on_terminal(hotlap, *arguments) as terminal:
            terminal.read_until(b"1 s of ")
            assert len(heads) == 4
            while terminal.process.poll() is None:
                os.write(terminal.keys, b"\x03")
                holds_within(0.05, lambda: terminal.process.poll() is not None)
            assert terminal.process.returncode == 130
            assert terminal.process.stdout is not None
            assert terminal.process.stdout.read() == b"", "there was no time for a table"


def test_one_ctrl_c_on_a_terminal(hotlap: Hotlap) -> None:
    with server(hotlap) as (_, url):
        with on_terminal(hotlap, "load", f"{url}/hello", *LONG) as terminal:
            terminal.read_until(b"1 s of ")
            os.write(terminal.keys, b"\x03")
            terminal.read_until(b"interrupted after")
            out, _ = terminal.process.communicate(timeout=20)
            assert terminal.process.returncode == 130
            assert b"response time" in out
