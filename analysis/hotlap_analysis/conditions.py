"""Sections on what a run rests on: errors, void rounds, roles, targets, environment, command."""

from __future__ import annotations


import numpy as np
from scipy import stats

from hotlap_analysis import verdicts, wording
from hotlap_analysis.document import (
    Block,
    Bullets,
    Command,
    Figure,
    Paragraph,
    Section,
    Table,
    code,
    plain,
)
from hotlap_analysis.facts import Facts, RoleEffect, class_totals, role_effects
from hotlap_analysis.run import Arm, number
from hotlap_analysis.tables import CLASSES

SMALLEST_SIDE = 4  # rounds on each side without which a role's effect is not tested


def errors(facts: Facts) -> Section | None:
    blocks: list[Block] = []
    for pass_name in ("timing", "counting"):
        totals = class_totals(facts, pass_name)
        if totals.empty:
            continue
        seen = [c for c in CLASSES if c == "ok" or totals[c].sum() > 0]
        rows = [
            [plain(facts.labels[str(arm)]), f"{int(row['started']):,}"]
            + [f"{int(row[c]):,}" for c in seen]
            for arm, row in totals.iterrows()
        ]
        header = [f"{pass_name} pass", "started", *(c.replace("_", " ") for c in seen)]
        blocks.append(Table(header, rows, "l" + "r" * (len(seen) + 1)))
        if len(seen) == 1:
            absent = ", ".join(c.replace("_", " ") for c in CLASSES[1:])
            blocks.append(Paragraph(f"Every request was answered rightly; none in {absent}.", True))
        if (totals[list(CLASSES)].sum(axis=1) != totals["started"]).any():
            blocks.append(Paragraph("**The classes do not sum to what was started.**"))
    return Section("Requests and errors", blocks) if blocks else None


def void(facts: Facts) -> Section | None:
    if facts.finished == 0 and facts.void.empty:
        return None
    if facts.void.empty:
        return Section("Void rounds", [Paragraph("None: every round counts.")])
    counted = facts.void.groupby(["pass", "void_cause", "void_arm"]).size()
    rows = [
        [str(p), plain(str(cause)), plain(facts.labels.get(str(arm), str(arm))) or "none", f"{n}"]
        for (p, cause, arm), n in counted.items()
    ]
    timing = facts.void[facts.void["pass"] == "timing"]
    share = 100.0 * len(timing) / max(1, len(timing) + facts.finished)
    text = f"{share:.0f}{wording.SPACE}% of the timing rounds are void"
    by_arm = [int((timing["void_arm"] == arm.name).sum()) for arm in facts.run.arms]
    if sum(by_arm) and len(by_arm) == 2:
        p = float(stats.binomtest(by_arm[0], sum(by_arm), 0.5).pvalue)
        text += (
            f"; {by_arm[0]} against {by_arm[1]} were seen in the arms' slices "
            f"(exact test p = {wording.p_value(p)})"
        )
    text += ". Void rounds are faults of the environment; none is dropped for its value."
    blocks: list[Block] = [Table(["pass", "cause", "seen in", "rounds"], rows, "lllr")]
    return Section("Void rounds", [*blocks, Paragraph(text)])


def roles(facts: Facts) -> Section | None:
    if not facts.comparisons or not facts.comparisons[0].relative:
        return None
    comparison = facts.comparisons[0]
    effects = role_effects(facts, comparison)
    if not effects:
        return None
    rows = [_role_row(effect) for effect in effects]
    header = ["role", "rounds each way", "shift", f"95{wording.SPACE}% interval", "p"]
    text = (
        "Every role is drawn by a coin in each round; the dashed line is the estimate. Shift: how "
        f"much higher the change of {comparison.title} is where {code(comparison.label)} had the "
        "second role named than where it had the first (Hodges–Lehmann, Mann–Whitney). With so "
        "many looks at one run a p near 0.05 is expected now and then."
    )
    return Section(
        "Roles drawn",
        [
            Figure("roles", "The change in each round, split by each role drawn"),
            Table(header, rows, "lrrrr"),
            Paragraph(text, note=True),
        ],
    )


