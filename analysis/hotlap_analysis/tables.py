"""A run's CSV files as data frames; also what was lost at the end of each.

Cost: slices.csv may hold 10^5 rows and is read once. A last line that a crash cut short is left out
with a note; a bad cell elsewhere is a RunError that names file, line and column. Absent cells are
NaN in memory only.
"""

from __future__ import annotations

import csv
import io
import zlib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from hotlap_analysis.run import RunError

CLASSES = (
    "ok",
    "unexpected_status",
    "unexpected_body",
    "connect",
    "reset",
    "timeout",
    "protocol",
    "tls",
    "in_flight",
)
LATER = ("tls",)  # runs of earlier builds have no such column: there was none
TEXT = {"pass", "arm", "name", "void_cause", "void_arm", "pids"}
NEEDED = {
    "rounds": ("pass", "round", "arm", "started", *CLASSES, "own_slices_ns", "cpu_ns"),
    "slices": ("pass", "round", "set", "block", "position", "arm", "start_ns", "duration_ns", "ok"),
    "latency": ("pass", "round", "arm", "low_ns", "high_ns", "count"),
    "syscalls": ("pass", "round", "arm", "name", "calls"),
}


@dataclass
class Tables:
    """The tables of a run; all but `rounds` are empty frames where the file is not there."""

    rounds: pd.DataFrame
    slices: pd.DataFrame
    latency: pd.DataFrame
    syscalls: pd.DataFrame
    notes: list[str] = field(default_factory=list)

    def timing(self) -> pd.DataFrame:
        """Rows of the timing pass whose round counts."""
        return self.valid("timing")

    def valid(self, pass_name: str) -> pd.DataFrame:
        rounds = self.rounds
        return rounds[(rounds["pass"] == pass_name) & (rounds["void_cause"] == "")]


def read_tables(directory: Path, arms: list[str]) -> Tables:
    """Reads the tables of a run with these arms. Raises RunError."""
    notes: list[str] = []
    rounds = _read(directory, "rounds", notes)
    slices = _read(directory, "slices", notes)
    latency = _read(directory, "latency", notes)
    syscalls = _read(directory, "syscalls", [])  # a run that counted none does without it
    named = {"rounds": rounds, "slices": slices, "latency": latency, "syscalls": syscalls}
    for name, frame in named.items():
        unknown = sorted(set(frame["arm"]) - set(arms))
        if unknown:
            raise RunError(
                f"{directory / name}.csv: arm {unknown[0]!r} is not one of run.json's "
                f"({', '.join(arms)}); the files are not of one run"
            )
    return Tables(_whole_rounds(rounds, arms, notes), slices, latency, syscalls, notes)


def _whole_rounds(rounds: pd.DataFrame, arms: list[str], notes: list[str]) -> pd.DataFrame:
    """Leaves out rounds that lack an arm's row: a crash came between them."""
    for column in ("void_cause", "void_arm"):
        if column not in rounds:
            rounds[column] = ""
    key = ["pass", "round"]
    repeated = rounds.duplicated([*key, "arm"])
    if repeated.any():
        row = rounds[repeated].iloc[0]
        raise RunError(
            f"rounds.csv: {row['pass']} round {int(row['round'])} has two rows of arm "
            f"{row['arm']}; the file was joined from two runs"
        )
    present = rounds.groupby(key)["arm"].transform("nunique") if len(rounds) else rounds["round"]
    whole = (present >= len(arms)) | (rounds["void_cause"] != "")
    if len(rounds) and not whole.all():
        lost = rounds[~whole].drop_duplicates(key)
        names = ", ".join(f"{p} {int(r)}" for p, r in zip(lost["pass"], lost["round"]))
        notes.append(f"rounds.csv lacks an arm of round {names}: left out (the run was cut there).")
        rounds = rounds[whole]
    return rounds.sort_values([*key, "arm"], kind="stable").reset_index(drop=True)


