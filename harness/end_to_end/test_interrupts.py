"""Signals at any moment to the command, the agent, the launcher and the servers."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from pathlib import Path

import pytest
from running import (
    BRIEF,
    FAULTY_SERVER,
    TWO_FAST,
    Hotlap,
    Result,
    Started,
    assert_error,
    cpu_ticks,
    faulty,
    finished_rounds,
    holds_within,
    run_facts,
)

LONG = ("--plan", "fixed:500", "--no-counting", *BRIEF)
AGENT, SERVER, LAUNCHER = "hotlap agent", "hotlap-server", "hotlap-launch"


def start(hotlap: Hotlap, out: Path, *more: object, set_ms: int = 20) -> Started:
    return hotlap.start("ab", *TWO_FAST, *LONG, "--set-ms", set_ms, *more, "--out", out)


def wait_for_process(started: Started, words: str) -> int:
    started.wait_for(lambda: started.hotlap.pid_of(words) is not None)
    pid = started.hotlap.pid_of(words)
    return pid if pid is not None else wait_for_process(started, words)


def strike(started: Started, words: str, number: signal.Signals) -> None:
    """Signals a process that is there to feel it: those of a round may end at any moment."""
    while True:
        try:
            return os.kill(wait_for_process(started, words), number)
        except ProcessLookupError:
            continue


def wait_for_state(started: Started, out: Path, state: str) -> None:
    started.wait_for(lambda: (out / "run.json").exists() and run_facts(out)["state"] == state)


def assert_interrupted(hotlap: Hotlap, out: Path, result: Result) -> None:
    """The code is 130, nothing runs on, and what was finished can be read and reported."""
    assert result.code == 130, (result.code, result.err)
    assert result.seconds < 6, "an interruption ends within a slice and a bounded stop"
    hotlap.assert_all_gone()
    assert not list(hotlap.temporary.iterdir()), "temporary files are left"
    if out.exists():
        facts = run_facts(out)
        assert facts["state"] == "interrupted"
        assert facts["schedule"]["rounds"] == finished_rounds(out)
    if finished_rounds(out):
        assert_reported(hotlap, out)


def assert_reported(hotlap: Hotlap, out: Path) -> None:
    reported = hotlap.run("report", out)
    assert reported.code == 0, reported.err
    assert (out / "report.html").exists() and (out / "findings.md").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_while_timing(hotlap: Hotlap, out: Path, number: signal.Signals) -> None:
    started = start(hotlap, out)
    started.wait_for_rounds(out, 2)
    started.process.send_signal(number)
    result = started.end()
    assert_interrupted(hotlap, out, result)
    assert "interrupted" in result.err and str(out) in result.err


def test_sighup_while_timing(hotlap: Hotlap, out: Path) -> None:
    started = start(hotlap, out)
    started.wait_for_rounds(out, 1)
    started.process.send_signal(signal.SIGHUP)
    assert_interrupted(hotlap, out, started.end())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("moment", [AGENT, LAUNCHER, SERVER])
def test_signal_in_set_up(hotlap: Hotlap, out: Path, number: signal.Signals, moment: str) -> None:
    started = start(hotlap, out)
    wait_for_process(started, moment)
    started.process.send_signal(number)
    assert_interrupted(hotlap, out, started.end())


def test_signal_while_a_target_does_not_listen(hotlap: Hotlap, out: Path) -> None:
    flags = (*LONG, "--out", out)
    started = hotlap.start("ab", "--a", "fast", "--b", faulty("silent"), *flags)
    wait_for_process(started, f"{Path(sys.executable).name} {FAULTY_SERVER} silent")
    started.process.send_signal(signal.SIGINT)
    assert_interrupted(hotlap, out, started.end())


def test_signal_while_verifying(hotlap: Hotlap, out: Path) -> None:
    started = start(hotlap, out)
    wait_for_state(started, out, "running")
    started.process.send_signal(signal.SIGINT)
    assert_interrupted(hotlap, out, started.end())


def test_signal_while_a_target_hangs(hotlap: Hotlap, out: Path) -> None:
    """The load waits for a stopped server: an interruption does not."""
    started = start(hotlap, out, "--timeout-ms", "20000", set_ms=2000)
    started.wait_for_rounds(out, 1)
    strike(started, SERVER, signal.SIGSTOP)
    started.wait_for(lambda: servers_rest(hotlap))
    started.process.send_signal(signal.SIGINT)
    assert_interrupted(hotlap, out, started.end())


def servers_rest(hotlap: Hotlap) -> bool:
    """Whether no server runs, for long enough that no slice can be under way."""

    def ticks() -> list[int]:
        return [cpu_ticks(pid) for pid, line in hotlap.pids().items() if line.startswith(SERVER)]

    before = ticks()
    return bool(before) and not holds_within(0.5, lambda: ticks() != before)


def test_ctrl_c_reaches_the_whole_foreground_group(hotlap: Hotlap, out: Path) -> None:
    started = start(hotlap, out)
    started.wait_for_rounds(out, 1)
    group = os.getpgid(started.process.pid)
    for pid in hotlap.pids():
        with contextlib.suppress(ProcessLookupError):  # those of a round may end at any moment
            if os.getpgid(pid) == group:
                os.kill(pid, signal.SIGINT)
    assert_interrupted(hotlap, out, started.end())


@pytest.mark.parametrize("moment", [AGENT, LAUNCHER, SERVER, "rounds"])
def test_the_command_is_killed(hotlap: Hotlap, out: Path, moment: str) -> None:
    started = start(hotlap, out)
    started.wait_for_rounds(out, 2) if moment == "rounds" else wait_for_process(started, moment)
    started.process.kill()
    started.end()
    hotlap.assert_all_gone()
    if moment != AGENT:  # before the agent listens nobody is left to tidy up
        assert list(hotlap.temporary.iterdir()) == []
    if finished_rounds(out):
        assert run_facts(out)["state"] == "running"
        assert_reported(hotlap, out)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("moment", ["set-up", "rounds"])
def test_the_agent_is_ended(hotlap: Hotlap, out: Path, number: signal.Signals, moment: str) -> None:
    started = start(hotlap, out)
    started.wait_for_rounds(out, 2) if moment == "rounds" else wait_for_process(started, SERVER)
    strike(started, AGENT, number)
    result = started.end()
    assert_error(result, "agent")
    assert result.seconds < 10
    hotlap.assert_all_gone()
    if moment == "rounds":
        assert run_facts(out)["state"] == "failed"
        assert_reported(hotlap, out)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_server_is_killed_in_the_middle(
    hotlap: Hotlap, out: Path, number: signal.Signals
) -> None:
    started = start(hotlap, out, set_ms=400)
    started.wait_for_rounds(out, 2)
    strike(started, SERVER, number)
    assert_error(started.end(), "arm ")
    assert run_facts(out)["state"] == "failed"
    assert run_facts(out)["schedule"]["rounds"] == finished_rounds(out)
    assert_reported(hotlap, out)


def test_a_server_hangs_in_the_middle(hotlap: Hotlap, out: Path) -> None:
    """One time-out tells: the slices that are left are not waited out one by one."""
    started = start(hotlap, out, "--timeout-ms", "500", set_ms=1000)
    started.wait_for_rounds(out, 1)
    server = wait_for_process(started, SERVER)
    # Past its warm-up, which is too short for this much work.
    started.wait_for(lambda: cpu_ticks(server) > 5)
    os.kill(server, signal.SIGSTOP)
    result = started.end(timeout_s=90)
    assert_error(result, "arm ", "timeout")
    assert result.seconds < 8
    assert_reported(hotlap, out)


def test_a_server_is_killed_as_it_starts(hotlap: Hotlap, out: Path) -> None:
    """It may die at its end, which hurts nobody; else the arm is named."""
    flags = ("--plan", "fixed:1", "--no-counting", "--set-ms", "20", *BRIEF, "--out", out)
    started = hotlap.start("ab", *TWO_FAST, *flags)
    strike(started, SERVER, signal.SIGKILL)
    result = started.end()
    if result.code != 0:
        assert_error(result, "arm ")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP])
def test_a_launcher_is_ended_in_the_middle(
    hotlap: Hotlap, out: Path, number: signal.Signals
) -> None:
    """With its launcher a server ends too, and its arm is named; or the round ends as it should."""
    flags = ("--plan", "fixed:4", "--no-counting", "--set-ms", "400", *BRIEF, "--out", out)
    started = hotlap.start("ab", *TWO_FAST, *flags)
    started.wait_for_rounds(out, 1)
    strike(started, LAUNCHER, number)
    result = started.end()
    if result.code != 0:
        assert_error(result, "arm ")
    hotlap.assert_all_gone()
    assert_reported(hotlap, out)