def _role_row(effect: RoleEffect) -> list[str]:
    name = f"{effect.role}: {effect.lower}, {effect.higher}"
    low, high = np.array(effect.d_lower), np.array(effect.d_higher)
    sides = f"{len(low)}, {len(high)}"
    if min(len(low), len(high)) < SMALLEST_SIDE:
        return [name, sides, "too few", "", ""]
    shifts = np.sort((high[:, None] - low[None, :]).ravel())
    p = float(stats.mannwhitneyu(high, low, method="auto").pvalue)
    pairs, n = len(shifts), len(low) + len(high)
    reach = 1.959964 * float(np.sqrt(len(low) * len(high) * (n + 1) / 12.0))
    k = max(0, int(np.floor(pairs / 2.0 - reach)))
    bounds = (verdicts.percent(float(shifts[k])), verdicts.percent(float(shifts[-1 - k])))
    shift = verdicts.percent(float(np.median(shifts)))
    return [
        name,
        sides,
        wording.percent(shift, bounds),
        wording.percent_interval(bounds),
        wording.p_value(p),
    ]


def targets(facts: Facts) -> Section:
    run = facts.run
    rows = []
    for arm in run.arms:
        clock = {"process_clock": "process CPU clock", "task_clock": "task-clock"}
        source = clock.get(arm.cpu_source, arm.cpu_source)
        if arm.unavailable:
            source = f"none: {plain(arm.unavailable)}"
        rows.append([code(arm.name), code(arm.asked), code(arm.program), source])
    blocks: list[Block] = [Table(["arm", "asked for", "program", "CPU counted by"], rows, "llll")]
    for arm in run.arms[1:]:
        changed = wording.differing_stages(run.arms[0], arm)
        if changed:
            stages = "; ".join(f"{code(s)} {code(one)} → {code(two)}" for s, one, two in changed)
            blocks.append(Paragraph(f"{code(arm.name)} differs from the first arm in: {stages}."))
        if arm.environment != run.arms[0].environment:
            blocks.append(Paragraph(_variables(run.arms[0], arm)))
        elif arm.pipeline and arm.pipeline == run.arms[0].pipeline:
            blocks.append(Paragraph(f"{code(arm.name)} runs the same pipeline as the first arm."))
    grouped = [f"{code(arm.name)} {code(arm.cgroup)}" for arm in run.arms if arm.cgroup]
    if grouped:
        blocks.append(Paragraph(f"Cgroups whose CPU time was read too: {', '.join(grouped)}."))
    for pipeline in dict.fromkeys(arm.pipeline for arm in run.arms if arm.pipeline):
        names = ", ".join(code(a.name) for a in run.arms if a.pipeline == pipeline)
        blocks.append(Paragraph(f"{names} as echoed by the target: {code(pipeline)}", note=True))
    blocks.append(Paragraph(_verified(facts)))
    blocks.append(Bullets(_workload(facts)))
    return Section("What ran", blocks)


def _variables(first: Arm, arm: Arm) -> str:
    def side(one: Arm, name: str) -> str:
        return code(one.environment[name]) if name in one.environment else "as inherited"

    names = {**first.environment, **arm.environment}
    differing = [n for n in names if first.environment.get(n) != arm.environment.get(n)]
    changes = "; ".join(f"{code(n)} {side(first, n)} → {side(arm, n)}" for n in differing)
    return f"{code(arm.name)} differs from the first arm in its environment: {changes}."


def _verified(facts: Facts) -> str:
    verify = facts.run.verify or {}
    if facts.run.experiment.get("skip_verify") or not verify.get("ran"):
        return "The arms' replies were **not** compared before timing."
    cases, differing = int(verify.get("cases", 0)), int(verify.get("differences", 0))
    if not differing:
        return f"Before timing, {cases:,} raw requests got the same replies from every arm."
    lines = "; ".join(plain(str(line)) for line in verify.get("lines") or [])
    return f"**{differing:,} of {cases:,} raw requests got different replies**: {lines}"


def _workload(facts: Facts) -> list[str]:
    work = facts.run.experiment.get("workload") or {}
    plan = facts.run.experiment.get("plan") or {}
    asked = [
        code(f"{r.get('method') or 'GET'} {r.get('target', '')}")
        for r in work.get("requests") or []
    ]
    looks = ", ".join(str(look) for look in facts.run.looks)
    levels = facts.run.alphas[:1] if len(set(facts.run.alphas)) == 1 else facts.run.alphas
    alphas = ", ".join(f"{alpha:g}" for alpha in levels)
    items = [
        f"requests: {', '.join(asked) or code('GET /hello')}",
        f"closed loop, {_said(work, 'connections')} connections an arm, "
        f"load threads: {_said(work, 'threads')}, "
        + ("a connection a request" if work.get("keep_alive") is False else "keep-alive"),
        f"slices of {_said(plan, 'slice_ms')}{wording.SPACE}ms, {_said(plan, 'sets')} connection "
        f"sets a round of {_said(plan, 'set_ms')}{wording.SPACE}ms after "
        f"{_said(plan, 'warmup_ms')}{wording.SPACE}ms of warm-up",
        f"plan {code(facts.run.plan)}: looks at {looks or 'the end'} rounds"
        + (f", p ≤ {alphas}" if alphas else ""),
    ]
    if facts.run.stopped:
        items.append(f"stopped: {plain(facts.run.stopped)}")
    return items


