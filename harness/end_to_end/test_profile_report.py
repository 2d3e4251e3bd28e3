"""What people read of a profile: its page and findings, and its place in the report of a run."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from running import ONE_ROUND, Hotlap, assert_error, run_facts

pytestmark = pytest.mark.skipif(shutil.which("perf") is None, reason="perf is not installed")
SHORT = ("-d", "0.5", "--quiet")
ARMS = ("--a", "fast", "--b", "fast,address=cached")


def test_a_profile_writes_its_page(hotlap: Hotlap, out: Path) -> None:
    result = hotlap.run("profile", "fast", *SHORT, "--out", out)
    assert result.code == 0, result.err
    assert f"profile: {out / 'profile.html'}" in result.out
    page = (out / "profile.html").read_text()
    assert '<script type="application/json">' in page
    assert "default-src 'none'" in page, "it may ask for nothing"
    findings = (out / "findings.md").read_text()
    assert "`fast` spends" in findings and "CPU per request; the most in" in findings
    assert "](pictures/stages.svg)" in findings and (out / "pictures/stages.svg").exists()


def test_a_run_s_report_has_the_profile_of_its_arms(hotlap: Hotlap, tmp_path: Path) -> None:
    run, profile = tmp_path / "run", tmp_path / "profile"
    result = hotlap.run("ab", *ARMS, *ONE_ROUND, "--no-counting", "--out", run)
    assert result.code == 0, result.err
    result = hotlap.run("report", run)
    assert result.code == 0, result.err
    before = (run / "findings.md").read_text()
    assert "## Where the difference comes from" in before and "hotlap profile --a" in before
    result = hotlap.run("profile", *ARMS, *SHORT, "--no-report", "--out", profile)
    assert result.code == 0, result.err
    shutil.copy(profile / "profile.json", run)
    result = hotlap.run("report", run)
    assert result.code == 0, result.err
    assert str(run / "profile.html") in result.out
    after = (run / "findings.md").read_text()
    assert "By stage, as the profile has it." in after and "| **in all** |" in after
    assert after.startswith(before.split("\n", 1)[0]), "the run's findings stay the run's"


def test_ab_profiles_the_arm_that_differs_most(hotlap: Hotlap, out: Path) -> None:
    arms = ("--a", "fast", "--b", "fast", "--arm", "fast,ballast=chain:20000")
    rounds = [word for word in ONE_ROUND if word != "--no-report"]
    asked = ("--profile", "--profile-s", "0.5", "--heap")
    result = hotlap.run("ab", *arms, *rounds, *asked, "--no-counting", "--out", out)
    assert result.code == 0, result.err
    assert "\nsampling a: fast and c: " in result.err, "a phase begins with a line"
    assert "where the CPU time went, by a profile of a and c" in result.out
    assert any(line.startswith("ballast ") and " ± " in line for line in result.out.splitlines())
    assert run_facts(out)["effective"]["profile_pass"]["duration_s"] == 0.5
    profile = json.loads((out / "profile.json").read_text())
    assert [arm["arm"] for arm in profile["arms"]] == ["a", "c"]
    assert profile["stages"][0]["stage"] == "ballast" and profile["views"][0]["name"] == "heap"
    assert "hotlap ab" in profile["command"] and profile["environment"]["cpus"] > 0
    assert (out / "c.folded").exists() and (out / "profile.html").exists()
    findings = (out / "findings.md").read_text()
    assert "By stage, as the profile has it." in findings and "Also what is allocated" in findings
    assert "view of heap: profile.txt and profile.html" in result.out
    assert "server and load share a CPU" in " ".join(run_facts(out)["notes"])


def test_without_perf_the_run_is_whole(hotlap: Hotlap, out: Path, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/sh").symlink_to("/bin/sh")
    path = ("env", f"PATH={tmp_path / 'bin'}")
    result = hotlap.run("ab", *ARMS, *ONE_ROUND, "--profile", "--out", out, prefix=path)
    assert result.code == 0, result.err
    facts = run_facts(out)
    assert facts["state"] == "complete" and facts["verdicts"]
    assert any("no profile: " in note and "linux-perf" in note for note in facts["notes"])
    assert "linux-perf" in result.out and not (out / "profile.json").exists()


def test_an_interrupted_profile_leaves_the_verdict(hotlap: Hotlap, out: Path) -> None:
    asked = ("--profile", "--profile-s", "60", "--no-counting")
    started = hotlap.start("ab", *ARMS, *ONE_ROUND, *asked, "--out", out, "--json")
    started.wait_for(lambda: hotlap.pid_of("perf record") is not None)
    started.process.send_signal(signal.SIGINT)
    result = started.end()
    assert result.code == 130, result.err
    assert result.json()["state"] == "interrupted" and result.json()["rounds"] == 1
    assert result.json()["profile"] is None
    assert any("no profile: interrupted" in note for note in result.json()["notes"])
    assert run_facts(out)["verdicts"]
    hotlap.assert_all_gone()


def test_a_killed_agent_is_named(hotlap: Hotlap, out: Path) -> None:
    asked = ("--profile", "--profile-s", "60", "--no-counting")
    started = hotlap.start("ab", *ARMS, *ONE_ROUND, *asked, "--out", out)
    started.wait_for(lambda: hotlap.pid_of("perf record") is not None)
    agent = hotlap.pid_of("hotlap agent")
    assert agent is not None
    os.kill(agent, signal.SIGKILL)
    result = started.end()
    assert_error(result, "the agent", "killed by signal 9")
    assert run_facts(out)["verdicts"]
    hotlap.assert_all_gone()


def test_a_full_disk_keeps_the_run_and_no_half_of_a_profile(hotlap: Hotlap, tmp_path: Path) -> None:
    place, kept = tmp_path / "small", tmp_path / "kept"
    place.mkdir()
    # The tmpfs goes with its namespace, so what is left is copied out before.
    script = 'mount -t tmpfs -o size=300k none "$1"; place=$1; kept=$2; shift 2; code=0'
    script += '; "$@" || code=$?; cp -r "$place/run" "$kept"; exit $code'
    prefix = ["unshare", "-m", "sh", "-c", script, "sh", str(place), str(kept)]
    if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"]).returncode != 0:
        pytest.skip("needs root and mount namespaces")
    asked = ("--profile", "--profile-s", "2", "--no-counting", "--out", place / "run")
    result = hotlap.run("ab", *ARMS, *ONE_ROUND, *asked, prefix=prefix)
    assert_error(result, "No space left on device")
    facts = run_facts(kept)
    assert facts["state"] == "failed" and "No space" in facts["failure"] and facts["verdicts"]
    assert not list(kept.glob("profile.*")) and not list(kept.glob("*.folded*"))
    assert not list(kept.glob("*.new"))


@pytest.mark.parametrize(
    "more, words",
    [
        (["--profile-s", "3"], ["--profile-s", "--profile"]),
        (["--heap"], ["--heap", "--profile"]),
        (["--off-cpu"], ["--off-cpu", "--profile"]),
        (["--profile", "--deterministic"], ["--profile", "--deterministic"]),
        (["--profile", "--profile-s", "0"], ["duration", "0.1 to 600"]),
    ],
)
def test_what_cannot_be_is_told_before_any_round(
    hotlap: Hotlap, out: Path, more: list[str], words: list[str]
) -> None:
    assert_error(hotlap.run("ab", *ARMS, *ONE_ROUND, *more, "--out", out), *words)
    assert not out.exists()


def test_a_url_cannot_be_sampled(hotlap: Hotlap, out: Path) -> None:
    arms = ("--a", "fast", "--b", "url:http://127.0.0.1:9")
    result = hotlap.run("ab", *arms, *ONE_ROUND, "--profile", "--out", out)
    assert_error(result, "arm b", "url", "cmd:")
