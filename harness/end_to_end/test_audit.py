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
needs_perf = pytest.mark.skipif(shutil.which("perf") is None, reason="perf is not installed")
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


def by_tracepoints(hotlap: Hotlap, *arguments: object, path: str | None = None) -> dict:
    """The audit, or where the kernel's tracepoints cannot be had here, a skip that says so."""
    prefix = () if path is None else ("/usr/bin/env", f"PATH={path}")
    forced = ("--tracer", "tracepoints") if path is None else ()
    result = hotlap.run("audit", *arguments, *forced, *SHORT, "--json", prefix=prefix)
    if result.code != 0 and ("tracefs" in result.err or "perf may not record" in result.err):
        pytest.skip(f"no tracepoints here: {result.err}")
    assert result.code == 0, result.err
    return result.json()


def stand_in_for_strace(place: Path) -> None:
    said = "strace: attach: ptrace(PTRACE_SEIZE, 7): Operation not permitted"
    (place / "strace").write_text(f"#!/bin/sh\necho '{said}' >&2\nexit 1\n")
    (place / "strace").chmod(0o755)


def test_no_tracer_at_all(hotlap: Hotlap, out: Path, tmp_path: Path) -> None:
    path = f"PATH={tmp_path}"
    result = hotlap.run("audit", "fast", "--out", out, prefix=("/usr/bin/env", path))
    assert_error(result, "arm a", "apt-get install strace", "apt-get install linux-perf")
    assert not out.exists()


def test_a_forced_strace_that_is_forbidden(hotlap: Hotlap, out: Path, tmp_path: Path) -> None:
    stand_in_for_strace(tmp_path)
    path = f"PATH={tmp_path}:{os.environ['PATH']}"
    arguments = ("fast", "--tracer", "strace", "--out", out)
    result = hotlap.run("audit", *arguments, prefix=("/usr/bin/env", path))
    assert_error(result, "ptrace_scope=1", "CAP_SYS_PTRACE")


@needs_perf
@pytest.mark.parametrize("strace", ["absent", "forbidden"])
def test_without_strace_tracepoints_are_taken(
    hotlap: Hotlap, out: Path, tmp_path: Path, strace: str
) -> None:
    place = tmp_path / "bin"
    place.mkdir()
    (place / "perf").symlink_to(str(shutil.which("perf")))
    if strace == "forbidden":
        stand_in_for_strace(place)
    arms = ("--a", "fast,address=per_request", "--b", "fast", *ADDRESS)
    audit = by_tracepoints(hotlap, *arms, "-n", "8", "--out", out, path=str(place))
    remedy = {"absent": "apt-get install strace", "forbidden": "CAP_SYS_PTRACE"}[strace]
    for arm in audit["arms"]:
        assert arm["tracer"] == "tracepoints"
        assert any(remedy in note for note in arm["notes"]), arm["notes"]
        assert any("see no memory" in note for note in arm["notes"]), arm["notes"]
    asked, cached = (per_request(audit, arm) for arm in (0, 1))
    assert asked["getpeername"] == 1 and "getpeername" not in cached


@needs_perf
def test_two_arms_have_one_tracer(hotlap: Hotlap, out: Path, tmp_path: Path) -> None:
    """Where the second alone has to fall back, the first is traced again."""
    place = tmp_path / "bin"
    place.mkdir()
    stand_in_for_strace(place)
    denial = (place / "strace").read_text().removeprefix("#!/bin/sh\n")
    once = f'[ -e {place}/used ] || {{ : >{place}/used; exec {shutil.which("strace")} "$@"; }}\n'
    (place / "strace").write_text(f"#!/bin/sh\n{once}{denial}")
    arms = ("--a", "fast", "--b", "fast,address=per_request", *ADDRESS)
    path = f"{place}:{os.environ['PATH']}"
    audit = by_tracepoints(hotlap, *arms, "-n", "4", "--out", out, path=path)
    assert (place / "used").exists()
    assert [(arm["arm"], arm["tracer"]) for arm in audit["arms"]] == [
        ("a", "tracepoints"),
        ("b", "tracepoints"),
    ]


