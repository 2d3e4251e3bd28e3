"""The report as a document: the verdict first, then what supports it, then what it rests on."""

from __future__ import annotations

from hotlap_analysis import wording
from hotlap_analysis.accounts import known_effect, where_cpu_went
from hotlap_analysis.amounts import faults_and_allocations
from hotlap_analysis.calls import syscalls
from hotlap_analysis.conditions import environment, errors, notes, reproduce, roles, targets, void
from hotlap_analysis.document import Badge, Document, Section, code, plain
from hotlap_analysis.evidence import drift, latency, metrics_table, resolution, rounds
from hotlap_analysis.facts import Facts
from hotlap_analysis.open_loop import open_loop
from hotlap_analysis.origin import where_it_comes_from

STATE_WORDS = {
    "running": "had not ended when this was written",
    "interrupted": "was interrupted, and only what it finished is reported",
    "failed": "failed, and only what it finished is reported",
}


def tell(facts: Facts) -> Document:
    sections = [
        part(facts)
        for part in (
            metrics_table,
            where_it_comes_from,
            rounds,
            latency,
            open_loop,
            drift,
            resolution,
            known_effect,
            where_cpu_went,
            syscalls,
            faults_and_allocations,
            errors,
            void,
            roles,
            targets,
            environment,
            reproduce,
            notes,
        )
    ]
    return Document(
        title=f"hotlap · {facts.run.name}",
        headlines=headlines(facts),
        badges=badges(facts),
        key_figures=key_figures(facts),
        sections=[section for section in sections if isinstance(section, Section)],
    )


def headlines(facts: Facts) -> list[str]:
    """One sentence an arm but the first; where there is none, why."""
    run = facts.run
    lines = [
        wording.sentence(
            comparison.verdict, facts.labels, facts.first, facts.alpha, comparison.shown_margin
        )
        for comparison in facts.comparisons
    ]
    if facts.finished == 0:
        lines = ["No round was finished: there is nothing to compare."]
    elif not lines:
        lines = [
            f"The primary metric, {code(run.primary_metric)}, has no value in this run: "
            "no verdict."
        ]
    if facts.invalid:
        lines = [f"No verdict: {facts.invalid}."]
    if run.state in STATE_WORDS:
        failure = f": {plain(run.failure)}" if run.failure else ""
        lines.append(f"The run {STATE_WORDS[run.state]}{failure}.".replace("..", "."))
    return lines


def badges(facts: Facts) -> list[Badge]:
    run = facts.run
    found = []
    for comparison in facts.comparisons:
        verdict = comparison.verdict
        if facts.invalid:
            break
        kind = verdict.verdict if verdict.verdict in ("improved", "regressed") else "plain"
        who = f"{plain(comparison.label)}: " if len(facts.comparisons) > 1 else ""
        found.append(Badge(who + verdict.verdict, kind))
        found += [Badge(flag, "plain") for flag in verdict.flags]
    if run.calibration != "calibrated":
        found.append(Badge(plain(run.calibration), "warning"))
    if facts.invalid:
        found.append(Badge("invalid", "warning"))
    if run.state != "complete":
        found.append(Badge(plain(run.state), "warning"))
    if facts.recomputed and facts.verdicts:
        found.append(Badge("recomputed here", "warning"))
    if run.experiment.get("skip_verify"):
        found.append(Badge("equivalence not verified", "warning"))
    return found


def key_figures(facts: Facts) -> list[tuple[str, str]]:
    figures: list[tuple[str, str]] = []
    level = wording.level(facts.alpha).replace(wording.SPACE, " ")
    for comparison in facts.comparisons:
        interval = wording.percent_interval(comparison.interval)
        if not comparison.relative:
            interval = wording.absolute_interval(comparison.interval, comparison.verdict.unit)
        if len(facts.comparisons) == 1:
            figures.append((comparison.title, comparison.estimate_text))
            figures.append((f"{level} interval", interval))
        else:
            title = f"{plain(comparison.label)}, {level} interval"
            figures.append((title, f"{comparison.estimate_text} ({interval})"))
    figures.append(("rounds", _rounds(facts)))
    if facts.comparisons and facts.comparisons[0].verdict.resolution_percent is not None:
        resolution = facts.comparisons[0].verdict.resolution_percent
        figures.append(("could resolve", f"{wording.significant(resolution, 2)}{wording.SPACE}%"))
    if facts.run.elapsed_s:
        figures.append(("took", wording.duration(facts.run.elapsed_s)))
    return figures


def _rounds(facts: Facts) -> str:
    return f"{facts.finished}" + (f" + {facts.voided} void" if facts.voided else "")
