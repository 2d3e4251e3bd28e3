"""Requests that differ from one another: ids in templates, and an access log asked again."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from running import ONE_ROUND, TWO_FAST, Hotlap, assert_error, run_facts, server
from test_load import answering, checked


def target_of(head: bytes) -> str:
    return head.split(b" ")[1].decode()


def found(_number: int, head: bytes) -> bytes:
    """Each target is its own body; what ends in "gone" is not there."""
    target = target_of(head).encode()
    status = b"404 Not Found" if target.endswith(b"gone") else b"200 OK"
    return b"HTTP/1.1 %b\r\nContent-Length: %d\r\n\r\n%b" % (status, len(target), target)


def line(second: int, request: str, status: object = 200) -> str:
    time = f"10/Oct/2000:13:{second // 60:02}:{second % 60:02} +0000"
    return f'::1 - - [{time}] "{request} HTTP/1.1" {status} 5 "-" "curl/8"\n'


def test_every_request_has_an_id_of_its_own(hotlap: Hotlap) -> None:
    with answering(found) as (host, heads):
        result = hotlap.run(
            *("load", "--json", "-d", "300ms", "-c", "4", "--ids", "random:1..1000000"),
            *("--seed", "5", "-H", "X-Request: r{id}", f"http://{host}/item/{{id}}"),
        )
    assert result.code == 0, result.err
    load = checked(result.out)
    assert load["ids"] == {"kind": "random", "first": 1, "last": 1000000, "width": 0, "seed": 5}
    asked = [int(target_of(head).removeprefix("/item/")) for head in heads]
    assert len(asked) >= load["requests"]["ok"] > 0
    assert all(f"X-Request: r{id}".encode() in head for id, head in zip(asked, heads))
    assert all(1 <= id <= 1000000 for id in asked)
    # Of n random ids n²/2,000,000 are expected to be drawn before: no hot one among them.
    assert max(Counter(asked).values()) <= 5


def test_ids_reach_the_labs_server_pipelined(hotlap: Hotlap) -> None:
    with server(hotlap) as (_, url):
        result = hotlap.run(
            *("load", "--json", "-d", "300ms", "--pipeline", "8", "-t", "2"),
            *("--ids", "seq:001..200", f"{url}/echo?size={{id}}"),
        )
        assert result.code == 0, result.err
        assert checked(result.out)["requests"]["ok"] > 0
        same = hotlap.run(
            *("load", "-d", "100ms", "-c", "1", "--ids", "seq:1..9", "--same-body"),
            f"{url}/echo?size={{id}}",
        )
    assert_error(same, "a body other than the one expected")


def test_a_log_is_replayed_and_its_statuses_hold(hotlap: Hotlap, tmp_path: Path) -> None:
    log = tmp_path / "access.log"
    log.write_text(
        line(0, "GET /a") + line(0, "GET /gone", 404) + line(1, "POST /form") + "garbage\n"
        + line(1, "HEAD /b") + '::1 - - [10/Oct/2000:13:00:02 +0000] "-" 408 -\n' * 100
    )  # fmt: skip
    with answering(found) as (host, heads):
        result = hotlap.run(
            *("load", "--json", "-d", "300ms", "-c", "1", "--replay", log, f"http://{host}/")
        )
        assert result.code == 3, "HEAD gets a body here, which is no HTTP"
        result = hotlap.run(
            *("load", "--json", "-d", "300ms", "-c", "1", "--replay", log, "--expect", "any"),
            *("--allow-errors", "0.9", f"http://{host}/"),
        )
    assert result.code == 0, result.err
    load = checked(result.out)
    assert load["replay"]["path"] == str(log)
    counted = {name: load["replay"][name] for name in ("lines", "requests", "bad", "distinct")}
    assert counted == {"lines": 105, "requests": 3, "bad": 1, "distinct": 3}
    assert load["replay"]["without_body"] == 1 and load["replay"]["no_request"] == 100
    assert load["replay"]["first_bad_line"] == 4
    assert [target_of(head) for head in heads[:3]] == ["/a", "/gone", "/b"]


def test_a_log_is_replayed_by_its_own_timing(hotlap: Hotlap, tmp_path: Path) -> None:
    log = tmp_path / "access.log"
    log.write_text("".join(line(second, f"GET /{second}") for second in (0, 0, 1, 3)))
    with answering(found) as (host, heads):
        result = hotlap.run(
            *("load", "--json", "--replay", log, "--replay-speed", "4x", f"http://{host}/")
        )
    assert result.code == 0, result.err
    load = checked(result.out)
    assert load["open"]["arrivals"] == "recorded" and load["open"]["speed"] == 4
    assert load["open"]["asked_per_s"] == 4, "four requests in a fourth of four seconds"
    assert load["open"]["planned"] == 4 and load["requests"]["ok"] == 4
    assert sorted(target_of(head) for head in heads) == ["/0", "/0", "/1", "/3"]
    assert load["sending_s"] == pytest.approx(1, abs=0.3), "the log's length, no ten seconds"


def test_a_log_at_a_rate_begins_anew_at_its_end(hotlap: Hotlap, tmp_path: Path) -> None:
    log = tmp_path / "access.log"
    log.write_text(line(0, "GET /a") + line(0, "GET /b"))
    with answering(found) as (host, heads):
        result = hotlap.run(
            *("load", "-d", "500ms", "-R", "50", "--replay", log, f"http://{host}/")
        )
    assert result.code == 0, result.err
    assert Counter(map(target_of, heads)) == {"/a": 13, "/b": 12}
    assert "asked 12.5 times over" in " ".join(result.out.split())
    shown = result.out.replace(str(log), "access.log")  # a path is not broken
    assert max(map(len, shown.splitlines())) <= 80


def test_a_post_is_left_out_or_sent_empty(hotlap: Hotlap, tmp_path: Path) -> None:
    log = tmp_path / "access.log"
    log.write_text(line(0, "POST /form"))
    with answering(found) as (host, heads):
        out = hotlap.run("load", "--replay", log, f"http://{host}/")
        assert_error(out, "1 need a body", str(log))
        sent = hotlap.run(
            *("load", "-d", "100ms", "--replay", log, "--replay-bodies", "empty"),
            f"http://{host}/",
        )
    assert sent.code == 0, sent.err
    assert b"POST /form" in heads[0] and b"Content-Length: 0" in heads[0]


@pytest.mark.parametrize(
    "more, words",
    [
        (["--ids", "seq:1..9"], ["no request has a place", "{id}"]),
        (["--ids", "some"], ["--ids", "random:1..1000000"]),
        (["--same-body"], ["--same-body", "--ids"]),
        (["--expect", "any"], ["--expect", "--replay"]),
        (["--replay-speed", "2x"], ["--replay-speed", "--replay"]),
        (["--replay", "LOG", "--replay-speed", "fast"], ["fast", "0.5x"]),
        (["--replay", "LOG", "--replay-speed", "1", "-R", "5"], ["--rate or --replay-speed"]),
        (["--replay", "LOG", "--request", "/a"], ["--request", "--replay"]),
        (["--replay", "LOG", "--body", "x"], ["--body"]),
        (["--replay", "LOG", "--expect-status", "404"], ["--expect-status", "--expect any"]),
        (["--replay", "LOG", "--expect", "some"], ["logged, any"]),
        (["--replay", "LOG", "--replay-bodies", "some"], ["skip, empty"]),
        (["--replay", "LOG", "--ids", "seq:1..9"], ["either --ids or --replay"]),
        (["--replay", "LOG", "--seed", "1"], ["--seed"]),
        (["--replay", "NONE"], ["none.log", "No such file"]),
        (["--replay", "BAD"], ["bad.log", "2 of its 3 lines", "line 2", "no time"]),
    ],
)
def test_what_cannot_be_is_told(
    hotlap: Hotlap, tmp_path: Path, more: list[str], words: list[str]
) -> None:
    (tmp_path / "good.log").write_text(line(0, "GET /a"))
    (tmp_path / "bad.log").write_text(line(0, "GET /a") + "a\nb\n")
    files = {"LOG": "good.log", "BAD": "bad.log", "NONE": "none.log"}
    more = [str(tmp_path / files[word]) if word in files else word for word in more]
    assert_error(hotlap.run("load", "-d", "100ms", *more, "http://127.0.0.1:9/"), *words)


def test_a_place_without_ids_is_no_literal(hotlap: Hotlap) -> None:
    result = hotlap.run("load", "-d", "100ms", "http://127.0.0.1:9/item/{id}")
    assert_error(result, "/item/{id}", "--ids")


def test_arms_are_compared_on_a_stream(hotlap: Hotlap, tmp_path: Path) -> None:
    log = tmp_path / "access.log"
    asked = [line(0, "GET /hello"), line(0, "GET /nowhere", 404), line(1, "GET /echo?size=9")]
    log.write_text("".join(asked))
    for more in (
        ["--request", "/echo?size={id}", "--ids", "random:1..100"],
        ["--replay", str(log)],
    ):
        out = tmp_path / more[0].strip("-")
        result = hotlap.run(
            *("ab", *TWO_FAST, *ONE_ROUND, "--no-counting", "--seed", "3", "--out", out, *more)
        )
        assert result.code == 0, result.err
        effective = run_facts(out)["effective"]["workload"]
        if "ids" in effective:
            assert effective["ids"]["seed"] == "3", "every draw of a run follows from its seed"
            assert run_facts(out)["verify"]["differences"] == 0
        else:
            assert effective["replay"]["path"] == str(log)
            assert re.search(r"replays 3 requests \(3 distinct\)", json.dumps(run_facts(out)))
