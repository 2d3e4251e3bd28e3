"""Response times in an open loop: the uninterrupted passes that follow the rounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hotlap_analysis import wording
from hotlap_analysis.document import Block, Figure, Paragraph, Section, Table, code, plain
from hotlap_analysis.facts import Facts
from hotlap_analysis.pictures.percentiles import Curve, curve
from hotlap_analysis.run import number

SHOWN = (("p50", "p50_ns"), ("p99", "p99_ns"), ("p99.9", "p999_ns"), ("largest", "max_ns"))
ENOUGH = 6  # pairs of passes for an interval, as harness/plan has it


@dataclass
class ArmPass:
    """One pass of one arm, as run.json has it; times in ns, None where too few support them."""

    index: int
    arm: str
    void: str  # why the pass does not count; empty where it does
    sent_share: float | None
    late: int
    never_sent: int
    lateness_ns: float | None  # of the generator itself, p99
    response: dict[str, float | None]
    service: dict[str, float | None]


def passes(facts: Facts) -> list[ArmPass]:
    """In the order in which they were made."""
    found = []
    for one in facts.run.open_passes:
        for arm in one.get("arms") or []:
            counts: dict[str, Any] = arm.get("counts") or {}
            started = number(counts.get("started")) or 0.0
            never = number(counts.get("never_sent")) or 0.0
            times = [
                {key: number((arm.get(kind) or {}).get(key)) for _, key in SHOWN}
                for kind in ("response", "service")
            ]
            found.append(
                ArmPass(
                    index=int(number(one.get("index")) or 0),
                    arm=facts.run.arms[int(number(arm.get("arm")) or 0)].name,
                    void=str(one.get("void_cause") or ""),
                    sent_share=1.0 - never / started if started else None,
                    late=int(number(counts.get("late")) or 0),
                    never_sent=int(never),
                    lateness_ns=number((arm.get("pacing") or {}).get("lateness_p99_ns")),
                    response=times[0],
                    service=times[1],
                )
            )
    return found


@dataclass
class Curves:
    """Percentiles over the passes that count: of response times, and of service times."""

    response: list[Curve]
    service: list[Curve]


def curves(facts: Facts) -> Curves | None:
    kept = {one.index for one in passes(facts) if not one.void}
    latency = facts.tables.latency
    found = []
    for name in ("open", "open_service"):
        rows = latency[(latency["pass"] == name) & latency["round"].isin(kept)]
        of_arms = [curve(a.name, rows[rows["arm"] == a.name], None) for a in facts.run.arms]
        found.append([c for c in of_arms if len(c.x) > 1])
    return Curves(found[0], found[1]) if found[0] else None


def open_loop(facts: Facts) -> Section | None:
    made = passes(facts)
    if not made:
        return None
    blocks: list[Block] = [Paragraph(_introduction(facts, made))]
    if curves(facts) is not None:
        blocks.append(Figure("open-loop", "Response time percentiles of every arm in an open loop"))
    blocks.append(_table(facts, made))
    blocks += [Paragraph(text) for text in _compared(facts)]
    voided = {one.index: one.void for one in made if one.void}
    blocks += [
        Paragraph(f"Pass {index + 1} is void and counts nowhere: {plain(cause)}.")
        for index, cause in sorted(voided.items())
    ]
    blocks.append(
        Paragraph(
            "Response time counts from when a request was to start, so that a stall is felt by all "
            "who came meanwhile; service time, dashed, from when it was sent. Quantiles are by "
            "nearest rank, each where 10/(1 − q) replies stand behind it. Late: sent more "
            f"than 1{wording.SPACE}ms after its time; never sent: no connection was free in time, "
            "and in no response time. Pacing: by how much the generator itself was late.",
            note=True,
        )
    )
    return Section("Response times in an open loop", blocks)


def _introduction(facts: Facts, made: list[ArmPass]) -> str:
    asked = facts.run.experiment.get("open_passes") or {}
    loop = asked.get("loop") or {}
    rate = number(loop.get("rate_per_s")) or 0.0
    arrivals = {
        "POISSON": "Poisson arrivals",
        "BURST": f"bursts of {loop.get('burst', '')}",
        "RECORDED": "the timing of the replayed log",
    }.get(str(loop.get("arrivals", "")), "constant arrivals")
    seconds = wording.duration(number(asked.get("pass_s")) or 0.0)
    count = len({one.index for one in made})
    times = "once" if count == 1 else f"{count} times"
    return (
        f"Each arm was loaded without interruption at **{rate:,.6g} requests a second** "
        f"({arrivals}) for {seconds}, {times}, on fresh processes and one arm after the other in a "
        "drawn order. What slices cannot show is the tail: a slice cuts the schedule at its edges."
    )


def _table(facts: Facts, made: list[ArmPass]) -> Table:
    header = ["arm, pass", "sent", *(name for name, _ in SHOWN), "service p99"]
    header += ["late", "never sent", "pacing p99"]
    rows = []
    for one in made:
        share = wording.ABSENT
        if one.sent_share is not None:
            share = f"{100.0 * one.sent_share:.1f}{wording.SPACE}%"
        rows.append(
            [
                f"{plain(facts.labels[one.arm])}, {one.index + 1}"
                + (" (void)" if one.void else ""),
                share,
                *(wording.quantity(one.response[key], "ns") for _, key in SHOWN),
                wording.quantity(one.service["p99_ns"], "ns"),
                f"{one.late:,}",
                f"{one.never_sent:,}",
                wording.quantity(one.lateness_ns, "ns"),
            ]
        )
    return Table(header, rows, "l" + "r" * (len(header) - 1))


def _compared(facts: Facts) -> list[str]:
    """What the harness compared; where passes are too few, that."""
    told = []
    for one in facts.run.open_comparisons:
        low = number(one.get("interval_low_percent"))
        high = number(one.get("interval_high_percent"))
        interval = None if low is None or high is None else (low, high)
        estimate = number(one.get("estimate_percent"))
        told.append(
            f"{plain(str(one.get('quantile')))} of {code(facts.labels[str(one.get('arm'))])} "
            f"against {code(facts.labels[facts.first])}: **{wording.percent(estimate, interval)}** "
            f"(95{wording.SPACE}% interval {wording.percent_interval(interval)} over "
            f"{int(number(one.get('passes')) or 0)} pairs of passes, p = "
            f"{wording.p_value(number(one.get('p')))}). Exploratory: it gates nothing."
        )
    if told:
        return told
    return [
        f"These figures describe the passes and compare nothing: an interval needs {ENOUGH} pairs "
        f"(`--passes {ENOUGH}`)."
    ]
