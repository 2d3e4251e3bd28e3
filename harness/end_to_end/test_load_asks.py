"""What hotlap load asks and expects: methods, bodies, and time-outs of each part of a request."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from loading import answering, checked, ok
from running import Hotlap, assert_error

SHORT = ("-d", "200ms", "-c", "2")


def test_any_method_header_and_body(hotlap: Hotlap, tmp_path: Path) -> None:
    file = tmp_path / "body"
    file.write_bytes(bytes(range(256)) * 20_000)  # more than a gRPC message may hold by default
    given = {
        ("--body", "literal"): b"literal",
        ("--body-file", str(file)): file.read_bytes(),
        ("--body-size", "70k"): None,
    }
    for flags, expected in given.items():
        bodies: list[bytes] = []
        with answering(ok, bodies=bodies) as (address, heads):
            arguments = ("-X", "PATCH", "-H", "X-One: 1", *flags, *SHORT)
            result = hotlap.run("load", f"http://{address}/a", *arguments)
        assert result.code == 0, result.err
        assert heads and all(head.startswith(b"PATCH /a HTTP/1.1\r\n") for head in heads)
        assert all(b"\r\nX-One: 1" in head for head in heads)
        if expected is None:
            assert len(set(bodies)) == 1 and len(bodies[0]) == 70 * 1024
            assert len(set(bodies[0])) == 64, "made up of 64 letters"
        else:
            assert set(bodies) == {expected}


def test_expected_bodies(hotlap: Hotlap) -> None:
    right = hashlib.sha256(b"hi").hexdigest()
    with answering(ok) as (address, _):
        url = f"http://{address}/"
        for flags in (("--expect-sha256", right), ("--expect-length", "2")):
            assert hotlap.run("load", url, *SHORT, *flags).code == 0
        longer = hotlap.run("load", url, *SHORT, "--expect-length", "3", "--json")
        other = hotlap.run("load", url, *SHORT, "--expect-sha256", "0" * 64)
        status = hotlap.run("load", url, *SHORT, "--expect-status", "204")
    assert_error(longer, "a body of 2 bytes where 3 were expected")
    requests = checked(longer.out)["requests"]
    assert requests["unexpected_body"] == requests["started"] > 0
    assert_error(other, "another SHA-256")
    assert_error(status, "status 200 where 204 was expected")


@pytest.mark.parametrize(
    ("answer", "flags", "kind"),
    [
        (b"", ("--first-byte-timeout", "100ms"), "first_byte"),
        (b"HTTP/1.1 200 OK\r\n", ("--timeout", "200ms"), "whole"),
    ],
)
def test_timeouts_say_what_was_waited_for(
    hotlap: Hotlap, answer: bytes, flags: tuple[str, ...], kind: str
) -> None:
    with answering(lambda _number, _head: answer) as (address, _):
        result = hotlap.run(
            "load", f"http://{address}/", "-c", "2", "-d", "150ms", *flags, "--json"
        )
    load = checked(result.out)
    assert load["timeouts"][kind] == load["requests"]["timeout"] > 0
    assert_error(result, "within the time-out")


def test_what_cannot_be_is_refused(hotlap: Hotlap) -> None:
    def refused(*flags: str) -> str:
        result = hotlap.run("load", "http://127.0.0.1:1/", *flags)
        assert_error(result)
        return result.err

    assert "directory" in refused("--body", "@/tmp")
    assert "directory" in refused("--body-file", "/tmp")
    assert "no effect" in refused("--ca", "ca.pem")
    assert "no effect" in refused("--connect-timeout", "9s")
    assert "HEAD" in refused("-X", "HEAD", "--expect-length", "2")
