"""hotlap audit: what a request calls, the documented patch, and ends without leftovers."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from pathlib import Path

import pytest
from running import BRIEF, TWO_FAST, Hotlap, assert_error, holds_within, rows

pytestmark = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
SHORT = ("--idle-ms", "50", "--no-report")
ADDRESS = ("--request", "/address")


def per_request(audit: dict, arm: int = 0, phase: str = "later") -> dict[str, float]:
    return {c["name"]: c["per_window"] for c in audit["arms"][arm][phase]["calls"]}


def test_address_is_asked_once_or_each_time(hotlap: Hotlap, out: Path) -> None:
    arms = ("--a", "fast,address=per_request", "--b", "fast,address=cached")
    result = hotlap.run("audit", *arms, *ADDRESS, "--idle-ms", "50", "--out", out)
    assert result.code == 0, result.err
    patch = result.out
    later = patch[patch.index("@@ later requests") : patch.index("calls a later request")]
    removed = [line for line in later.splitlines() if line.startswith("-")]
    assert [line.split("  ")[-1].split("(")[0] for line in removed] == [
        "getpeername",
        "getsockname",
    ]
    assert not [line for line in later.splitlines() if line.startswith("+")]
    audit = json.loads((out / "audit.json").read_text())
    assert audit["schema_version"] == 1
    asked, cached = (per_request(audit, arm) for arm in (0, 1))
    assert asked["getpeername"] == asked["getsockname"] == 1
    assert "getpeername" not in cached and "getsockname" not in cached
    assert per_request(audit, 1, "first")["getpeername"] == 1
    for arm in audit["arms"]:
        assert arm["boundary"] == "quiet" and arm["requests"] == 64
        assert arm["later"]["windows"] == 63
    assert (out / "audit-diff.txt").read_text() in patch
    page = (out / "audit.html").read_text()
    assert "getpeername" in page and "http://" not in page and "<script" not in page
    assert "```diff" in (out / "findings.md").read_text()


def test_a_tls_pipeline_is_asked_over_tls(hotlap: Hotlap, out: Path) -> None:
    result = hotlap.run("audit", "fast,transport=tls", "-n", "8", *SHORT, "--out", out, "--json")
    assert result.code == 0, result.err
    calls = per_request(result.json())
    assert calls["recvfrom"] == calls["sendto"] == 1


def test_two_audits_of_one_target_read_the_same(hotlap: Hotlap, tmp_path: Path) -> None:
    texts = []
    for name in ("one", "two"):
        out = tmp_path / name
        result = hotlap.run("audit", "fast", "-n", "8", *SHORT, "--out", out)
        assert result.code == 0, result.err
        text = (out / "audit-a.txt").read_text()
        texts.append(text[: text.index("idle,")])
    assert texts[0] == texts[1]


def test_a_threaded_command(hotlap: Hotlap, out: Path, tmp_path: Path) -> None:
    (tmp_path / "hello").write_text("hello")
    command = f"cmd:cd {tmp_path} && exec {sys.executable} -m http.server {{port}}"
    more = ("--request", "/hello", "-n", "6", "--close")
    result = hotlap.run("audit", command, *more, *SHORT, "--out", out, "--json")
    assert result.code == 0, result.err
    arm = result.json()["arms"][0]
    assert arm["threads"] >= 7, "each request is served by a thread of its own"
    calls = per_request(result.json())
    assert calls["accept4"] == 1 and calls["close"] >= 1


def test_calls_agree_with_the_counters_of_ab(hotlap: Hotlap, tmp_path: Path) -> None:
    """Two rungs: strace and the kernel's tracepoints count the same calls a request, by name."""
    audit = hotlap.run("audit", "fast", *SHORT, "--out", tmp_path / "audit", "--json")
    assert audit.code == 0, audit.err
    traced = per_request(audit.json())
    run = tmp_path / "run"
    length = ("--plan", "fixed:1", "--set-ms", "100", *BRIEF)
    result = hotlap.run("ab", *TWO_FAST, "-c", "1", *length, "--out", run, "--json")
    assert result.code == 0, result.err
    counted = [row for row in rows(run, "syscalls.csv") if row["arm"] == "a"]
    if not counted:
        pytest.skip(f"system calls are not counted here: {result.json()['notes']}")
    served = sum(int(r["ok"]) for r in rows(run) if (r["pass"], r["arm"]) == ("counting", "a"))
    by_name: dict[str, int] = {}
    for row in counted:
        by_name[row["name"]] = by_name.get(row["name"], 0) + int(row["calls"])
    for name, calls in traced.items():
        assert by_name[name] / served == pytest.approx(calls, rel=0.01), name
    assert by_name["other"] / served < 0.01
    total = sum(int(r["syscalls"]) for r in rows(run) if r["arm"] == "a" and r["syscalls"])
    assert sum(by_name.values()) == total