def _read(directory: Path, name: str, notes: list[str]) -> pd.DataFrame:
    path = directory / f"{name}.csv"
    try:
        if path.exists():
            text = path.read_bytes().decode("utf-8", errors="replace")
        elif (packed := directory / f"{name}.csv.gz").exists():
            path, text = packed, _unpack(packed, notes)
        else:
            notes.append(f"{name}.csv is not in this directory; the report does without it.")
            return _typed(pd.DataFrame(columns=list(NEEDED[name])), path)
    except OSError as error:
        raise RunError(f"{path}: cannot be read ({error.strerror})") from None
    text = _complete_lines(path, text, notes)
    if not text:
        notes.append(f"{path.name} is empty; the report does without it.")
        return _typed(pd.DataFrame(columns=list(NEEDED[name])), path)
    frame = _parse(path, text)
    for column in LATER:
        if column in NEEDED[name] and column not in frame:
            frame[column] = "0"
    missing = [column for column in NEEDED[name] if column not in frame]
    if missing:
        raise RunError(
            f"{path}: its header lacks the column {missing[0]!r}; was the file edited, or written "
            "by another version of hotlap?"
        )
    return _typed(frame, path)


def _unpack(path: Path, notes: list[str]) -> str:
    decoder = zlib.decompressobj(wbits=31)
    try:
        content = decoder.decompress(path.read_bytes())
    except zlib.error as error:
        raise RunError(f"{path}: not a sound gzip file ({error}); remove or restore it") from None
    if not decoder.eof:
        notes.append(f"{path.name} ends early; what could be unpacked is used.")
    return content.decode("utf-8", errors="replace")


def _cells(path: Path, line: str) -> list[str]:
    try:
        return next(csv.reader([line]))
    except csv.Error as error:
        raise RunError(f"{path}: is no CSV table ({error}); restore it from a copy") from None


def _complete_lines(path: Path, text: str, notes: list[str]) -> str:
    """Without a last line that lacks its newline or cells: a crash cut it."""
    end = text.rfind("\n") + 1
    if end < len(text):
        notes.append(f"The last line of {path.name} is cut short and was left out.")
        text = text[:end]
    lines = text.rstrip("\n").rsplit("\n", 1)
    if len(lines) == 2:
        header = text.split("\n", 1)[0]
        if len(_cells(path, lines[1])) != len(_cells(path, header)):
            notes.append(f"The last line of {path.name} lacks cells and was left out.")
            text = lines[0] + "\n"
    return text


def _parse(path: Path, text: str) -> pd.DataFrame:
    columns = _cells(path, text.split("\n", 1)[0].rstrip("\r"))
    try:
        frame = pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False, index_col=False)
    except (pd.errors.ParserError, ValueError) as error:
        raise RunError(f"{path}: cannot be parsed ({error}); restore it from a copy") from None
    if list(frame.columns) != columns:
        raise RunError(f"{path}: its header names a column twice")
    return frame


def _typed(frame: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Numbers as float64 (exact up to 2^53), absent as NaN; text columns as they are."""
    for column in frame.columns:
        if column in TEXT:
            frame[column] = frame[column].fillna("").astype(str)
            continue
        cells = frame[column].fillna("").astype(str)
        values = pd.to_numeric(cells, errors="coerce").astype(float)
        bad = (cells != "") & ~np.isfinite(values.to_numpy())
        if bad.any():
            line = int(np.flatnonzero(bad.to_numpy())[0])
            raise RunError(
                f"{path}: line {line + 2}, column {column}: {cells.iloc[line]!r} is not a finite "
                "number (an absent value is an empty cell)"
            )
        if (values < 0).any():
            line = int(np.flatnonzero((values < 0).to_numpy())[0])
            raise RunError(
                f"{path}: line {line + 2}, column {column}: {cells.iloc[line]!r} is negative; "
                "nothing here can be (restore the file from a copy)"
            )
        frame[column] = values
    return frame
