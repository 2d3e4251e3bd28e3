"""The document as one file of HTML: no request to anywhere, and no script but what is given."""

from __future__ import annotations

import html
import re
from pathlib import Path

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
    Section,
    Table,
)
from hotlap_analysis.pictures.canvas import DARK, LIGHT, SANS, css_variables

STYLE = Path(__file__).with_name("page.css")


NO_REQUESTS = (
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
    "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
)


def render(document: Document, pictures: Pictures, style: str = "", script: str = "") -> str:
    """`style` and `script` go with what is Live in the document."""
    sections = _sections(document.sections, pictures)
    badges = "".join(
        f'<li class="badge {badge.kind}">{inline(badge.text)}</li>' for badge in document.badges
    )
    figures = "".join(
        f"<div><dt>{html.escape(label)}</dt><dd>{inline(value)}</dd></div>"
        for label, value in document.key_figures
    )
    headlines = "".join(f"<p>{inline(headline)}</p>" for headline in document.headlines)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
{NO_REQUESTS if script else ""}\
<title>{html.escape(re.sub("[`*]", "", document.title))}</title>
<style>
{_colors()}{STYLE.read_text(encoding="utf-8")}{style}</style>
</head>
<body>
<header>
<h1>{inline(document.title)}</h1>
<div class="headline">{headlines}</div>
<ul class="badges">{badges}</ul>
{f'<dl class="figures">{figures}</dl>' if figures else ""}
</header>
<main>
{sections}
</main>
{f"<script>{chr(10)}{script}</script>{chr(10)}" if script else ""}\
</body>
</html>
"""


def _colors() -> str:
    light = f"{css_variables(LIGHT)} --page: #f6f7f8; --sans: {SANS};"
    dark = f"{css_variables(DARK)} --page: #121417;"
    return f":root {{ {light} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"


def _sections(sections: list[Section], pictures: Pictures) -> str:
    """Those with a tab in a panel for each tab, behind buttons that a script shows; then others."""
    panels: dict[str, list[str]] = {}
    for section in sections:
        panels.setdefault(section.tab, []).append(_section(section, pictures))
    rest = "\n".join(panels.pop("", []))
    if not panels:
        return rest
    buttons, bodies = [], []
    for tab, parts in panels.items():
        name, body = _anchor(tab), "\n".join(parts)
        buttons.append(
            f'<button type="button" role="tab" id="tab-{name}" aria-controls="{name}">'
            f"{html.escape(tab)}</button>"
        )
        bodies.append(
            f'<div role="tabpanel" id="{name}" aria-labelledby="tab-{name}">\n{body}\n</div>'
        )
    listed = f'<div role="tablist" aria-label="views" hidden>{"".join(buttons)}</div>'
    return "\n".join([listed, *bodies, rest])


def _anchor(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def _section(section: Section, pictures: Pictures) -> str:
    anchor = _anchor(section.title)
    body = "\n".join(_block(block, pictures) for block in section.blocks)
    return f'<section id="{anchor}">\n<h2>{inline(section.title)}</h2>\n{body}\n</section>'


def _block(block: Block, pictures: Pictures) -> str:
    if isinstance(block, Paragraph):
        kind = ' class="note"' if block.note else ""
        return f"<p{kind}>{inline(block.text)}</p>"
    if isinstance(block, Bullets):
        return "<ul>" + "".join(f"<li>{inline(item)}</li>" for item in block.items) + "</ul>"
    if isinstance(block, Command):
        return f'<pre tabindex="0"><code>{html.escape(block.text)}</code></pre>'
    if isinstance(block, Patch):
        return _patch(block)
    if isinstance(block, Figure):
        return _figure(block, pictures)
    if isinstance(block, Listing):
        return _listing(block)
    if isinstance(block, Live):
        return block.html
    return _table(block)


def _patch(patch: Patch) -> str:
    kinds = {"-": "removed", "+": "added", "@": "hunk"}
    lines = "\n".join(
        f'<span class="{kinds.get(line[:1], "same")}">{html.escape(line)}</span>'
        for line in patch.lines
    )
    return f'<pre class="patch" tabindex="0"><code>{lines}</code></pre>'


def _figure(figure: Figure, pictures: Pictures) -> str:
    picture = pictures.get(figure.name)
    if picture is None:
        return ""
    alt = html.escape(re.sub("[`*]", "", figure.alt), quote=True)
    return (
        f'<figure role="img" aria-label="{alt}">'
        f'<div class="wide">{picture.wide}</div><div class="narrow">{picture.narrow}</div></figure>'
    )


def _listing(listing: Listing) -> str:
    head = "".join(f'<th class="r">{html.escape(name)}</th>' for name in listing.header)
    rows = []
    for line in listing.lines:
        cells = "".join(f'<td class="r">{html.escape(number)}</td>' for number in line.numbers)
        shade = f"color-mix(in srgb, var(--dearer) {70 * line.heat:.0f}%, transparent)"
        style = f' style="background: {shade}"' if line.heat > 0.0 else ""
        rows.append(
            f'<tr{style}>{cells}<td class="r number">{html.escape(line.place)}</td>'
            f"<td><code>{html.escape(line.text)}</code></td></tr>"
        )
    return (
        '<div class="table" tabindex="0"><table class="listing"><thead><tr>'
        f'{head}<th class="r">line</th><th></th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _table(table: Table) -> str:
    def cells(row: list[str], tag: str) -> str:
        return "".join(
            f'<{tag}{" class=" + chr(34) + "r" + chr(34) if a == "r" else ""}>{inline(c)}</{tag}>'
            for c, a in zip(row, table.align)
        )

    rows = "".join(
        f'<tr{" class=" + chr(34) + "strong" + chr(34) if i in table.strong else ""}>'
        f"{cells(row, 'td')}</tr>"
        for i, row in enumerate(table.rows)
    )
    head = f"<thead><tr>{cells(table.header, 'th')}</tr></thead>" if any(table.header) else ""
    return f'<div class="table" tabindex="0"><table>{head}<tbody>{rows}</tbody></table></div>'


def inline(text: str) -> str:
    """`code`, **strong** and [page.html](page.html) beside this one as elements, all else escaped;
    verdict words get their colour."""
    out = []
    for part in re.split(r"(`[^`]*`|\*\*[^*]*\*\*|\[[a-z]+\.html\]\([a-z]+\.html\))", text):
        page = re.fullmatch(r"\[([a-z]+\.html)\]\(\1\)", part)
        if page:
            out.append(f'<a href="{page[1]}">{page[1]}</a>')
        elif part.startswith("`"):
            out.append(f"<code>{_breakable(html.escape(part[1:-1]))}</code>")
        elif part.startswith("**"):
            inner = part[2:-2]
            kind = inner.split(",")[0].lower()
            known = kind if kind in ("improved", "regressed") else "word"
            out.append(f'<strong class="{known}">{html.escape(inner)}</strong>')
        else:
            escaped = re.sub(r"10\^(−\d+)", r"10<sup>\1</sup>", html.escape(part))
            out.append(_breakable(escaped))
    return "".join(out)


def _breakable(escaped: str) -> str:
    """A line may break after the commas and equal signs of a pipeline, and within C++ names."""
    return re.sub(r"(?<=[a-z_0-9][=,])(?=[a-z])|(?<=::)(?=\w)", "<wbr>", escaped)