def _said(message: dict[str, object], key: str) -> str:
    value = number(message.get(key))
    return "?" if value is None else f"{value:g}"


ENVIRONMENT = (
    ("cpu_model", "CPU"),
    ("cpus", "CPUs"),
    ("kernel", "kernel"),
    ("virtualization", "virtualization"),
    ("governor", "governor"),
    ("mitigations", "mitigations"),
    ("clocksource", "clock source"),
    ("congestion_control", "machine's TCP congestion control"),
    ("compiler", "compiler"),
    ("compiler_flags", "compiler flags"),
)


def environment(facts: Facts) -> Section:
    known = facts.run.environment
    rows = [[label, plain(str(known[key]))] for key, label in ENVIRONMENT if known.get(key)]
    revision = str(known.get("git_revision") or "")
    if revision:
        dirty = " with changes that are not committed" if known.get("git_dirty") else ""
        rows.append(["git revision", code(revision) + dirty])
    for key, label in (("server_cpus", "servers on CPU"), ("load_cpus", "load on CPU")):
        if known.get(key):
            rows.append([label, ", ".join(str(cpu) for cpu in known[key])])
    steal = number(known.get("steal_percent"))
    rows.append(["steal on the servers' CPUs", f"{steal or 0.0:.2f}{wording.SPACE}%"])
    versions = known.get("versions") or {}
    rows += [[plain(str(k)), plain(str(v))] for k, v in sorted(versions.items())]
    blocks: list[Block] = [Table(["", ""], rows, "ll")]
    missing = known.get("unavailable") or {}
    if missing:
        blocks.append(Paragraph("Could not be counted here, and is never shown as zero:"))
        blocks.append(Bullets([f"{code(k)}: {plain(str(v))}" for k, v in sorted(missing.items())]))
    return Section("Environment", blocks)


def reproduce(facts: Facts) -> Section:
    run = facts.run
    command = run.command or "(run.json holds no command)"
    if run.command and run.seed and "--seed" not in run.command:
        command += f" --seed {run.seed}"
    blocks: list[Block] = [Command(command)]
    text = f"Seed {code(run.seed or 'not recorded')}: every order, role and permutation follows it."
    if run.created:
        text += f" The run began at {plain(run.created)}."
    text += f" This page is made again by {code('hotlap report .')} in its directory."
    return Section("Reproduce it", [*blocks, Paragraph(text)])


def _counting_cost(cost: dict[str, object]) -> str:
    """What the counters cost the target, in a pass in which nothing is timed."""
    percent = number(cost.get("percent"))
    said = "its cost is not known, for no round could tell"
    if percent is not None:
        low, high = number(cost.get("low_percent")), number(cost.get("high_percent"))
        bounds = None if low is None or high is None else (low, high)
        said = f"costs {wording.percent(percent, bounds)} of CPU per request"
        if bounds is not None:
            said += f" ({wording.level(0.05)} interval {wording.percent_interval(bounds)})"
    what = plain(str(cost.get("what") or "counters"))
    return f"Counting ({what}) {said}: it is a pass of its own, and nothing in it is timed."


def notes(facts: Facts) -> Section | None:
    items = [plain(note) for note in facts.notes]
    if facts.run.counting_cost:
        items.insert(0, _counting_cost(facts.run.counting_cost))
    if facts.recomputed and facts.verdicts:
        items.insert(
            0,
            "run.json holds no verdicts (the run ended before it could write them): those shown "
            "were recomputed from rounds.csv.",
        )
    if facts.run.calibration == "uncalibrated":
        items.append(
            "This machine has no A/A ledger yet: what it calls different by chance is not known, "
            "and intervals speak of these binaries, this machine and this session."
        )
    return Section("Notes", [Bullets(items)]) if items else None
