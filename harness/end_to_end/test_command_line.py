"""What the command line refuses, and how: code 3, the thing named, the remedy given."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import ONE_ROUND, TWO_FAST, Hotlap, assert_error, finished_rounds

SUBCOMMANDS = ("ab", "run", "verify", "load", "variants", "report", "doctor", "agent")


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_help_has_an_example(hotlap: Hotlap, name: str) -> None:
    result = hotlap.run(name, "--help")
    assert result.code == 0
    assert "Example" in result.out
    assert f"hotlap {name}" in result.out


def test_version(hotlap: Hotlap) -> None:
    result = hotlap.run("--version")
    assert (result.code, result.out.split()[0]) == (0, "hotlap")


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["ab", *TWO_FAST, "--bogus"], ["--bogus", "hotlap ab --help"]),
        (["ab", *TWO_FAST, "--sets", "many"], ["--sets", "many"]),
        (["ab", *TWO_FAST, "--gate=perhaps"], ["--gate", "perhaps"]),
        (["ab", *TWO_FAST, "--plan", "slow"], ["slow", "quick, ci, fixed:N"]),
        (["ab", *TWO_FAST, "--plan", "fixed:0"], ["fixed:0"]),
        (["ab", *TWO_FAST, "--plan", "fixed:-3"], ["fixed:-3"]),
        (["ab", "--a", "fast"], ["--b"]),
        (["ab"], ["--stage"]),
        (["ab", "--stage", "request_line=regex"], ["request_line=regex", "OTHER"]),
        (["ab", "--stage", "request_line"], ["request_line", "STAGE=VARIANT"]),
        (["ab", "--a", "cmd:sleep 9", "--b", "fast"], ["sleep 9", "{port}"]),
        (["ab", "--a", "ftp:host", "--b", "fast"], ["ftp", "cmd:COMMAND"]),
        (["ab", "--a", "", "--b", "fast"], ["--a TARGET"]),
        (["ab", *TWO_FAST, "--server-cpus", "zero"], ["zero", "0,2-3"]),
        (["ab", *TWO_FAST, "--header", "nonsense"], ["nonsense", "Name: value"]),
        (["ab", *TWO_FAST, "--body", "@/no/such/file"], ["/no/such/file"]),
        (["run", "/no/such/experiment.textproto"], ["/no/such/experiment.textproto"]),
        (["report", "/no/such/run"], ["/no/such/run"]),
        (["load", "127.0.0.1:80"], ["127.0.0.1:80", "http://"]),
        (["load", "http://127.0.0.1:1/", "-d", "soon"], ["soon", "10s"]),
    ],
)
def test_refused_at_once(hotlap: Hotlap, arguments: list[str], words: list[str]) -> None:
    assert_error(hotlap.run(*arguments), *words)


def test_unknown_subcommand_is_named(hotlap: Hotlap) -> None:
    assert_error(hotlap.run("frobnicate"), "frobnicate")


def test_no_subcommand(hotlap: Hotlap) -> None:
    assert_error(hotlap.run(), "subcommand", "--help")


@pytest.mark.parametrize(
    "target, words",
    [
        ("fast,nosuch=x", ["arm b", "nosuch", "request_line", "ballast"]),
        ("fast,address=nosuch", ["arm b", "address", "nosuch", "cached, per_request, lazy"]),
        ("quickest", ["arm b", "quickest", "baseline, fast, original"]),
        ("address=lazy,fast", ["arm b", "fast", "front"]),
        ("fast,ballast=chain:many", ["arm b", "chain", "many"]),
        ("fast,ballast=chain", ["arm b", "ballast", "chain"]),
        ("fast,address=lazy:7", ["arm b", "lazy", "argument"]),
        ("fast,dispatch=inline_pollers:0", ["arm b", "inline_pollers"]),
        ("server:nosuch", ["arm b", "nosuch", "floor", "asio"]),
        ("server:../hotlap", ["arm b", "../hotlap"]),
    ],
)
def test_refused_targets(hotlap: Hotlap, out: Path, target: str, words: list[str]) -> None:
    result = hotlap.run("ab", "--a", "fast", "--b", target, *ONE_ROUND, "--out", out)
    assert_error(result, *words)
    assert not out.exists(), "a run that never began has no directory"


@pytest.mark.parametrize(
    "flags, words",
    [
        (["--metric", "speed"], ["speed", "cpu_per_request", "throughput"]),
        (["--margin", "0"], ["margin", "0"]),
        (["--margin", "nan"], ["margin"]),
        (["--sets", "0"], ["sets", "1 to 64"]),
        (["--slice-ms", "0"], ["slice_ms"]),
        (["--connections", "0"], ["connections", "1 to"]),
        (["--connections", "2", "--threads", "3"], ["threads", "connections"]),
        (["--allow-errors", "1.5"], ["error", "1.5"]),
        (["--name", "a/../b"], ["name", "a/../b"]),
        (["--seed", "-1"], ["--seed", "-1"]),
        (["--seed", "99999999999999999999"], ["--seed", "99999999999999999999"]),
        (["--base", "fast"], ["--base", "--stage"]),
        (["--server-cpus", "4000"], ["4000"]),
        (["--load-cpus", "4000"], ["4000"]),
        (["--request", "GET /a b c"], ["GET /a b c"]),
        (["--expect-status", "99"], ["99", "200 to 599"]),
    ],
)
def test_refused_settings(hotlap: Hotlap, out: Path, flags: list[str], words: list[str]) -> None:
    small = ("--plan", "fixed:1", "--no-report")
    result = hotlap.run("ab", *TWO_FAST, *small, *flags, "--out", out)
    assert_error(result, *words)
    assert not out.exists()


def test_an_existing_run_is_never_overwritten(hotlap: Hotlap, out: Path) -> None:
    out.mkdir()
    (out / "rounds.csv").write_text("precious\n")
    result = hotlap.run("ab", *TWO_FAST, *ONE_ROUND, "--out", out)
    assert_error(result, str(out))
    assert (out / "rounds.csv").read_text() == "precious\n"


def test_a_machine_form_that_cannot_be_written_is_an_error(hotlap: Hotlap, out: Path) -> None:
    """A script that got half an object must not see code 0; the run itself is kept."""
    to_full = ["sh", "-c", 'exec "$@" >/dev/full', "sh"]
    flags = (*TWO_FAST, *ONE_ROUND, "--no-counting", "--no-verify", "--quiet", "--json")
    result = hotlap.run("ab", *flags, "--out", out, prefix=to_full)
    assert finished_rounds(out) == 1
    assert_error(result, "standard output", "full")
    for words in (["load", "-n", "1", "http://127.0.0.1:1/"], ["load", "--help"], ["variants"]):
        result = hotlap.run(*words, prefix=to_full)
        assert result.code == 3
        assert "No such file" not in result.err
    assert_error(hotlap.run("load", "--help", prefix=to_full), "standard output")
