"""Where a difference in CPU comes from: what else changed, and the profile beside the interval.

Says what the run itself knows (kernel and user time, system calls by name, allocations, faults,
switches) and, where profile.json is in the run's directory, the stages; otherwise which command
would tell.
"""

from __future__ import annotations

import shlex

from hotlap_analysis import calls, wording
from hotlap_analysis.document import (
    Block,
    Bullets,
    Command,
    Figure,
    Paragraph,
    Section,
    code,
    plain,
)
from hotlap_analysis.facts import Comparison, Facts
from hotlap_analysis.metrics import title
from hotlap_analysis.profile import costs, story
from hotlap_analysis.profile.recording import NAME, Profile
from hotlap_analysis.run import DEFAULT_METRIC, Verdict

# Metrics that say what else a request made happen.
CAUSES = (
    "syscalls_per_request",
    "allocations_per_request",
    "allocated_bytes_per_request",
    "minor_faults_per_request",
    "context_switches_per_request",
    "reply_bytes_per_request",
    "rss_growth_per_request",
)
MOST_CALLS = 6


def where_it_comes_from(facts: Facts) -> Section | None:
    if not facts.comparisons or facts.run.primary_metric != DEFAULT_METRIC:
        return None
    blocks: list[Block] = []
    for comparison in facts.comparisons:
        items = [*_stages(facts, comparison), *_split(facts, comparison)]
        items += _causes(facts, comparison)
        if len(facts.comparisons) > 1:
            blocks.append(Paragraph(f"{code(comparison.label)} against {code(comparison.first)}:"))
        blocks.append(Bullets(items))
    blocks += _profiled(facts)
    return Section("Where the difference comes from", blocks)


def _stages(facts: Facts, comparison: Comparison) -> list[str]:
    """What was asked to differ: the only place where the cause can lie, when nothing else does."""
    first, second = facts.run.arms[0], facts.run.arms[comparison.index]
    found = wording.differing_stages(first, second)
    if not found:
        return []
    shown = ", ".join(f"{code(stage)} ({plain(a)} → {plain(b)})" for stage, a, b in found)
    return [f"The pipelines differ in {shown}, and in nothing else."]


def _split(facts: Facts, comparison: Comparison) -> list[str]:
    """User and system time per request, by the kernel's tick."""
    rows = facts.tables.timing()
    columns = ("user_ns_sampled", "system_ns_sampled", "ok")
    if any(column not in rows or rows[column].isna().any() for column in columns):
        return []
    sums = rows.groupby("arm")[list(columns)].sum()
    arms = [facts.first, comparison.arm]
    if any(arm not in sums.index or sums.loc[arm, "ok"] <= 0 for arm in arms):
        return []
    changes = []
    for column, name in (("user_ns_sampled", "user"), ("system_ns_sampled", "system")):
        a, b = (float(sums.loc[arm, column]) / float(sums.loc[arm, "ok"]) for arm in arms)
        changes.append(f"{name} {wording.fixed(b - a, 0, sign=True)}{wording.SPACE}ns per request")
    return [f"As the kernel's tick samples it: {', '.join(changes)} (no test)."]


def _causes(facts: Facts, comparison: Comparison) -> list[str]:
    """Of what a request makes happen: what changed, and what is known not to have."""
    of_arm = {verdict.metric: verdict for verdict in facts.of_arm(comparison.arm)}
    items, same = [], []
    for name in CAUSES:
        verdict = of_arm.get(name)
        if verdict is None or verdict.estimate_absolute is None:
            continue
        if verdict.verdict in ("improved", "regressed", "small"):
            items.append(_changed(facts, comparison, verdict))
        elif verdict.verdict == "exact" and verdict.a != verdict.b:
            items.append(_changed(facts, comparison, verdict))
        elif verdict.verdict in ("exact", "equivalent"):
            same.append(title(name).removesuffix(" per request"))
    if same:
        items.append(f"The same in both, or within their margins: {', '.join(same)} per request.")
    return items


