"""System calls by name: the table, the picture, and runs that have none."""

from __future__ import annotations

from pathlib import Path

import pytest
from synthetic import Shape, make

from hotlap_analysis import calls, cli, report

SHAPE = Shape(seed=11, rounds=12, sets=2, blocks=3)


def with_calls(run: Path, a: dict[str, float], b: dict[str, float]) -> Path:
    """Counts of every counting round, so many calls a request."""
    facts = report.load(run)
    lines = ["pass,round,arm,name,calls"]
    for _, row in facts.tables.valid("counting").iterrows():
        per_request = a if row["arm"] == "a" else b
        for name, count in per_request.items():
            lines.append(
                f"counting,{int(row['round'])},{row['arm']},{name},{count * row['ok']:.0f}"
            )
    assert len(lines) > 1, "the synthetic run has a counting pass"
    (run / "syscalls.csv").write_text("\n".join(lines) + "\n")
    return run


def test_calls_by_name(tmp_path: Path) -> None:
    a = {"recvfrom": 1, "getpeername": 1, "sendmsg": 1, "other": 0.5}
    run = with_calls(make(tmp_path / "run", SHAPE), a, {"recvfrom": 1, "sendmsg": 1, "other": 0})
    counted = calls.count(report.load(run))
    assert counted is not None
    assert counted.names[-1] == "other" and set(counted.names) == set(a)
    table = counted.per_request
    assert table.loc["getpeername", "a"] == pytest.approx(1, rel=1e-3)
    assert table.loc["getpeername", "b"] == 0
    assert cli.main(["report", str(run)]) == 0
    findings = (run / "findings.md").read_text()
    assert "| `getpeername` | 1.00 | 0.00 | −1.00 |" in findings
    assert "pictures/syscalls.svg" in findings
    assert "| **all that receive** | **1.00** | **1.00** | **0** |" in findings
    assert "wait for events" not in findings, "there are none"
    picture = (run / "pictures" / "syscalls.svg").read_text()
    assert "getpeername: 1.00 a request" in picture and "#01" not in picture


def test_void_rounds_do_not_count(tmp_path: Path) -> None:
    run = with_calls(make(tmp_path / "run", SHAPE), {"read": 2}, {"read": 2})
    with open(run / "syscalls.csv", "a") as file:
        file.write("counting,999,a,read,1000000\n")
    counted = calls.count(report.load(run))
    assert counted is not None
    assert counted.per_request.loc["read", "a"] == pytest.approx(2, rel=1e-3)


def test_a_run_without_names_has_no_such_section(tmp_path: Path) -> None:
    run = make(tmp_path / "run", SHAPE)
    assert calls.count(report.load(run)) is None
    assert cli.main(["report", str(run)]) == 0
    assert "System calls by name" not in (run / "findings.md").read_text()
