"""`hotlap report` over run directories that are whole, partial, corrupt, or of the future."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from running import SMALL, TWO_FAST, Hotlap, assert_error, run_facts


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One real run, copied by each test."""
    out = tmp_path_factory.mktemp("made") / "run"
    flags = ("--plan", "fixed:6", "--no-counting", "--no-verify", *SMALL, "--out", out)
    result = Hotlap(Path("/tmp")).run("ab", *TWO_FAST, *flags)
    assert result.code == 0, result.err
    return out


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "copy"))


def edit(run: Path, change: Callable[[dict], None]) -> None:
    facts = run_facts(run)
    change(facts)
    (run / "run.json").write_text(json.dumps(facts))


def test_a_whole_run(hotlap: Hotlap, run: Path) -> None:
    result = hotlap.run("report", run)
    assert result.code == 0, result.err
    assert str(run / "report.html") in result.out


def test_the_same_run_gives_the_same_report(hotlap: Hotlap, run: Path) -> None:
    pages = []
    for _ in range(2):
        assert hotlap.run("report", run).code == 0
        pages.append((run / "report.html").read_bytes())
    assert pages[0] == pages[1]


def test_report_json(hotlap: Hotlap, run: Path) -> None:
    result = hotlap.run("report", run, "--json")
    assert result.code == 0, result.err
    assert result.json()["schema"] == 1


def test_without_slices(hotlap: Hotlap, run: Path) -> None:
    """As kept in git: the report does without them."""
    (run / "slices.csv").unlink()
    result = hotlap.run("report", run)
    assert result.code == 0, result.err


def test_a_torn_last_row(hotlap: Hotlap, run: Path) -> None:
    """A killed run may end in half a row: the whole rounds count."""
    text = (run / "rounds.csv").read_text()
    (run / "rounds.csv").write_text(text[: len(text) - 60])
    edit(run, lambda facts: facts.update(state="running", verdicts=[]))
    result = hotlap.run("report", run)
    assert result.code == 0, result.err


def test_no_round_was_finished(hotlap: Hotlap, run: Path) -> None:
    for name in ("rounds.csv", "slices.csv", "latency.csv"):
        header = (run / name).read_text().splitlines()[0]
        (run / name).write_text(header + "\n")
    edit(run, lambda facts: facts.update(state="failed", failure="arm b died", verdicts=[]))
    result = hotlap.run("report", run)
    assert result.code == 0, result.err
    assert "arm b died" in (run / "findings.md").read_text()


def test_of_the_future(hotlap: Hotlap, run: Path) -> None:
    edit(run, lambda facts: facts.update(schema_version=99))
    assert_error(hotlap.run("report", run), str(run), "99")


def test_no_version(hotlap: Hotlap, run: Path) -> None:
    edit(run, lambda facts: facts.pop("schema_version"))
    assert_error(hotlap.run("report", run), str(run), "version")


def test_a_field_of_the_future(hotlap: Hotlap, run: Path) -> None:
    """A field that this version does not know is named, or passed over; never a crash."""
    edit(run, lambda facts: facts.update(flux=1))
    result = hotlap.run("report", run)
    if result.code != 0:
        assert_error(result, str(run), "flux")


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '"run"', '{"schema_version": "x"}', "\0\xff"]
)
def test_run_json_is_corrupt(hotlap: Hotlap, run: Path, text: str) -> None:
    (run / "run.json").write_text(text)
    assert_error(hotlap.run("report", run), str(run / "run.json"))


def test_not_a_run(hotlap: Hotlap, tmp_path: Path) -> None:
    assert_error(hotlap.run("report", tmp_path), str(tmp_path), "run.json")


def test_a_file_in_place_of_a_run(hotlap: Hotlap, run: Path) -> None:
    assert_error(hotlap.run("report", run / "run.json"), str(run / "run.json"))


def only_error(hotlap: Hotlap, run: Path, *words: str) -> None:
    """The analysis and the command each may say a line, but neither a trace."""
    result = hotlap.run("report", run)
    assert result.code == 3, result.err
    assert "Traceback" not in result.err, result.err
    for word in words:
        assert word in result.err, (word, result.err)


def test_rounds_are_missing(hotlap: Hotlap, run: Path) -> None:
    """The verdicts of run.json can still be shown, and what is absent is named."""
    (run / "rounds.csv").unlink()
    result = hotlap.run("report", run)
    assert result.code in (0, 3), result.err
    assert "rounds.csv" in result.err and "Traceback" not in result.err, result.err


def test_a_column_is_missing(hotlap: Hotlap, run: Path) -> None:
    text = (run / "rounds.csv").read_text()
    (run / "rounds.csv").write_text(text.replace("cpu_ns", "cpu_gone"))
    only_error(hotlap, run, "rounds.csv", "cpu_ns")


def test_a_word_in_place_of_a_number(hotlap: Hotlap, run: Path) -> None:
    lines = (run / "rounds.csv").read_text().splitlines()
    cells = lines[1].split(",")
    cells[lines[0].split(",").index("ok")] = "many"
    (run / "rounds.csv").write_text("\n".join([lines[0], ",".join(cells), *lines[2:]]) + "\n")
    only_error(hotlap, run, "rounds.csv", "many")


def test_an_arm_that_the_run_does_not_have(hotlap: Hotlap, run: Path) -> None:
    text = (run / "rounds.csv").read_text()
    (run / "rounds.csv").write_text(text.replace("timing,0,b,", "timing,0,zz,"))
    only_error(hotlap, run, "zz")


def test_bytes_that_are_no_text(hotlap: Hotlap, run: Path) -> None:
    (run / "rounds.csv").write_bytes(bytes(range(256)) * 20)
    only_error(hotlap, run, "rounds.csv")
