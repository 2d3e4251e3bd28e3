"""What a run leaves: its machine form, its draws, its counts, and a report that agrees."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from running import BIN, CPU, ONE_ROUND, SMALL, TWO_FAST, Hotlap, Result, rows, run_facts

ANALYSIS = Path(__file__).parents[2] / "analysis"
TOP = {
    "schema": int,
    "run": str,
    "verdict": str,
    "reason": str,
    "calibration": str,
    "rounds": int,
    "void_rounds": int,
    "resolution_percent": (float, int, type(None)),
    "metrics": list,
}
NUMBER = (float, int, type(None))
PAIR = (list, type(None))
METRIC = {
    "name": str,
    "unit": str,
    "better": str,
    "a": NUMBER,
    "b": NUMBER,
    "estimate_percent": NUMBER,
    "interval_percent": PAIR,
    "estimate_absolute": NUMBER,
    "interval_absolute": PAIR,
    "p": NUMBER,
    "verdict": str,
}
DRAWS = ("launch_position", "connect_position", "path_slot", "padding_bytes")
VERDICTS = {"exact", "improved", "regressed", "equivalent", "small", "inconclusive"}


def ab(hotlap: Hotlap, out: Path, *more: object) -> Result:
    result = hotlap.run("ab", *more, "--json", "--out", out)
    assert result.code == 0, result.err
    return result


def assert_typed(found: dict, fields: dict) -> None:
    for name, kind in fields.items():
        assert name in found, name
        assert isinstance(found[name], kind), (name, found[name])


def test_json_has_every_field_that_scripts_rely_on(hotlap: Hotlap, out: Path) -> None:
    result = ab(hotlap, out, *TWO_FAST, "--plan", "fixed:6", *SMALL)
    found = result.json()
    assert_typed(found, TOP)
    assert found["schema"] == 1
    assert found["run"] == str(out)
    assert found["rounds"] == 6
    assert found["calibration"] == "uncalibrated"
    assert found["verdict"] in VERDICTS
    names = [metric["name"] for metric in found["metrics"]]
    assert names[0] == "cpu_per_request" and len(set(names)) == len(names)
    for metric in found["metrics"]:
        assert_typed(metric, METRIC)
        assert metric["better"] in ("lower", "higher")
        assert metric["verdict"] in VERDICTS
        for pair in (metric["interval_percent"], metric["interval_absolute"]):
            assert pair is None or (len(pair) == 2 and pair[0] <= pair[1])
    primary = found["metrics"][0]
    low, high = primary["interval_percent"]
    assert low <= primary["estimate_percent"] <= high
    assert found["verdict"] == primary["verdict"]
    for word in ("NaN", "Infinity", "nan", "inf,"):
        assert word not in result.out


def test_json_of_a_run_without_an_interval_is_null(hotlap: Hotlap, out: Path) -> None:
    found = ab(hotlap, out, *TWO_FAST, *ONE_ROUND, "--no-counting").json()
    assert found["verdict"] == "inconclusive"
    assert found["resolution_percent"] is None
    assert found["metrics"][0]["interval_percent"] is None
    assert found["metrics"][0]["p"] is None


def test_the_same_seed_draws_the_same(hotlap: Hotlap, tmp_path: Path) -> None:
    draws, orders = [], []
    for name, seed in (("one", 7), ("again", 7), ("other", 8)):
        out = tmp_path / name
        flags = ("--plan", "fixed:4", "--no-counting", *SMALL, "--seed", seed)
        ab(hotlap, out, *TWO_FAST, *flags)
        assert run_facts(out)["effective"]["seed"] == str(seed)
        draws.append([(row["arm"], *(row[draw] for draw in DRAWS)) for row in rows(out)])
        orders.append([row["arm"] for row in rows(out, "slices.csv")])
    assert draws[0] == draws[1] != draws[2]
    assert orders[0] == orders[1] != orders[2]


def test_a_run_without_a_seed_records_the_one_it_drew(hotlap: Hotlap, out: Path) -> None:
    found = ab(hotlap, out, *TWO_FAST, *ONE_ROUND, "--no-counting").json()
    assert run_facts(out)["effective"]["seed"] == str(found["seed"])


def test_a_write_call_more_is_counted_exactly(hotlap: Hotlap, out: Path) -> None:
    """wait, read, write: three a request at one connection; head and body apart make four."""
    stages = ("--base", "fast", "--stage", "response=writev,two_writes")
    found = ab(hotlap, out, *stages, *ONE_ROUND).json()
    counted = next(m for m in found["metrics"] if m["name"] == "syscalls_per_request")
    assert (counted["a"], counted["b"], counted["verdict"]) == (3, 4, "exact")
    assert counted["estimate_absolute"] == 1
    for row in rows(out):
        if row["pass"] == "counting":
            assert int(row["syscalls"]) == int(row["ok"]) * (3 if row["arm"] == "a" else 4)
        else:
            assert row["syscalls"] == ""


def test_every_request_is_in_one_class(hotlap: Hotlap, out: Path) -> None:
    ab(hotlap, out, *TWO_FAST, *ONE_ROUND, "--no-counting")
    classes = ("ok", "unexpected_status", "unexpected_body", "connect", "reset", "timeout")
    for row in rows(out):
        parts = [int(row[name]) for name in (*classes, "protocol", "tls", "in_flight")]
        assert sum(parts) == int(row["started"]) == int(row["ok"]) > 0
        assert "nan" not in row.values() and "-1" not in row.values()


def test_three_arms(hotlap: Hotlap, out: Path) -> None:
    stage = ("--stage", "address=per_request,cached,lazy")
    found = ab(hotlap, out, *stage, *ONE_ROUND, "--no-counting").json()
    assert {row["arm"] for row in rows(out)} == {"a", "b", "c"}
    assert {metric["arm"] for metric in found["metrics"]} == {"b", "c"}


@pytest.mark.parametrize("more", [[], ["--close"]])
def test_tls_pipelines_are_asked_and_loaded_over_tls(
    hotlap: Hotlap, out: Path, more: list[str]
) -> None:
    """The gate and the load speak what each arm speaks."""
    stage = ("--stage", "transport=plain,tls,tls_resumed", "--base", "fast", *more)
    found = ab(hotlap, out, *stage, *ONE_ROUND, "--no-counting").json()
    assert {metric["arm"] for metric in found["metrics"]} == {"b", "c"}
    for row in rows(out):
        assert int(row["started"]) == int(row["ok"]) > 0
        assert row["tls"] == "0"
    echoes = run_facts(out)["echoes"]
    for name, echo in zip(("plain", "tls", "tls_resumed"), echoes, strict=True):
        assert f"transport={name}," in echo["pipeline"]


def test_echoed_pipelines_are_recorded_in_full(hotlap: Hotlap, out: Path) -> None:
    ab(hotlap, out, "--a", "fast", "--b", "address=lazy", *ONE_ROUND, "--no-counting")
    echoes = run_facts(out)["echoes"]
    assert [len(echo["pipeline"].split(",")) for echo in echoes] == [15, 15]
    assert "address=lazy" in echoes[1]["pipeline"]
    assert "request_line=regex" in echoes[1]["pipeline"]


@pytest.mark.parametrize("reference", ["url", "fast"])
def test_a_url_is_loaded_and_never_counted(hotlap: Hotlap, out: Path, reference: str) -> None:
    command = [str(BIN / "hotlap-server"), "--pipeline", "fast", "--listen", "127.0.0.1:0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        url = "url:http://" + server.stdout.readline().split()[-1]
        a = url if reference == "url" else reference
        found = ab(hotlap, out, "--a", a, "--b", url, *ONE_ROUND).json()
        assert server.poll() is None, "a url target is not ours to end"
    finally:
        server.kill()
        server.communicate()
    counted = {m["name"] for m in found["metrics"] if m["b"] is not None}
    assert "throughput" in counted
    for name in ("cpu_per_request", "syscalls_per_request", "minor_faults_per_request"):
        assert name not in counted, f"{name} of a server that is not ours"
    for row in rows(out):
        assert row["arm"] == "a" or (row["cpu_ns"], row["pids"]) == ("", ""), row
    assert any("url" in note and "not counted" in note for note in found["notes"])
    assert run_facts(out)["echoes"][1]["cpu_source"] == "none"


def analysis(verb: str, out: Path) -> subprocess.CompletedProcess:
    environment = {**os.environ, "PYTHONPATH": str(ANALYSIS), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "hotlap_analysis", verb, str(out)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)


def test_python_recomputes_the_same_verdicts(hotlap: Hotlap, out: Path) -> None:
    ab(hotlap, out, "--a", "fast", "--b", "baseline", "--plan", "fixed:7", *SMALL)
    checked = analysis("check", out)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert int(checked.stdout.split()[0]) > 20, checked.stdout


def test_a_run_ends_with_its_report(hotlap: Hotlap, out: Path) -> None:
    """Without --no-report; the run's own command is in it, so that it can be made again."""
    placed = ("--server-cpus", CPU, "--load-cpus", CPU, "--share-cpus", "--no-counting")
    flags = ("--plan", "fixed:6", "--sets", "1", "--set-ms", "20", "--seed", "77")
    result = hotlap.run("ab", *TWO_FAST, *flags, *placed, "--out", out)
    assert result.code == 0, result.err
    assert str(out / "report.html") in result.out
    page = (out / "report.html").read_text()
    findings = (out / "findings.md").read_text()
    assert "uncalibrated" in findings and "77" in findings
    for outside in ("<script src", '<link rel="stylesheet"', '<img src="http'):
        assert outside not in page, "self-contained"