def _changed(facts: Facts, comparison: Comparison, verdict: Verdict) -> str:
    bounds = verdict.absolute_interval
    error = wording.half_width(bounds)
    change = wording.signed_quantity(verdict.estimate_absolute, verdict.unit, error)
    ends = " → ".join(wording.quantity(v, verdict.unit, error) for v in (verdict.a, verdict.b))
    interval = (
        "exact" if verdict.verdict == "exact" else wording.absolute_interval(bounds, verdict.unit)
    )
    name = title(verdict.metric)
    text = f"{name[0].upper()}{name[1:]}: {ends}, {change} ({interval})"
    if verdict.metric == "syscalls_per_request":
        text += _by_name(facts, comparison)
    return text + "."


def _by_name(facts: Facts, comparison: Comparison) -> str:
    counted = calls.count(facts)
    if counted is None:
        return ""
    table = counted.per_request
    change = table[comparison.arm] - table[facts.first]
    seen = change[change.abs() >= calls.SMALLEST]
    order = sorted(seen.index, key=lambda name: (-abs(float(seen[name])), str(name)))
    shown = [f"{code(str(n))} {wording.fixed(float(seen[n]), 2, sign=True)}" for n in order]
    more = [f"{len(shown) - MOST_CALLS} more"] if len(shown) > MOST_CALLS else []
    return ": " + ", ".join([*shown[:MOST_CALLS], *more]) if shown else ""


def _profiled(facts: Facts) -> list[Block]:
    profile = facts.profile
    if profile is None:
        command = _command(facts)
        if not command:
            return []
        return [
            Paragraph(
                "Which stage and which function it is, a profile tells: `hotlap ab --profile` "
                "takes one after the rounds. Alone, with the run's workload flags added:"
            ),
            command,
        ]
    compared = next((c for c in facts.comparisons if c.arm == profile.arms[1].arm), None)
    return [
        Paragraph(f"By stage, as the profile has it. {_agreement(profile, compared)}"),
        Figure(story.PICTURE, story.picture_alt(profile)),
        story.stage_table(profile),
        Paragraph(story.error_text(profile), note=True),
        *_views(profile),
        Paragraph(
            f"Functions, lines and flame graphs: [profile.html](profile.html); all of it: `{NAME}`."
        ),
    ]


def _views(profile: Profile) -> list[Block]:
    said = {"off-cpu": "where threads wait", "heap": "what is allocated"}
    found = [said.get(view.name, view.name) for view in profile.views]
    if not found:
        return []
    return [Paragraph(f"Also {' and '.join(found)}: [profile.html](profile.html).")]


def _agreement(profile: Profile, comparison: Comparison | None) -> str:
    """The profile's total beside the interval of the rounds."""
    total = story.total_text(profile) + story.NS
    verdict = None if comparison is None else comparison.verdict
    bounds = None if verdict is None else verdict.absolute_interval
    if verdict is None or verdict.estimate_absolute is None or bounds is None:
        return f"It saw {total} per request in all; the rounds have no interval to compare with."
    measured = wording.signed_quantity(verdict.estimate_absolute, "ns", wording.half_width(bounds))
    said = (
        f"The rounds measured {measured} ({wording.absolute_interval(bounds, 'ns')}) per request, "
        f"and the profile saw {total} in all"
    )
    known = costs.total(profile)
    half = 0.0 if known is None else known.half_ns
    if bounds[0] <= profile.difference_ns + half and profile.difference_ns - half <= bounds[1]:
        return f"{said}: {'the intervals overlap' if half else 'within that interval'}."
    if profile.difference_ns * verdict.estimate_absolute > 0:
        return (
            f"{said}, outside that interval: a profile is short, and sampling slows its arms. Read "
            "its stages as shares of the difference."
        )
    return (
        f"{said}: **it does not show the difference that the rounds did**, and its stages do not "
        "explain it. Profile for longer."
    )


def _command(facts: Facts) -> Command | None:
    """The command that would tell, for arms that are programs of this machine."""
    arms = [facts.run.arms[0], facts.run.arms[facts.comparisons[0].index]]
    if any(arm.kind == "url" or not arm.asked for arm in arms):
        return None
    named = (f"--{flag} {shlex.quote(arm.asked)}" for flag, arm in zip("ab", arms))
    return Command(f"hotlap profile {' '.join(named)}")
