"""The views beyond CPU time as sections of the page: tables, flame graphs, what to know of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hotlap_analysis import wording
from hotlap_analysis.document import Block, Paragraph, Section, Table, code, plain
from hotlap_analysis.profile import costs, flame, names, tree
from hotlap_analysis.profile.recording import Profile
from hotlap_analysis.profile.views import Amount, ArmAmount, Row, View, graph

SITES = 20


@dataclass(frozen=True)
class Words:
    """How a view is told; `units` of its two amounts, both per request."""

    tab: str
    by_stage: str
    sites: str
    units: tuple[flame.Unit, flame.Unit]
    graphs: tuple[str, ...]  # titles of the flame graphs, of the first amount and on
    about: str


WORDS = {
    "off-cpu": Words(
        tab="Off-CPU",
        by_stage="Where threads wait, by stage",
        sites="Sleeps by the code that sleeps",
        units=(flame.Unit("ns asleep", "never asleep", 1, 0.0),
               flame.Unit("sleeps", "no sleep", 3, 1.0)),
        graphs=("Flame graph of sleeps",),
        about="Time of all threads together from falling asleep to being woken. A thread that "
        "waits for whatever comes next, in `epoll_wait` and its like, is idle by design: it has "
        "nothing to do, and a request pays nothing for it. A pool's idle threads wait in `futex`, "
        "and so do threads that wait for a lock: the stack tells which. Where the target answers "
        "requests one after another, a wait within a request is time that it takes longer.",
    ),
    "heap": Words(
        tab="Heap",
        by_stage="What is allocated, by stage",
        sites="Allocation sites",
        units=(flame.Unit("bytes", "no allocation", 1, 0.0),
               flame.Unit("allocations", "no allocation", 3, 1.0)),
        graphs=("Flame graph of bytes", "Flame graph of allocations"),
        about="Calls of libc's `malloc` and its relatives, and the bytes asked for.",
    ),
}  # fmt: skip

MORE = {
    "idle": ("of it idle, by design", 0),
    "woken": ("runnable after a sleep, ns", 0),
    "preempted": ("runnable, preempted, ns", 0),
    "preemptions": ("preemptions", 1),
}


def sections(profile: Profile) -> list[Section]:
    found = []
    for view in profile.views:
        words = WORDS.get(view.name)
        if words is not None:
            parts = [_by_stage(profile, view, words), _sites(profile, view, words)]
            parts += [_flame(profile, view, words, i) for i in range(len(words.graphs))]
            found += [replace(part, tab=words.tab) for part in parts]
    return found


def headlines(profile: Profile) -> list[str]:
    """A sentence a view; of two arms, whether they differ."""
    told = []
    for view in profile.views:
        words = WORDS.get(view.name)
        if words is None:
            continue
        labels = [code(profile.labels[arm.arm]) for arm in view.arms]
        first, second = view.total.first, view.total.second
        units = words.units
        if not profile.two:
            told.append(
                f"{labels[0]}: {_value(first.arms[0], units[0])} {units[0].name} in "
                f"{_value(second.arms[0], units[1])} {units[1].name} per request{_idle(view)}."
            )
            continue
        change = _change(profile, view, first)
        size = change.text if change else wording.ABSENT
        told.append(
            f"{labels[1]} against {labels[0]}: {size} {units[0].name} per request"
            f"{'' if change is None or change.stands_out else ', within the error'}."
        )
    return told


def conditions(profile: Profile) -> list[str]:
    items = []
    for view in profile.views:
        words = WORDS.get(view.name)
        if words is None:
            continue
        for arm in view.arms:
            every = f", of every {arm.every}th event" if arm.every > 1 else ""
            lost = f", {arm.lost:,} events lost" if arm.lost else ""
            items.append(
                f"{words.tab}, {arm.arm}: {arm.requests:,} requests and {arm.stacks_taken:,} stacks"
                f"{every}{lost} in {arm.turns} turn(s), {arm.processes} process(es), "
                f"{arm.threads} thread(s)."
            )
            items += [f"{words.tab}, {arm.arm}: {plain(note)}" for note in arm.notes]
    return items


def _idle(view: View) -> str:
    idle, whole = view.more.get("idle"), view.total.first.arms[0].per_request
    if idle is None or whole <= 0.0:
        return ""
    part = 100.0 * idle.arms[0].per_request / whole
    return f", {part:.0f}{wording.SPACE}% of it idle by design"


def _by_stage(profile: Profile, view: View, words: Words) -> Section:
    rows = [([plain(costs.stage_name(row.stage))], row) for row in view.stages]
    blocks: list[Block] = [Paragraph(words.about)]
    strong = {len(rows)}
    for which, unit in enumerate(words.units):
        cells = [[*name, *_cells(profile, view, _of(row, which), unit)] for name, row in rows]
        cells.append(["in all", *_cells(profile, view, _of(view.total, which), unit)])
        head = _header(profile, f"{unit.name} per request")
        blocks.append(Table(head, cells, "l" + "r" * (len(head) - 1), strong))
    if view.more:
        cells = [
            [MORE[name][0], *_cells(profile, view, amount, words.units[MORE[name][1]])]
            for name, amount in view.more.items()
            if name in MORE
        ]
        head = _header(profile, "beside it, per request")
        blocks.append(Table(head, cells, "l" + "r" * (len(head) - 1)))
    level = f"{100 * costs.CONFIDENCE:.0f}{wording.SPACE}%"
    turns = min(arm.turns for arm in view.arms)
    how = f"{turns} {'pairs of turns' if profile.two else 'turns'}"
    blocks.append(Paragraph(f"± is half of a {level} interval from {how}.", note=True))
    return Section(words.by_stage, blocks)


def _sites(profile: Profile, view: View, words: Words) -> Section:
    rows = []
    calls = any(row.system_call for row in view.sites)
    for row in view.sites[:SITES]:
        cells = [code(_shown(row))]
        if calls:
            cells.append(code(row.system_call) + (", idle" if row.idle else ""))
        cells += _cells(profile, view, row.first, words.units[0])
        cells += _cells(profile, view, row.second, words.units[1])[-1:]
        rows.append([*cells, plain(costs.stage_name(row.stage))])
    one, other = (unit.name for unit in words.units)
    head = ["function", *(["asleep in"] if calls else [])]
    head += [one, other] if not profile.two else [*(a.arm for a in view.arms), one, other]
    head.append("stage")
    align = "l" * (1 + calls) + "r" * (len(head) - 2 - calls) + "l"
    text = "The innermost code of the stage that is charged; of programs without stages, of the "
    text += "program itself. Per request"
    text += "; the last two columns of figures are differences." if profile.two else "."
    more = len(view.sites) - len(rows)
    if more > 0:
        text += f" {more} more are in `profile.json`."
    return Section(words.sites, [Table(head, rows, align), Paragraph(text, note=True)])


def _flame(profile: Profile, view: View, words: Words, which: int) -> Section:
    weighed = graph(view, which)
    if not any(arm.stacks for arm in weighed.arms):
        return Section(words.graphs[which], [Paragraph("No stack was recorded.")])
    order = sorted(
        (row.stage for row in view.stages),
        key=lambda stage: -max(_largest(view, stage, which), 0.0),
    )
    root = tree.build(weighed)
    return Section(
        words.graphs[which], [flame.drawn(profile, weighed, root, order, words.units[which])]
    )


def _largest(view: View, stage: str, which: int) -> float:
    rows = (row for row in view.stages if row.stage == stage)
    return max(arm.per_request for row in rows for arm in _of(row, which).arms)


def _of(row: Row, which: int) -> Amount:
    return row.second if which else row.first


def _shown(row: Row) -> str:
    name = wording.brief(names.without_arguments(row.function), 60)
    return f"{name} [{row.object}]" if row.function == "[unknown]" else name


def _header(profile: Profile, first: str) -> list[str]:
    if not profile.two:
        return [first, profile.arms[0].arm]
    return [first, *(arm.arm for arm in profile.arms), "difference"]


def _cells(profile: Profile, view: View, amount: Amount, unit: flame.Unit) -> list[str]:
    """A column an arm, and one of the difference; the only arm has its ±."""
    if profile.two:
        change = _change(profile, view, amount)
        seen = any(arm.seen for arm in amount.arms)
        text = change.text if change is not None and seen else wording.ABSENT
        return [*(_value(arm, unit) for arm in amount.arms), text]
    (arm,) = amount.arms
    half = _half(view, arm.error)
    if half is None or not arm.seen:
        return [_value(arm, unit)]
    return [costs.Change(arm.per_request, half).text.removeprefix("+")]


def _value(arm: ArmAmount, unit: flame.Unit) -> str:
    """No event is less than the error, and not nothing."""
    if not arm.seen:
        return "none"
    size = abs(arm.per_request)
    return wording.fixed(arm.per_request, unit.digits if size < 9.95 else 0)


def _change(profile: Profile, view: View, amount: Amount) -> costs.Change | None:
    half = _half(view, amount.error)
    if not profile.two or amount.difference is None or half is None:
        return None
    return costs.Change(amount.difference, half)


def _half(view: View, error: float | None) -> float | None:
    return costs.half_of_interval(min(arm.turns for arm in view.arms), error)
