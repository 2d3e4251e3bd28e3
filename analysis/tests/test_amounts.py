"""Faults, allocations and switches: their parts, the picture, and runs that lack some."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest
from synthetic import Shape, make

from hotlap_analysis import amounts, cli, report

SHAPE = Shape(seed=12, rounds=6, sets=2, blocks=3)


def with_columns(run: Path, **values: tuple[float, float]) -> Path:
    """So many of each a request, of arm a and of arm b, in the rows of rounds.csv."""
    path = run / "rounds.csv"
    rows = pd.read_csv(path)
    for name, (a, b) in values.items():
        rows[name] = (rows["ok"] * rows["arm"].map({"a": a, "b": b})).round().astype(int)
    rows.to_csv(path, index=False)
    return run


def test_the_parts_of_a_kind_sum_to_it(tmp_path: Path) -> None:
    run = with_columns(
        make(tmp_path / "run", SHAPE),
        minor_faults=(1, 0),
        major_faults=(0, 0),
        allocations=(4, 2),
        frees=(3, 2),
        voluntary_switches=(0.25, 0.25),
        involuntary_switches=(0, 0),
    )
    found = {amount.title: amount.per_request for amount in amounts.amounts(report.load(run))}
    assert list(found) == ["page faults", "allocations", "context switches"]
    assert found["page faults"].loc["minor", "a"] == pytest.approx(1, rel=1e-3)
    assert found["allocations"].loc["not freed", "a"] == pytest.approx(1, rel=1e-2)
    assert found["allocations"].loc["not freed", "b"] == pytest.approx(0, abs=1e-3)
    assert found["allocations"].sum()["a"] == pytest.approx(4, rel=1e-3)
    assert cli.main(["report", str(run)]) == 0
    findings = (run / "findings.md").read_text()
    assert "## Faults, allocations and switches" in findings
    assert "| page faults, minor | 1.000 | 0.000 | −1.000 |" in findings
    picture = (run / "pictures" / "amounts.svg").read_text()
    assert "page faults, minor: 1.000 a request" in picture and "#01" not in picture


def test_what_is_not_known_or_next_to_nothing_is_left_out(tmp_path: Path) -> None:
    run = with_columns(
        make(tmp_path / "run", SHAPE),
        minor_faults=(0.0001, 0),
        major_faults=(0, 0),
        voluntary_switches=(0, 0),
        involuntary_switches=(0, 0),
    )
    assert amounts.amounts(report.load(run)) == []
    assert cli.main(["report", str(run)]) == 0
    assert not re.search("Faults, allocations", (run / "findings.md").read_text())


def test_events_become_metrics_of_their_pass(tmp_path: Path) -> None:
    run = make(tmp_path / "run", SHAPE)
    path = run / "rounds.csv"
    rows = pd.read_csv(path)
    events = rows[rows["pass"] == "timing"].copy()
    events["pass"] = "events"
    events["event:cycles"] = events["ok"] * events["arm"].map({"a": 200, "b": 100})
    pd.concat([rows, events]).to_csv(path, index=False)
    facts = report.load(run)
    found = [verdict for verdict in facts.verdicts if verdict.metric == "event:cycles"]
    assert len(found) == 1 and found[0].verdict == "exact"
    assert (found[0].a, found[0].b) == (200, 100)
    assert cli.main(["report", str(run)]) == 0
    assert "| cycles per request |" in (run / "findings.md").read_text()
