"""hotlap load over TLS and by name: whom it trusts, where it goes, and what it says of both."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from loading import answering, checked, ok
from running import Hotlap, assert_error, server

SHORT = ("-d", "200ms", "-c", "4")


@contextmanager
def tls_server(hotlap: Hotlap, pem: Path, pipeline: str = "fast,transport=tls") -> Iterator[int]:
    """The port of the lab's server over TLS; its certificate, for localhost, is in `pem`."""
    with server(hotlap, pipeline, "--tls-certificate-out", pem) as (_, url):
        yield int(url.rsplit(":", 1)[1])


def test_a_trusted_server(hotlap: Hotlap, tmp_path: Path) -> None:
    pem = tmp_path / "ca.pem"
    with tls_server(hotlap, pem) as port:
        url = f"https://localhost:{port}/hello"
        result = hotlap.run("load", url, "--ca", pem, *SHORT, "--json")
        table = hotlap.run("load", url, "--ca", pem, *SHORT)
    assert result.code == 0, result.err
    load = checked(result.out)
    assert load["address"] == f"127.0.0.1:{port}"
    assert load["tls"]["handshakes"] == 4 and load["tls"]["resumed"] == 0
    assert load["tls"]["protocol"] == "TLSv1.3"
    assert load["connect_time_ns"]["count"] == 4
    assert load["requests"]["ok"] > 0
    assert f"{url} (127.0.0.1:{port})" in table.out
    assert "TLSv1.3" in table.out and "4 handshakes, 0 resumed" in table.out
    assert "connecting" in table.out
    assert max(map(len, table.out.splitlines())) <= 80


def test_sessions_resume_unless_told_otherwise(hotlap: Hotlap, tmp_path: Path) -> None:
    pem = tmp_path / "ca.pem"
    with tls_server(hotlap, pem, "fast,transport=tls_resumed") as port:
        arguments = ("load", f"https://localhost:{port}/hello", "--ca", pem, *SHORT, "--json")
        resumed = checked(hotlap.run(*arguments, "--close").out)
        full = checked(hotlap.run(*arguments, "--close", "--no-tls-resume").out)
    assert resumed["tls"]["handshakes"] >= resumed["requests"]["ok"] > 0
    assert resumed["tls"]["resumed"] >= resumed["tls"]["handshakes"] - 8
    assert full["tls"]["handshakes"] > 0 and full["tls"]["resumed"] == 0


@pytest.mark.parametrize(
    ("host", "trusts", "why"),
    [
        ("localhost", False, "self-signed certificate"),
        ("other.test", True, "hostname mismatch"),
        ("127.0.0.2", True, "IP address mismatch"),
    ],
)
def test_a_server_that_is_not_trusted(
    hotlap: Hotlap, tmp_path: Path, host: str, trusts: bool, why: str
) -> None:
    pem = tmp_path / "ca.pem"
    with tls_server(hotlap, pem) as port:
        flags = (*SHORT, "--connect-to", f"127.0.0.1:{port}", "--json")
        trust = ("--ca", pem) if trusts else ()
        result = hotlap.run("load", f"https://{host}/hello", *flags, *trust)
        insecure = hotlap.run("load", f"https://{host}/hello", *flags, "--insecure")
    assert_error(result, "only 0 of 4 connections", why, "--ca", "--insecure")
    assert why in checked(result.out)["open_error"]
    assert insecure.code == 0, insecure.err


def test_plain_and_tls_do_not_meet(hotlap: Hotlap, tmp_path: Path) -> None:
    with server(hotlap) as (_, url):
        result = hotlap.run("load", url.replace("http", "https") + "/hello", *SHORT)
    assert_error(result, "TLS handshake", "a TLS server")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"https://127.0.0.1:{silent.getsockname()[1]}/"
        result = hotlap.run("load", url, "--insecure", "--timeout", "300ms", *SHORT)
    assert_error(result, "is that a TLS server")
    with tls_server(hotlap, tmp_path / "ca.pem") as port:
        assert hotlap.run("load", f"http://127.0.0.1:{port}/hello", *SHORT).code == 3
        mixed = hotlap.run("load", f"http://127.0.0.1:{port}/", f"https://127.0.0.1:{port}/")
    assert_error(mixed, "mix http and https")


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_a_name_is_looked_up_and_the_address_that_answers_is_taken(
    hotlap: Hotlap, family: socket.AddressFamily
) -> None:
    known = {info[0] for info in socket.getaddrinfo("localhost", 1, type=socket.SOCK_STREAM)}
    if family not in known:
        pytest.skip("localhost has no such address here")
    with answering(ok, family) as (address, heads):
        port = address.rsplit(":", 1)[1]
        result = hotlap.run("load", f"http://localhost:{port}/", *SHORT, "--json")
    assert result.code == 0, result.err
    assert checked(result.out)["address"] == address
    assert heads and all(f"\r\nHost: localhost:{port}".encode() in head for head in heads)


def test_names_that_lead_nowhere(hotlap: Hotlap) -> None:
    assert_error(
        hotlap.run("load", "http://no-such-host.invalid/"), "no-such-host.invalid", "found"
    )
    assert_error(hotlap.run("load", "http://127.1/"), "127.1", "four numbers")
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        result = hotlap.run("load", f"http://localhost:{port}/", *SHORT)
    assert_error(result, f"localhost:{port}", "Connection refused")
