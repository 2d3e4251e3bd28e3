"""Where an audit's targets fault pages in: which code, in which mapping, how often a request."""

from __future__ import annotations

from typing import Any

from hotlap_analysis.document import Block, Paragraph, Section, Table, code, plain

Json = dict[str, Any]
MOST_SITES = 15


def sections(arms: list[Json]) -> list[Section]:
    """One for every arm that was asked for its faults."""
    return [_section(arm) for arm in arms if arm.get("faults")]


def _section(arm: Json) -> Section:
    faults = arm["faults"]
    title = f"Page faults of {arm['arm']}"
    if faults.get("unavailable"):
        return Section(title, [Paragraph(f"Not to be had: {plain(str(faults['unavailable']))}.")])
    total, requests = int(faults.get("faults") or 0), int(faults.get("requests") or 0)
    said = (
        f"{code(arm['asked'])} faults {float(faults.get('per_request') or 0.0):.2f} pages in a "
        f"request: {total:,} in {requests:,} requests after the first."
    )
    sites = faults.get("sites") or []
    shown = sites[:MOST_SITES]
    rows = [
        [
            f"{float(site['per_request']):.2f}",
            plain(str(site.get("place", ""))),
            code(str(site.get("code", ""))),
            ", ".join(code(str(caller)) for caller in site.get("callers") or []),
        ]
        for site in shown
    ]
    blocks: list[Block] = [Paragraph(said)]
    if rows:
        blocks.append(Table(["a request", "page of", "code", "called from"], rows, "rlll"))
    left = total - sum(int(site.get("faults") or 0) for site in shown)
    if left:
        blocks.append(Paragraph(f"{left:,} more are spread over other sites.", note=True))
    blocks.append(
        Paragraph(
            "Each fault is a sample of perf with its stack; a fault while the kernel copies for a "
            "system call belongs to that call.",
            note=True,
        )
    )
    return Section(title, blocks)
