"""The document as findings.md: GitHub's Markdown, pictures by relative path."""

from __future__ import annotations

import re

from hotlap_analysis.document import (
    Block,
    Bullets,
    Command,
    Document,
    Figure,
    Listing,
    Live,
    Paragraph,
    Patch,
    Pictures,
    Table,
)


def render(document: Document, pictures: Pictures) -> str:
    parts = [f"# {_inline(document.title)}"]
    parts += [_inline(headline) for headline in document.headlines]
    if document.badges:
        parts.append(" · ".join(f"**{_inline(badge.text)}**" for badge in document.badges))
    if document.key_figures:
        parts.append("\n".join(f"- {label}: {_inline(v)}" for label, v in document.key_figures))
    for section in document.sections:
        parts.append(f"## {_inline(section.title)}")
        parts += [_block(block, pictures) for block in section.blocks]
    return "\n\n".join(part for part in parts if part) + "\n"


def _block(block: Block, pictures: Pictures) -> str:
    if isinstance(block, Paragraph):
        return f"<sub>{_inline(block.text)}</sub>" if block.note else _inline(block.text)
    if isinstance(block, Bullets):
        return "\n".join(f"- {_inline(item)}" for item in block.items)
    if isinstance(block, Command):
        return f"```\n{block.text.replace('```', 'ʼʼʼ')}\n```"
    if isinstance(block, Patch):
        lines = "\n".join(block.lines).replace("```", "ʼʼʼ")
        return f"```diff\n{lines}\n```"
    if isinstance(block, Listing):
        return _listing(block)
    if isinstance(block, Live):
        return _inline(block.instead)
    if isinstance(block, Figure):
        if block.name not in pictures:
            return ""
        alt = re.sub(r"[\[\]`*]", "", block.alt)
        return f"![{alt}](pictures/{block.name}.svg)"
    return _table(block)


def _listing(listing: Listing) -> str:
    rows = [[*listing.header, "line", ""]]
    rows += [[*line.numbers, line.place, line.text] for line in listing.lines]
    wide = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
    lines = [
        "  ".join([*(cell.rjust(w) for cell, w in zip(row, wide)), row[-1]]).rstrip()
        for row in rows
    ]
    return "```text\n" + "\n".join(lines).replace("```", "ʼʼʼ") + "\n```"


def _table(table: Table) -> str:
    rules = ["---:" if a == "r" else ":---" for a in table.align]
    lines = [_row([_inline(cell) for cell in table.header]), _row(rules)]
    for index, row in enumerate(table.rows):
        cells = [_cell(cell) for cell in row]
        if index in table.strong:
            cells = [f"**{c}**" if c and "**" not in c and "`" not in c else c for c in cells]
        lines.append(_row(cells))
    return "\n".join(lines)


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _cell(text: str) -> str:
    return _inline(text).replace("|", "\\|")


def _inline(text: str) -> str:
    """Escapes what Markdown or HTML would take for markup, outside code spans."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(p if p.startswith("`") else _escape(p) for p in parts)


def _escape(text: str) -> str:
    text = text.replace("&", "&amp;").replace("<", "&lt;")
    return re.sub(r"(?<![*])([_\[\]])", r"\\\1", text)
