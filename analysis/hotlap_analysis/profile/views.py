"""The views of profile.json beyond CPU time: where threads wait, what is allocated, by stack.

Each tells two amounts of every row and stack, `first` and `second` (hotlap.v1.View). A view as a
`Graph` is what trees and flame graphs are drawn of.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hotlap_analysis.profile.stacks import Frame, Stack, count, read_frames, read_indices
from hotlap_analysis.run import number

Json = dict[str, Any]


@dataclass(frozen=True)
class ArmAmount:
    per_request: float
    error: float | None  # standard error of the mean over turns
    seen: bool


@dataclass(frozen=True)
class Amount:
    arms: tuple[ArmAmount, ...]
    difference: float | None
    error: float | None  # of the difference, over pairs of turns


@dataclass(frozen=True)
class Row:
    """What a stage or, where `function` is not empty, a site has in each arm."""

    stage: str
    function: str
    object: str
    system_call: str
    first: Amount
    second: Amount
    idle: bool


@dataclass(frozen=True)
class ViewStack:
    frames: tuple[int, ...]  # into ViewArm.frames, root first
    stage: str
    amounts: tuple[float, float]
    squares: tuple[float, float]


@dataclass
class ViewArm:
    arm: str
    event: str
    every: int
    call_graph: str
    requests: int
    turns: int
    stacks_taken: int
    lost: int
    frames: list[Frame]
    stacks: list[ViewStack]
    notes: list[str]
    processes: int
    threads: int


@dataclass
class View:
    name: str
    arms: list[ViewArm]
    stages: list[Row]
    sites: list[Row]
    total: Row
    more: dict[str, Amount]


@dataclass(frozen=True)
class GraphArm:
    """One arm's stacks by one amount, in the shape of an ArmProfile."""

    arm: str
    frames: list[Frame]
    stacks: list[Stack]
    samples: float
    ns_per_sample: float  # what one of the amount is in a request


@dataclass(frozen=True)
class Graph:
    arms: list[GraphArm]


def graph(view: View, which: int) -> Graph:
    """`which`: 0 of the first amount, 1 of the second."""
    arms = []
    for arm in view.arms:
        stacks = [
            Stack(s.frames, s.amounts[which], s.stage, s.squares[which])
            for s in arm.stacks
            if s.amounts[which] > 0.0
        ]
        whole = sum(stack.samples for stack in stacks)
        arms.append(GraphArm(arm.arm, arm.frames, stacks, whole, 1.0 / arm.requests))
    return Graph(arms)


def read_view(content: Json, arms: int) -> View:
    """Raises what a field of an unexpected shape raises."""
    found = [_arm(arm) for arm in content["arms"]]
    if len(found) != arms:
        raise ValueError(f"the view {content['name']} has {len(found)} arms, the profile {arms}")
    if any(arm.requests <= 0 for arm in found):
        raise ValueError(f"an arm of the view {content['name']} has no requests")
    return View(
        name=str(content["name"]),
        arms=found,
        stages=[_row(row, arms) for row in content.get("stages") or []],
        sites=[_row(row, arms) for row in content.get("sites") or []],
        total=_row(content["total"], arms),
        more={str(m["name"]): _amount(m["amount"], arms) for m in content.get("more") or []},
    )


def _arm(content: Json) -> ViewArm:
    frames = read_frames(content)
    return ViewArm(
        arm=str(content["arm"]),
        event=str(content.get("event") or ""),
        every=max(1, count(content, "every")),
        call_graph=str(content.get("call_graph") or ""),
        requests=count(content, "requests"),
        turns=count(content, "turns"),
        stacks_taken=count(content, "stacks_taken"),
        lost=count(content, "lost_events"),
        frames=frames,
        stacks=[_stack(stack, len(frames)) for stack in content.get("stacks") or []],
        notes=[str(note) for note in content.get("notes") or []],
        processes=count(content, "processes"),
        threads=count(content, "threads"),
    )


def _stack(content: Json, known: int) -> ViewStack:
    return ViewStack(
        frames=read_indices(content, known),
        stage=str(content.get("stage") or ""),
        amounts=(_number(content, "first"), _number(content, "second")),
        squares=(_number(content, "first_squares"), _number(content, "second_squares")),
    )


def _row(content: Json, arms: int) -> Row:
    return Row(
        stage=str(content.get("stage") or ""),
        function=str(content.get("function") or ""),
        object=str(content.get("object") or ""),
        system_call=str(content.get("system_call") or ""),
        first=_amount(content["first"], arms),
        second=_amount(content["second"], arms),
        idle=bool(content.get("idle")),
    )


def _amount(content: Json, arms: int) -> Amount:
    if len(content["arms"]) != arms:
        raise ValueError(f"an amount has {len(content['arms'])} arms, the profile {arms}")
    each = tuple(
        ArmAmount(_number(arm, "per_request"), number(arm.get("standard_error")), bool(arm["seen"]))
        for arm in content["arms"]
    )
    difference = number(content.get("difference"))
    return Amount(each, difference, number(content.get("difference_standard_error")))


def _number(content: Json, key: str) -> float:
    value = number(content.get(key, 0.0))
    if value is None:
        raise ValueError(f"{key} is {content[key]}")
    return value
