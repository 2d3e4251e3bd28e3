"""Open passes: the table, the picture, what is compared and what is only described."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from synthetic import Shape, make, write_json

from hotlap_analysis import cli, open_loop, report

SHAPE = Shape(seed=5, rounds=12, sets=2, blocks=3)
MS = 1_000_000
# Bucket, and how many replies are in it: A is quick; B has one in twenty that waits a second.
TIMES = {"a": {1 * MS: 1900, 2 * MS: 100}, "b": {1 * MS: 1900, 1000 * MS: 100}}


def an_arm(index: int, name: str) -> dict[str, Any]:
    largest = max(TIMES[name])
    return {
        "arm": index,
        "counts": {"started": "2000", "ok": "2000", "late": "7", "never_sent": "0"},
        "sending_s": 4,
        "asked_per_s": 500,
        "sent_per_s": 500,
        "pacing": {"lateness_p99_ns": "60000"},
        "response": {"p50_ns": str(MS), "p99_ns": str(largest), "max_ns": str(largest)},
        "service": {"p50_ns": str(MS), "p99_ns": str(MS), "max_ns": str(largest)},
    }


def with_passes(run: Path, count: int, void: int | None = None, compared: bool = False) -> Path:
    content = json.loads((run / "run.json").read_text())
    loop = {"rate_per_s": 500.0, "arrivals": "POISSON"}
    content["effective"]["open_passes"] = {"loop": loop, "passes": count, "pass_s": 4.0}
    content["open_passes"] = [
        {"index": index, "arms": [an_arm(1, "b"), an_arm(0, "a")]} for index in range(count)
    ]
    if void is not None:
        content["open_passes"][void]["void_cause"] = "steal of 3 %"
    if compared:
        content["open_comparisons"] = [
            {
                **{"arm": "b", "quantile": "p99", "passes": 6, "estimate_percent": 49900.0},
                **{"interval_low_percent": 49800.0, "interval_high_percent": 50000.0, "p": 0.03},
            }
        ]
    write_json(run, content)
    with open(run / "latency.csv", "a", encoding="utf-8") as file:
        for index in range(count):
            for name in ("open", "open_service"):
                for arm, buckets in TIMES.items():
                    for low, replies in buckets.items():
                        # A void pass's replies would show: they are ten times slower.
                        at = low * 10 if index == void else low
                        file.write(f"{name},{index},{arm},{at},{at},{replies},,,\n")
    return run


def test_passes_are_described(tmp_path: Path) -> None:
    run = with_passes(make(tmp_path / "run", SHAPE), 2)
    assert cli.main(["report", str(run)]) == 0
    findings = (run / "findings.md").read_text()
    assert "## Response times in an open loop" in findings
    assert "**500 requests a second** (Poisson arrivals)" in findings
    assert "compare nothing" in findings and "gates nothing" not in findings
    rows = [line for line in findings.splitlines() if "100.0" in line and "1.000" in line]
    assert len(rows) == 4, "a row a pass and arm"
    assert "pictures/open-loop.svg" in findings
    assert "stroke-dasharray" in (run / "pictures" / "open-loop.svg").read_text()


def test_a_stall_is_in_the_curve(tmp_path: Path) -> None:
    curves = open_loop.curves(report.load(with_passes(make(tmp_path / "run", SHAPE), 2)))
    assert curves is not None
    a, b = curves.response
    assert (a.arm, b.arm) == ("a", "b") and a.count == b.count == 4000
    assert a.at(0.99) == 2000.0 and b.at(0.5) == 1000.0
    assert b.at(0.99) == 1e6, "a second, in microseconds, and no tenth of a slice cuts it"


def test_void_passes_count_nowhere(tmp_path: Path) -> None:
    run = with_passes(make(tmp_path / "run", SHAPE), 3, void=1)
    curves = open_loop.curves(report.load(run))
    assert curves is not None and curves.response[0].count == 4000
    assert cli.main(["report", str(run)]) == 0
    findings = (run / "findings.md").read_text()
    assert "Pass 2 is void and counts nowhere: steal of 3 %." in findings
    assert "2 (void)" in findings


def test_a_comparison_is_told_with_its_interval(tmp_path: Path) -> None:
    run = with_passes(make(tmp_path / "run", SHAPE), 6, compared=True)
    assert cli.main(["report", str(run)]) == 0
    findings = (run / "findings.md").read_text()
    assert "over 6 pairs of passes" in findings and "gates nothing" in findings
    assert "compare nothing" not in findings


def test_a_run_without_passes_has_no_such_section(tmp_path: Path) -> None:
    run = make(tmp_path / "run", SHAPE)
    assert cli.main(["report", str(run)]) == 0
    assert "open loop at" not in (run / "findings.md").read_text()
    assert not (run / "pictures" / "open-loop.svg").exists()
