"""The lines of the functions that changed most, with what each costs a request in every arm."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from hotlap_analysis.document import Block, Listing, ListingLine, Paragraph, code
from hotlap_analysis.profile.recording import ArmProfile, Profile

MOST_LINES = 40
NEIGHBOURS = 2


@dataclass
class _Line:
    """A line in both arms: `samples` is None where the arm never ran the function."""

    file: str
    line: int
    text: str
    samples: list[int]


def functions(profile: Profile) -> list[tuple[str, str]]:
    """Annotated functions (name, object) in the file's order, of all arms."""
    found: dict[tuple[str, str], None] = {}
    for arm in profile.arms:
        for function in arm.annotated:
            if any(line.samples for line in function.lines):
                found[function.function, function.object] = None
    return list(found)


def listing(profile: Profile, function: tuple[str, str]) -> list[Block]:
    """A listing a file, hot lines with their neighbours; the dearest file first."""
    weights = [arm.ns_per_sample for arm in profile.arms]
    by_file: dict[str, list[_Line]] = {}
    for line in _merged(profile.arms, function):
        by_file.setdefault(line.file, []).append(line)

    def dearest(line: _Line) -> float:
        return max(s * w for s, w in zip(line.samples, weights))

    most = max((dearest(line) for lines in by_file.values() for line in lines), default=0.0)
    blocks: list[Block] = []
    for file, lines in sorted(by_file.items(), key=lambda f: -sum(map(dearest, f[1]))):
        if most <= 0.0 or not any(dearest(line) > 0.0 for line in lines):
            continue
        kept = _kept(lines, [dearest(line) for line in lines])
        texts = [line.text for line in kept if line.text]
        margin = min((len(text) - len(text.lstrip()) for text in texts), default=0)
        shown = []
        for place, line in enumerate(kept):
            if place and line.line > kept[place - 1].line + 1:
                shown.append(ListingLine("⋯", [""] * (len(weights) + (len(weights) > 1)), ""))
            numbers = [_ns(s * w) for s, w in zip(line.samples, weights)]
            if len(weights) > 1:
                numbers.append(_ns(line.samples[1] * weights[1] - line.samples[0] * weights[0], 1))
            place_text = str(line.line) if line.line else ""
            shown.append(ListingLine(place_text, numbers, line.text[margin:], dearest(line) / most))
        if file:
            blocks.append(Paragraph(code(file)))
        header = [f"{arm.arm} ns" for arm in profile.arms] + ["diff ns"] if profile.two else ["ns"]
        blocks.append(Listing(header, shown))
    return blocks


def _merged(arms: list[ArmProfile], function: tuple[str, str]) -> list[_Line]:
    """Lines by file and number; instructions without a source by their text and its repetition."""
    merged: dict[tuple[str, int, str, int], _Line] = {}
    for place, arm in enumerate(arms):
        seen: Counter[tuple[str, int, str]] = Counter()
        for annotated in arm.annotated:
            if (annotated.function, annotated.object) != function:
                continue
            for line in annotated.lines:
                text = (line.text or line.assembly).expandtabs(8).rstrip()
                named = (line.file, line.line, "" if line.line else text)
                key = (*named, 0 if line.line else seen[named])
                seen[named] += 1
                known = merged.setdefault(key, _Line(line.file, line.line, text, [0] * len(arms)))
                known.samples[place] += line.samples
                known.text = known.text or text
    found = list(merged.values())
    return sorted(found, key=lambda line: (line.file, line.line)) if _in_source(found) else found


def _in_source(lines: list[_Line]) -> bool:
    return all(line.line for line in lines)


def _kept(lines: list[_Line], costs: list[float]) -> list[_Line]:
    """The dearest lines and their neighbours, in order, at most MOST_LINES."""
    chosen: set[int] = set()
    for place in sorted(range(len(lines)), key=lambda i: -costs[i]):
        around = set(range(max(0, place - NEIGHBOURS), min(len(lines), place + NEIGHBOURS + 1)))
        if costs[place] <= 0.0 or len(chosen | around) > MOST_LINES:
            break
        chosen |= around
    return [lines[place] for place in sorted(chosen)]


def _ns(value: float, sign: int = 0) -> str:
    """Nothing where there is nothing, so that the eye finds the numbers."""
    if abs(value) < 0.05:
        return ""
    digits = 1 if abs(value) < 9.95 else 0
    text = f"{abs(value):,.{digits}f}"
    return ("\u2212" if value < 0 else "+" if sign else "") + text
