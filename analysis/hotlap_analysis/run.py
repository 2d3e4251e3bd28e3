"""run.json as typed values. Costs one read; promises a RunError with a remedy on anything unusable.

The file is protobuf JSON of hotlap.v1.Run: 64-bit integers are strings there, and an absent field
is a missing key. A key that this version does not know is ignored; a schema version is not.
"""

from __future__ import annotations

import json
import math
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SCHEMA_VERSION = 1
STATES = ("running", "complete", "interrupted", "failed")
DEFAULT_ALPHAS = {"QUICK": 0.0221, "CI": 0.001, "FIXED": 0.05}
DEFAULT_MARGIN_PERCENT = 0.5
DEFAULT_METRIC = "cpu_per_request"


class RunError(Exception):
    """A run directory that cannot be read; the message names the file, the fault and the remedy."""


@dataclass
class Verdict:
    """One metric of one arm against the first; a field is None where it is undefined."""

    metric: str
    arm: str
    unit: str = ""
    better: str = ""
    a: float | None = None
    b: float | None = None
    estimate_percent: float | None = None
    interval_low_percent: float | None = None
    interval_high_percent: float | None = None
    estimate_absolute: float | None = None
    interval_low_absolute: float | None = None
    interval_high_absolute: float | None = None
    p: float | None = None
    verdict: str = "inconclusive"
    reason: str = ""
    flags: list[str] = field(default_factory=list)
    resolution_percent: float | None = None
    rounds_to_decide: int | None = None
    primary: bool = False
    rounds: int = 0

    @property
    def percent_interval(self) -> tuple[float, float] | None:
        return _pair(self.interval_low_percent, self.interval_high_percent)

    @property
    def absolute_interval(self) -> tuple[float, float] | None:
        return _pair(self.interval_low_absolute, self.interval_high_absolute)


@dataclass
class Arm:
    """A target of the experiment: its name in the tables, what was asked, what it said it is."""

    name: str
    asked: str
    kind: str
    pipeline: str = ""
    program: str = ""
    cpu_source: str = ""
    unavailable: str = ""
    target: str = ""  # what was asked, without the variables of this arm alone, which are:
    environment: dict[str, str] = field(default_factory=dict)
    cgroup: str = ""


@dataclass
class Run:
    """What run.json says, with the tables' directory beside it."""

    directory: Path
    name: str
    state: str
    failure: str
    created: str
    command: str
    arms: list[Arm]
    experiment: dict[str, Any]
    environment: dict[str, Any]
    verify: dict[str, Any] | None
    plan: str
    looks: list[int]
    alphas: list[float]
    stopped: str
    alpha_of_schedule: float | None
    verdicts: list[Verdict]
    calibration: str
    notes: list[str]
    elapsed_s: float | None
    open_passes: list[dict[str, Any]] = field(default_factory=list)
    open_comparisons: list[dict[str, Any]] = field(default_factory=list)
    counting_cost: dict[str, Any] = field(default_factory=dict)  # of the counting pass
    syscall_source: str = "tracepoints"

    @property
    def seed(self) -> str:
        return str(self.experiment.get("seed", ""))

    @property
    def primary_metric(self) -> str:
        return str(self.experiment.get("primary_metric") or DEFAULT_METRIC)

    @property
    def margin_percent(self) -> float:
        margin = number(self.experiment.get("margin_percent"))
        return DEFAULT_MARGIN_PERCENT if margin is None else margin

    @property
    def slice_ms(self) -> float | None:
        return number(_message(self.experiment, "plan").get("slice_ms"))

    def alpha(self, rounds: int) -> float:
        """The level of the look at which the run ended, or of the last look that `rounds` reach."""
        if self.alpha_of_schedule:
            return self.alpha_of_schedule
        reached = [a for look, a in zip(self.looks, self.alphas) if look <= rounds]
        if reached:
            return reached[-1]
        if self.alphas:
            return self.alphas[0]
        return DEFAULT_ALPHAS.get(plan_kind(self.experiment), DEFAULT_ALPHAS["QUICK"])


def number(value: Any) -> float | None:
    """A protobuf JSON number, which may be a string; None where it is absent or not finite."""
    if value is None or isinstance(value, bool):
        return None
    try:
        parsed = float(value)
    except (TypeError, ValueError):
        return None
    return parsed if math.isfinite(parsed) else None


def plan_kind(experiment: dict[str, Any]) -> str:
    return str(_message(experiment, "plan").get("kind", "QUICK"))