@needs_perf
@pytest.mark.parametrize("phase", ["load", "idle"])
def test_an_interrupted_perf_leaves_nothing(hotlap: Hotlap, out: Path, phase: str) -> None:
    length = {"load": ("-n", "10000"), "idle": ("-n", "2")}[phase]
    arguments = ("fast", *length, "--idle-ms", "30000", "--tracer", "tracepoints", "--out", out)
    started = hotlap.start("audit", *arguments)
    started.wait_for(lambda: hotlap.pid_of("hotlap-server") is not None)
    holds_within(0.5, lambda: False)
    started.process.send_signal(signal.SIGINT)
    assert started.end(timeout_s=10).code == 130
    assert not out.exists()


@needs_perf
@pytest.mark.parametrize("target", ["fast", "fast,dispatch=thread_pool"])
def test_both_tracers_see_the_same_calls(hotlap: Hotlap, tmp_path: Path, target: str) -> None:
    arguments = (target, "-n", "8", "--out")
    audit = hotlap.run("audit", *arguments, tmp_path / "a", *SHORT, "--json")
    assert audit.code == 0, audit.err
    strace = audit.json()
    tracepoints = by_tracepoints(hotlap, *arguments, tmp_path / "b")
    assert [found["arms"][0]["tracer"] for found in (strace, tracepoints)] == [
        "strace",
        "tracepoints",
    ]
    if "," in target:  # which of two threads comes first, and must be woken, is theirs to settle
        seen = [per_request(audit) for audit in (strace, tracepoints)]
        assert seen[0].keys() == seen[1].keys()
        assert sum(seen[0].values()) == pytest.approx(sum(seen[1].values()), abs=1)
        return
    for phase in ("connection", "first", "later"):
        assert per_request(strace, phase=phase) == per_request(tracepoints, phase=phase), phase
    for phase in ("start_up", "shutdown"):
        seen = [per_request(audit, phase=phase) for audit in (strace, tracepoints)]
        if phase == "shutdown":  # the close and the signal may end one wait or two
            for calls_of in seen:
                calls_of.pop("epoll_wait", None)
        assert seen[0] == seen[1], phase
    (course,) = tracepoints["arms"][0]["later"]["courses"]
    calls = [line["call"] for step in course["steps"] for line in step["lines"]]
    assert calls[0].startswith("recvfrom(connection, ..., 4096, 0, NULL, NULL) = ")
    assert calls[1].startswith("sendto(connection, ..., ")
    assert calls[2] == "epoll_wait(epoll, ..., 256, ms) = 1"


@needs_perf
def test_tracepoints_follow_processes_and_threads(
    hotlap: Hotlap, out: Path, tmp_path: Path
) -> None:
    (tmp_path / "hello").write_text("hello")
    command = f"cmd:cd {tmp_path} && {sys.executable} -m http.server {{port}}; true"
    more = ("--request", "/hello", "-n", "6", "--close")
    audit = by_tracepoints(hotlap, command, *more, "--out", out)
    (arm,) = audit["arms"]
    assert arm["processes"] == 2 and arm["threads"] >= 8
    calls = per_request(audit)
    assert calls["accept4"] == 1 and calls["close"] >= 1
    lines = [
        line["call"]
        for course in arm["later"]["courses"]
        for step in course["steps"]
        for line in step["lines"]
    ]
    assert any(line.startswith("recvfrom(connection, ") for line in lines), lines


@pytest.mark.parametrize(
    "arguments, word",
    [
        ([], "--a TARGET --b TARGET"),
        (["fast", "--a", "fast", "--b", "fast"], "one TARGET"),
        (["url:http://127.0.0.1:1"], "cmd:"),
        (["nosuch"], "nosuch"),
        (["fast", "-n", "1"], "2 to"),
        (["fast", "--request", "/nosuch"], "404"),
        (["fast", "--tracer", "dtrace"], "tracepoints"),
    ],
)
def test_bad_audits(hotlap: Hotlap, out: Path, arguments: list[str], word: str) -> None:
    assert_error(hotlap.run("audit", *arguments, "--out", out), word)


@needs_perf
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
