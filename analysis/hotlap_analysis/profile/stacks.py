"""Frames and stacks of profile.json, as all its views have them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Frame:
    function: str
    object: str
    kernel: bool
    stage: str


@dataclass(frozen=True)
class Stack:
    frames: tuple[int, ...]  # into ArmProfile.frames, root first
    samples: float  # or what else it weighs
    stage: str
    squares: float | None = None  # summed over events; of samples, their number


def read_frames(content: Json) -> list[Frame]:
    return [
        Frame(str(f.get("function") or ""), str(f.get("object") or ""), bool(f.get("kernel")),
              str(f.get("stage") or ""))
        for f in content.get("frames") or []
    ]  # fmt: skip


def read_indices(content: Json, known: int) -> tuple[int, ...]:
    frames = tuple(int(index) for index in content.get("frames") or [])
    outside = [index for index in frames if not 0 <= index < known]
    if outside:
        raise ValueError(f"a stack names frame {outside[0]} of {known}")
    return frames


def count(content: Json, key: str) -> int:
    """An integer, which protobuf's JSON prints as a string where it has 64 bits."""
    return int(content.get(key) or 0)
