"""The call tree of all arms together, pruned, as a list of numbers that the page reads.

A frame of the flame graph is a node with samples of each arm, so that one layout serves both arms
and their difference. Costs one pass over the stacks; frames below 0.05 % of every arm become one
frame "(small)" beside their siblings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from hotlap_analysis.profile.recording import Profile

SMALLEST_SHARE = 0.0005


@dataclass
class Node:
    """A function at one place of the call tree, with its samples and those of what it called."""

    function: str
    object: str
    samples: list[int]
    children: dict[tuple[str, str], Node] = field(default_factory=dict)
    stages: Counter[str] = field(default_factory=Counter)  # to which samples of it are charged
    marked: str = ""  # the stage whose code it is
    folded: int = 0  # frames that this one stands for

    @property
    def is_small(self) -> bool:
        return self.folded > 0


def build(profile: Profile) -> Node:
    """Every arm's stacks under one root; a recursion stays as deep as it was."""
    root = Node("all", "", [0] * len(profile.arms))
    for place, arm in enumerate(profile.arms):
        for stack in arm.stacks:
            node = root
            _add(node, place, stack.samples, stack.stage)
            for index in stack.frames:
                frame = arm.frames[index]
                key = (frame.function, frame.stage)
                if key not in node.children:
                    empty = [0] * len(profile.arms)
                    node.children[key] = Node(
                        frame.function, frame.object, empty, marked=frame.stage
                    )
                node = node.children[key]
                _add(node, place, stack.samples, stack.stage)
    return root


def _add(node: Node, place: int, samples: int, stage: str) -> None:
    node.samples[place] += samples
    node.stages[stage] += samples


def prune(root: Node, profile: Profile) -> int:
    """Folds small siblings into one; returns how many frames went."""
    least = [SMALLEST_SHARE * arm.samples for arm in profile.arms]
    gone = 0
    waiting = [root]
    while waiting:
        node = waiting.pop()
        small = [c for c in node.children.values() if all(s < t for s, t in zip(c.samples, least))]
        if small:
            kept = {k: c for k, c in node.children.items() if not any(c is s for s in small)}
            folded = _fold(small)
            node.children = {**kept, ("(small)", "(small)"): folded}
            gone += folded.folded
        waiting += node.children.values()
    return gone


def _fold(small: list[Node]) -> Node:
    frames = sum(_size(child) for child in small)
    name = "(small: 1 frame)" if frames == 1 else f"(small: {frames} frames)"
    folded = Node(name, "", [sum(s) for s in zip(*(c.samples for c in small))], folded=frames)
    for child in small:
        folded.stages.update(child.stages)
    return folded


def _size(node: Node) -> int:
    count, waiting = 0, [node]
    while waiting:
        count += 1
        waiting += waiting.pop().children.values()
    return count


def in_order(root: Node, weights: list[float]) -> Iterator[tuple[Node, str]]:
    """Nodes before their children, dear ones first, each with the stage that colours it."""

    def cost(node: Node) -> tuple[bool, float, str]:
        dearest = max(s * w for s, w in zip(node.samples, weights))
        return (node.is_small, -dearest, node.function)

    waiting = [(root, "")]
    while waiting:
        node, inherited = waiting.pop()
        stage = _stage(node, inherited)
        yield node, stage
        below = sorted(node.children.values(), key=cost)
        waiting += [(child, stage) for child in reversed(below)]


def _stage(node: Node, inherited: str) -> str:
    """That of all its samples where they agree; else whose code it is, or its caller's."""
    if len(node.stages) == 1:
        return next(iter(node.stages))
    return node.marked or inherited


def inclusive(profile: Profile) -> dict[tuple[str, str, str], list[int]]:
    """Samples of each arm with a function on their stack, however often: (it, object, stage)."""
    found: dict[tuple[str, str, str], list[int]] = {}
    for place, arm in enumerate(profile.arms):
        for stack in arm.stacks:
            frames = {arm.frames[index] for index in stack.frames}
            for key in {(frame.function, frame.object, stack.stage) for frame in frames}:
                found.setdefault(key, [0] * len(profile.arms))[place] += stack.samples
    return found
