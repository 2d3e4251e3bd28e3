"""What `cmake --install` puts somewhere works there, with nothing of the trees it came from."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from running import BIN, ONE_ROUND, TREE, Hotlap

BUILD = BIN.parent
COMMANDS = ("ab", "audit", "run", "verify", "load", "variants", "report", "doctor", "agent")
MAN = Path("share/man/man1")
# What a login has, and nothing of whoever runs the tests.
CLEAN = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
# But for the fonts that matplotlib has found: looking for them takes it half a minute.
CLEAN |= {name: os.environ[name] for name in ["MPLCONFIGDIR"] if name in os.environ}


@pytest.fixture(scope="module")
def prefix() -> Iterator[Path]:
    """Outside of both trees, where the tests' own directories may lie."""
    directory = Path(tempfile.mkdtemp(prefix="hotlap-installed-"))
    prefix = directory / "usr"
    command = ["cmake", "--install", str(BUILD), "--prefix", str(prefix)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    yield prefix
    shutil.rmtree(directory)


def traced(prefix: Path, hotlap: Hotlap, trace: Path, *arguments: object) -> str:
    """Runs the installed hotlap under strace in a clean environment; what it printed."""
    own = {name: str(hotlap.temporary) for name in ("HOME", "TMPDIR")}
    strace = ["strace", "-f", "-qq", "-e", "trace=%file", "-o", str(trace)]
    done = subprocess.run(
        [*strace, str(prefix / "bin" / "hotlap"), *map(str, arguments)],
        env={**CLEAN, **own, "HOTLAP_TEST_MARK": hotlap.mark},
        cwd=hotlap.temporary,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("hotlap: ") == 0, done.stderr
    return done.stdout


def foreign_paths(trace: Path, prefix: Path) -> list[str]:
    """The files of the source and build trees that were asked for, less the installed ones and the
    way to matplotlib's fonts."""
    trees = (str(TREE), str(BUILD))
    asked = set(re.findall(r'"(/[^"]*)"', trace.read_text()))
    assert asked, "a trace of nothing proves nothing"
    fonts = CLEAN.get("MPLCONFIGDIR", "")

    def expected(path: str) -> bool:
        if fonts and (path.startswith(fonts) or fonts.startswith(path)):
            return True
        return path.startswith(str(prefix)) or not path.startswith(trees)

    return [path for path in asked if not expected(path)]


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_nothing_of_the_trees_is_used(prefix: Path, hotlap: Hotlap, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    assert "request_line" in traced(prefix, hotlap, trace, "variants")
    assert foreign_paths(trace, prefix) == []

    run = hotlap.temporary / "run"  # outside of both trees, too
    duel = ["ab", "--a", "fast", "--b", "server:floor", *ONE_ROUND, "--out", run]
    traced(prefix, hotlap, trace, *duel)
    assert foreign_paths(trace, prefix) == []
    assert (run / "rounds.csv").exists()

    traced(prefix, hotlap, trace, "report", run)
    assert foreign_paths(trace, prefix) == []
    assert (run / "report.html").exists()


def test_every_program_is_there_and_nothing_else(prefix: Path) -> None:
    programs = {path.name for path in (prefix / "bin").iterdir()}
    wanted = {"hotlap", "hotlap-server", "hotlap-launch", "hotlap-asio", "hotlap-floor"}
    assert wanted | {"hotlap-nginx"} <= programs
    assert all(re.fullmatch(r"hotlap(-\w+)?", name) for name in programs), programs
    assert (prefix / "share/hotlap/experiments/request_line.textproto").exists()
    assert not list(prefix.rglob("__pycache__"))


def test_without_its_analysis_the_command_says_where_it_was_due(
    prefix: Path, tmp_path: Path, hotlap: Hotlap
) -> None:
    (tmp_path / "bin").mkdir()
    for name in ("hotlap", "hotlap-server", "hotlap-launch"):
        os.link(prefix / "bin" / name, tmp_path / "bin" / name)
    alone = Hotlap(hotlap.temporary, binary=tmp_path / "bin" / "hotlap")
    small = [flag for flag in ONE_ROUND if flag != "--no-report"]
    result = alone.run("ab", "--a", "fast", "--b", "fast", *small, "--out", tmp_path / "run")
    assert result.code == 0
    assert "lib/hotlap/python" in result.err
    assert (tmp_path / "run" / "rounds.csv").exists()


def commands_with_pages(prefix: Path) -> set[str]:
    return {page.stem.removeprefix("hotlap-") for page in (prefix / MAN).glob("hotlap-*.1")}


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_man_pages_render_without_warnings(prefix: Path) -> None:
    assert set(COMMANDS) <= commands_with_pages(prefix)
    for page in [prefix / MAN / "hotlap.1", *(prefix / MAN).glob("hotlap-*.1")]:
        render = ["groff", "-man", "-ww", "-Tutf8", "-P-cbou", str(page)]
        done = subprocess.run(render, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, ""), page.name
        for heading in ("NAME", "SYNOPSIS", "OPTIONS", "EXAMPLES", "EXIT STATUS"):
            assert f"\n{heading}\n" in done.stdout, (page.name, heading)


def bash_offers(prefix: Path, words: str) -> list[str]:
    script = prefix / "share/bash-completion/completions/hotlap"
    line = (
        f"source {script}; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); "
        'hotlap() { :; }; $(complete -p hotlap | sed "s/.*-F \\([^ ]*\\).*/\\1/"); '
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "--norc", "--noprofile", "-c", line], capture_output=True, text=True, env=CLEAN
    )
    assert done.stderr == ""
    return done.stdout.split()


def test_bash_completes_commands_and_options(prefix: Path) -> None:
    assert {"ab", "agent"} <= set(bash_offers(prefix, "hotlap a"))
    assert bash_offers(prefix, "hotlap ab --sta") == ["--stage"]
    assert set(COMMANDS) <= set(bash_offers(prefix, 'hotlap ""'))


def test_every_option_of_help_is_in_every_completion(prefix: Path, hotlap: Hotlap) -> None:
    files = {
        "bash": prefix / "share/bash-completion/completions/hotlap",
        "zsh": prefix / "share/zsh/site-functions/_hotlap",
        "fish": prefix / "share/fish/vendor_completions.d/hotlap.fish",
    }
    for command in commands_with_pages(prefix):
        options = set(
            re.findall(r"^  (?:-\w,)?(--[a-z0-9-]+)", hotlap.run(command, "--help").out, re.M)
        )
        page = (prefix / MAN / f"hotlap-{command}.1").read_text().replace("\\-", "-")
        assert options, command
        for option in options:
            assert option in page, (command, option)
            assert option in files["bash"].read_text(), (command, option)
            assert option in files["zsh"].read_text(), (command, option)
            assert f"-l {option[2:]} " in files["fish"].read_text(), (command, option)


@pytest.mark.parametrize(
    "shell, path",
    [
        ("zsh", "share/zsh/site-functions/_hotlap"),
        ("fish", "share/fish/vendor_completions.d/hotlap.fish"),
    ],
)
def test_other_shells_read_their_scripts(prefix: Path, shell: str, path: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    done = subprocess.run([shell, "-n", str(prefix / path)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
