"""`hotlap run FILE`: declared experiments, good and bad."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from running import CPU, Hotlap, Result, assert_error, finished_rounds, run_facts

DECLARED = sorted((Path(__file__).parents[1] / "experiments").glob("*.textproto"))
PLAN = "plan { kind: FIXED rounds: 1 sets: 1 set_ms: 20 warmup_ms: 10 }\n"
PLACEMENT = f"placement {{ server_cpus: {CPU} load_cpus: {CPU} share: true }}\n"
ARMS = 'arms { name: "x" target { pipeline: "fast" } }\n'
ARMS += 'arms { name: "y" target { pipeline: "baseline" } }\n'


def without(text: str, field: str) -> str:
    """The text without a top-level message field, whose braces may nest."""
    found = re.search(rf"^{field}\s*:?\s*\{{", text, re.MULTILINE)
    if not found:
        return text
    depth, end = 1, found.end()
    while depth:
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        end += 1
    return text[: found.start()] + text[end:]


def run_file(hotlap: Hotlap, directory: Path, text: str, *more: object) -> tuple[Result, Path]:
    path = directory / "declared.textproto"
    path.write_text(text)
    out = directory / "run"
    return hotlap.run("run", path, "--no-report", "--out", out, *more), out


@pytest.mark.parametrize("path", DECLARED, ids=lambda path: path.stem)
def test_every_declared_experiment_runs(hotlap: Hotlap, tmp_path: Path, path: Path) -> None:
    """As it stands but for its plan and placement, which would take minutes."""
    text = without(without(path.read_text(), "plan"), "placement")
    text += "\n" + PLAN + PLACEMENT + "skip_counting: true\n"
    result, out = run_file(hotlap, tmp_path, text)
    assert result.code == 0, result.err
    assert finished_rounds(out) == 1
    assert run_facts(out)["name"] == path.stem


def test_there_are_declared_experiments() -> None:
    assert DECLARED


def test_arms_keep_their_names(hotlap: Hotlap, tmp_path: Path) -> None:
    text = ARMS + PLAN + PLACEMENT + "skip_counting: true seed: 5 margin_percent: 2\n"
    result, out = run_file(hotlap, tmp_path, text, "--json")
    assert result.code == 0, result.err
    assert {metric["arm"] for metric in result.json()["metrics"]} == {"y"}
    facts = run_facts(out)
    assert facts["name"] == "declared", "named after its file"
    assert facts["effective"]["seed"] == "5"
    assert facts["effective"]["margin_percent"] == 2


def test_the_run_s_command_makes_it_again(hotlap: Hotlap, tmp_path: Path) -> None:
    result, out = run_file(hotlap, tmp_path, ARMS + PLAN + PLACEMENT + "skip_counting: true\n")
    assert result.code == 0, result.err
    assert "declared.textproto" in run_facts(out)["command"]


@pytest.mark.parametrize(
    "text, words",
    [
        ("arms {", ["declared.textproto:1"]),
        ("\n\nflux: 1\n", ["declared.textproto:3", "flux"]),
        ("", ["arms"]),
        ('arms { name: "x" target { pipeline: "fast" } }', ["2 to", "1"]),
        (ARMS.replace('"y"', '"x"'), ["two arms", "x"]),
        (ARMS + 'arms { name: "z" }', ["z", "target"]),
        (ARMS + 'arms { name: "a b" target { pipeline: "fast" } }', ["a b"]),
        (ARMS.replace("baseline", "base"), ["arm y", "base", "baseline"]),
        (ARMS + "plan { kind: SLOW }", ["declared.textproto:3", "SLOW"]),
        (ARMS + "plan { kind: FIXED }", ["rounds", "1 to"]),
        (ARMS + "plan { kind: QUICK rounds: 3 }", ["rounds", "FIXED"]),
        (ARMS + 'primary_metric: "speed"', ["speed", "cpu_per_request"]),
        (ARMS + 'name: "../up"', ["../up"]),
        (ARMS + "workload { connections: 999999 }", ["connections", "999999"]),
        (ARMS.replace('pipeline: "fast"', 'command: "sleep 9"'), ["sleep 9", "{port}"]),
        (ARMS.replace('pipeline: "fast"', 'url: "nowhere"'), ["nowhere", "http://"]),
    ],
)
def test_a_bad_file(hotlap: Hotlap, tmp_path: Path, text: str, words: list[str]) -> None:
    result, out = run_file(hotlap, tmp_path, text)
    assert_error(result, *words)
    assert not out.exists()


def test_a_directory_in_place_of_a_file(hotlap: Hotlap, tmp_path: Path) -> None:
    assert_error(hotlap.run("run", tmp_path), str(tmp_path))


def test_bytes_that_are_no_text(hotlap: Hotlap, tmp_path: Path) -> None:
    path = tmp_path / "bytes.textproto"
    path.write_bytes(bytes(range(256)))
    assert_error(hotlap.run("run", path), "bytes.textproto")