@pytest.mark.parametrize("phase", ["start", "load", "idle"])
def test_an_interrupted_audit_leaves_nothing(hotlap: Hotlap, out: Path, phase: str) -> None:
    started = hotlap.start("audit", "fast", "-n", "2000", "--idle-ms", "30000", "--out", out)
    program = {"start": "strace", "load": "hotlap-server", "idle": "hotlap-server"}[phase]
    started.wait_for(lambda: hotlap.pid_of(program) is not None)
    if phase == "idle":
        server = hotlap.pid_of("hotlap-server")
        assert server is not None
        holds_within(1.5, lambda: False)
    started.process.send_signal(signal.SIGINT)
    assert started.end(timeout_s=10).code == 130
    assert not out.exists()


def test_a_killed_audit_leaves_nothing(hotlap: Hotlap, out: Path) -> None:
    started = hotlap.start("audit", "fast", "--idle-ms", "30000", "--out", out)
    started.wait_for(lambda: hotlap.pid_of("hotlap-server") is not None)
    started.process.kill()
    started.end()


def test_strace_is_absent(hotlap: Hotlap, out: Path, tmp_path: Path) -> None:
    path = f"PATH={tmp_path}"
    result = hotlap.run("audit", "fast", "--out", out, prefix=("/usr/bin/env", path))
    assert_error(result, "arm a", "apt-get install strace")


def test_strace_is_forbidden(hotlap: Hotlap, out: Path, tmp_path: Path) -> None:
    stand_in = tmp_path / "strace"
    said = "strace: attach: ptrace(PTRACE_SEIZE, 7): Operation not permitted"
    stand_in.write_text(f"#!/bin/sh\necho '{said}' >&2\nexit 1\n")
    stand_in.chmod(0o755)
    path = f"PATH={tmp_path}:{os.environ['PATH']}"
    result = hotlap.run("audit", "fast", "--out", out, prefix=("/usr/bin/env", path))
    assert_error(result, "ptrace_scope=1", "CAP_SYS_PTRACE")


@pytest.mark.parametrize(
    "arguments, word",
    [
        ([], "--a TARGET --b TARGET"),
        (["fast", "--a", "fast", "--b", "fast"], "one TARGET"),
        (["url:http://127.0.0.1:1"], "cmd:"),
        (["nosuch"], "nosuch"),
        (["fast", "-n", "1"], "2 to"),
        (["fast", "--request", "/nosuch"], "404"),
    ],
)
def test_bad_audits(hotlap: Hotlap, out: Path, arguments: list[str], word: str) -> None:
    assert_error(hotlap.run("audit", *arguments, "--out", out), word)


@pytest.mark.skipif(shutil.which("perf") is None, reason="perf is not installed")
def test_faults_of_a_growing_buffer_have_their_place(hotlap: Hotlap, out: Path) -> None:
    arms = ("--a", "fast,read_buffer=growing", "--b", "fast,read_buffer=reuse")
    result = hotlap.run("audit", *arms, "--faults", *SHORT, "--out", out)
    assert result.code == 0, result.err
    growing, reuse = (arm["faults"] for arm in json.loads((out / "audit.json").read_text())["arms"])
    if growing.get("unavailable"):
        pytest.skip(growing["unavailable"])
    # A block of a page for every read, and a list that grows; a buffer that is kept has no need.
    assert growing["per_request"] >= 0.9
    assert reuse["per_request"] <= 0.1
    site = max(growing["sites"], key=lambda found: found["per_request"])
    assert site["place"] in ("heap", "anonymous")
    named = " ".join([site["code"], *site["callers"]])
    assert "prepare" in named or "recv" in named, site
    assert "page faults of a fast,read_buffer=growing" in result.out
