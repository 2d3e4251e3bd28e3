"""Progress: one rewritten line at a terminal, plain lines elsewhere, nothing where asked for."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from pathlib import Path

from running import SMALL, TWO_FAST, Hotlap

COLUMNS = 80
# Long enough that plain lines, which come seconds apart, come more than once.
RUN = ("ab", *TWO_FAST, "--plan", "fixed:24", "--no-counting", "--no-verify", *SMALL)


def at_terminal(
    hotlap: Hotlap, *arguments: object, interrupt_after_s: float = 0
) -> tuple[int, str]:
    """Runs with a terminal of 80 columns as its three streams; a Ctrl-C is typed into it."""
    controller, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    process = subprocess.Popen(
        [str(hotlap.binary), *map(str, arguments)],
        env=hotlap.environment(),
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(terminal)
    shown = b""
    begin = time.monotonic()
    typed = interrupt_after_s == 0
    while time.monotonic() - begin < 60:
        if not typed and time.monotonic() - begin > interrupt_after_s:
            os.write(controller, b"\x03")
            typed = True
        if not select.select([controller], [], [], 0.1)[0]:
            continue
        try:
            piece = os.read(controller, 65536)
        except OSError:  # the last holder of the terminal has ended
            break
        if not piece:
            break
        shown += piece
    os.close(controller)
    return process.wait(timeout=10), shown.decode()


def test_a_terminal_shows_one_rewritten_line(hotlap: Hotlap, out: Path) -> None:
    code, shown = at_terminal(hotlap, *RUN, "--out", out)
    assert code == 0, shown
    progress = shown[: shown.rindex("\x1b[K")]
    assert "\n" not in progress, "progress never scrolls"
    lines = [line for line in re.split(r"\r\x1b\[K", progress) if line]
    assert any("round 20 of 24" in line for line in lines), lines
    assert any(re.search(r"end in \d+ s", line) for line in lines), "an ETA"
    assert any("B/A" in line for line in lines), "the running estimate"
    for line in lines:
        assert len(line) < COLUMNS, line


def test_the_summary_fits_a_terminal(hotlap: Hotlap, out: Path) -> None:
    code, shown = at_terminal(hotlap, *RUN, "--out", out, "--quiet")
    assert code == 0, shown
    assert "\x1b" not in shown
    table = [line for line in shown.splitlines() if "/req" in line or line.startswith("  metric")]
    assert len(table) > 3
    for line in table:
        assert len(line) <= COLUMNS, line


def test_ctrl_c_at_a_terminal(hotlap: Hotlap, out: Path) -> None:
    endless = ("ab", *TWO_FAST, "--plan", "fixed:900", "--no-counting", "--no-verify", *SMALL)
    code, shown = at_terminal(hotlap, *endless, "--out", out, interrupt_after_s=2.5)
    assert code == 130, shown
    assert "interrupted" in shown


def test_plain_lines_without_a_terminal(hotlap: Hotlap, out: Path) -> None:
    result = hotlap.run(*RUN, "--out", out)
    assert result.code == 0, result.err
    assert "\r" not in result.err and "\x1b" not in result.err
    lines = result.err.splitlines()
    assert lines and all(lines), result.err
    assert len(lines) < 40, "a line now and then, never one a round"
    assert "\r" not in result.out and "\x1b" not in result.out


def test_quiet(hotlap: Hotlap, out: Path) -> None:
    result = hotlap.run(*RUN, "--quiet", "--out", out)
    assert (result.code, result.err) == (0, "")


def test_json_alone_on_standard_output(hotlap: Hotlap, out: Path) -> None:
    result = hotlap.run(*RUN, "--json", "--out", out)
    assert result.code == 0, result.err
    assert result.json()["rounds"] == 24
