"""An audit's page and findings: what they hold, and what broken files do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hotlap_analysis import cli

CALLS = ("recvfrom(connection, ..., 4096, 0) = 78", "getpeername(connection, {AF_INET}) = 0")


def phase(calls: tuple[str, ...], windows: int) -> dict[str, Any]:
    steps = [{"times": 1, "lines": [{"call": c, "task": 1, "per_window": 1}]} for c in calls]
    counts = [
        {"name": c.split("(")[0], "calls": str(windows), "per_window": 1, "idle_calls": 0}
        for c in calls
    ]
    courses = [{"windows": windows, "steps": steps}] if calls else []
    return {"windows": windows, "seconds": 0.5, "courses": courses, "calls": counts}


def arm(name: str, asked: str, later: tuple[str, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {
        key: phase(CALLS, 1) for key in ("start_up", "connection", "first", "idle", "shutdown")
    }
    found.update(arm=name, asked=asked, requests=64, processes=1, threads=1, boundary="quiet")
    return {**found, "later": phase(later, 63), "notes": ["a note with <b> and `tick`"]}


def write(directory: Path, arms: list[dict[str, Any]], **more: Any) -> Path:
    lines = [
        {"side": " ", "text": CALLS[0], "a": 1, "b": 1},
        {"side": "-", "text": CALLS[1], "a": 1},
    ]
    later = {"phase": "later", "a_per_window": 2, "b_per_window": 1, "lines": lines}
    content = {"schema_version": 1, "command": "hotlap audit", "arms": arms}
    content["differences"] = [later] if len(arms) > 1 else []
    directory.mkdir(exist_ok=True)
    (directory / "audit.json").write_text(json.dumps({**content, **more}))
    return directory


def report(directory: Path) -> tuple[str, str]:
    assert cli.main(["audit", str(directory)]) == 0
    return (directory / "audit.html").read_text(), (directory / "findings.md").read_text()


def test_two_arms_are_a_patch(tmp_path: Path) -> None:
    arms = [arm("a", "fast,address=per_request", CALLS), arm("b", "fast,address=cached", CALLS[:1])]
    html, findings = report(write(tmp_path / "run", arms))
    assert "After the first request no longer called: `getpeername`." in findings
    assert "```diff\n@@ 2.00 calls -&gt; 1.00 @@" not in findings, "a fence is not escaped"
    assert "\n-    1.00       .  getpeername(connection, {AF_INET}) = 0\n" in findings
    assert '<span class="removed">-    1.00       .  getpeername' in html
    assert "<b> and" not in html and "prefers-color-scheme" in html
    assert "<script" not in html and "http" not in html.replace("http-equiv", "")


def test_one_arm_is_a_course(tmp_path: Path) -> None:
    html, findings = report(write(tmp_path / "run", [arm("a", "fast", CALLS)]))
    assert "`fast` makes 2.00 system calls a request." in findings
    assert "63 of 63:" in findings and CALLS[0] in findings
    assert "The first request" in html


def test_the_tracer_is_named(tmp_path: Path) -> None:
    arms = [arm("a", "fast", CALLS), arm("b", "fast", CALLS)]
    arms[1]["tracer"] = "tracepoints"
    _, findings = report(write(tmp_path / "run", arms))
    assert "1 thread(s), by strace; " in findings, "what files of before had"
    assert "1 thread(s), by tracepoints; " in findings


def test_folded_cycles_have_brackets(tmp_path: Path) -> None:
    one = arm("a", "fast", CALLS)
    one["later"]["courses"][0]["steps"] = [
        {"times": 61, "lines": [{"call": c, "task": 1, "per_window": 61} for c in CALLS]},
        {"times": 3, "lines": [{"call": "read() = 1", "task": 1, "per_window": 3}]},
    ]
    _, findings = report(write(tmp_path / "run", [one]))
    assert f"x 61 {{\n  {CALLS[0]}\n  {CALLS[1]}\n}}\nread() = 1  x 3" in findings


@pytest.mark.parametrize(
    "content, word",
    [
        ("{", "not valid JSON"),
        ("[]", "schema_version is None"),
        ('{"schema_version": 2}', "schema_version is 2"),
        ('{"schema_version": 1, "arms": []}', "one arm or two"),
        ('{"schema_version": 1, "arms": [{}]}', "unexpected shape"),
    ],
)
def test_broken_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, word: str
) -> None:
    (tmp_path / "audit.json").write_text(content)
    assert cli.main(["audit", str(tmp_path)]) == 3
    assert word in capsys.readouterr().err


def test_a_directory_without_an_audit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["audit", str(tmp_path)]) == 3
    assert "audit.json" in capsys.readouterr().err


def test_faults_are_told_with_their_place_or_their_absence(tmp_path: Path) -> None:
    site: dict[str, Any] = {
        **{"code": "_int_malloc malloc.c:4378", "program": "libc.so.6", "place": "heap"},
        "callers": ["prepare() blocks.h:25"],
    }
    site.update(faults="64", per_request=1.0)
    faulting = arm("a", "fast,read_buffer=growing", CALLS)
    faulting["faults"] = {"requests": 64, "faults": "70", "per_request": 1.09375, "sites": [site]}
    blind = arm("b", "fast", CALLS)
    blind["faults"] = {"unavailable": "perf is <not> installed", "requests": 0, "faults": "0"}
    directory = write(tmp_path, [faulting, blind])
    assert cli.main(["audit", str(directory)]) == 0
    findings = (directory / "findings.md").read_text()
    assert "faults 1.09 pages in a request: 70 in 64 requests" in findings
    assert "`_int_malloc malloc.c:4378`" in findings and "`prepare() blocks.h:25`" in findings
    assert "6 more are spread" in findings
    page = (directory / "audit.html").read_text()
    assert "perf is &lt;not&gt; installed" in page
