"""System calls by name, from the counting pass: what each arm calls for a request."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from hotlap_analysis import wording
from hotlap_analysis.document import Block, Figure, Paragraph, Section, Table, code, plain
from hotlap_analysis.facts import Facts

OTHER = "other"
# Smaller counts are shown as nothing: they are what a timer adds now and then.
SMALLEST = 0.005
KINDS = {
    "all that receive": ("read", "readv", "recvfrom", "recvmsg", "recvmmsg"),
    "all that send": ("write", "writev", "sendto", "sendmsg", "sendmmsg", "sendfile", "splice"),
    "all that wait for events": tuple(
        "epoll_wait epoll_pwait epoll_pwait2 poll ppoll select pselect6".split()
    ),
}


@dataclass
class Calls:
    """Calls a request: names by their largest count, `other` last; a column an arm."""

    per_request: pd.DataFrame

    @property
    def names(self) -> list[str]:
        return [str(name) for name in self.per_request.index]


def count(facts: Facts) -> Calls | None:
    """Totals of the rounds that count, by the requests of those rounds."""
    calls = facts.tables.syscalls
    served = facts.tables.valid("counting")
    if calls.empty or served.empty:
        return None
    kept = calls.merge(served[["pass", "round", "arm"]], on=["pass", "round", "arm"])
    totals = kept.pivot_table(index="name", columns="arm", values="calls", aggfunc="sum")
    requests = served.groupby("arm")["ok"].sum()
    arms = [arm.name for arm in facts.run.arms]
    if any(arm not in totals or not requests.get(arm, 0) > 0 for arm in arms):
        return None
    table = totals[arms].fillna(0.0) / requests[arms]
    table = table[table.max(axis=1) >= SMALLEST]
    if table.empty:
        return None
    order = sorted(
        table.index, key=lambda name: (name == OTHER, -float(table.loc[name].max()), str(name))
    )
    return Calls(table.loc[order])


def by_kind(calls: Calls) -> pd.DataFrame:
    """Calls a request of those kinds that are there; what is of none of them is left out."""
    table = calls.per_request
    sums = {kind: table[table.index.isin(names)].sum() for kind, names in KINDS.items()}
    return pd.DataFrame({kind: s for kind, s in sums.items() if s.max() >= SMALLEST}).T


def syscalls(facts: Facts) -> Section | None:
    calls = count(facts)
    if calls is None:
        return None
    arms = list(calls.per_request.columns)
    header = ["call", *(plain(facts.labels[arm]) for arm in arms)]
    header += [f"{arm} − {arms[0]}" for arm in arms[1:]]
    rows = []
    for name, values in calls.per_request.iterrows():
        shown = code(str(name)) if name != OTHER else "other"
        changes = [_signed(float(values[arm] - values[arms[0]])) for arm in arms[1:]]
        rows.append([shown, *(wording.fixed(float(values[arm]), 2) for arm in arms), *changes])
    kinds = by_kind(calls)
    for kind, values in kinds.iterrows():
        changes = [_signed(float(values[arm] - values[arms[0]])) for arm in arms[1:]]
        rows.append([str(kind), *(wording.fixed(float(values[arm]), 2) for arm in arms), *changes])
    sums = calls.per_request.sum()
    changes = [_signed(float(sums[arm] - sums[arms[0]])) for arm in arms[1:]]
    rows.append(["in all", *(wording.fixed(float(sums[arm]), 2) for arm in arms), *changes])
    alt = "System calls a request, stacked by name, a bar for each arm."
    text = (
        f"Calls a request, counted in a pass of its own, at one connection, by {_source(facts)}; "
        "other: calls that no arm made when it was looked at before the run. With more connections "
        "one wake-up serves several requests; `hotlap audit` shows the order of calls."
    )
    totals = set(range(len(rows) - 1 - len(kinds), len(rows)))
    blocks: list[Block] = [
        Figure("syscalls", alt),
        Table(header, rows, "l" + "r" * (len(header) - 1), strong=totals),
        Paragraph(text, note=True),
    ]
    return Section("System calls by name", blocks)


def _source(facts: Facts) -> str:
    if facts.run.syscall_source != "strace":
        return "the kernel's tracepoints"
    return "strace, under which calls that hang on timing (futex, nanosleep, a read too early) vary"


def _signed(value: float) -> str:
    if abs(value) < SMALLEST:
        return "0"
    return ("−" if value < 0 else "+") + f"{abs(value):.2f}"
