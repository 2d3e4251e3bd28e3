"""The two implementations of the statistics agree, and `check` notices where they do not.

The fixtures hold verdicts that harness/plan's Judge gave for their tables: an ordinary quick run,
one whose CPU clock is so coarse that rounds tie and are zero, and one with too few rounds.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from hotlap_analysis import cli, report, verdicts

FIXTURES = Path(__file__).parent / "fixtures"
NAMES = ("run-quick", "run-ties", "run-few")


@pytest.mark.parametrize("name", NAMES)
def test_both_agree(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", str(FIXTURES / name)]) == 0, capsys.readouterr().out
    assert "0 differ" in capsys.readouterr().out


@pytest.mark.parametrize("name", NAMES)
def test_both_say_the_same_word(name: str) -> None:
    facts = report.load(FIXTURES / name)
    again = {v.metric: v for v in verdicts.recompute(facts.run, facts.tables)}
    assert set(again) == {v.metric for v in facts.run.verdicts}
    for written in facts.run.verdicts:
        recomputed = again[written.metric]
        assert recomputed.verdict == written.verdict, written.metric
        assert recomputed.resolution_percent == pytest.approx(written.resolution_percent, rel=1e-3)
        assert recomputed.a == pytest.approx(written.a, rel=1e-12)


def test_ties_are_there() -> None:
    facts = report.load(FIXTURES / "run-ties")
    d = facts.comparisons[0].d
    assert len(set(d)) < len(d) and 0.0 in d


@pytest.mark.parametrize(
    ("key", "factor"),
    [("estimate_percent", 1 + 1e-7), ("interval_low_percent", 0.99), ("p", 1.001), ("rounds", 2)],
)
def test_a_difference_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], key: str, factor: float
) -> None:
    run = tmp_path / "run"
    shutil.copytree(FIXTURES / "run-quick", run)
    content: dict[str, Any] = json.loads((run / "run.json").read_text())
    content["verdicts"][0][key] = content["verdicts"][0][key] * factor
    (run / "run.json").write_text(json.dumps(content))
    assert cli.main(["check", str(run), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["differences"]
    assert [d["what"] for d in found][:1] == [key] or key == "rounds"
    assert found[0]["metric"] == "cpu_per_request"


def test_a_missing_number_is_a_difference(tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(FIXTURES / "run-quick", run)
    content: dict[str, Any] = json.loads((run / "run.json").read_text())
    del content["verdicts"][0]["interval_low_percent"]
    (run / "run.json").write_text(json.dumps(content))
    assert cli.main(["check", str(run)]) == 1


def test_nothing_to_check_is_an_error(tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(FIXTURES / "run-quick", run)
    content: dict[str, Any] = json.loads((run / "run.json").read_text())
    content["verdicts"] = []
    (run / "run.json").write_text(json.dumps(content))
    assert cli.main(["check", str(run)]) == 3
