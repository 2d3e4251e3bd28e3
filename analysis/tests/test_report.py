"""Whole reports: what they hold, that they do not change, and what broken runs do."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from pathlib import Path
from typing import Any, Callable
from xml.etree import ElementTree

import pytest
from synthetic import Shape, make, write_json

from hotlap_analysis import cli

CUT = Shape(seed=5, rounds=3, sets=2, blocks=3, state="interrupted")


def copy(run: Path, to: Path) -> Path:
    shutil.copytree(run, to)
    return to


def report(run: Path) -> tuple[str, str]:
    assert cli.main(["report", str(run)]) == 0
    html = (run / "report.html").read_text(encoding="utf-8")
    return html, (run / "findings.md").read_text(encoding="utf-8")


def fails(capsys: pytest.CaptureFixture[str], run: Path) -> str:
    capsys.readouterr()
    assert cli.main(["report", str(run)]) == 3
    return capsys.readouterr().err


def edit(run: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    content = json.loads((run / "run.json").read_text())
    change(content)
    write_json(run, content)


def test_two_arms(two_arms: Path, tmp_path: Path) -> None:
    run = copy(two_arms, tmp_path / "run")
    html, findings = report(run)
    assert "<code>request_line=<wbr>scalar</code> costs" in html
    assert "improved, certain" in html and "**improved, certain**" in findings
    for text in (html, findings):
        assert "uncalibrated" in text and "18446744073709551557" in text
        assert "steal, 3.1" in text and "no such event on this virtual CPU" in text
    for name in ("forest", "rounds", "roles", "percentiles", "drift"):
        assert f"pictures/{name}.svg" in findings
    for picture in (run / "pictures").glob("*.svg"):
        ElementTree.parse(picture)
    assert (run / "pictures" / "headline.png").read_bytes()[:4] == b"\x89PNG"


def test_page_asks_nobody(two_arms: Path, tmp_path: Path) -> None:
    html, _ = report(copy(two_arms, tmp_path / "run"))
    assert not re.search(r"""(?:src|href)=["'](?!#)""", html.replace("xlink:href", "href"))
    assert "<script" not in html and "@import" not in html and "url(http" not in html
    ids = re.findall(r'\sid="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    used = set(re.findall(r"url\(#([^)]+)\)", html)) | set(re.findall(r'href="#([^"]+)"', html))
    assert used <= set(ids)
    assert not re.search(r"#01[0-9a-f]{2}fe", html), "a stand-in colour was left"
    assert "prefers-color-scheme: dark" in html and "width=device-width" in html


def test_same_bytes(two_arms: Path, tmp_path: Path) -> None:
    runs = [copy(two_arms, tmp_path / name / "run") for name in ("one", "two")]
    for run in runs:
        report(run)
    names = sorted(p.relative_to(runs[0]) for p in runs[0].rglob("*") if p.is_file())
    assert len(names) > 9
    for name in names:
        assert (runs[0] / name).read_bytes() == (runs[1] / name).read_bytes(), name


def test_three_arms(three_arms: Path, tmp_path: Path) -> None:
    html, findings = report(copy(three_arms, tmp_path / "run"))
    first_lines = findings.split("\n## ")[0]
    assert "`request_line=scalar` costs" in first_lines
    assert "`request_line=re2` costs" in first_lines
    assert html.count('aria-label="Forest plot') == 1


def test_curated_run_without_slices(two_arms: Path, tmp_path: Path) -> None:
    run = copy(two_arms, tmp_path / "run")
    (run / "slices.csv.gz").unlink()
    html, _ = report(run)
    assert "slices.csv is not in this directory" in html
    assert "a point is a whole round" in html


def test_interrupted_run_says_so(tmp_path: Path) -> None:
    html, findings = report(make(tmp_path / "run", CUT))
    assert "Too few rounds" in html and "interrupted" in html
    assert "recomputed" in findings and "was interrupted" in findings


