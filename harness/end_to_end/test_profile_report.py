"""What people read of a profile: its page and findings, and its place in the report of a run."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from running import ONE_ROUND, Hotlap

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
