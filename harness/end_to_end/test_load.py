"""hotlap load from outside: both loops, every form of output, and what makes a load fail."""

from __future__ import annotations

import csv
import json
import os
import pty
import re
import socket
import subprocess
import threading
from pathlib import Path

import pytest
from loading import answering, checked, ok
from running import Hotlap, assert_error, server


@pytest.mark.parametrize(
    "more",
    [
        [],
        ["--pipeline", "8"],
        ["-R", "200"],
        ["-R", "200", "--arrivals", "poisson", "--seed", "5"],
        ["-R", "200", "--arrivals", "burst:10", "--catch-up", "none", "-c", "10"],
    ],
)
def test_json_follows_its_schema(hotlap: Hotlap, more: list[str]) -> None:
    with server(hotlap) as (_, url):
        result = hotlap.run("load", f"{url}/hello", "-d", "500ms", "--json", *more)
    assert result.code == 0, result.err
    load = checked(result.out)
    assert load["requests"]["ok"] > 0
    assert load["loop"] == ("open" if "-R" in more else "closed")
    if "-R" in more:
        assert load["open"]["asked_per_s"] == 200
        assert load["little_ratio"] is None
    if "constant" == (load["open"] or {}).get("arrivals"):
        assert load["open"]["planned"] == 100


def test_the_table_names_both_times(hotlap: Hotlap) -> None:
    with server(hotlap) as (_, url):
        opened = hotlap.run("load", f"{url}/hello", "-d", "300ms", "-R", "100", "--latency").out
        closed = hotlap.run("load", f"{url}/hello", "-d", "300ms").out
    for words in ("open loop", "response time", "service time", "30 planned", "99.9 %"):
        assert words in opened
    assert closed.startswith("closed loop: 1 thread, 16 connections")
    assert "service" not in closed
    assert max(map(len, (opened + closed).splitlines())) <= 80


def test_exactly_fifteen_connections_on_eight_threads(hotlap: Hotlap) -> None:
    with server(hotlap) as (_, url):
        result = hotlap.run("load", "-c", "15", "-t", "8", "-d", "200ms", "--json", f"{url}/hello")
    load = checked(result.out)
    assert load["connections"] == {"asked": 15, "achieved": 15}
    assert load["threads"] == 8


def test_files_for_other_tools(hotlap: Hotlap, tmp_path: Path) -> None:
    hgrm, table = tmp_path / "out.hgrm", tmp_path / "out.csv"
    with server(hotlap) as (_, url):
        result = hotlap.run(
            *("load", f"{url}/hello", "-d", "2200ms", "-R", "100", "--json"),
            *("--hgrm", hgrm, "--csv", table),
        )
    load = checked(result.out)
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) >= 3
    for name in ("started", "ok", "late", "never_sent"):
        whole = load["open"]["late"] if name == "late" else load["requests"][name]
        assert sum(int(row[name]) for row in rows) == whole, name
    assert rows[0]["end_s"] == "1.000"
    lines = hgrm.read_text().splitlines()
    assert lines[0].split() == ["Value", "Percentile", "TotalCount", "1/(1-Percentile)"]
    total = re.search(r"Total count\s+=\s+(\d+)\]", hgrm.read_text())
    assert total is not None and int(total[1]) == load["requests"]["ok"]


def test_a_file_that_cannot_be_written_is_told_before_the_load(hotlap: Hotlap) -> None:
    for flag in ("--csv", "--hgrm"):
        result = hotlap.run("load", "http://127.0.0.1:1/", flag, "/no/such/directory/x")
        assert_error(result, "/no/such/directory/x")
        assert "refused" not in result.err


def test_urls_by_weight(hotlap: Hotlap) -> None:
    with answering(ok) as (address, heads):
        urls = [f"http://{address}/a", f"http://{address}/b"]
        result = hotlap.run(
            *("load", *urls, "--weights", "3,1", "-c", "1", "-R", "200", "-d", "400ms", "--json")
        )
    assert result.code == 0, result.err
    assert checked(result.out)["urls"] == urls
    assert sum(head.startswith(b"GET /a ") for head in heads) == 60
    assert sum(head.startswith(b"GET /b ") for head in heads) == 20


def test_hosts_and_places(hotlap: Hotlap, tmp_path: Path) -> None:
    short = ("-d", "100ms", "-c", "2")
    with answering(ok) as (address, heads):
        url = "http://name.test:81/x"
        assert hotlap.run("load", url, "--connect-to", address, *short).code == 0
        assert heads and all(b"\r\nHost: name.test:81" in head for head in heads)
    with answering(ok) as (address, heads):
        assert hotlap.run("load", f"http://{address}/", "--host", "other.test", *short).code == 0
        assert heads and all(b"\r\nHost: other.test" in head for head in heads)
    path = tmp_path / "socket"
    with answering(ok, socket.AF_UNIX, str(path)) as (_, heads):
        assert hotlap.run("load", "http://name.test/", "--unix", path, *short).code == 0
        assert heads and all(b"\r\nHost: name.test" in head for head in heads)
    with answering(ok, socket.AF_INET6) as (address, heads):
        assert hotlap.run("load", f"http://{address}/", *short).code == 0
        assert heads and all(f"\r\nHost: {address}".encode() in head for head in heads)