def test_crashed_run_with_too_many_void_rounds_has_no_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The harness says so itself, unless it was killed before it could write its verdict."""
    run = make(
        tmp_path / "run", Shape(seed=5, rounds=20, void=tuple(range(4, 10)), state="running")
    )
    html, findings = report(run)
    assert "6 of 20 rounds are void, more than 20 %: the run is invalid" in findings
    assert "invalid" in html and "is faster" not in findings
    capsys.readouterr()
    assert cli.main(["report", "--json", str(run)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] is None and "invalid" in found["reason"]
    at_the_limit = make(tmp_path / "limit", Shape(seed=5, rounds=20, void=(1, 2, 3, 4)))
    assert "the run is invalid" not in report(at_the_limit)[1]


def test_no_cpu_was_counted(two_arms: Path, tmp_path: Path) -> None:
    """A url: target is loaded and never counted: no primary metric, and all else is shown."""
    run = copy(two_arms, tmp_path / "run")
    for name, gone in (("rounds.csv", ("cpu_ns", "cpu_own_slices_ns", "minor_faults")),):
        lines = [line.split(",") for line in (run / name).read_text().splitlines()]
        places = [lines[0].index(column) for column in gone]
        for line in lines[1:]:
            for place in places:
                line[place] = ""
        (run / name).write_text("".join(",".join(line) + "\n" for line in lines))
    (run / "slices.csv.gz").unlink()
    html, findings = report(run)
    assert "has no value in this run" in html
    assert "| throughput |" in findings and "| CPU per request |" not in findings


def test_known_effect(tmp_path: Path) -> None:
    """690 ns on 6,900 is e^0.0953; 400 steps of 1.725 ns predict it."""
    shape = Shape(
        rounds=12,
        sets=2,
        blocks=8,
        targets=("ballast=none", "ballast=chain:400"),
        effects=(0.0, 0.09531),
        step_ns=1.725,
    )
    _, findings = report(make(tmp_path / "run", shape))
    row = next(line for line in findings.splitlines() if line.startswith("| `b` | 400 |"))
    ratio = float(row.split("|")[6].split("(")[0])
    assert 0.9 < ratio < 1.1


def test_typical_slice_stands_beside_totals(two_arms: Path, tmp_path: Path) -> None:
    _, findings = report(copy(two_arms, tmp_path / "run"))
    said = re.search(r"trimmed mean over blocks, own slices only\) says −(\d\.\d+)", findings)
    assert said is not None and 2.6 < float(said.group(1)) < 3.4


def test_flags_are_explained(tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(Path(__file__).parent / "fixtures" / "run-quick", run)
    edit(run, lambda c: c["verdicts"][0].update(flags=["leans", "skew"]))
    html, _ = report(run)
    assert "leans away from 0" in html and "recomputed" not in html


def test_no_round(tmp_path: Path) -> None:
    shape = Shape(rounds=0, state="failed", failure="arm b never listened")
    run = make(tmp_path / "run", shape)
    html, findings = report(run)
    assert "No round was finished" in html and "arm b never listened" in html
    assert "<svg" not in html and "![" not in findings
    for name in ("rounds", "latency"):
        (run / f"{name}.csv").unlink()
    (run / "slices.csv.gz").unlink()
    assert "No round was finished" in report(run)[0]


def test_cut_lines_are_tolerated(two_arms: Path, tmp_path: Path) -> None:
    run = copy(two_arms, tmp_path / "run")
    for name in ("rounds", "latency"):
        text = (run / f"{name}.csv").read_text()
        (run / f"{name}.csv").write_text(text[:-40])
    packed = (run / "slices.csv.gz").read_bytes()
    (run / "slices.csv.gz").write_bytes(packed[: len(packed) // 2])
    html, _ = report(run)
    assert "The last line of rounds.csv is cut short" in html
    assert "lacks an arm of round counting 2" in html
    assert "slices.csv.gz ends early" in html


def test_whole_line_that_lacks_cells(two_arms: Path, tmp_path: Path) -> None:
    run = copy(two_arms, tmp_path / "run")
    with (run / "latency.csv").open("a") as file:
        file.write("timing,26,b\n")
    assert "The last line of latency.csv lacks cells" in report(run)[0]


def test_text_from_a_run_is_never_markup(tmp_path: Path) -> None:
    run = make(tmp_path / "run", CUT)
    edit(run, lambda c: c.update(notes=["<script>alert(1)</script> `x` **y** | z"]))
    edit(
        run,
        lambda c: c["echoes"][1].update(
            asked="cmd:./x $x$_ | tee `y` <b> " + "long " * 40, pipeline=""
        ),
    )
    html, findings = report(run)
    assert "<script" not in html and "<b>" not in html
    assert "<script" not in findings.replace("&lt;script", "")
    rows = [line for line in findings.splitlines() if line.startswith("| `b`")]
    assert rows and all(len(re.split(r"(?<!\\)\|", row)) == 6 for row in rows)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("run.json", '{"schema_version": 1, "na', "not valid JSON at line 1"),
        ("run.json", '{"schema_version": 2}', "schema_version is 2"),
        ("run.json", "{}", "schema_version is absent"),
        ("run.json", "[]", "holds a list"),
        ("run.json", '{"schema_version": 1}', "names 0 arm(s)"),
        ("run.json", '{"schema_version": 1, "effective": 3}', "unexpected shape"),
        ("rounds.csv", "pass,round\ntiming,1\n", "lacks the column 'arm'"),
        ("slices.csv.gz", "not gzip", "not a sound gzip file"),
    ],
)
def test_broken_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, content: str, said: str
) -> None:
    run = make(tmp_path / "run", CUT)
    (run / name).write_text(content)
    error = fails(capsys, run)
    assert said in error and name in error
    assert not (run / "report.html").exists()


@pytest.mark.parametrize("cell", ["NaN", "inf", "seven"])
def test_bad_cell_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str], cell: str) -> None:
    run = make(tmp_path / "run", CUT)
    lines = (run / "rounds.csv").read_text().splitlines()
    cells = lines[2].split(",")
    cells[lines[0].split(",").index("cpu_ns")] = cell
    lines[2] = ",".join(cells)
    (run / "rounds.csv").write_text("\n".join(lines) + "\n")
    error = fails(capsys, run)
    assert "rounds.csv: line 3, column cpu_ns" in error and cell in error


def test_missing_and_foreign(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "not a directory" in fails(capsys, tmp_path / "nowhere")
    assert "run.json: missing" in fails(capsys, tmp_path)
    run = make(tmp_path / "run", CUT)
    edit(run, lambda c: c["effective"]["arms"][1].update(name="z"))
    assert "arm 'b' is not one of run.json's" in fails(capsys, run)


def test_usage_error_is_3(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        cli.main(["report"])
    assert stopped.value.code == 3


def test_json_form(two_arms: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = copy(two_arms, tmp_path / "run")
    assert cli.main(["report", str(run), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] == "improved" and found["rounds"] == 24 and found["void_rounds"] == 2
    cpu = found["metrics"][0]
    assert cpu["name"] == "cpu_per_request"
    assert cpu["interval_percent"][0] < -3.05 + 0.25 and cpu["estimate_percent"] < -2.5


def test_packed_and_plain_slices_are_the_same(two_arms: Path, tmp_path: Path) -> None:
    packed = copy(two_arms, tmp_path / "packed" / "run")
    plain = copy(two_arms, tmp_path / "plain" / "run")
    text = gzip.decompress((plain / "slices.csv.gz").read_bytes())
    (plain / "slices.csv").write_bytes(text)
    (plain / "slices.csv.gz").unlink()
    assert report(packed) == report(plain)


def test_arms_that_differ_in_their_environment_alone(tmp_path: Path) -> None:
    run = make(tmp_path / "run", CUT)

    def one_target(content: dict[str, Any]) -> None:
        for arm in content["effective"]["arms"]:
            arm["target"] = {"pipeline": "fast"}
        content["effective"]["arms"][0]["environment"] = [{"name": "GOGC", "value": "off"}]
        pipeline = content["echoes"][0]["pipeline"]
        for echo in content["echoes"]:
            echo.update(asked="fast", pipeline=pipeline)

    edit(run, one_target)
    _, findings = report(run)
    assert "`GOGC=off`" in findings and "`without`" in findings
    assert "`GOGC=off fast`" in findings
    assert "in its environment: `GOGC` `off` → as inherited" in findings


@pytest.mark.parametrize(
    ("cost", "said"),
    [
        ({"percent": 2.4, "low_percent": 1.1, "high_percent": 3.7}, r"costs \+?2\.4"),
        ({"percent": 2.4}, r"costs \+?2\.4"),
        ({"rounds": 0}, "its cost is not known"),
    ],
)
def test_the_cost_of_counting_is_told(tmp_path: Path, cost: dict[str, Any], said: str) -> None:
    run = make(tmp_path / "run", CUT)
    edit(run, lambda c: c.update(counting_cost={**cost, "what": "9 system calls by name"}))
    _, findings = report(run)
    line = next(line for line in findings.splitlines() if "Counting (9 system calls" in line)
    assert re.search(said, line), line
