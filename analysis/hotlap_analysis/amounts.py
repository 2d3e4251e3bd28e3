"""What a request makes happen beside its CPU time: page faults, allocations, context switches."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from hotlap_analysis import wording
from hotlap_analysis.document import Block, Figure, Paragraph, Section, Table, plain
from hotlap_analysis.facts import Facts

# Smaller amounts are shown as nothing: they are of starting and ending, and of no request.
SMALLEST = 0.005
# Title, pass, and the parts that sum to it: each a name, the columns added and those taken off.
KINDS: tuple[tuple[str, str, tuple[tuple[str, str, str], ...]], ...] = (
    ("page faults", "timing", (("minor", "minor_faults", ""), ("major", "major_faults", ""))),
    ("allocations", "counting", (("freed", "frees", ""), ("not freed", "allocations", "frees"))),
    (
        "context switches",
        "timing",
        (("voluntary", "voluntary_switches", ""), ("involuntary", "involuntary_switches", "")),
    ),
)


@dataclass
class Amount:
    """Amounts a request: a row for each part, a column for each arm."""

    title: str
    per_request: pd.DataFrame

    @property
    def most(self) -> float:
        return float(self.per_request.sum().max())


def amounts(facts: Facts) -> list[Amount]:
    """Those that every arm has values of, and that are not next to nothing in all of them."""
    found = []
    for title, pass_name, parts in KINDS:
        rows = facts.tables.valid(pass_name)
        columns = {column for part in parts for column in part[1:] if column}
        if any(column not in rows or rows[column].isna().any() for column in columns):
            continue
        sums = rows.groupby("arm")[[*columns, "ok"]].sum()
        arms = [arm.name for arm in facts.run.arms]
        if any(arm not in sums.index or not sums.loc[arm, "ok"] > 0 for arm in arms):
            continue
        sums = sums.loc[arms]
        table = pd.DataFrame(
            {
                name: (sums[plus] - (sums[minus] if minus else 0.0)).clip(lower=0.0) / sums["ok"]
                for name, plus, minus in parts
            }
        ).T
        amount = Amount(title, table)
        if amount.most >= SMALLEST:
            found.append(amount)
    return found


def faults_and_allocations(facts: Facts) -> Section | None:
    shown = amounts(facts)
    if not shown:
        return None
    arms = [arm.name for arm in facts.run.arms]
    header = ["a request", *(plain(facts.labels[arm]) for arm in arms)]
    header += [f"{arm} − {arms[0]}" for arm in arms[1:]]
    rows = []
    for amount in shown:
        for name, values in amount.per_request.iterrows():
            cells = [wording.fixed(float(values[arm]), 3) for arm in arms]
            changes = [_signed(float(values[arm] - values[arms[0]])) for arm in arms[1:]]
            rows.append([f"{amount.title}, {name}", *cells, *changes])
    titles = ", ".join(amount.title for amount in shown)
    text = (
        "Totals of all rounds by their requests. Allocations are counted in a pass of its own, at "
        "one connection; where they come from, `hotlap ab --profile --heap` shows, and where pages "
        "are faulted in `hotlap audit --faults`."
    )
    blocks: list[Block] = [
        Figure("amounts", f"Amounts a request of {titles}: a bar for each arm."),
        Table(header, rows, "l" + "r" * (len(header) - 1)),
        Paragraph(text, note=True),
    ]
    return Section("Faults, allocations and switches", blocks)


def _signed(value: float) -> str:
    if abs(value) < SMALLEST:
        return "0"
    return wording.fixed(value, 3, sign=True)
