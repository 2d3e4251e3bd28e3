"""A profile as a document: the sentence first, then stages, functions, flame graphs, lines."""

from __future__ import annotations

from dataclasses import replace

from hotlap_analysis import wording
from hotlap_analysis.document import (
    Block,
    Bullets,
    Command,
    Document,
    Figure,
    Paragraph,
    Section,
    Table,
    code,
    plain,
)
from hotlap_analysis.profile import costs, flame, lines, names, tree, view_story
from hotlap_analysis.profile.recording import ArmCost, Cost, Profile

PICTURE = "stages"
FUNCTIONS = 20
SYSTEM_CALLS = 10
ANNOTATED = 2
NS = wording.SPACE + "ns"


def tell(profile: Profile) -> Document:
    sections = [by_stage(profile), *_system_calls(profile), _functions(profile)]
    sections += [_flames(profile), *_lines(profile)]
    others = view_story.sections(profile)
    if others:
        sections = [*(replace(section, tab="CPU") for section in sections), *others]
    return Document(
        title="What a request costs" if others else "CPU time of a request",
        headlines=[*headlines(profile), *view_story.headlines(profile)],
        badges=[],
        key_figures=_key_figures(profile),
        sections=[*sections, _conditions(profile)],
    )


def _key_figures(profile: Profile) -> list[tuple[str, str]]:
    first = profile.arms[0]
    if not profile.two:
        return [
            ("CPU per request", _ns(first.cpu_per_request_ns)),
            ("requests", f"{first.requests:,}"),
            ("samples", f"{first.samples:,}"),
        ]
    figures = [(f"CPU per request, {a.arm}", _ns(a.cpu_per_request_ns)) for a in profile.arms]
    return [*figures, ("difference", total_text(profile) + NS)]


def headlines(profile: Profile) -> list[str]:
    first, last = profile.arms[0], profile.arms[-1]
    a, b = (code(profile.labels[arm.arm]) for arm in (first, last))
    if not profile.two:
        dearest = max(profile.stages, key=lambda cost: cost.arms[0].ns)
        part = 100.0 * dearest.arms[0].ns / first.cpu_per_request_ns
        return [
            f"{a} spends {_ns(first.cpu_per_request_ns)} of CPU per request; the most in "
            f"{plain(costs.stage_name(dearest.stage))}: {_ns(dearest.arms[0].ns)} "
            f"({part:.0f}{wording.SPACE}%)."
        ]
    return [f"{_whole(profile, a, b)}; {_most_of_it(profile)}."]


def _whole(profile: Profile, a: str, b: str) -> str:
    """What the totals say: a difference only where it is beyond its error, if that is known."""
    ns, known = profile.difference_ns, costs.total(profile)
    if known is None and abs(ns) < 0.5:
        cpu = _ns(profile.arms[0].cpu_per_request_ns)
        return f"{b} and {a} spend the same CPU per request, {cpu}"
    if known is not None and not known.stands_out:
        return f"What {b} and {a} spend is within the error of each other, {known.text}{NS}"
    size = total_text(profile).lstrip("+" + wording.MINUS)
    return f"{b} spends {size}{NS} {'less' if ns < 0 else 'more'} CPU per request than {a}"


def total_text(profile: Profile) -> str:
    known = costs.total(profile)
    return wording.fixed(profile.difference_ns, 0, sign=True) if known is None else known.text


def _most_of_it(profile: Profile) -> str:
    """Which stage carries the difference, if one does."""
    total = profile.difference_ns
    found = [(cost, costs.change(profile, cost)) for cost in profile.stages]
    clear = [(cost, change) for cost, change in found if change.stands_out]
    if not clear:
        return "no stage's change stands out from the error of sampling"
    cost, change = max(clear, key=lambda pair: abs(pair[1].ns))
    where = f"{plain(costs.stage_name(cost.stage))}: {change.text}{NS}"
    if change.ns * total > 0 and abs(change.ns) >= 0.5 * abs(total):
        return f"most of it in {where}"
    return f"the largest change is in {where}"


def by_stage(profile: Profile) -> Section:
    blocks: list[Block] = [Figure(PICTURE, picture_alt(profile)), stage_table(profile)]
    blocks.append(Paragraph(error_text(profile), note=True))
    return Section("By stage", blocks)


def picture_alt(profile: Profile) -> str:
    if not profile.two:
        return "CPU time per request, stacked by stage."
    return "CPU time per request of both arms, stacked by stage, and each stage's difference."


def error_text(profile: Profile) -> str:
    level = f"{100 * costs.CONFIDENCE:.0f}{wording.SPACE}%"
    how = "samples as independent counts"
    if costs.in_turns(profile):
        turns = min(arm.turns for arm in profile.arms)
        how = f"{turns} {'pairs of turns' if profile.two else 'turns'}"
    text = f"Nanoseconds of CPU per request; ± is half of a {level} interval from {how}. "
    if profile.two:
        arms = (f"{arm.arm} is {code(profile.labels[arm.arm])}" for arm in profile.arms)
        text = f"{', '.join(arms)}. {text}"
    if any(cost.stage.startswith("kernel: ") for cost in profile.stages):
        text += "Where a target has no stages, the kernel's part is by system call. "
    if any(arm.pipeline for arm in profile.arms):
        text += (
            "A stage is charged with what its code spends, and with what libraries and the kernel "
            "spend for it. "
        )
    text += "Totals are counted, not sampled."
    return f"{text} A profile says where; `hotlap ab` says whether." if profile.two else text


