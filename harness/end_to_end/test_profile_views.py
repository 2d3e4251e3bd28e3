"""hotlap profile beyond CPU time: what is known to be there is found where it is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from faulty_server import DOZE_MS
from running import BIN, BRIEF, Hotlap, faulty

pytestmark = pytest.mark.skipif(shutil.which("perf") is None, reason="perf is not installed")
SHORT = ("-d", "0.8", "--no-report", "--quiet")


def view_of(profile: dict, name: str) -> dict:
    return next(view for view in profile["views"] if view["name"] == name)


def amount(rows: list[dict], arm: int, **which: str) -> tuple[float, float]:
    """Both amounts of all rows that are so, summed."""
    found = [row for row in rows if all(row[key] == value for key, value in which.items())]
    return (
        sum(row["first"]["arms"][arm]["per_request"] for row in found),
        sum(row["second"]["arms"][arm]["per_request"] for row in found),
    )


def test_a_known_sleep_is_found_where_it_is(hotlap: Hotlap, out: Path) -> None:
    arms = ("--a", faulty("ok"), "--b", faulty("doze"))
    result = hotlap.run("profile", "--off-cpu", *arms, "-c", "1", *SHORT, "--out", out)
    assert result.code == 0, result.err
    profile = json.loads((out / "profile.json").read_text())
    view = view_of(profile, "off-cpu")
    asleep_ns, sleeps = amount(view["sites"], 1, system_call="clock_nanosleep")
    assert asleep_ns == pytest.approx(DOZE_MS * 1e6, rel=0.1)
    assert sleeps == pytest.approx(1.0, abs=0.1)
    assert amount(view["sites"], 0, system_call="clock_nanosleep") == (0.0, 0.0)
    assert view["sites"][0]["system_call"] == "clock_nanosleep", "the largest change"
    difference = view["sites"][0]["first"]
    assert difference["difference"] == pytest.approx(DOZE_MS * 1e6, rel=0.1)
    assert difference["difference_standard_error"] < 0.02 * DOZE_MS * 1e6
    for i, arm in enumerate(view["arms"]):
        assert arm["every"] == 1 or i == 0, "few sleeps give all their stacks"
        total = view["total"]["first"]["arms"][i]["per_request"]
        stacks = sum(stack["first"] for stack in arm["stacks"])
        assert stacks / int(arm["requests"]) == pytest.approx(total, rel=1e-6)
        for rows in (view["stages"], view["sites"]):
            assert amount(rows, i)[0] == pytest.approx(total, rel=1e-6)
        name = arm["arm"]
        folded = (out / f"{name}.asleep.folded").read_text().splitlines()
        weights = [int(line.rsplit(" ", 1)[1]) for line in folded]
        assert sum(weights) == pytest.approx(stacks, rel=1e-3)
        speedscope = json.loads((out / f"{name}.off-cpu.speedscope.json").read_text())
        asleep, counted = speedscope["profiles"]
        assert (asleep["unit"], counted["unit"]) == ("nanoseconds", "none")
        assert asleep["endValue"] == pytest.approx(total, rel=1e-6)
    dozing = (out / "b.asleep.folded").read_text()
    assert any("clock_nanosleep" in line for line in dozing.splitlines())
    assert "off-CPU: where threads wait" in result.out
    long = [line for line in result.out.splitlines() if len(line) > 80]
    assert all(str(out) in line or "faulty_server" in line for line in long), long


def test_a_waiting_server_is_idle(hotlap: Hotlap, out: Path) -> None:
    result = hotlap.run("profile", "--off-cpu", "fast", "-c", "1", *SHORT, "--out", out, "--json")
    assert result.code == 0, result.err
    view = view_of(result.json(), "off-cpu")
    waits = [row for row in view["sites"] if row["system_call"] == "epoll_wait"]
    assert waits and all(row["idle"] for row in waits)
    assert waits[0]["stage"] == "readiness"
    idle = next(more for more in view["more"] if more["name"] == "idle")
    whole = view["total"]["first"]["arms"][0]["per_request"]
    assert idle["amount"]["arms"][0]["per_request"] > 0.5 * whole > 0
    (arm,) = view["arms"]
    assert arm["threads"] == 1
    waited = [m["amount"]["arms"][0]["per_request"] for m in view["more"] if m["unit"] == "ns"]
    spent = (whole + sum(waited[1:])) * int(arm["requests"]) + int(arm["cpu_ns"])
    assert spent == pytest.approx(int(arm["load_ns"]), rel=0.1), "asleep, runnable or running"


def test_without_wake_ups_it_is_told_what_sleeps_contain(
    hotlap: Hotlap, out: Path, tmp_path: Path
) -> None:
    stand_in = tmp_path / "bin" / "perf"
    stand_in.parent.mkdir()
    stand_in.write_text(
        "#!/bin/sh\n"
        'case "$*" in *sched_wakeup*) echo "no tracepoints for you" >&2; exit 255;; esac\n'
        f'exec {shutil.which("perf")} "$@"\n'
    )
    stand_in.chmod(0o755)
    path = ("env", f"PATH={stand_in.parent}:/usr/bin:/bin")
    result = hotlap.run("profile", "--off-cpu", "fast", *SHORT, "--out", out, prefix=path)
    assert result.code == 0, result.err
    view = view_of(json.loads((out / "profile.json").read_text()), "off-cpu")
    (note,) = view["arms"][0]["notes"]
    assert "counts as asleep" in note and "no tracepoints for you" in note
    woken = next(more for more in view["more"] if more["name"] == "woken")
    assert woken["amount"]["arms"][0]["per_request"] == 0.0


def test_without_the_flag_there_is_no_view(hotlap: Hotlap, out: Path) -> None:
    result = hotlap.run("profile", "fast", *SHORT, "--out", out)
    assert result.code == 0, result.err
    assert json.loads((out / "profile.json").read_text())["views"] == []
    assert not list(out.glob("*asleep*"))


def test_the_page_has_a_tab_for_each_view(hotlap: Hotlap, out: Path) -> None:
    arms = ("--a", "fast", "--b", "fast,dispatch=thread_pool")
    result = hotlap.run("profile", "--off-cpu", *arms, "-d", "0.5", "--quiet", "--out", out)
    assert result.code == 0, result.err
    page = (out / "profile.html").read_text()
    assert page.count('role="tab"') == 2
    assert "Where threads wait, by stage" in (out / "findings.md").read_text()


def heap_profile(hotlap: Hotlap, out: Path, *arguments: str) -> dict:
    """The profile; skipped where probes cannot be set."""
    result = hotlap.run("profile", "--heap", *arguments, *SHORT, "--out", out)
    if result.code == 3 and ("run as root" in result.err or "tracefs" in result.err):
        pytest.skip(result.err)
    assert result.code == 0, result.err
    assert all(len(line) <= 80 for line in result.out.splitlines() if str(out) not in line)
    return dict(json.loads((out / "profile.json").read_text()))


def test_allocations_are_those_that_counting_counts(hotlap: Hotlap, tmp_path: Path) -> None:
    arms = ("--a", "fast,header_map=pod", "--b", "fast,header_map=unordered_map")
    view = view_of(heap_profile(hotlap, tmp_path / "profile", *arms), "heap")
    counting = ("--plan", "fixed:1", "--set-ms", "20", "-c", "1", *BRIEF, "--json")
    result = hotlap.run("ab", *arms, *counting, "--out", tmp_path / "run")
    assert result.code == 0, result.err
    counted = {metric["name"]: metric["b"] for metric in result.json()["metrics"]}
    if "allocations_per_request" not in counted:
        pytest.skip("; ".join(result.json()["notes"]))
    size, calls = (view["total"][key]["arms"][1]["per_request"] for key in ("first", "second"))
    assert calls == pytest.approx(counted["allocations_per_request"], rel=0.01)
    assert size == pytest.approx(counted["allocated_bytes_per_request"], rel=0.01)
    assert view["total"]["second"]["arms"][0]["per_request"] < 0.01, "pod takes nothing"
    assert view["sites"][0]["stage"] == "header_map"
    assert amount(view["sites"], 1, stage="header_map")[1] == pytest.approx(calls, rel=0.01)
    lines = (tmp_path / "profile" / "b.allocations.folded").read_text().splitlines()
    assert all(line.rsplit(" ", 1)[0].endswith("malloc") for line in lines), lines


def test_a_block_for_each_read_is_the_read_buffer_s(hotlap: Hotlap, out: Path) -> None:
    arms = ("--a", "fast", "--b", "fast,read_buffer=fresh_block")
    view = view_of(heap_profile(hotlap, out, *arms), "heap")
    bytes_each, calls = amount(view["stages"], 1, stage="read_buffer")
    assert calls == pytest.approx(1, abs=0.1), "and a list of them, rarely"
    assert bytes_each == pytest.approx(4096, rel=0.05)
    assert view["arms"][0]["stacks"] == []
    speedscope = json.loads((out / "b.heap.speedscope.json").read_text())
    assert [profile["unit"] for profile in speedscope["profiles"]] == ["bytes", "none"]
    assert speedscope["profiles"][1]["endValue"] == pytest.approx(calls, rel=0.02)


@pytest.mark.skipif(not (BIN / "hotlap-go").exists(), reason="server:go was not built")
def test_go_has_no_view_of_the_heap(hotlap: Hotlap, out: Path) -> None:
    profile = heap_profile(hotlap, out, "server:go")
    assert profile["views"] == []
    assert any(
        "no view of the heap" in n and "Go program" in n for n in profile["arms"][0]["notes"]
    )
    assert not list(out.glob("*bytes*"))


def test_no_probe_is_left_behind(hotlap: Hotlap, out: Path) -> None:
    heap_profile(hotlap, out, "fast")
    definitions = Path("/sys/kernel/tracing/uprobe_events")
    if definitions.exists():
        assert "hotlap_" not in definitions.read_text()
