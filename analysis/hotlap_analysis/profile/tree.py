"""The call tree of all arms together, pruned, as a list of numbers that the page reads.

A frame of the flame graph is a node with samples of each arm, so that one layout serves both arms
and their difference. What is below 0.05 % of every arm becomes one frame "(small)" beside its
siblings. Costs a visit to each frame of each stack, less what is small.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from hotlap_analysis.profile.stacks import Frame, Stack

SMALLEST_SHARE = 0.0005


class Weighed(Protocol):
    """An arm's stacks and what they weigh: samples, or an amount of another view."""

    @property
    def arm(self) -> str:
        ...

    @property
    def frames(self) -> Sequence[Frame]:
        ...

    @property
    def stacks(self) -> Sequence[Stack]:
        ...

    @property
    def samples(self) -> float:
        ...

    @property
    def ns_per_sample(self) -> float:
        ...


class Recorded(Protocol):
    @property
    def arms(self) -> Sequence[Weighed]:
        ...


@dataclass(slots=True)
class Node:
    """A function at one place of the call tree, with its samples and those of what it called."""

    function: str
    object: str
    marked: str  # the stage whose code it is
    samples: list[float]
    squares: list[float]  # of what its events weigh, summed
    stages: set[str]  # to which its samples are charged
    is_small: bool = False
    children: list[Node] = field(default_factory=list)


@dataclass(slots=True)
class _Stack:
    """A stack that passes through a node: of which arm, and its frames from the root."""

    place: int
    frames: list[Frame]
    samples: float
    squares: float
    stage: str


def build(profile: Recorded) -> Node:
    """Every arm's stacks under one root; a recursion stays as deep as it was."""
    least = [SMALLEST_SHARE * arm.samples for arm in profile.arms]
    stacks = [
        _Stack(place, [arm.frames[i] for i in stack.frames], stack.samples,
               stack.samples if stack.squares is None else stack.squares, stack.stage)
        for place, arm in enumerate(profile.arms)
        for stack in arm.stacks
    ]  # fmt: skip
    root = _node(Frame("all", "", False, ""), stacks, len(least))
    waiting = [(root, stacks, 0)]
    while waiting:
        node, through, depth = waiting.pop()
        small: list[_Stack] = []
        for below in _by_frame(through, depth):
            child = _node(below[0].frames[depth], below, len(least))
            if all(samples < few for samples, few in zip(child.samples, least)):
                small += below
            else:
                node.children.append(child)
                waiting.append((child, below, depth + 1))
        if small:
            name = f"(small: {len(small)} stack{'' if len(small) == 1 else 's'})"
            folded = _node(Frame(name, "", False, ""), small, len(least))
            folded.is_small = True
            node.children.append(folded)
    return root


def _by_frame(stacks: list[_Stack], depth: int) -> list[list[_Stack]]:
    """By function, whatever file it is in: two builds of a program are compared."""
    groups: dict[tuple[str, str], list[_Stack]] = {}
    for stack in stacks:
        if depth < len(stack.frames):
            frame = stack.frames[depth]
            groups.setdefault((frame.function, frame.stage), []).append(stack)
    return list(groups.values())


def _node(frame: Frame, stacks: list[_Stack], arms: int) -> Node:
    samples, squares = [0.0] * arms, [0.0] * arms
    for stack in stacks:
        samples[stack.place] += stack.samples
        squares[stack.place] += stack.squares
    stages = {stack.stage for stack in stacks}
    return Node(frame.function, frame.object, frame.stage, samples, squares, stages)


def in_order(root: Node, profile: Recorded) -> Iterator[tuple[Node, str]]:
    """Nodes before their children, dear ones first, each with the stage that colours it."""
    weights = [arm.ns_per_sample for arm in profile.arms]
    homes = _homes(profile)

    def cost(node: Node) -> tuple[bool, float, str]:
        dearest = max(s * w for s, w in zip(node.samples, weights))
        return (node.is_small, -dearest, node.function)

    waiting = [(root, "")]
    while waiting:
        node, inherited = waiting.pop()
        stage = _stage(node, inherited or homes.get(node.object, ""))
        yield node, stage
        below = sorted(node.children, key=cost)
        waiting += [(child, stage) for child in reversed(below)]


def _stage(node: Node, inherited: str) -> str:
    """That of all its samples where they agree; else whose code it is, or what it inherits."""
    if len(node.stages) == 1:
        return next(iter(node.stages))
    return node.marked or inherited


def _homes(profile: Recorded) -> dict[str, str]:
    """Of targets without stages: what an object's own code is charged to."""
    found: dict[str, str] = {}
    for arm in profile.arms:
        for stack in arm.stacks:
            if stack.frames and stack.stage in ("program", "libraries"):
                found[arm.frames[stack.frames[-1]].object] = stack.stage
    return found


def inclusive(profile: Recorded) -> dict[tuple[str, str, str], list[float]]:
    """Samples of each arm with a function on their stack, however often: (it, object, stage)."""
    found: dict[tuple[str, str, str], list[float]] = {}
    for place, arm in enumerate(profile.arms):
        for stack in arm.stacks:
            frames = {arm.frames[index] for index in stack.frames}
            for key in {(frame.function, frame.object, stack.stage) for frame in frames}:
                found.setdefault(key, [0.0] * len(profile.arms))[place] += stack.samples
    return found