def read_run(directory: Path) -> Run:
    """Reads DIRECTORY/run.json. Raises RunError."""
    if not directory.is_dir():
        raise RunError(f"{directory}: not a directory; give the run directory that holds run.json")
    path = directory / "run.json"
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise RunError(f"{path}: missing; this is not a run directory of hotlap") from None
    except (OSError, UnicodeDecodeError) as error:
        raise RunError(f"{path}: cannot be read ({error}); restore it from a copy") from None
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise RunError(
            f"{path}: not valid JSON at line {error.lineno}, column {error.colno} ({error.msg}); "
            "restore the file, or make the run again"
        ) from None
    if not isinstance(content, dict):
        raise RunError(f"{path}: holds a {type(content).__name__} where an object is expected")
    version = number(content.get("schema_version"))
    if version != SCHEMA_VERSION:
        said = content.get("schema_version", "absent")
        raise RunError(
            f"{path}: schema_version is {said}, and this hotlap reads {SCHEMA_VERSION} only; "
            "use the hotlap that wrote the run"
        )
    try:
        return _run(directory, content)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise RunError(f"{path}: a field has an unexpected shape ({error})") from None


def _run(directory: Path, content: dict[str, Any]) -> Run:
    experiment = _message(content, "effective") or _message(content, "asked")
    arms = [_arm(arm, content.get("echoes") or []) for arm in experiment.get("arms") or []]
    if len(arms) < 2:
        raise RunError(
            f"{directory / 'run.json'}: names {len(arms)} arm(s), and a run has two or more; "
            "it probably ended before its set-up was done"
        )
    schedule = _message(content, "schedule")
    state = str(content.get("state") or "running")
    return Run(
        directory=directory,
        name=str(content.get("name") or directory.resolve().name),
        state=state if state in STATES else f"unknown ({state})",
        failure=str(content.get("failure") or ""),
        created=str(content.get("created") or ""),
        command=str(content.get("command") or ""),
        arms=arms,
        experiment=experiment,
        environment=_message(content, "environment"),
        verify=content.get("verify"),
        plan=str(schedule.get("plan") or plan_kind(experiment).lower()),
        looks=[int(look) for look in schedule.get("looks") or []],
        alphas=[float(alpha) for alpha in schedule.get("alphas") or []],
        stopped=str(schedule.get("stopped") or ""),
        alpha_of_schedule=number(schedule.get("alpha")),
        verdicts=[_verdict(verdict) for verdict in content.get("verdicts") or []],
        calibration=str(content.get("calibration") or "uncalibrated"),
        notes=[str(note) for note in content.get("notes") or []],
        elapsed_s=number(content.get("elapsed_s")),
        open_passes=list(content.get("open_passes") or []),
        open_comparisons=list(content.get("open_comparisons") or []),
        counting_cost=_message(content, "counting_cost"),
        syscall_source=str(content.get("syscall_source") or "tracepoints"),
    )


def _arm(arm: dict[str, Any], echoes: list[dict[str, Any]]) -> Arm:
    target = _message(arm, "target")
    kind = next((k for k in ("pipeline", "server", "command", "url") if k in target), "")
    prefix = {"server": "server:", "command": "cmd:", "url": "url:"}.get(kind, "")
    name = str(arm["name"])
    echo: dict[str, Any] = next((e for e in echoes if e.get("arm") == name), {})
    own = {str(v["name"]): str(v.get("value", "")) for v in arm.get("environment") or []}
    asked = str(echo.get("asked") or "") or prefix + str(target.get(kind, name))
    words = [f"{k}={shlex.quote(v)}" for k, v in own.items()]
    return Arm(
        name=name,
        asked=" ".join([*words, asked]),
        target=asked,
        kind=kind,
        pipeline=str(echo.get("pipeline") or ""),
        program=str(echo.get("program") or ""),
        cpu_source=str(echo.get("cpu_source") or ""),
        unavailable=str(echo.get("unavailable") or ""),
        environment=own,
        cgroup=str(arm.get("cgroup") or ""),
    )


def _verdict(content: dict[str, Any]) -> Verdict:
    verdict = Verdict(metric=str(content["metric"]), arm=str(content["arm"]))
    for key in ("unit", "better", "verdict", "reason"):
        setattr(verdict, key, str(content.get(key) or getattr(verdict, key)))
    for key in ("a", "b", "p", "resolution_percent"):
        setattr(verdict, key, number(content.get(key)))
    for scale in ("percent", "absolute"):
        for part in ("estimate", "interval_low", "interval_high"):
            setattr(verdict, f"{part}_{scale}", number(content.get(f"{part}_{scale}")))
    decide = number(content.get("rounds_to_decide"))
    verdict.rounds_to_decide = None if decide is None else int(decide)
    verdict.flags = [str(flag) for flag in content.get("flags") or []]
    verdict.primary = bool(content.get("primary", False))
    verdict.rounds = int(content.get("rounds", 0))
    return verdict


def _message(parent: dict[str, Any], key: str) -> dict[str, Any]:
    value = parent.get(key) or {}
    if not isinstance(value, dict):
        raise TypeError(f"{key} is a {type(value).__name__} where an object is expected")
    return value


def _pair(low: float | None, high: float | None) -> tuple[float, float] | None:
    return None if low is None or high is None else (low, high)
