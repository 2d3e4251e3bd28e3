"""hotlap profile: what changed is found where it is, for any target, and bad input is told."""

from __future__ import annotations

import json
import shutil
import signal
import sys
from pathlib import Path

import pytest
from running import Hotlap, assert_error, faulty

pytestmark = pytest.mark.skipif(shutil.which("perf") is None, reason="perf is not installed")
SHORT = ("-d", "0.8", "--no-report", "--quiet")


def stage(profile: dict, name: str) -> dict:
    return next(cost for cost in profile["stages"] if cost["stage"] == name)


def test_the_changed_stage_has_the_largest_change(hotlap: Hotlap, out: Path) -> None:
    # A long target: regex takes longer by the byte.
    arms = ("--a", "fast,request_line=regex", "--b", "fast,request_line=scalar")
    request = ("--request", "/hello?" + 600 * "x")
    result = hotlap.run("profile", *arms, *request, *SHORT, "--out", out)
    assert result.code == 0, result.err
    profile = json.loads((out / "profile.json").read_text())
    assert profile["schema_version"] == 1
    largest = profile["stages"][0]
    assert largest["stage"] == "request_line"
    assert largest["difference_ns"] < -5 * largest["difference_standard_error_ns"]
    assert result.out.count("request_line") >= 2 and "in all" in result.out
    assert all(len(line) <= 80 for line in result.out.splitlines() if str(out) not in line)
    for i, arm in enumerate(profile["arms"]):
        assert arm["event"] in ("cycles", "cpu-clock") and arm["turns"] == 10
        samples = int(arm["samples"])
        assert samples == sum(int(stack["samples"]) for stack in arm["stacks"]) > 100
        per_request = int(arm["cpu_ns"]) / int(arm["requests"])
        assert profile["total"]["arms"][i]["ns"] == pytest.approx(per_request)
        for costs in (profile["stages"], profile["functions"]):
            assert sum(cost["arms"][i]["ns"] for cost in costs) == pytest.approx(per_request)
        folded = (out / f"{arm['arm']}.folded").read_text().splitlines()
        assert sum(int(line.rsplit(" ", 1)[1]) for line in folded) == samples
        speedscope = json.loads((out / f"{arm['arm']}.speedscope.json").read_text())
        assert sum(speedscope["profiles"][0]["weights"]) == pytest.approx(per_request)
    a, b = profile["arms"]
    assert any(line["file"].endswith(".tcc") for line in a["annotated"][0]["lines"])
    assert [f["function"] for f in a["annotated"]] == [f["function"] for f in b["annotated"]]


def test_a_system_call_belongs_to_the_stage_that_made_it(hotlap: Hotlap, out: Path) -> None:
    result = hotlap.run("profile", "fast", *SHORT, "--out", out, "--json")
    assert result.code == 0, result.err
    profile = result.json()
    calls = {(c["stage"], c["function"]) for c in profile["system_calls"]}
    assert ("transport", "sendto") in calls
    assert ("readiness", "epoll_wait") in calls
    assert "difference_ns" not in profile["stages"][0]
    outside = [c for c in profile["stages"] if c["stage"] in ("program", "libraries", "unknown")]
    lost = sum(cost["arms"][0]["ns"] for cost in outside)
    assert lost < 0.05 * profile["total"]["arms"][0]["ns"], "nearly all has a stage"


def test_tls_is_the_transport(hotlap: Hotlap, out: Path) -> None:
    arms = ("--a", "fast", "--b", "fast,transport=tls")
    result = hotlap.run("profile", *arms, *SHORT, "--out", out, "--json")
    assert result.code == 0, result.err
    profile = result.json()
    assert profile["stages"][0]["stage"] == "transport"
    assert profile["stages"][0]["difference_ns"] > 0
    assert profile["arms"][1]["pipeline"].find("transport=tls") > 0