def stage_table(profile: Profile) -> Table:
    rows = []
    for cost in profile.stages:
        rows.append([plain(costs.stage_name(cost.stage)), *_cells(profile, cost)])
    last = ["in all", *(_plain_ns(arm.cpu_per_request_ns) for arm in profile.arms)]
    last.append(total_text(profile) if profile.two else _share(None, profile))
    rows.append(last)
    return Table(_header(profile, "stage"), rows, "lrrr"[: len(last)], strong={len(rows) - 1})


def _cells(profile: Profile, cost: Cost) -> list[str]:
    """The arms' columns, as in _header."""
    if profile.two:
        return [*map(_seen, cost.arms), costs.change(profile, cost).text]
    return [costs.alone(profile, cost.arms[0]), _share(cost.arms[0].ns, profile)]


def _header(profile: Profile, *around: str) -> list[str]:
    """The arms' columns between the first of `around` and the others."""
    arms = ["ns", "share"]
    if profile.two:
        arms = [*(arm.arm for arm in profile.arms), "difference"]
    return [around[0], *arms, *around[1:]]


def _share(ns: float | None, profile: Profile) -> str:
    share = 100.0 if ns is None else 100.0 * ns / profile.arms[0].cpu_per_request_ns
    return wording.fixed(share, 1) + wording.SPACE + "%"


def _system_calls(profile: Profile) -> list[Section]:
    rows = [
        [code(cost.function), *_cells(profile, cost), plain(costs.stage_name(cost.stage))]
        for cost in profile.system_calls[:SYSTEM_CALLS]
    ]
    if not rows:
        return []
    header = _header(profile, "system call", "stage")
    text = "Time within the kernel by the call that asked for it: a part of the stages above."
    table = Table(header, rows, "l" + "r" * (len(header) - 2) + "l")
    return [Section("System calls", [table, Paragraph(text, note=True)])]


def _functions(profile: Profile) -> Section:
    within = tree.inclusive(profile)
    rows = []
    for cost in profile.functions[:FUNCTIONS]:
        row = [code(_shown(cost)), *_cells(profile, cost)]
        samples = within.get((cost.function, cost.object, cost.stage))
        if profile.two:
            row.append(costs.counted(profile, *samples).text if samples else wording.ABSENT)
        else:
            ns = samples[0] * profile.arms[0].ns_per_sample if samples else None
            row.append(wording.ABSENT if ns is None else _plain_ns(ns))
        rows.append([*row, plain(costs.stage_name(cost.stage))])
    more = len(profile.functions) - len(rows)
    header = _header(profile, "function", "with callees", "stage")
    title = "Functions that changed most" if profile.two else "Dearest functions"
    text = "What a function spends itself for a stage, and what it and all that it calls do"
    text += " (differences; the latter's ± from samples as counts)." if profile.two else "."
    if more > 0:
        text += f" {more} more functions are in `profile.json`."
    blocks: list[Block] = [Table(header, rows, "l" + "r" * (len(header) - 2) + "l")]
    return Section(title, [*blocks, Paragraph(text, note=True)])


def _shown(cost: Cost) -> str:
    name = wording.brief(names.without_arguments(cost.function), 70)
    return f"{name} [{cost.object}]" if cost.function == "[unknown]" else name


def _flames(profile: Profile) -> Section:
    share = f"{100 * tree.SMALLEST_SHARE:g}{wording.SPACE}%"
    blocks: list[Block] = [
        flame.element(profile, tree.build(profile)),
        Paragraph(f"Calls of less than {share} of every arm are gathered as (small).", note=True),
    ]
    return Section("Flame graphs" if profile.two else "Flame graph", blocks)


def _lines(profile: Profile) -> list[Section]:
    sections = []
    for function in lines.functions(profile)[:ANNOTATED]:
        blocks = lines.listing(profile, function)
        if blocks:
            name = wording.brief(names.without_arguments(function[0]), 60)
            sections.append(Section(f"Lines of {code(name)}", blocks))
    return sections


def _conditions(profile: Profile) -> Section:
    items = []
    for arm in profile.arms:
        lost = f", {arm.lost:,} lost" if arm.lost else ""
        items.append(
            f"{arm.arm}: {code(arm.asked)}, {arm.requests:,} requests and {arm.samples:,} samples"
            f"{lost} in {arm.turns} turn(s), {arm.processes} process(es), {arm.threads} thread(s)."
        )
        items += [f"{arm.arm}: {plain(note)}" for note in arm.notes]
    items += view_story.conditions(profile)
    first = profile.arms[0]
    items.append(
        f"Sampled by {plain(first.event)} at {first.frequency_hz:,}{wording.SPACE}Hz, call graphs "
        f"by {'frame pointers' if first.call_graph == 'fp' else plain(first.call_graph)}. A sample "
        "stands for its share of the CPU time that the clock counted meanwhile."
    )
    environment = profile.environment
    items.append(
        f"{plain(str(environment.get('cpu_model', '')))}, "
        f"Linux {plain(str(environment.get('kernel', '')))}, {plain(profile.created)}"
    )
    blocks: list[Block] = [Bullets(items), Command(profile.command)]
    return Section("How it was found", blocks)


def _seen(cost: ArmCost) -> str:
    """No sample is less than the error, and not nothing."""
    return _plain_ns(cost.ns) if cost.samples else "none"


def _plain_ns(value: float) -> str:
    """In whole nanoseconds, so that a column adds up; small ones with a digit."""
    return wording.fixed(value, 1 if abs(value) < 9.95 and value else 0)


def _ns(value: float, sign: bool = False) -> str:
    return wording.fixed(value, 0, sign) + NS