def test_failures_have_a_histogram_of_their_own(hotlap: Hotlap) -> None:
    """oha#645: a few instant failures came out as the fastest replies."""

    def fails_now_and_then(number: int, head: bytes) -> bytes:
        if number % 10 == 9:
            return b"HTTP/1.1 502 Bad\r\nContent-Length: 0\r\n\r\n"
        return ok(number, head)

    with answering(fails_now_and_then) as (address, _):
        arguments = ("load", f"http://{address}/", "-c", "1", "-R", "200", "-d", "400ms")
        failed = hotlap.run(*arguments, "--json")
        text = hotlap.run(*arguments)
        allowed = hotlap.run(*arguments, "--allow-errors", "0.2")
    assert_error(failed, "8 of 80 requests failed", "502", "--allow-errors")
    load = checked(failed.out)
    assert load["requests"]["unexpected_status"] == 8
    assert load["failure_time_ns"]["count"] == 8
    assert load["response_time_ns"]["count"] == 72
    assert "until a failure" in text.out and "8 unexpected status" in text.out
    assert allowed.code == 0, allowed.err


def test_a_rate_that_cannot_be_met(hotlap: Hotlap) -> None:
    """oha#577: 55 of 300 requests were sent, and no word of it."""
    slow = threading.Event()

    def after_a_while(number: int, head: bytes) -> bytes:
        slow.wait(0.1)
        return ok(number, head)

    with answering(after_a_while) as (address, _):
        arguments = ("load", f"http://{address}/", "-c", "2", "-R", "100", "-d", "500ms")
        result = hotlap.run(*arguments)
        load = checked(hotlap.run(*arguments, "--json").out)
    assert "asked 100.0/s" in result.out
    assert "50 planned" in result.out
    assert re.search(r"warning +only [\d.]+ % of the asked rate was sent", result.out)
    assert load["open"]["planned"] == 50
    assert 0 < load["open"]["late"] <= load["requests"]["ok"]
    assert load["open"]["never_sent"] > 25
    assert load["warnings"]


def test_missing_connections_fail_the_load_and_are_in_the_result(hotlap: Hotlap) -> None:
    """oha#4: most of 2,000 connections were missing, silently."""
    prefix = ("prlimit", "--nofile=200:200")
    with server(hotlap) as (_, url):
        result = hotlap.run(
            "load", f"{url}/hello", "-c", "2000", "-d", "200ms", "--json", prefix=prefix
        )
    assert_error(result, "of 2000 connections", "200 file descriptors", "ulimit -n")
    load = checked(result.out)
    assert load["connections"]["asked"] == 2000
    assert load["connections"]["achieved"] < 200
    assert load["requests"]["started"] == 0


def test_a_line_that_lives_on_a_terminal(hotlap: Hotlap) -> None:
    leader, follower = pty.openpty()
    with server(hotlap) as (_, url):
        process = subprocess.Popen(
            [hotlap.binary, "load", f"{url}/hello", "-d", "1500ms", "-R", "2000"],
            env=hotlap.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=follower,
        )
        os.close(follower)
        seen = b""
        while True:
            try:
                data = os.read(leader, 4096)
            except OSError:
                break
            if not data:
                break
            seen += data
        assert process.wait() == 0
    os.close(leader)
    line = rb"1 s of 2 s: [\d,.]+ requests/s, p50 [\d.]+ [num]?s, p99 [\d.]+ [num]?s, 0 failed"
    assert re.search(line, seen), seen


def test_the_highest_rate_that_keeps_a_promise(hotlap: Hotlap, tmp_path: Path) -> None:
    """Two connections, 20 ms each: 100 requests a second and no more."""
    pause = threading.Event()

    def after_20_ms(number: int, head: bytes) -> bytes:
        pause.wait(0.02)
        return ok(number, head)

    with answering(after_20_ms) as (address, _):
        result = hotlap.run(
            *("load", f"http://{address}/", "-c", "2", "-R", "40", "-d", "600ms", "--json"),
            *("--max-rate-within", "p50<500ms", "--out", tmp_path / "curve"),
        )
    assert result.code == 0, result.err
    found = result.json()
    assert json.loads((tmp_path / "curve" / "search.json").read_text()) == found
    assert "<svg" in (tmp_path / "curve" / "search.html").read_text()
    assert f"{found['promise']}" in (tmp_path / "curve" / "findings.md").read_text()
    assert found["promise"] == "p50<500ms"
    for step in found["steps"]:
        checked(json.dumps(step["load"]))
    kept = [step["load"]["open"]["asked_per_s"] for step in found["steps"] if step["kept"]]
    assert found["highest_rate_per_s"] == max(kept)
    assert 40 <= found["highest_rate_per_s"] <= 110


def test_a_search_that_fails_says_why(hotlap: Hotlap) -> None:
    def broken(_number: int, _head: bytes) -> bytes:
        return b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"

    with answering(broken) as (address, _):
        flags = ("-c", "2", "-R", "100", "-d", "300ms", "--max-rate-within", "p50<500ms")
        assert_error(hotlap.run("load", f"http://{address}/", *flags), "not even", "status 500")
