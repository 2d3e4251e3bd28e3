"""A search for the highest rate: its page, its curve, and what is no search."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hotlap_analysis import cli, search


def a_load(rate: float, p50_us: float | None, sent: float, failed: int) -> dict[str, Any]:
    return {
        "urls": ["http://127.0.0.1:8080/hello?a=1&b=<2>"],
        "open": {"asked_per_s": rate, "sent_share": sent},
        "requests": {"started": 1300, "ok": 990 - failed, "in_flight": 10, "never_sent": 300},
        "response_time_ns": {"p50": None if p50_us is None else p50_us * 1000},
    }


def written(tmp_path: Path, highest: float | None = 4000.0, **changes: Any) -> Path:
    tried = [
        (1000, 60, 500),
        (2000, 70, 700),
        (4000, 90, 1900),
        (8000, 4000, 90000),
        (5657, 300, None),
    ]
    steps = [
        {
            "kept": highest is not None and rate <= highest,
            "promised_ns": None if tail is None else tail * 1000,
            "load": a_load(rate, median, 1.0 if rate < 8000 else 0.62, 0 if rate < 8000 else 7),
        }
        for rate, median, tail in tried
    ]
    content = {
        "schema": 1,
        "command": "hotlap load --max-rate-within 'p99.9<2ms' http://127.0.0.1:8080/hello",
        "promise": "p99.9<2ms",
        "quantile": 0.999,
        "limit_ns": 2e6,
        "highest_rate_per_s": highest,
        "steps": steps,
    } | changes
    (tmp_path / "search.json").write_text(json.dumps(content))
    return tmp_path


def test_the_page_says_what_was_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["search", str(written(tmp_path))]) == 0
    assert capsys.readouterr().out.split() == [
        str(tmp_path / name) for name in ("search.html", "findings.md")
    ]
    told = (tmp_path / "findings.md").read_text()
    assert "**4,000 requests a second**" in told and "`p99.9<2ms`" in told
    assert "(pictures/rate-curve.svg)" in told
    page = (tmp_path / "search.html").read_text()
    assert "&lt;2&gt;" in page and "b=<2>" not in page
    assert page.count("<svg") == 2, "one for a screen, one for a phone"


def test_rows_are_in_the_order_of_their_rates(tmp_path: Path) -> None:
    found = search.read_search(written(tmp_path))
    assert [step.rate for step in found.by_rate] == [1000, 2000, 4000, 5657, 8000]
    assert found.shown == ["p50", "p99.9"]
    unsupported = found.by_rate[3]
    assert unsupported.times == {"p50": 300.0}, "too few samples are no zero"
    broken = found.by_rate[4]
    assert (broken.kept, broken.sent_percent, broken.failed) == (False, 62.0, 7)
    rows = [line for line in (search.document(found).sections[0].blocks) if hasattr(line, "rows")]
    assert rows[0].rows[3][4] == "–" and rows[0].rows[4][-1] == "broken"


def test_a_promise_that_nothing_kept(tmp_path: Path) -> None:
    found = search.read_search(written(tmp_path, highest=None))
    assert "Not even 1,000 requests a second" in search.document(found).headlines[0]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "not valid JSON"),
        ("[]", "schema is None"),
        ('{"schema": 2}', "schema is 2"),
        ('{"schema": 1, "quantile": 0.99, "steps": []}', "lacks"),
    ],
)
def test_what_is_no_search(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, word: str
) -> None:
    (tmp_path / "search.json").write_text(text)
    assert cli.main(["search", str(tmp_path)]) == 3
    said = capsys.readouterr().err
    assert said.startswith("hotlap load: ") and word in said
