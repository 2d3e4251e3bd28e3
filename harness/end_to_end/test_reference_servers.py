"""Reference servers by name: server:NAME is started, found right, counted, and gone afterwards."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from running import BIN, ONE_ROUND, Hotlap, assert_error, rows, run_facts

# The least that any server spends on a request here: a send and a receive on loopback.
LEAST_CPU_NS = 1000


def skip_if_missing(name: str) -> None:
    if name == "nginx" and not shutil.which("nginx", path="/usr/local/sbin:/usr/sbin:/usr/bin"):
        pytest.skip("nginx is not installed")
    if not (BIN / f"hotlap-{name}").exists():
        pytest.skip(f"hotlap-{name} was not built: its toolchain is missing")


@pytest.mark.parametrize("name", ["asio", "floor", "go", "nginx"])
def test_every_one_is_an_arm(hotlap: Hotlap, out: Path, name: str) -> None:
    """The gate has seen that it answers like the lab, and its CPU time is that of its workers."""
    skip_if_missing(name)
    duel = ("--a", "fast", "--b", f"server:{name}", *ONE_ROUND, "--no-counting")
    result = hotlap.run("ab", *duel, "--out", out)
    assert result.code == 0, result.err
    assert run_facts(out)["echoes"][1]["program"] == f"hotlap-{name}"
    (row,) = [row for row in rows(out) if row["arm"] == "b" and row["pass"] == "timing"]
    assert int(row["ok"]) == int(row["started"]) > 0
    assert int(row["cpu_ns"]) > LEAST_CPU_NS * int(row["ok"])


def test_one_without_its_program_names_the_package(
    hotlap: Hotlap, out: Path, tmp_path: Path
) -> None:
    (tmp_path / "bin").mkdir()
    for name in ("hotlap", "hotlap-server", "hotlap-launch", "hotlap-nginx"):
        os.link(BIN / name, tmp_path / "bin" / name)
    partial = Hotlap(hotlap.temporary, mark=hotlap.mark, binary=tmp_path / "bin" / "hotlap")
    duel = ("--a", "fast", *ONE_ROUND, "--out", out)
    assert_error(partial.run("ab", *duel, "--b", "server:go"), "arm b", "golang-go")
    assert_error(partial.run("ab", *duel, "--b", "server:floor"), "arm b", "build it")
    no_nginx = ["env", f"HOTLAP_NGINX={tmp_path}"]
    absent = partial.run("ab", *duel, "--b", "server:nginx", prefix=no_nginx)
    assert_error(absent, "arm b", str(tmp_path), "package nginx")
    assert not out.exists()
