"""The counting pass: allocations, what counting costs, and the CPU time of cgroups."""

from __future__ import annotations

import os
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from running import BIN, BRIEF, TWO_FAST, Hotlap, assert_error, faulty, rows, run_facts

COUNTED = ("--plan", "fixed:1", "--set-ms", "20", "-c", "1", *BRIEF)
UNCOUNTED = (*COUNTED, "--no-counting")
LONGER = ("--plan", "fixed:1", "--set-ms", "200", "-c", "1", *BRIEF, "--no-counting")


def metric(result: dict, name: str) -> dict | None:
    return next((found for found in result["metrics"] if found["name"] == name), None)


def counted_or_skip(result: dict, name: str) -> dict:
    """The metric; a build whose sanitizer stands before every malloc has none."""
    found = metric(result, name)
    if found is None and any("ASan" in note for note in result["notes"]):
        pytest.skip("no library can be preloaded into this build")
    assert found is not None, "; ".join(result["notes"])
    return found


def test_allocations_a_request_are_exact(hotlap: Hotlap, out: Path) -> None:
    arms = ("--a", "fast", "--b", "fast,read_buffer=growing")
    result = hotlap.run("ab", *arms, *COUNTED, "--json", "--out", out)
    assert result.code == 0, result.err
    found = counted_or_skip(result.json(), "allocations_per_request")
    # Growing takes a block and a longer list of blocks for every read.
    assert (found["a"], found["b"]) == (0, pytest.approx(2, abs=0.02))
    size = metric(result.json(), "allocated_bytes_per_request")
    assert size is not None and size["a"] == 0 and size["b"] > 4096
    timing = [row for row in rows(out) if row["pass"] == "timing"]
    assert all(row["allocations"] == "" for row in timing), "counted in the counting pass only"


def test_any_dynamic_program_is_counted(hotlap: Hotlap, out: Path) -> None:
    arms = ("--a", faulty("right"), "--b", "fast", "--any-body", "--no-verify")
    preload = ("--a-env", "PYTHONMALLOC=malloc")
    result = hotlap.run("ab", *arms, *preload, *COUNTED, "--json", "--out", out)
    assert result.code == 0, result.err
    found = counted_or_skip(result.json(), "allocations_per_request")
    assert found["a"] > 1, (found, result.json()["notes"])


def test_perf_events_are_counted_by_name(hotlap: Hotlap, out: Path) -> None:
    arms = ("--a", "fast", "--b", "fast,read_buffer=growing")
    asked = ("--counters", "minor-faults,raw_syscalls:sys_enter,branch-misses")
    result = hotlap.run("ab", *arms, *asked, *COUNTED, "--json", "--out", out)
    assert result.code == 0, result.err
    notes = result.json()["notes"]
    if any("raw_syscalls:sys_enter is not counted" in note for note in notes):
        pytest.skip("no tracepoints here")
    faults = metric(result.json(), "event:minor-faults")
    calls = metric(result.json(), "event:raw_syscalls:sys_enter")
    assert faults is not None and calls is not None
    # Growing takes a fresh page for about each request; both call alike.
    assert faults["a"] < 0.1 and 0.5 < faults["b"] < 3
    assert calls["a"] == pytest.approx(3, abs=0.3) and calls["b"] == pytest.approx(3, abs=0.3)
    missing = any("branch-misses is not counted" in note for note in notes)
    assert missing == (metric(result.json(), "event:branch-misses") is None), "never a zero"
    columns = rows(out)[0]
    assert "event:minor-faults" in columns and ("event:branch-misses" in columns) != missing
    passes = {row["pass"] for row in rows(out) if row["event:minor-faults"] != ""}
    assert passes == {"events"}, "counted in a pass of their own"


@pytest.mark.parametrize(
    "counters, more, words",
    [
        ("nosuch", [], ["--counters nosuch", "libpfm4 knows no event"]),
        ("sched:nosuch", [], ["--counters sched:nosuch"]),
        (",", [], ["--counters", "names no event"]),
        ("cycles,cycles", [], ["cycles", "twice"]),
        ("cycles", ["--no-counting"], ["--counters", "--no-counting"]),
        ("cycles", ["--deterministic"], ["--counters", "--deterministic"]),
    ],
)
def test_what_is_no_counter_is_told(
    hotlap: Hotlap, out: Path, counters: str, more: list[str], words: list[str]
) -> None:
    result = hotlap.run("ab", *TWO_FAST, "--counters", counters, *COUNTED, *more, "--out", out)
    assert_error(result, *words)


def test_a_latency_has_a_margin_of_its_own(hotlap: Hotlap, out: Path) -> None:
    arms = ("--a", "fast", "--b", "fast,ballast=chain:60000", "--no-counting", "--no-verify")
    plan = ("--plan", "fixed:7", *COUNTED[2:])
    result = hotlap.run("ab", *arms, *plan, "--json", "--out", out)
    assert result.code == 0, result.err
    for name, margin in (("cpu_per_request", "0.50 %"), ("latency_p50", "1.00 %")):
        found = metric(result.json(), name)
        assert found is not None and found["verdict"] == "regressed", found
        assert f"margin of {margin}" in found["reason"], found["reason"]


