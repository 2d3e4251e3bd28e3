"""hotlap ab --deterministic: instructions per request, the same every time, and a gate on them."""

from __future__ import annotations

import shutil
import signal
import statistics
from pathlib import Path

import pytest
from running import Hotlap, assert_error, rows, run_facts

pytestmark = pytest.mark.skipif(shutil.which("valgrind") is None, reason="no valgrind here")
QUIET = ("--deterministic", "--quiet")


def test_a_slower_variant_gates_by_its_instructions(hotlap: Hotlap, out: Path) -> None:
    arms = ("--a", "fast", "--b", "fast,ballast=chain:400")
    result = hotlap.run("ab", *arms, *QUIET, "--gate", "--json", "--out", out, timeout_s=280)
    assert result.code == 1, result.err
    found = result.json()["metrics"][0]
    assert found["name"] == "instructions_per_request"
    # A step of the chain is a few instructions; without optimisation, some fifteen.
    assert 400 <= found["b"] - found["a"] <= 8000
    values: dict[str, list[float]] = {"a": [], "b": []}
    for row in rows(out, "instructions.csv"):
        values[row["arm"]].append(float(row["instructions_per_request"]))
    for arm, counted in values.items():
        assert len(counted) >= 3
        # What repeats is what is reported. A single repetition may be off by the wake-ups of the
        # server's poll, one a second of a machine too busy to get on; they only ever add.
        assert found[arm] == pytest.approx(min(counted), rel=1e-4), (arm, counted)
        assert statistics.median(counted) == pytest.approx(min(counted), rel=1e-4), (arm, counted)
    facts = run_facts(out)
    assert facts["state"] == "complete"
    assert any("kernel" in note for note in facts["notes"]), "what it cannot see"


def test_valgrind_is_absent(hotlap: Hotlap, out: Path, tmp_path: Path) -> None:
    path = ("/usr/bin/env", f"PATH={tmp_path}")
    result = hotlap.run("ab", "--a", "fast", "--b", "fast", *QUIET, "--out", out, prefix=path)
    assert_error(result, "apt-get install valgrind")


def test_an_interrupted_count_leaves_nothing(hotlap: Hotlap, out: Path) -> None:
    started = hotlap.start("ab", "--a", "fast", "--b", "fast", *QUIET, "--out", out)
    started.wait_for(lambda: hotlap.pid_of("hotlap-launch") is not None)
    started.process.send_signal(signal.SIGINT)
    assert started.end(timeout_s=10).code == 130
    assert not out.exists()


def test_a_directory_in_use_is_told_before_anything_is_counted(hotlap: Hotlap, out: Path) -> None:
    out.mkdir()
    (out / "run.json").write_text("{}")
    arms = ("--a", "fast", "--b", "cmd:false {port}")
    assert_error(hotlap.run("ab", *arms, *QUIET, "--out", out), "not empty", "--out")


def test_a_url_cannot_be_counted(hotlap: Hotlap, out: Path) -> None:
    arms = ("--a", "fast", "--b", "url:http://127.0.0.1:1")
    result = hotlap.run("ab", *arms, *QUIET, "--out", out, timeout_s=120)
    assert_error(result, "arm b", "callgrind")