@pytest.mark.parametrize("server", ["asio", "go", "nginx"])
def test_reference_servers(hotlap: Hotlap, out: Path, server: str) -> None:
    needed = {"go": "go", "nginx": "nginx"}.get(server)
    if needed and shutil.which(needed) is None:
        pytest.skip(f"{needed} is not installed")
    result = hotlap.run("profile", f"server:{server}", *SHORT, "--out", out, "--json")
    assert result.code == 0, result.err
    profile = result.json()
    (arm,) = profile["arms"]
    assert arm["call_graph"] == ("fp" if server == "go" else "dwarf")
    assert arm["threads"] >= (2 if server == "go" else 1)
    kernel = sum(c["arms"][0]["ns"] for c in profile["stages"] if c["stage"].startswith("kernel"))
    assert 0 < kernel < profile["total"]["arms"][0]["ns"]
    assert stage(profile, "program")["arms"][0]["samples"] != "0"


def test_children_of_a_command_are_sampled(hotlap: Hotlap, out: Path, tmp_path: Path) -> None:
    (tmp_path / "hello").write_text("hello")
    command = f"cmd:cd {tmp_path} && {sys.executable} -m http.server {{port}}; true"
    more = ("--request", "/hello", "--close", "-c", "4")
    result = hotlap.run("profile", command, *more, *SHORT, "--out", out, "--json")
    assert result.code == 0, result.err
    (arm,) = result.json()["arms"]
    assert int(arm["samples"]) > 50 and arm["threads"] > 4, "a thread for each connection"


def test_a_url_is_refused(hotlap: Hotlap, out: Path) -> None:
    result = hotlap.run("profile", "url:http://127.0.0.1:9", *SHORT, "--out", out)
    assert_error(result, "has no process here", "cmd:")
    assert not out.exists()


def test_flags_are_checked(hotlap: Hotlap, out: Path) -> None:
    for flags, words in (
        (("--a", "fast"), "give one TARGET, or --a TARGET --b TARGET"),
        (("fast", "-d", "0"), "a duration of 0 s"),
        (("fast", "--frequency", "0"), "a frequency of 0 Hz"),
        (("fast", "--call-graph", "lbr"), "neither fp nor dwarf"),
        (("fast,request_line=nosuch",), "nosuch"),
    ):
        result = hotlap.run("profile", *flags, "--no-report", "--quiet", "--out", out)
        assert_error(result, words)
        assert not out.exists()


def test_absent_perf_is_told(hotlap: Hotlap, out: Path, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    path = ("env", f"PATH={tmp_path / 'bin'}")
    result = hotlap.run("profile", "fast", *SHORT, "--out", out, prefix=path)
    assert_error(result, "perf is not installed", "apt-get install linux-perf")
    assert not out.exists()


def test_perf_is_forbidden(hotlap: Hotlap, out: Path, tmp_path: Path) -> None:
    stand_in = tmp_path / "bin" / "perf"
    stand_in.parent.mkdir()
    stand_in.write_text(
        "#!/bin/sh\n"
        '[ "$1" = version ] && { echo perf version 6.1.0; exit 0; }\n'
        "echo 'Access to performance monitoring is limited.' >&2; exit 255\n"
    )
    stand_in.chmod(0o755)
    path = ("env", f"PATH={stand_in.parent}:/usr/bin:/bin")
    result = hotlap.run("profile", "fast", *SHORT, "--out", out, prefix=path)
    assert_error(result, "arm a", "perf record did not begin", "is limited")
    assert not out.exists()


@pytest.mark.parametrize("mode", ["die", "deny"])
def test_a_target_at_fault_is_named(hotlap: Hotlap, out: Path, tmp_path: Path, mode: str) -> None:
    trigger = tmp_path / "now"
    command = faulty(mode, trigger)
    arguments = ("--a", "fast", "--b", command, "-d", "20", "--no-report", "--quiet")
    started = hotlap.start("profile", *arguments, "--out", out)
    started.wait_for(lambda: hotlap.pid_of("perf record") is not None)
    trigger.touch()
    assert_error(started.end(), "arm b")
    assert not out.exists()
    hotlap.assert_all_gone()


def test_an_interrupted_profile_leaves_nothing(hotlap: Hotlap, out: Path) -> None:
    started = hotlap.start("profile", "fast", "-d", "30", "--quiet", "--out", out)
    started.wait_for(lambda: hotlap.pid_of("perf record") is not None)
    started.process.send_signal(signal.SIGINT)
    result = started.end()
    assert result.code == 130, result.err
    assert not out.exists()
    hotlap.assert_all_gone()
