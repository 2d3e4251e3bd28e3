"""--a-env and --b-env: variables that set two arms of one target apart."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import ONE_ROUND, TWO_FAST, Hotlap, assert_error, faulty, run_facts

QUICK = (*ONE_ROUND, "--no-counting")
# Serves only where the variable is what the test says.
CHECKED = faulty("right").replace("cmd:", 'cmd:test "$HOTLAP_WORD" = "two words" && ')


def test_one_target_under_two_environments(hotlap: Hotlap, out: Path) -> None:
    env = ("--a-env", "MALLOC_ARENA_MAX=1", "--a-env", "NOTE=a b")
    result = hotlap.run("ab", *TWO_FAST, *env, *QUICK, "--out", out)
    assert result.code == 0, result.err
    assert "a (MALLOC_ARENA_MAX=1 NOTE='a b' fast)" in result.out
    facts = run_facts(out)
    first, second = facts["effective"]["arms"]
    assert first["environment"][0] == {"name": "MALLOC_ARENA_MAX", "value": "1"}
    assert not second["environment"]
    assert "--a-env" in facts["command"]
    assert "NOTE=a b" in facts["command"]


def test_the_variable_reaches_its_own_target_alone(hotlap: Hotlap, out: Path) -> None:
    arms = ("--a", CHECKED, "--b", "fast", "--no-verify", "--any-body")
    word = "HOTLAP_WORD=two words"
    result = hotlap.run("ab", *arms, "--a-env", word, *QUICK, "--out", out)
    assert result.code == 0, result.err
    result = hotlap.run("ab", *arms, "--b-env", word, *QUICK, "--out", out.with_name("other"))
    assert_error(result, "arm a", "code 1")


def test_a_further_arm_and_a_file(hotlap: Hotlap, tmp_path: Path) -> None:
    result = hotlap.run(
        "ab", *TWO_FAST, "--arm", "fast", "--arm-env", "c:X=1", *QUICK, "--out", tmp_path / "c"
    )
    assert result.code == 0, result.err
    assert run_facts(tmp_path / "c")["effective"]["arms"][2]["environment"][0]["name"] == "X"
    arm = 'arms {{ name: "{}" target {{ pipeline: "fast" }} {} }}\n'
    text = arm.format("x", 'environment { name: "A=B" }') + arm.format("y", "")
    declared = tmp_path / "declared.textproto"
    declared.write_text(text)
    assert_error(hotlap.run("run", declared), "arm x", "A=B")


@pytest.mark.parametrize(
    "flags, words",
    [
        (("--a-env", "NOVALUE"), ["arm a", "NAME=VALUE"]),
        (("--arm-env", "d:X=1"), ["arm d", "no such arm", "b"]),
        (("--arm-env", "X=1:2"), ["ARM:NAME=VALUE"]),
        (("--a-env", "X=1", "--a-env", "X=2"), ["arm a", "X", "twice"]),
        (("--b-env", "LD_PRELOAD=/there/is/no.so"), ["arm b", "/there/is/no.so", "not loaded"]),
    ],
)
def test_bad_variables(hotlap: Hotlap, out: Path, flags: tuple[str, ...], words: list[str]) -> None:
    assert_error(hotlap.run("ab", *TWO_FAST, *flags, *QUICK, "--out", out), *words)


def test_a_report_tells_the_arms_apart(hotlap: Hotlap, out: Path) -> None:
    quick = [flag for flag in QUICK if flag != "--no-report"]
    result = hotlap.run("ab", *TWO_FAST, "--b-env", "WORD=x", *quick, "--out", out)
    assert result.code == 0, result.err
    page = (out / "findings.md").read_text()
    assert "WORD=x fast" in page
    assert "differs from the first arm in its environment" in page
    assert "--b-env" in page
