"""All that the report says of a run, worked out once, before any of it is drawn or written."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy import stats

from hotlap_analysis import metrics, verdicts, wording
from hotlap_analysis.profile.recording import Profile
from hotlap_analysis.run import DEFAULT_METRIC, Run, Verdict
from hotlap_analysis.tables import CLASSES, Tables

MAX_VOID_SHARE = 0.20  # of the timing rounds started, as harness/plan/void_rule.h has it


@dataclass
class Comparison:
    """The primary metric of one arm against the first, round by round."""

    index: int  # of the arm
    arm: str
    label: str
    first: str  # the first arm's label
    title: str
    unit: str  # of values: "%" for ratios
    rounds: list[int]
    values: list[float]
    d: list[float]  # ln ratio, or difference where no ratio is defined
    verdict: Verdict
    margin: float | None
    looks: list[int]
    void_rounds: list[int]

    @property
    def relative(self) -> bool:
        return self.unit == "%"

    @property
    def estimate(self) -> float | None:
        verdict = self.verdict
        return verdict.estimate_percent if self.relative else verdict.estimate_absolute

    @property
    def interval(self) -> tuple[float, float] | None:
        return self.verdict.percent_interval if self.relative else self.verdict.absolute_interval

    @property
    def shown_margin(self) -> float:
        return 0.0 if self.margin is None else self.margin

    @property
    def estimate_text(self) -> str:
        if self.relative:
            return wording.percent(self.estimate, self.interval)
        error = wording.half_width(self.interval)
        return wording.signed_quantity(self.estimate, self.verdict.unit, error)


@dataclass
class Facts:
    """A run, its tables, its verdicts, and whether those had to be worked out here."""

    run: Run
    tables: Tables
    verdicts: list[Verdict]
    recomputed: bool
    labels: dict[str, str]
    comparisons: list[Comparison]
    finished: int
    void: pd.DataFrame  # one row a void round: pass, round, void_cause, void_arm
    notes: list[str] = field(default_factory=list)
    profile: Profile | None = None  # of the first arm and another, where profile.json is there

    @property
    def first(self) -> str:
        return self.run.arms[0].name

    @property
    def alpha(self) -> float:
        return self.run.alpha(self.finished)

    @property
    def voided(self) -> int:
        """Void timing rounds."""
        return int((self.void["pass"] == "timing").sum())

    @property
    def invalid(self) -> str:
        """Why the run may not speak, where the harness had no time to say so; else empty."""
        started = self.finished + self.voided
        if not self.recomputed or self.voided <= MAX_VOID_SHARE * started:
            return ""
        return (
            f"{self.voided} of {started} rounds are void, more than {100 * MAX_VOID_SHARE:.0f} %: "
            "the run is invalid"
        )

    def of_arm(self, arm: str) -> list[Verdict]:
        return [verdict for verdict in self.verdicts if verdict.arm == arm]

    def arm_index(self, name: str) -> int:
        return [arm.name for arm in self.run.arms].index(name)


def gather(run: Run, tables: Tables) -> Facts:
    recomputed = not run.verdicts
    found = verdicts.recompute(run, tables) if recomputed else run.verdicts
    labels = wording.labels(run.arms)
    timing = tables.timing()
    void = tables.rounds[tables.rounds["void_cause"] != ""].drop_duplicates(["pass", "round"])
    facts = Facts(
        run=run,
        tables=tables,
        verdicts=found,
        recomputed=recomputed,
        labels=labels,
        comparisons=[],
        finished=int(timing["round"].nunique()),
        void=void,
        notes=[*run.notes, *tables.notes],
    )
    facts.comparisons = [c for arm in run.arms[1:] if (c := _comparison(facts, arm.name))]
    return facts


def _comparison(facts: Facts, arm: str) -> Comparison | None:
    run = facts.run
    name = run.primary_metric
    known = metrics.metric(name)
    verdict = next((v for v in facts.of_arm(arm) if v.metric == name), None)
    if known is None or verdict is None:
        return None
    pairs = metrics.paired(known, facts.tables, facts.first, arm)
    if not len(pairs.a):
        return None
    relative = verdict.estimate_percent is not None and pairs.relative
    void = facts.void[facts.void["pass"] == "timing"]["round"]
    d = pairs.log_ratio if relative else pairs.difference
    return Comparison(
        index=facts.arm_index(arm),
        arm=arm,
        label=facts.labels[arm],
        first=facts.labels[facts.first],
        title=known.title,
        unit="%" if relative else known.unit,
        rounds=[int(r) for r in pairs.rounds],
        values=[verdicts.percent(x) for x in d] if relative else [float(x) for x in d],
        d=[float(x) for x in d],
        verdict=verdict,
        margin=known.margin(run, relative),
        looks=run.looks,
        void_rounds=sorted(int(r) for r in void),
    )


@dataclass
class RoleEffect:
    """d where the arm had the lower role against d where it had the higher one."""

    role: str
    lower: str
    higher: str
    d_lower: list[float]
    d_higher: list[float]


ROLES = (
    ("launch_position", "launched", "first", "after"),
    ("connect_position", "connected", "first", "after"),
    ("path_slot", "path slot", "lower", "higher"),
    ("padding_bytes", "environment padding", "smaller", "larger"),
    ("port", "port", "lower", "higher"),
)


def role_effects(facts: Facts, comparison: Comparison) -> list[RoleEffect]:
    timing = facts.tables.timing()
    effects = []
    for column, role, lower, higher in ROLES:
        if column not in timing or timing[column].isna().all():
            continue
        drawn = timing.pivot(index="round", columns="arm", values=column)
        sign = np.sign(drawn[comparison.arm] - drawn[facts.first]).reindex(comparison.rounds)
        of = {s: [d for d, x in zip(comparison.d, sign) if x == s] for s in (-1.0, 1.0)}
        if of[-1.0] or of[1.0]:
            effects.append(RoleEffect(role, lower, higher, of[-1.0], of[1.0]))
    return effects


def class_totals(facts: Facts, pass_name: str) -> pd.DataFrame:
    """Requests in each class, one row an arm, void rounds included: an error is never hidden."""
    rows = facts.tables.rounds
    rows = rows[rows["pass"] == pass_name]
    totals = rows.groupby("arm")[["started", *CLASSES]].sum()
    order = [arm.name for arm in facts.run.arms if arm.name in totals.index]
    return totals.loc[order]


def typical_slices(facts: Facts, comparison: Comparison) -> list[float]:
    """Of each round that counts: the 20 % trimmed mean over blocks of ln(B/A), CPU per request."""
    rows = facts.tables.slices
    if rows.empty or "server_cpu_ns" not in rows or facts.run.primary_metric != DEFAULT_METRIC:
        return []
    rows = rows[(rows["pass"] == "timing") & rows["round"].isin(comparison.rounds)]
    rows = rows[rows["arm"].isin([facts.first, comparison.arm])]
    rows = rows[(rows["ok"] > 0) & (rows["server_cpu_ns"] > 0)]
    if rows.empty:
        return []
    value = (rows["server_cpu_ns"] / rows["ok"]).rename("value")
    keyed = pd.concat([rows[["round", "set", "block", "arm"]], value], axis=1)
    blocks = keyed.pivot_table(index=["round", "set", "block"], columns="arm", values="value")
    blocks = blocks.dropna()
    d = np.log(blocks[comparison.arm] / blocks[facts.first])
    return [float(stats.trim_mean(of, 0.2)) for _, of in d.groupby(level="round")]
