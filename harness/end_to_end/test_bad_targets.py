"""Command targets that go wrong before anything is timed, and while it is."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from running import (
    BRIEF,
    ONE_ROUND,
    Hotlap,
    Result,
    assert_error,
    faulty,
    finished_rounds,
    run_facts,
)


def against(hotlap: Hotlap, target: str, out: Path, *more: object) -> Result:
    flags = (*ONE_ROUND, "--no-counting", "--out", out, *more)
    return hotlap.run("ab", "--a", "fast", "--b", target, *flags)


def test_a_sound_command_is_timed(hotlap: Hotlap, out: Path) -> None:
    result = against(hotlap, faulty("ok"), out)
    assert result.code == 0, result.err
    assert finished_rounds(out) == 1


def test_exits_at_once(hotlap: Hotlap, out: Path) -> None:
    result = against(hotlap, faulty("exit"), out)
    assert_error(result, "arm b", "faulty_server.py", "code 5", "cannot find my configuration")
    assert result.seconds < 5, "an exit is an event, never a timeout"


def test_is_not_there(hotlap: Hotlap, out: Path) -> None:
    assert_error(against(hotlap, "cmd:/no/such/server {port}", out), "arm b", "/no/such/server")


def test_never_listens(hotlap: Hotlap, out: Path) -> None:
    result = against(hotlap, faulty("silent"), out)
    assert_error(result, "arm b", "faulty_server.py", "listen", "{port}")
    assert result.seconds < 25


def test_listens_elsewhere(hotlap: Hotlap, out: Path) -> None:
    result = against(hotlap, faulty("elsewhere"), out)
    assert_error(result, "arm b", "listens on 127.0.0.1:", "{port}")
    assert result.seconds < 25


def test_answers_500(hotlap: Hotlap, out: Path) -> None:
    assert_error(against(hotlap, faulty("status500"), out), "arm b", "500 where 200")


def test_answers_wrong_bytes(hotlap: Hotlap, out: Path) -> None:
    result = against(hotlap, faulty("wrong"), out)
    assert_error(result, "do not answer alike", "--no-verify", "/hello", "Hello, Wrong!")
    assert run_facts(out)["state"] == "failed"
    assert finished_rounds(out) == 0


def test_wrong_bytes_may_be_timed_when_asked_for(hotlap: Hotlap, out: Path) -> None:
    result = against(hotlap, faulty("wrong"), out, "--no-verify")
    assert result.code == 0, result.err
    assert any("--no-verify" in note for note in run_facts(out)["notes"])


def test_a_port_that_is_taken(hotlap: Hotlap, out: Path) -> None:
    """Another process holds the port that the command insists on; it is never loaded instead."""
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen(1)
        port = holder.getsockname()[1]
        target = faulty("ok").replace("{port}", f"{port} # {{port}}")
        assert_error(against(hotlap, target, out), "arm b", "Address already in use")
        holder.settimeout(0)
        with pytest.raises(BlockingIOError):
            holder.accept()


@pytest.mark.parametrize(
    "mode, words",
    [
        ("die", ["arm b", "code 7"]),
        ("hang", ["arm b", "timeout"]),
        ("deny", ["arm b", "500 where 200"]),
    ],
)
def test_goes_wrong_in_the_middle(
    hotlap: Hotlap, out: Path, tmp_path: Path, mode: str, words: list[str]
) -> None:
    trigger = tmp_path / "now"
    target = faulty(mode, trigger)
    flags = ("--plan", "fixed:200", "--no-counting", *BRIEF, "--set-ms", "200")
    started = hotlap.start(
        "ab", "--a", "fast", "--b", target, *flags, "--timeout-ms", 500, "--out", out
    )
    started.wait_for_rounds(out, 2)
    trigger.touch()
    result = started.end()
    assert_error(result, *words)
    facts = run_facts(out)
    assert facts["state"] == "failed"
    assert "arm b" in facts["failure"]
    assert facts["schedule"]["rounds"] == finished_rounds(out) >= 2
    reported = hotlap.run("report", out)
    assert reported.code == 0, reported.err
    assert (out / "report.html").stat().st_size > 1000
    assert (out / "findings.md").stat().st_size > 100
