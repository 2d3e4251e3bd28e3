"""profile.json as typed values. Costs one read; a RunError with a remedy says what is broken.

The file is protobuf JSON of hotlap.v1.Profile (harness/proto/profile.proto), whose rule turns
samples into time: nanoseconds per request are samples / all samples * cpu_ns / requests.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hotlap_analysis.files import read_document
from hotlap_analysis import wording
from hotlap_analysis.profile.stacks import Frame, Stack, count, read_frames, read_indices
from hotlap_analysis.profile.views import View, read_view
from hotlap_analysis.run import Arm, RunError, number

NAME = "profile.json"
SCHEMA_VERSION = 1

Json = dict[str, Any]


@dataclass(frozen=True)
class Line:
    """A line of source with its samples; `assembly` is the instruction that has most of them."""

    file: str
    line: int
    text: str
    samples: int
    assembly: str


@dataclass(frozen=True)
class Annotated:
    function: str
    object: str
    stage: str
    lines: list[Line]


@dataclass
class ArmProfile:
    arm: str
    asked: str
    pipeline: str
    event: str
    frequency_hz: int
    call_graph: str
    requests: int
    cpu_ns: float
    samples: int
    lost: int
    turns: int
    processes: int
    threads: int
    frames: list[Frame]
    stacks: list[Stack]
    annotated: list[Annotated]
    notes: list[str]

    @property
    def cpu_per_request_ns(self) -> float:
        return self.cpu_ns / self.requests

    @property
    def ns_per_sample(self) -> float:
        """What one sample stands for, in nanoseconds per request."""
        return self.cpu_per_request_ns / self.samples


@dataclass(frozen=True)
class ArmCost:
    samples: int
    ns: float
    error_ns: float | None  # standard error of the mean over turns


@dataclass(frozen=True)
class Cost:
    """What a stage or, where `function` is not empty, a function costs a request in each arm."""

    stage: str
    function: str
    object: str
    arms: tuple[ArmCost, ...]
    difference_ns: float | None
    error_ns: float | None  # of the difference, over pairs of turns


@dataclass
class Profile:
    directory: Path
    created: str
    command: str
    environment: Json
    arms: list[ArmProfile]
    stages: list[Cost]
    functions: list[Cost]
    system_calls: list[Cost]  # named by `function`; a part of the stages
    total: Cost | None  # counted, not sampled
    labels: dict[str, str]
    views: list[View] = field(default_factory=list)  # beyond CPU time

    @property
    def two(self) -> bool:
        return len(self.arms) == 2

    @property
    def difference_ns(self) -> float:
        """All CPU time per request, second arm less first, by the CPU clock."""
        return self.arms[-1].cpu_per_request_ns - self.arms[0].cpu_per_request_ns


def read_profile(directory: Path) -> Profile:
    """Reads DIRECTORY/profile.json. Raises RunError."""
    path = directory / NAME
    content = read_document(path, "a profile", "schema_version", SCHEMA_VERSION)
    if not 1 <= len(content.get("arms") or []) <= 2:
        raise RunError(f"{path}: a profile has one arm or two")
    try:
        profile = _profile(directory, content)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise RunError(f"{path}: a field has an unexpected shape ({error!r})") from None
    for arm in profile.arms:
        if arm.requests <= 0 or arm.cpu_ns <= 0.0 or arm.samples <= 0:
            raise RunError(
                f"{path}: arm {arm.arm} has {arm.samples} samples, {arm.requests} requests and "
                f"{arm.cpu_ns:.0f} ns of CPU, and a cost per request takes all three; profile "
                "it again for longer"
            )
    return profile


def _profile(directory: Path, content: Json) -> Profile:
    arms = [_arm(arm) for arm in content["arms"]]
    named = [Arm(name=a.arm, asked=a.asked, kind="", pipeline=a.pipeline) for a in arms]
    return Profile(
        directory=directory,
        created=str(content.get("created") or ""),
        command=str(content.get("command") or ""),
        environment=dict(content.get("environment") or {}),
        arms=arms,
        stages=[_cost(cost, len(arms)) for cost in content["stages"]],
        functions=[_cost(cost, len(arms)) for cost in content["functions"]],
        system_calls=[_cost(cost, len(arms)) for cost in content.get("system_calls") or []],
        total=_cost(content["total"], len(arms)) if content.get("total") else None,
        labels=wording.labels(named),
        views=[read_view(view, len(arms)) for view in content.get("views") or []],
    )


def _arm(content: Json) -> ArmProfile:
    frames = read_frames(content)
    stacks = [_stack(stack, len(frames)) for stack in content.get("stacks") or []]
    return ArmProfile(
        arm=str(content["arm"]),
        asked=str(content["asked"]),
        pipeline=str(content.get("pipeline") or ""),
        event=str(content.get("event") or ""),
        frequency_hz=count(content, "frequency_hz"),
        call_graph=str(content.get("call_graph") or ""),
        requests=count(content, "requests"),
        cpu_ns=number(content.get("cpu_ns")) or 0.0,
        samples=sum(int(stack.samples) for stack in stacks),
        lost=count(content, "lost_samples"),
        turns=count(content, "turns"),
        processes=count(content, "processes"),
        threads=count(content, "threads"),
        frames=frames,
        stacks=stacks,
        annotated=[_annotated(function) for function in content.get("annotated") or []],
        notes=[str(note) for note in content.get("notes") or []],
    )


def _stack(content: Json, known: int) -> Stack:
    stage = str(content.get("stage") or "")
    return Stack(read_indices(content, known), count(content, "samples"), stage)


def _annotated(content: Json) -> Annotated:
    lines = [
        Line(str(line.get("file") or ""), count(line, "line"), str(line.get("text") or ""),
             count(line, "samples"), str(line.get("assembly") or ""))
        for line in content.get("lines") or []
    ]  # fmt: skip
    return Annotated(
        str(content["function"]),
        str(content.get("object") or ""),
        str(content.get("stage") or ""),
        lines,
    )


def _cost(content: Json, arms: int) -> Cost:
    if len(content["arms"]) != arms:
        raise ValueError(f"a cost has {len(content['arms'])} arms, the profile {arms}")
    return Cost(
        stage=str(content.get("stage") or ""),
        function=str(content.get("function") or ""),
        object=str(content.get("object") or ""),
        arms=tuple(_arm_cost(arm) for arm in content["arms"]),
        difference_ns=number(content.get("difference_ns")),
        error_ns=number(content.get("difference_standard_error_ns")),
    )


def _arm_cost(content: Json) -> ArmCost:
    ns = number(content["ns"])
    if ns is None:
        raise ValueError(f"a cost of {content['ns']} ns")
    return ArmCost(count(content, "samples"), ns, number(content.get("standard_error_ns")))
