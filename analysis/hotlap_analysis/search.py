"""A search for the highest rate that keeps a promise: search.json as a page and findings.md."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hotlap_analysis import files, markdown, page, wording
from hotlap_analysis.document import Badge, Command, Document, Figure, Paragraph, Picture
from hotlap_analysis.document import Pictures, Section, Table, code
from hotlap_analysis.pictures import rate_curve
from hotlap_analysis.pictures.canvas import NARROW, STAND_IN, WIDE, standalone
from hotlap_analysis.run import RunError

SCHEMA = 1
NAME = "search.json"
PICTURE = "rate-curve"
Json = dict[str, Any]


# What a request may end as without having failed; those that were never sent lower the rate sent.
NO_FAILURE = ("ok", "in_flight", "never_sent")


@dataclass
class Step:
    """A load at one rate. `times` has, in µs, the quantiles that its samples support."""

    rate: float
    kept: bool
    times: dict[str, float]
    sent_percent: float | None
    failed: int


@dataclass
class Search:
    directory: Path
    promise: str
    quantile: str  # "p99.9"
    limit_us: float
    highest: float | None
    urls: list[str]
    command: str
    steps: list[Step]

    @property
    def by_rate(self) -> list[Step]:
        return sorted(self.steps, key=lambda step: step.rate)

    @property
    def shown(self) -> list[str]:
        """The median and the promised quantile, which may be one."""
        return list(dict.fromkeys(["p50", self.quantile]))


def read_search(directory: Path) -> Search:
    """Raises RunError where search.json is absent, broken, or of a later hotlap."""
    path = directory / NAME
    content = files.read_document(path, "a search", "schema", SCHEMA)
    try:
        return _search(directory, content)
    except (KeyError, TypeError, ValueError) as error:
        raise RunError(f"{path} lacks what a search has: {error!r}") from None


def _search(directory: Path, content: Json) -> Search:
    quantile = f"p{100 * float(content['quantile']):.10g}"
    steps = [_step(quantile, step) for step in content["steps"]]
    if not steps:
        raise ValueError("no load was finished")
    highest = content["highest_rate_per_s"]
    return Search(
        directory,
        str(content["promise"]),
        quantile,
        float(content["limit_ns"]) / 1e3,
        None if highest is None else float(highest),
        [str(url) for url in content["steps"][0]["load"]["urls"]],
        str(content.get("command") or ""),
        steps,
    )


def _step(quantile: str, step: Json) -> Step:
    load = step["load"]
    median, promised = load["response_time_ns"].get("p50"), step["promised_ns"]
    times = {"p50": median, quantile: promised}
    opened, requests = load["open"], load["requests"]
    share = opened["sent_share"]
    return Step(
        float(opened["asked_per_s"]),
        bool(step["kept"]),
        {name: float(ns) / 1e3 for name, ns in times.items() if ns},
        None if share is None else 100.0 * float(share),
        int(requests["started"]) - sum(int(requests[name]) for name in NO_FAILURE),
    )


def document(search: Search) -> Document:
    where = ", ".join(code(url) for url in search.urls)
    if search.highest is None:
        lowest = min(step.rate for step in search.steps)
        said = f"Not even {_rate(lowest)} requests a second to {where} kept {code(search.promise)}."
    else:
        best = f"**{_rate(search.highest)} requests a second**"
        said = f"{best} to {where} keep {code(search.promise)}, the highest rate found."
    header = ["asked/s", "sent", "failed", *search.shown, "promise"]
    rows = [
        [
            _rate(step.rate),
            wording.ABSENT if step.sent_percent is None else f"{step.sent_percent:.1f} %",
            f"{step.failed:,}",
            *(_microseconds(step.times.get(name)) for name in search.shown),
            "kept" if step.kept else "broken",
        ]
        for step in search.by_rate
    ]
    alt = f"Response time against rate: {', '.join(search.shown)}, and the limit of the promise"
    curve = Section(
        "Latency against rate",
        [
            Figure(PICTURE, alt),
            Paragraph(
                "Response time, from when a request was to start. Hollow: broken.", note=True
            ),
            Table(header, rows, "r" * (len(header) - 1) + "l"),
        ],
    )
    made = [Section("How to make it again", [Command(search.command)])] if search.command else []
    kind = "warning" if search.highest is None else "plain"
    return Document(
        "The highest rate that keeps a promise",
        [said],
        [Badge(search.promise, kind)],
        [("loads", str(len(search.steps)))],
        [curve, *made],
    )


def _rate(per_second: float) -> str:
    return f"{per_second:,.0f}" if per_second >= 100 else f"{per_second:.3g}"


def _microseconds(value: float | None) -> str:
    return wording.ABSENT if value is None else f"{value:,.0f} µs"


def write(search: Search) -> list[Path]:
    """search.html, findings.md and the picture. Raises RunError."""
    drawn = [rate_curve.draw(search, width, STAND_IN) for width in (WIDE, NARROW)]
    pictures: Pictures = {PICTURE: Picture(drawn[0].svg("rate-w"), drawn[1].svg("rate-n"))}
    told = document(search)
    directory = search.directory
    written = {
        directory / "pictures" / f"{PICTURE}.svg": standalone(pictures[PICTURE].wide),
        directory / "search.html": page.render(told, pictures),
        directory / "findings.md": markdown.render(told, pictures),
    }
    for path, text in written.items():
        files.replace(path, text.encode())
    return list(written)[1:]
