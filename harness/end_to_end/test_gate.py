"""Exit codes 0, 1 and 2: only --gate turns a verdict into a code."""

from __future__ import annotations

from pathlib import Path

from running import ONE_ROUND, SMALL, TWO_FAST, Hotlap

# Six rounds are the fewest with an interval. Twenty thousand steps take longer than all the rest of
# a request by far, so that no noise can hide them.
SIX_ROUNDS = ("--plan", "fixed:6", "--no-counting", *SMALL)
LIGHT, HEAVY = "fast", "fast,ballast=chain:20000"


def gate(hotlap: Hotlap, a: str, b: str, *more: object) -> tuple[int, str]:
    result = hotlap.run("ab", "--a", a, "--b", b, *SIX_ROUNDS, "--json", *more)
    return result.code, result.json()["verdict"]


def test_a_regression_without_a_gate_is_done(hotlap: Hotlap, out: Path) -> None:
    assert gate(hotlap, LIGHT, HEAVY, "--out", out) == (0, "regressed")


def test_a_regression_under_the_gate(hotlap: Hotlap, out: Path) -> None:
    code, verdict = gate(hotlap, LIGHT, HEAVY, "--gate=uncalibrated-ok", "--out", out)
    assert (code, verdict) == (1, "regressed")


def test_the_gate_does_not_ask_whether_arms_were_verified(hotlap: Hotlap, out: Path) -> None:
    more = ("--gate=uncalibrated-ok", "--no-verify", "--out", out)
    assert gate(hotlap, LIGHT, HEAVY, *more) == (1, "regressed")
    assert '"ran": true' not in (out / "run.json").read_text()


def test_an_improvement_under_the_gate(hotlap: Hotlap, out: Path) -> None:
    code, verdict = gate(hotlap, HEAVY, LIGHT, "--gate=uncalibrated-ok", "--out", out)
    assert (code, verdict) == (0, "improved")


def test_an_uncalibrated_machine_is_undecided(hotlap: Hotlap, out: Path) -> None:
    code, verdict = gate(hotlap, LIGHT, HEAVY, "--gate", "--out", out)
    assert (code, verdict) == (2, "regressed")


def test_too_few_rounds_are_undecided(hotlap: Hotlap, out: Path) -> None:
    flags = (*ONE_ROUND, "--no-counting", "--gate=uncalibrated-ok", "--out", out)
    result = hotlap.run("ab", *TWO_FAST, *flags)
    assert result.code == 2, result.err


def test_a_failure_under_the_gate_is_no_regression(hotlap: Hotlap, out: Path) -> None:
    flags = (*ONE_ROUND, "--gate=uncalibrated-ok", "--out", out)
    result = hotlap.run("ab", "--a", "fast", "--b", "cmd:exit 1 {port}", *flags)
    assert result.code == 3, result.err
