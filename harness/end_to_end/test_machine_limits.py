"""A machine that lacks something: disk, permission, tracefs, CPUs, descriptors."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from running import (
    BIN,
    CPU,
    ONE_ROUND,
    SMALL,
    TWO_FAST,
    Hotlap,
    assert_error,
    finished_rounds,
    rows,
    run_facts,
)

ROOT = os.geteuid() == 0


def may_unshare() -> bool:
    return ROOT and subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0


needs_mounts = pytest.mark.skipif(not may_unshare(), reason="needs root and mount namespaces")
needs_root = pytest.mark.skipif(not ROOT, reason="needs root to become another user")


def in_namespace(script: str, *arguments: object) -> list[str]:
    """Runs what follows in a mount namespace of its own, after `script`; $1… are the arguments."""
    shift = f"shift {len(arguments)}; " if arguments else ""
    return ["unshare", "-m", "sh", "-ec", f'{script}; {shift}exec "$@"', "sh", *map(str, arguments)]


def test_a_file_where_the_results_should_go(hotlap: Hotlap, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    out = tmp_path / "file" / "run"
    result = hotlap.run("ab", *TWO_FAST, *ONE_ROUND, "--out", out)
    assert_error(result, str(out), "Not a directory")


@needs_mounts
def test_results_on_a_read_only_file_system(hotlap: Hotlap, tmp_path: Path) -> None:
    place = tmp_path / "read_only"
    place.mkdir()
    prefix = in_namespace('mount -t tmpfs -o ro none "$1"', place)
    result = hotlap.run("ab", *TWO_FAST, *ONE_ROUND, "--out", place / "run", prefix=prefix)
    assert_error(result, str(place / "run"), "Read-only file system")


@needs_mounts
def test_a_full_disk_keeps_the_finished_rounds(hotlap: Hotlap, tmp_path: Path) -> None:
    place, kept = tmp_path / "small", tmp_path / "kept"
    place.mkdir()
    flags = ("--plan", "fixed:200", "--no-counting", "--no-verify", *SMALL)
    # The tmpfs goes with its namespace, so what is left is copied out before.
    script = 'mount -t tmpfs -o size=128k none "$1"; place=$1; kept=$2; shift 2; code=0'
    script += '; "$@" || code=$?; cp -r "$place/run" "$kept"; exit $code'
    prefix = ["unshare", "-m", "sh", "-c", script, "sh", str(place), str(kept)]
    result = hotlap.run("ab", *TWO_FAST, *flags, "--out", place / "run", prefix=prefix)
    assert_error(result, str(place / "run"), "No space left on device", "--out")
    assert finished_rounds(kept) >= 1
    facts = run_facts(kept)
    assert facts["state"] in ("running", "failed")
    for row in rows(kept):
        assert row["pass"] == "timing" and None not in row.values(), "a torn row"
    reported = hotlap.run("report", kept)
    assert reported.code == 0, reported.err


@pytest.fixture
def as_nobody(tmp_path: Path) -> Iterator[tuple[Hotlap, Path, list[str]]]:
    """A hotlap of a user who may nothing, with binaries that this user can read."""
    home = Path(tempfile.mkdtemp(prefix="hl-"))
    shutil.copytree(BIN, home / "bin", ignore=shutil.ignore_patterns("versus_*"))
    home.chmod(0o755)
    for name in ("temporary", "results"):
        (home / name).mkdir()
        shutil.chown(home / name, 65534, 65534)
    runner = Hotlap(home / "temporary", binary=home / "bin" / "hotlap")
    prefix = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs"]
    yield runner, home / "results" / "run", prefix
    runner.assert_all_gone()
    shutil.rmtree(home)


@needs_root
def test_without_permission_the_primary_metric_works(as_nobody: tuple) -> None:
    hotlap, out, prefix = as_nobody
    result = hotlap.run("ab", *TWO_FAST, *ONE_ROUND, "--out", out, "--json", prefix=prefix)
    assert result.code == 0, result.err
    metrics = {metric["name"]: metric for metric in result.json()["metrics"]}
    assert metrics["cpu_per_request"]["a"] > 0
    notes = " ".join(run_facts(out)["notes"])
    assert "for want of tracepoints" in notes or "not counted" in notes
    if shutil.which("strace") is not None:
        assert run_facts(out)["syscall_source"] == "strace"
        assert metrics["syscalls_per_request"]["a"] == pytest.approx(3, abs=0.05)


@needs_root
def test_a_directory_of_somebody_else(as_nobody: tuple, tmp_path: Path) -> None:
    hotlap, out, prefix = as_nobody
    out.parent.chmod(0o700)
    shutil.chown(out.parent, 0, 0)
    result = hotlap.run("ab", *TWO_FAST, *ONE_ROUND, "--out", out, prefix=prefix)
    assert_error(result, str(out), "Permission denied")


@needs_root
def test_doctor_names_what_is_missing_and_the_remedy(as_nobody: tuple) -> None:
    hotlap, _, prefix = as_nobody
    result = hotlap.run("doctor", "--json", prefix=prefix)
    assert result.code == 0, result.err
    found = {one["name"]: one for one in result.json()["capabilities"]}
    assert found["cpu_clock"]["available"]
    assert not found["syscall_counting"]["available"]
    assert found["syscall_counting"]["remedy"]


def without_tracefs() -> list[str]:
    """A root that cannot mount tracefs either."""
    script = "umount -l /sys/kernel/tracing /sys/kernel/debug/tracing 2>/dev/null || :"
    script += "; umount -l /sys/kernel/debug 2>/dev/null || :"
    return in_namespace(script) + ["setpriv", "--bounding-set=-sys_admin,-perfmon"]


def by_name(run: Path, arm: str) -> dict[str, float]:
    """Calls a request in the counting pass, those that there are any of."""
    counted = [row for row in rows(run) if row["pass"] == "counting" and row["arm"] == arm]
    requests = sum(int(row["ok"]) for row in counted)
    calls: dict[str, float] = {}
    for row in rows(run, "syscalls.csv"):
        if row["arm"] == arm:
            calls[row["name"]] = calls.get(row["name"], 0) + int(row["calls"]) / requests
    return {name: count for name, count in calls.items() if count > 0.01}


@needs_mounts
@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_strace_counts_what_tracepoints_may_not(hotlap: Hotlap, tmp_path: Path) -> None:
    traced, counted = tmp_path / "traced", tmp_path / "counted"
    arms = ("--a", "fast,address=per_request", "--b", "fast,receive=peek_then_recv")
    flags = (*arms, *ONE_ROUND, "--request", "/address", "--json")
    result = hotlap.run("ab", *flags, "--out", traced, prefix=without_tracefs())
    assert result.code == 0, result.err
    facts = run_facts(traced)
    assert facts["syscall_source"] == "strace"
    assert any("counted by strace" in note and "tracefs" in note for note in facts["notes"])
    result = hotlap.run("ab", *flags, "--out", counted)
    assert result.code == 0, result.err
    if run_facts(counted)["syscall_source"] != "tracepoints":
        pytest.skip("no tracepoints here to compare with")
    for arm in ("a", "b"):
        assert by_name(traced, arm) == pytest.approx(by_name(counted, arm), rel=0.01)


@needs_root
@pytest.mark.skipif(shutil.which("perf") is None, reason="perf is not installed")
def test_calls_have_names_where_strace_is_absent(hotlap: Hotlap, out: Path, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    for program in (shutil.which("perf"), "/bin/sh"):
        assert program is not None
        (tmp_path / "bin" / Path(program).name).symlink_to(program)
    prefix = ["env", f"PATH={tmp_path / 'bin'}"]
    result = hotlap.run("ab", *TWO_FAST, *ONE_ROUND, "--out", out, prefix=prefix)
    assert result.code == 0, result.err
    if run_facts(out)["syscall_source"] != "tracepoints":
        pytest.skip("no tracepoints here")
    assert by_name(out, "a") == pytest.approx(
        {"recvfrom": 1, "sendto": 1, "epoll_wait": 1}, abs=0.2
    )


@needs_mounts
def test_without_tracefs_and_strace(hotlap: Hotlap, out: Path, tmp_path: Path) -> None:
    """System calls are left out, and said to be."""
    (tmp_path / "bin").mkdir()
    prefix = without_tracefs() + ["env", f"PATH={tmp_path / 'bin'}"]
    result = hotlap.run("ab", *TWO_FAST, *ONE_ROUND, "--out", out, "--json", prefix=prefix)
    assert result.code == 0, result.err
    notes = " ".join(run_facts(out)["notes"])
    assert "system calls are not counted" in notes and "strace is not installed" in notes
    metrics = {metric["name"]: metric for metric in result.json()["metrics"]}
    assert metrics["cpu_per_request"]["a"] > 0
    assert "syscalls_per_request" not in metrics
    assert all(row["syscalls"] == "" for row in rows(out)), "absent is empty, never zero"


@needs_mounts
def test_a_profile_without_tracefs(hotlap: Hotlap, out: Path) -> None:
    """Threads are seen to wait all the same; allocations are not, and the remedy is told."""
    if shutil.which("perf") is None:
        pytest.skip("perf is not installed")
    script = "umount -l /sys/kernel/tracing /sys/kernel/debug/tracing 2>/dev/null || :"
    script += "; umount -l /sys/kernel/debug 2>/dev/null || :"
    prefix = in_namespace(script) + ["setpriv", "--bounding-set=-sys_admin"]
    short = ("fast", "-d", "0.3", "--quiet", "--no-report", "--out", out)
    assert_error(
        hotlap.run("profile", "--heap", *short, prefix=prefix), "--heap", "mount -t tracefs"
    )
    result = hotlap.run("profile", "--off-cpu", *short, "--json", prefix=prefix)
    assert result.code == 0, result.err
    (view,) = result.json()["views"]
    assert any("mount -t tracefs" in note for note in view["arms"][0]["notes"])
    assert view["total"]["second"]["arms"][0]["per_request"] > 0


ONE_CPU = ("taskset", "-c", CPU)
BRIEF_SETS = ("--plan", "fixed:1", "--sets", "1", "--set-ms", "20", "--warmup-ms", "10")
UNPLACED = (*BRIEF_SETS, "--no-report", "--no-counting")


def test_one_cpu_is_refused_with_the_remedy(hotlap: Hotlap, out: Path) -> None:
    result = hotlap.run("ab", *TWO_FAST, *UNPLACED, "--out", out, prefix=ONE_CPU)
    assert_error(result, f"CPU {CPU}", "--share-cpus")


def test_one_cpu_may_be_shared(hotlap: Hotlap, out: Path) -> None:
    flags = (*UNPLACED, "--share-cpus", "--out", out)
    result = hotlap.run("ab", *TWO_FAST, *flags, prefix=ONE_CPU)
    assert result.code == 0, result.err
    assert any("both serves and loads" in note for note in run_facts(out)["notes"])


def limited(descriptors: int) -> list[str]:
    return ["sh", "-c", f'ulimit -n {descriptors}; exec "$@"', "sh"]


def test_few_descriptors(hotlap: Hotlap, out: Path) -> None:
    """64 do for 16 connections an arm, or the message says what is short."""
    result = hotlap.run("ab", *TWO_FAST, *ONE_ROUND, "--out", out, prefix=limited(64))
    if result.code == 0:
        assert finished_rounds(out) == 1
    else:
        assert_error(result, "ulimit -n")


def test_too_few_descriptors_for_the_connections(hotlap: Hotlap, out: Path) -> None:
    flags = (*ONE_ROUND, "--no-counting", "--connections", "400", "--out", out)
    result = hotlap.run("ab", *TWO_FAST, *flags, prefix=limited(256))
    assert_error(result, "connections", "ulimit -n")


def test_a_thousand_descriptors(hotlap: Hotlap, out: Path) -> None:
    flags = (*ONE_ROUND, "--no-counting", "--no-verify", "--connections", "200", "--out", out)
    result = hotlap.run("ab", *TWO_FAST, *flags, prefix=limited(1024))
    assert result.code == 0, result.err


def test_a_temporary_directory_too_deep_for_a_socket(hotlap: Hotlap, tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 120)
    deep.mkdir()
    hotlap.temporary = deep
    assert_error(hotlap.run("doctor"), "TMPDIR")


def test_a_temporary_directory_that_is_not_there(hotlap: Hotlap, tmp_path: Path) -> None:
    hotlap.temporary = tmp_path / "nowhere"
    assert_error(hotlap.run("doctor"), "TMPDIR")
