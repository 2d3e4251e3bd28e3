"""hotlap profile beyond CPU time: what is known to be there is found where it is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from faulty_server import DOZE_MS
from running import Hotlap, faulty

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
    assert asleep_ns == pytest.approx(DOZE_MS * 1e6, rel=0.03)
    assert sleeps == pytest.approx(1.0, abs=0.02)
    assert amount(view["sites"], 0, system_call="clock_nanosleep") == (0.0, 0.0)
    assert view["sites"][0]["system_call"] == "clock_nanosleep", "the largest change"
    difference = view["sites"][0]["first"]
    assert difference["difference"] == pytest.approx(DOZE_MS * 1e6, rel=0.03)
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
    assert spent == pytest.approx(int(arm["load_ns"]), rel=0.03), "asleep, runnable or running"


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
