"""audit.json as audit.html and findings.md: which system calls a request makes, or a patch of two.

The file is protobuf JSON of hotlap.v1.Audit (harness/proto/audit.proto). Everything shown stands in
it; nothing is counted here again.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hotlap_analysis import faults, markdown, page
from hotlap_analysis.document import (
    Block,
    Bullets,
    Command,
    Document,
    Paragraph,
    Patch,
    Section,
    Table,
    code,
    plain,
)
from hotlap_analysis.files import read_document, replace
from hotlap_analysis.run import RunError

SCHEMA_VERSION = 1
TITLES = {
    "connection": "The connection",
    "first": "The first request",
    "later": "Later requests",
    "start_up": "Start-up",
    "idle": "Idle",
    "shutdown": "Shutdown",
}
# Smaller differences are what the subtraction of idle calls leaves behind.
SHOWN_DIFFERENCE = 0.005

Json = dict[str, Any]


@dataclass
class Audit:
    directory: Path
    content: Json

    @property
    def arms(self) -> list[Json]:
        return list(self.content["arms"])


def read_audit(directory: Path) -> Audit:
    """Reads DIRECTORY/audit.json. Raises RunError."""
    path = directory / "audit.json"
    content = read_document(path, "an audit", "schema_version", SCHEMA_VERSION)
    if not 1 <= len(content.get("arms") or []) <= 2:
        raise RunError(f"{path}: an audit has one arm or two")
    return Audit(directory, content)


def write(audit: Audit) -> list[Path]:
    """audit.html and findings.md, each whole or not there."""
    try:
        document = tell(audit)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise RunError(
            f"{audit.directory / 'audit.json'}: a field has an unexpected shape ({error})"
        ) from None
    files = {
        "audit.html": page.render(document, {}),
        "findings.md": markdown.render(document, {}),
    }
    for name, text in files.items():
        replace(audit.directory / name, text.encode())
    return [audit.directory / name for name in files]


def tell(audit: Audit) -> Document:
    arms = audit.arms
    sections = _one(arms[0]) if len(arms) == 1 else _two(audit)
    sections += [*faults.sections(arms), _conditions(audit)]
    return Document(
        title="System calls of a request",
        headlines=_headlines(arms),
        badges=[],
        key_figures=[
            (f"calls a later request, {arm['arm']}", _number(_per_window(arm["later"])))
            for arm in arms
        ],
        sections=sections,
    )


def _headlines(arms: list[Json]) -> list[str]:
    first = arms[0]
    if len(arms) == 1:
        calls = _number(_per_window(first["later"]))
        return [f"{code(first['asked'])} makes {calls} system calls a request."]
    a, b = (_per_window(arm["later"]) for arm in arms)
    names = f"{code(arms[1]['asked'])} makes {_number(b)} system calls a request"
    found = [f"{names}, {code(first['asked'])} {_number(a)}."]
    gone, new = [], []
    for name, before, after in _differences(first["later"], arms[1]["later"]):
        if before > SHOWN_DIFFERENCE and after <= SHOWN_DIFFERENCE:
            gone.append(code(name))
        if after > SHOWN_DIFFERENCE and before <= SHOWN_DIFFERENCE:
            new.append(code(name))
    if gone:
        found.append(f"After the first request no longer called: {', '.join(gone)}.")
    if new:
        found.append(f"After the first request called in addition: {', '.join(new)}.")
    return found


def _one(arm: Json) -> list[Section]:
    sections = [_courses(arm, phase) for phase in ("connection", "first", "later")]
    return [*sections, *(_counts([arm], phase) for phase in ("later", "idle", *_ENDS))]


_ENDS = ("start_up", "shutdown")


def _two(audit: Audit) -> list[Section]:
    sections = []
    for difference in audit.content.get("differences") or []:
        before, after = difference["a_per_window"], difference["b_per_window"]
        lines = [f"@@ {_number(before)} calls -> {_number(after)} @@"]
        for line in difference.get("lines") or []:
            bracket = "a" not in line and "b" not in line
            counts = "".join(
                f"{'' if bracket else _number(line[side]) if side in line else '.':>8}"
                for side in ("a", "b")
            )
            lines.append(f"{line['side']}{counts}  {line['text']}")
        blocks: list[Block] = [Patch(lines)]
        blocks += _shares(audit.arms, difference["phase"])
        sections.append(Section(TITLES[difference["phase"]], blocks))
    return [*sections, *(_counts(audit.arms, phase) for phase in ("later", "idle", *_ENDS))]


def _shares(arms: list[Json], phase: str) -> list[Block]:
    """Which part of the windows took the course that is shown."""
    said = []
    for arm in arms:
        windows, courses = arm[phase]["windows"], arm[phase].get("courses") or []
        if courses and courses[0]["windows"] < windows:
            said.append(
                f"{arm['arm']}: the course of {courses[0]['windows']} of {windows} requests"
            )
    return [Paragraph("; ".join(said) + ".", note=True)] if said else []


def _courses(arm: Json, phase: str) -> Section:
    blocks: list[Block] = []
    many = arm["threads"] > 1
    windows = arm[phase]["windows"]
    for course in arm[phase].get("courses") or []:
        if windows > 1:
            blocks.append(Paragraph(f"{course['windows']} of {windows}:"))
        blocks.append(Command("\n".join(_lines(course, many)) or "(no call)"))
    if arm[phase].get("other_windows"):
        blocks.append(Paragraph(f"{arm[phase]['other_windows']} took other courses.", note=True))
    return Section(TITLES[phase], blocks)


def _lines(course: Json, many_threads: bool) -> list[str]:
    lines = []
    for step in course.get("steps") or []:
        texts = [
            (f"[{line['task']}] " if many_threads else "") + str(line["call"])
            for line in step["lines"]
        ]
        if step["times"] == 1:
            lines += texts
        elif len(texts) == 1:
            lines.append(f"{texts[0]}  x {step['times']}")
        else:
            lines += [f"x {step['times']} {{", *(f"  {text}" for text in texts), "}"]
    return lines


def _per_window(phase: Json) -> float:
    return sum(float(count["per_window"]) for count in phase.get("calls") or [])


def _differences(a: Json, b: Json) -> list[tuple[str, float, float]]:
    counts = [
        {str(c["name"]): float(c["per_window"]) for c in phase.get("calls") or []}
        for phase in (a, b)
    ]
    rows = [(n, counts[0].get(n, 0.0), counts[1].get(n, 0.0)) for n in counts[0] | counts[1]]
    return sorted(rows, key=lambda row: (-abs(row[2] - row[1]), row[0]))


def _counts(arms: list[Json], phase: str) -> Section:
    unit = "a request" if phase == "later" else f"{arms[0][phase]['seconds']:.2f} s"
    title = f"Calls by name: {TITLES[phase].lower()}"
    if len(arms) == 1:
        calls = arms[0][phase].get("calls") or []
        rows = [[code(c["name"]), _number(float(c["per_window"]))] for c in calls]
        return Section(title, [_table(["call", unit if phase == "later" else "calls"], rows, "lr")])
    found = _differences(arms[0][phase], arms[1][phase])
    rows = [
        [code(name), _number(a), _number(b), _signed(b - a)]
        for name, a, b in found
        if phase == "later" or abs(b - a) > SHOWN_DIFFERENCE
    ]
    total = [_per_window(arm[phase]) for arm in arms]
    rows.append(["in all", *map(_number, total), _signed(total[1] - total[0])])
    return Section(title, [_table(["call", "a", "b", "difference"], rows, "lrrr")])


def _table(header: list[str], rows: list[list[str]], align: str) -> Block:
    return Table(header, rows, align) if rows else Paragraph("No call.")


def _conditions(audit: Audit) -> Section:
    items = []
    for arm in audit.arms:
        how = (
            "each request was sent when every thread of the target slept"
            if arm["boundary"] == "quiet"
            else "the target never came to rest, and the clock alone divides its calls"
        )
        items.append(
            f"{arm['arm']}: {code(arm['asked'])}, {arm['requests']} requests one at a time, "
            f"{arm['processes']} process(es), {arm['threads']} thread(s), by {_tracer(arm)}; {how}."
        )
        items += [f"{arm['arm']}: {plain(note)}" for note in arm.get("notes") or []]
    items.append(
        "Addresses, times, contents and process ids are masked; idle calls are subtracted."
    )
    items.append("A tracer makes a target slower: nothing here was timed.")
    environment = audit.content.get("environment") or {}
    items.append(
        f"{plain(str(environment.get('cpu_model', '')))}, "
        f"Linux {plain(str(environment.get('kernel', '')))}, {audit.content.get('created', '')}"
    )
    blocks: list[Block] = [Bullets(items), Command(str(audit.content.get("command", "")))]
    return Section("How it was found", blocks)


def _tracer(arm: Json) -> str:
    # Files of before there was a choice do not say.
    return str(arm.get("tracer") or "strace")


def _number(value: float) -> str:
    return f"{value:.2f}"


def _signed(value: float) -> str:
    return "0" if abs(value) < SHOWN_DIFFERENCE else f"{value:+.2f}".replace("-", "−")
