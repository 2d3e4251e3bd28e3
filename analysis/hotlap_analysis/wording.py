"""Numbers and sentences as the report says them.

A value is shown to two significant digits of its error. A minus is U+2212 and a space before a unit
does not break, so that columns line up and lines do not split.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from hotlap_analysis.metrics import metric, title
from hotlap_analysis.run import Arm, Verdict

SPACE = "\u00a0"
MINUS = "\u2212"
ABSENT = "–"
MAX_LABEL = 44


def decimals(error: float | None, fallback: int = 2) -> int:
    """Digits after the point that show two significant digits of this error."""
    if error is None or not math.isfinite(error) or error <= 0.0:
        return fallback
    return max(0, min(9, 1 - math.floor(math.log10(error))))


def fixed(value: float, digits: int, sign: bool = False) -> str:
    text = f"{abs(value):,.{digits}f}"
    zero = not any(c in "123456789" for c in text)
    if value < 0 and not zero:
        return MINUS + text
    return "+" + text if sign and not zero else text


def significant(value: float, digits: int = 3) -> str:
    """So many significant digits, never in exponent form: 6.98, 142,000, 0.0031."""
    if value == 0.0 or not math.isfinite(value):
        return "0"
    places = digits - 1 - math.floor(math.log10(abs(value)))
    return fixed(round(value, places), max(0, places))


def half_width(interval: tuple[float, float] | None) -> float | None:
    return None if interval is None else (interval[1] - interval[0]) / 2.0


def percent(estimate: float | None, interval: tuple[float, float] | None) -> str:
    """−3.12 %"""
    if estimate is None:
        return ABSENT
    return fixed(estimate, decimals(half_width(interval)), sign=True) + SPACE + "%"


def percent_interval(interval: tuple[float, float] | None) -> str:
    """−3.33 to −2.91 %"""
    if interval is None:
        return "no interval"
    digits = decimals(half_width(interval))
    low, high = (fixed(bound, digits, sign=True) for bound in interval)
    return f"{low} to {high}{SPACE}%"


def quantity(value: float | None, unit: str, error: float | None = None) -> str:
    """A value with the unit that suits its size: 6,980 ns is 6.98 µs."""
    if value is None:
        return ABSENT
    divisor, shown = _unit(abs(value), unit)
    scaled = value / divisor
    if error is not None and error > 0.0:
        text = fixed(scaled, decimals(error / divisor))
    else:
        text = significant(scaled, 4 if unit != "1" else 3)
    return text + (SPACE + shown if shown else "")


def _unit(size: float, unit: str) -> tuple[float, str]:
    if unit == "ns":
        steps = [(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")]
        return next((s for s in steps if size >= s[0]), (1.0, "ns"))
    if unit in ("1", "count", ""):
        return 1.0, ""
    if unit in ("bytes", "B"):
        return (1024.0, "KiB") if size >= 10240.0 else (1.0, "B")
    if unit in ("1/s", "requests/s", "per_second", "requests_per_second"):
        return 1.0, "/s"
    return 1.0, unit


def signed_quantity(value: float | None, unit: str, error: float | None = None) -> str:
    text = quantity(None if value is None else abs(value), unit, error)
    if value is None or not any(c in "123456789" for c in text):
        return text
    return (MINUS if value < 0 else "+") + text


def absolute_interval(interval: tuple[float, float] | None, unit: str) -> str:
    if interval is None:
        return "no interval"
    error = half_width(interval)
    return " to ".join(signed_quantity(bound, unit, error) for bound in interval)


def p_value(p: float | None) -> str:
    if p is None:
        return ABSENT
    if p < 1e-4:
        return f"< 10^{MINUS}{max(4, math.floor(-math.log10(p)))}" if p > 0 else "0"
    return significant(p, 2)


def level(alpha: float) -> str:
    """The confidence of an interval at this alpha: 97.8 %."""
    confidence = 100.0 * (1.0 - alpha)
    digits = 0 if abs(confidence - round(confidence)) < 1e-9 else 1
    if confidence > 99.85:
        digits = 2 if abs(confidence - round(confidence, 1)) > 1e-9 else 1
    return f"{confidence:.{digits}f}{SPACE}%"


def duration(seconds: float) -> str:
    if seconds < 120.0:
        return f"{significant(seconds, 3) if seconds < 10 else round(seconds)}{SPACE}s"
    if seconds < 7200.0:
        return f"{round(seconds / 60.0)}{SPACE}min"
    return f"{significant(seconds / 3600.0, 2)}{SPACE}h"


def rounds(count: int) -> str:
    return f"{count}{SPACE}round" + ("" if count == 1 else "s")


def labels(arms: Sequence[Arm]) -> dict[str, str]:
    """What sentences call each arm: the stages that set it apart, or its target."""
    stages = [_stages(arm.pipeline) for arm in arms]
    names = {arm.name: _short(arm.asked) for arm in arms}
    if all(stages):
        differing = [s for s in stages[0] if len({x.get(s, "") for x in stages}) > 1]
        if 0 < len(differing) <= 2:
            for arm, chosen in zip(arms, stages):
                names[arm.name] = ",".join(f"{s}={chosen.get(s, 'none')}" for s in differing)
    for arm in arms if _environments_alone(arms) else []:
        own = ",".join(f"{k}={v}" for k, v in arm.environment.items())
        names[arm.name] = _short(own or "without")
    if len(set(names.values())) < len(names):
        names = {name: f"{label} ({name})" for name, label in names.items()}
    return names


def _environments_alone(arms: Sequence[Arm]) -> bool:
    """Whether all arms run one target, and variables of their own tell them apart."""
    targets = {arm.target for arm in arms}
    return len(targets) == 1 and len({str(arm.environment) for arm in arms}) > 1


def _stages(pipeline: str) -> dict[str, str]:
    pairs = (part.split("=", 1) for part in pipeline.split(",") if "=" in part)
    return {stage.strip(): variant.strip() for stage, variant in pairs}


def _short(text: str) -> str:
    return brief(re.sub(r"\s+", " ", text), MAX_LABEL)


def brief(label: str, characters: int = 19) -> str:
    """Cut to so many characters, for a place beside a curve."""
    return label if len(label) <= characters else label[: characters - 1] + "…"


def differing_stages(first: Arm, second: Arm) -> list[tuple[str, str, str]]:
    """(stage, variant of first, variant of second) wherever the echoed pipelines differ."""
    one, two = _stages(first.pipeline), _stages(second.pipeline)
    if not one or not two:
        return []
    return [
        (stage, one.get(stage, ABSENT), two.get(stage, ABSENT))
        for stage in [*one, *(s for s in two if s not in one)]
        if one.get(stage) != two.get(stage)
    ]


def sentence(
    verdict: Verdict, names: dict[str, str], first: str, alpha: float, margin: float
) -> str:
    """The verdict in one sentence, as the top of a report says it."""
    a, b = f"`{names[first]}`", f"`{names[verdict.arm]}`"
    what = title(verdict.metric)
    if verdict.verdict == "exact":
        return _exact(verdict, a, b, what)
    if verdict.estimate_percent is not None:
        estimate, bounds = verdict.estimate_percent, verdict.percent_interval
        amount = percent(abs(estimate), bounds).lstrip("+")
        interval = percent_interval(_turned(bounds, estimate))
        signed_interval = percent_interval(bounds)
        band = f"{margin:g}{SPACE}%"
    elif verdict.estimate_absolute is not None:
        estimate, bounds = verdict.estimate_absolute, verdict.absolute_interval
        amount = quantity(abs(estimate), verdict.unit, half_width(bounds))
        interval = absolute_interval(_turned(bounds, estimate), verdict.unit)
        signed_interval = absolute_interval(bounds, verdict.unit)
        band = "its margin"
    else:
        return f"{what} of {b} against {a} has no value in this run."
    if bounds is None:
        sign = MINUS if estimate < 0 else "+"
        return (
            f"Too few rounds to say whether {b} and {a} differ in {what}: "
            f"the estimate of {sign}{amount} has no interval yet."
        )
    interval = interval.replace("+", "")
    said = f"{level(alpha)} interval {interval}"
    shown = f"{level(alpha)} interval {signed_interval}"
    return _judged(verdict, (a, b, what, amount, band), said, shown, estimate)


def _judged(
    verdict: Verdict, words: tuple[str, str, str, str, str], said: str, shown: str, estimate: float
) -> str:
    a, b, what, amount, band = words
    known = metric(verdict.metric)
    pattern = "{b} has {x} " + ("less" if estimate < 0 else "more") + f" {what} than {{a}}"
    if known is not None:
        pattern = known.less if estimate < 0 else known.more
    claim = pattern.format(a=a, b=b, x=amount)
    claim = claim[0].upper() + claim[1:]
    if verdict.verdict in ("improved", "regressed"):
        sure = ", certain" if "certain" in verdict.flags else ""
        return f"{claim} ({said}): **{verdict.verdict}{sure}**."
    if verdict.verdict == "equivalent":
        return f"{b} and {a} are **equivalent** in {what}, within {band} ({shown})."
    if verdict.verdict == "small":
        return f"{claim} ({said}): found, but **small**, below the margin of {band}."
    more = verdict.rounds_to_decide
    decide = f"; about {rounds(more)} would decide" if more else ""
    return (
        f"**Inconclusive**: whether {b} and {a} differ in {what} by {band} or more is open "
        f"({shown}){decide}."
    )


def _exact(verdict: Verdict, a: str, b: str, what: str) -> str:
    if verdict.a == verdict.b:
        return f"{b} and {a} have exactly the same {what}: {quantity(verdict.a, verdict.unit)}."
    return (
        f"{what} is exactly {quantity(verdict.b, verdict.unit)} for {b} against "
        f"{quantity(verdict.a, verdict.unit)} for {a}: **exact**."
    )


def _turned(bounds: tuple[float, float] | None, estimate: float) -> tuple[float, float] | None:
    """The interval of the amount where the sentence says `less` of it."""
    return (-bounds[1], -bounds[0]) if bounds is not None and estimate < 0 else bounds