@pytest.mark.parametrize(
    "name, words",
    [
        ("syscalls_per_request", ["pass of its own"]),
        ("allocations_per_request", ["pass of its own"]),
        ("cgroup_cpu_per_request", ["cgroup_cpu_per_request has a value", "0 of 1 round"]),
    ],
)
def test_a_primary_metric_without_values_ends_the_run(
    hotlap: Hotlap, out: Path, name: str, words: list[str]
) -> None:
    more = ("--plan", "fixed:7", *COUNTED[2:], "--no-counting", "--metric", name, "--out", out)
    assert_error(hotlap.run("ab", *TWO_FAST, *more), *words)


@pytest.mark.skipif(not (BIN / "hotlap-go").exists(), reason="server:go was not built")
def test_what_cannot_be_counted_is_no_zero(hotlap: Hotlap, out: Path) -> None:
    arms = ("--a", "fast", "--b", "server:go", "--no-verify", "--any-body")
    result = hotlap.run("ab", *arms, *COUNTED, "--json", "--out", out)
    assert result.code == 0, result.err
    found = metric(result.json(), "allocations_per_request")
    assert found is None or found["b"] is None
    assert any("allocations of b" in n and "Go program" in n for n in result.json()["notes"])
    echo = run_facts(out)["echoes"][1]
    assert "Go program" in echo["absent"]["allocations_per_request"]
    counted = [row for row in rows(out) if row["pass"] == "counting" and row["arm"] == "b"]
    assert counted and all(row["allocations"] == "" for row in counted)


def test_what_counting_costs_is_measured_and_printed(hotlap: Hotlap, out: Path) -> None:
    result = hotlap.run("ab", *TWO_FAST, *COUNTED, "--out", out)
    assert result.code == 0, result.err
    cost = run_facts(out)["counting_cost"]
    assert cost["rounds"] + sum(bool(r["void_cause"]) for r in rows(out, "counting_cost.csv")) == 8
    assert cost["what"]
    assert "it is a pass of its own" in result.out
    assert {row["pass"] for row in rows(out)} == {"timing", "counting"}
    result = hotlap.run("ab", *TWO_FAST, *UNCOUNTED, "--out", out.with_name("without"))
    assert "counting (" not in result.out
    assert not (out.with_name("without") / "counting_cost.csv").exists()


def cgroup_mounts() -> list[Path]:
    mounts = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
    return [
        Path(place)
        for _, place, kind, options, *_ in mounts
        if kind == "cgroup2" or (kind == "cgroup" and "cpuacct" in options.split(","))
    ]


@pytest.fixture
def cgroups() -> Iterator[list[Path]]:
    """Two cgroups of this test's own."""
    made: list[Path] = []
    name = f"hotlap-{uuid.uuid4().hex[:8]}"
    for mount in cgroup_mounts():
        try:
            for end in ("a", "b"):
                (mount / f"{name}-{end}").mkdir()
                made.append(mount / f"{name}-{end}")
            break
        except OSError:
            continue
    if len(made) < 2:
        pytest.skip("no cgroup can be made here that counts CPU time")
    try:
        yield made
    finally:
        for path in made:
            os.rmdir(path)


def test_a_cgroup_agrees_with_the_process_clock(
    hotlap: Hotlap, out: Path, cgroups: list[Path]
) -> None:
    flags = ("--a-cgroup", cgroups[0], "--b-cgroup", cgroups[1].name)
    result = hotlap.run("ab", *TWO_FAST, *flags, *LONGER, "--json", "--out", out)
    assert result.code == 0, result.err
    own, group = (metric(result.json(), f"{m}cpu_per_request") for m in ("", "cgroup_"))
    assert own is not None and group is not None
    for arm in ("a", "b"):
        assert group[arm] == pytest.approx(own[arm], rel=0.05)


@pytest.mark.parametrize(
    "flags, words",
    [
        (("--a-cgroup", "no/such/cgroup"), ["arm a", "no/such/cgroup"]),
        (("--a-cgroup", "x", "--b-cgroup", "x"), ["arm b", "another arm's too"]),
    ],
)
def test_bad_cgroups(hotlap: Hotlap, out: Path, flags: tuple[str, ...], words: list[str]) -> None:
    assert_error(hotlap.run("ab", *TWO_FAST, *flags, *UNCOUNTED, "--out", out), *words)


def test_a_target_in_namespaces_of_its_own_is_counted(hotlap: Hotlap, out: Path) -> None:
    isolated = ("unshare", "--mount", "--pid", "--uts", "--ipc", "--fork", "--mount-proc")
    if subprocess.run([*isolated, "true"], capture_output=True).returncode != 0:
        pytest.skip("no namespaces may be made here")
    server = f"{BIN / 'hotlap-server'} --pipeline fast --listen 127.0.0.1:{{port}}"
    arms = ("--a", "fast", "--b", f"cmd:{' '.join(isolated)} {server}", "--no-verify")
    result = hotlap.run("ab", *arms, *COUNTED, "--json", "--out", out)
    assert result.code == 0, result.err
    cpu = metric(result.json(), "cpu_per_request")
    assert cpu is not None and cpu["b"] > 500, "the server's time, and not that of what started it"
    calls = metric(result.json(), "syscalls_per_request")
    if calls is not None:
        assert calls["b"] == pytest.approx(calls["a"], abs=0.1)
    hotlap.assert_all_gone()
