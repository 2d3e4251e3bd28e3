"""A report as a list of sections, said once and rendered as HTML and as Markdown.

Texts carry two marks of Markdown: `code` and **strong**. What comes from a run (targets, commands,
notes) goes through `code()` or `plain()` first, so that it cannot be taken for either.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Union


def code(text: str) -> str:
    """Text from outside as a code span."""
    cleaned = " ".join(text.replace("`", "ʼ").split())
    return f"`{cleaned}`" if cleaned else ""


def plain(text: str) -> str:
    """Text from outside as running words."""
    return " ".join(text.replace("`", "ʼ").replace("**", "∗∗").split())


@dataclass
class Paragraph:
    text: str
    note: bool = False  # smaller: a caption or a caveat


@dataclass
class Bullets:
    items: list[str]


@dataclass
class Table:
    """Columns are 'l' or 'r' (numbers); a row may be marked strong."""

    header: list[str]
    rows: list[list[str]]
    align: str
    strong: set[int] = field(default_factory=set)


@dataclass
class Figure:
    """A picture by name; the alternative text says what is to be seen."""

    name: str
    alt: str


@dataclass
class Command:
    text: str


@dataclass
class Patch:
    """Lines of a unified diff: each begins with a blank, '-', '+' or '@'."""

    lines: list[str]


@dataclass
class Listing:
    """Lines of text as they stand, each behind its place and its numbers; dear ones are shaded."""

    header: list[str]  # of the numbers
    lines: list[ListingLine]


@dataclass
class ListingLine:
    place: str  # a line's number, or an address
    numbers: list[str]
    text: str
    heat: float = 0.0  # 0 to 1


@dataclass
class Live:
    """What only a page can show, as its HTML; Markdown says what stands there instead."""

    html: str
    instead: str


Block = Union[Paragraph, Bullets, Table, Figure, Command, Patch, Listing, Live]


@dataclass
class Section:
    """Sections of one tab stand together; of a document that has tabs, a page shows one."""

    title: str
    blocks: list[Block]
    tab: str = ""


@dataclass
class Badge:
    text: str
    kind: str  # improved, regressed, warning, plain


@dataclass
class Document:
    title: str
    headlines: list[str]
    badges: list[Badge]
    key_figures: list[tuple[str, str]]
    sections: list[Section]


@dataclass
class Picture:
    """Both drawings of a picture, as SVG elements."""

    wide: str
    narrow: str


Pictures = dict[str, Picture]
