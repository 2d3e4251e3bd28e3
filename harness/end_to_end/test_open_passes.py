"""Open-loop passes behind the rounds of an experiment."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import ONE_ROUND, TWO_FAST, Hotlap, Result, assert_error, faulty, rows, run_facts

PASSES = (*ONE_ROUND, "--no-counting", "--no-verify")


def ab(hotlap: Hotlap, out: Path, *arguments: object) -> Result:
    return hotlap.run("ab", *PASSES, "--out", out, *arguments)


def of(passes: list[dict], arm: str) -> list[dict]:
    return [one for one in passes if one["arm"] == arm]


def test_passes_are_in_the_run_and_told(hotlap: Hotlap, out: Path) -> None:
    result = ab(
        hotlap, out, *TWO_FAST, "--rate", "400", "--arrivals", "poisson", "--seed", "4",
        "--passes", "2", "--pass-s", "0.5",
    )  # fmt: skip
    assert result.code == 0, result.err
    for words in ("response times in an open loop at 400", "Poisson", "descriptive only"):
        assert words in result.out
    facts = run_facts(out)
    assert facts["effective"]["open_passes"]["loop"]["seed"] == "4"
    assert len(facts["open_passes"]) == 2
    arms = [arm for one in facts["open_passes"] for arm in one["arms"]]
    assert sorted(arm["arm"] for arm in arms) == [0, 0, 1, 1]
    for arm in arms:
        assert int(arm["counts"]["started"]) == int(arm["counts"]["ok"])
        assert arm["asked_per_s"] == 400
        assert int(arm["response"]["p50_ns"]) >= int(arm["service"]["p50_ns"]) > 0
        assert "response_latency" not in arm, "latency.csv has it"
    counts: dict[tuple[str, str, str], int] = {}
    for row in rows(out, "latency.csv"):
        key = (row["pass"], row["round"], row["arm"])
        counts[key] = counts.get(key, 0) + int(row["count"])
    for one in facts["open_passes"]:
        for arm in one["arms"]:
            for name in ("open", "open_service"):
                key = (name, str(one["index"]), "ab"[arm["arm"]])
                assert counts[key] == int(arm["counts"]["ok"])
    # Both arms were offered the same plan.
    started = {int(arm["counts"]["started"]) for arm in arms}
    assert len(started) == 1


def test_six_pairs_are_compared(hotlap: Hotlap, out: Path) -> None:
    result = ab(
        hotlap, out, *TWO_FAST, "--json", "--rate", "2000", "--passes", "6", "--pass-s", "0.6"
    )
    assert result.code == 0, result.err
    told = result.json()["open_passes"]
    assert len(told["passes"]) == 12
    assert [one["quantile"] for one in told["comparisons"]] == ["p50", "p99"]
    for one in told["comparisons"]:
        low, high = one["interval_percent"]
        assert one["passes"] == 6 and low <= one["estimate_percent"] <= high
    orders = {tuple(arm["arm"] for arm in one["arms"]) for one in run_facts(out)["open_passes"]}
    assert orders <= {(0, 1), (1, 0)}


def test_a_frozen_server_shows_at_full_length(hotlap: Hotlap, out: Path) -> None:
    # Its thousandth request comes two seconds into the pass, and in no round.
    result = ab(
        hotlap, out, "--json", "--a", faulty("ok"), "--b", faulty("freeze", 1000), "-c", "8",
        "--rate", "500", "--passes", "1", "--pass-s", "4",
    )  # fmt: skip
    assert result.code == 0, result.err
    passes = result.json()["open_passes"]["passes"]
    (a,), (b,) = of(passes, "a"), of(passes, "b")
    second = 1_000_000_000
    assert b["response_ns"]["max"] >= 0.98 * second
    # All who came meanwhile felt it: of 2,000 requests 500, the last of them not at all.
    assert b["response_ns"]["p99"] >= 0.8 * second
    assert b["late"] >= 400
    # Only those that were under way when it froze were served so slowly: the closed loop's view.
    assert b["service_ns"]["p99"] < 0.5 * second
    assert a["response_ns"]["p50"] < 0.5 * second
    assert b["started"] == b["ok"] == 2000


def test_a_log_sets_the_times_of_a_pass(hotlap: Hotlap, out: Path, tmp_path: Path) -> None:
    log = tmp_path / "access.log"
    log.write_text(
        "".join(
            f'::1 - - [10/Oct/2000:13:00:{second:02} +0000] "GET /hello HTTP/1.1" 200 5\n'
            for second in range(10)
        )
    )
    result = ab(
        hotlap, out, *TWO_FAST, "--json", "--replay", log, "--replay-speed", "20x", "--passes", "1"
    )
    assert result.code == 0, result.err
    for one in result.json()["open_passes"]["passes"]:
        assert one["started"] == 10 and one["asked_per_s"] == pytest.approx(20)


@pytest.mark.parametrize(
    "more, words",
    [
        (["--passes", "3"], ["--passes", "--rate"]),
        (["--pass-s", "3"], ["--pass-s", "--rate"]),
        (["--arrivals", "poisson"], ["--arrivals", "--rate"]),
        (["--rate", "0"], ["rate 0"]),
        (["--rate", "5", "--passes", "0"], ["passes", "1 to"]),
        (["--rate", "5", "--pass-s", "0"], ["pass_s"]),
        (["--rate", "5", "--replay-speed", "1"], ["--rate or --replay-speed"]),
        (["--replay-speed", "1"], ["--replay-speed", "--replay"]),
        (["--rate", "5", "--deterministic"], ["--rate", "--deterministic"]),
    ],
)
def test_what_cannot_be_is_told(
    hotlap: Hotlap, out: Path, more: list[str], words: list[str]
) -> None:
    assert_error(ab(hotlap, out, *TWO_FAST, *more), *words)
