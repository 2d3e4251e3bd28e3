"""verify, variants, doctor, load, agent, and the server's first line."""

from __future__ import annotations

import re
import signal
import subprocess

import pytest
from running import (
    BIN,
    FAULTY_SERVER,
    Hotlap,
    assert_error,
    cpu_ticks,
    faulty,
    holds_within,
    server,
)

STAGES = "dispatch readiness receive read_buffer request_line header_map address date router"
STAGES += " response socket_options allocation body transport ballast"
CLASSES = ("ok", "unexpected_status", "unexpected_body", "connect", "reset", "timeout")


def test_verify_equal_pipelines(hotlap: Hotlap) -> None:
    result = hotlap.run("verify", "baseline", "fast", "original")
    assert result.code == 0, result.err
    assert "0 differences" in result.out


def test_verify_one_target_is_compared_with_baseline(hotlap: Hotlap) -> None:
    result = hotlap.run("verify", "fast", "--json")
    assert result.code == 0, result.err
    found = result.json()
    assert found["equivalent"] is True and found["cases"] > 10 and found["differences"] == 0


def test_verify_tells_a_difference(hotlap: Hotlap) -> None:
    result = hotlap.run("verify", "fast", faulty("wrong"))
    assert result.code == 3, result.err
    assert "do not answer alike" in result.out
    assert "Hello, Wrong!" in result.out and "/hello" in result.out


def test_verify_unknown_target(hotlap: Hotlap) -> None:
    assert_error(hotlap.run("verify", "nosuch"), "nosuch", "baseline")


def test_verify_is_interrupted(hotlap: Hotlap) -> None:
    started = hotlap.start("verify", "fast", "original", "--full")
    started.wait_for(lambda: hotlap.pid_of("hotlap-server") is not None)
    started.process.send_signal(signal.SIGINT)
    assert started.end(timeout_s=10).code == 130


def test_variants(hotlap: Hotlap) -> None:
    result = hotlap.run("variants")
    assert result.code == 0, result.err
    lines = result.out.splitlines()
    for word in (*STAGES.split(), "profiles"):
        assert word in lines, word


def test_variants_json(hotlap: Hotlap) -> None:
    text = hotlap.run("variants", "--json").json()
    assert [stage["name"] for stage in text["stages"]] == STAGES.split()
    for stage in text["stages"]:
        assert stage["variants"], stage
        for variant in stage["variants"]:
            assert variant["name"] and variant["summary"], variant


def test_variants_show_what_was_measured_here(
    hotlap: Hotlap, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(hotlap.temporary / "state"))
    before = hotlap.run("variants")
    assert "no figures of this machine yet: run `hotlap-micro --save`" in before.out
    assert "a call (" not in before.out
    micro = hotlap.binary.with_name("hotlap-micro")
    if not micro.exists():
        pytest.skip("this build has no micro-benchmarks")
    flags = ("--benchmark_filter=date", "--benchmark_min_time=0.0001", "--save")
    subprocess.run([micro, *flags], env=hotlap.environment(), check=True, capture_output=True)
    after = hotlap.run("variants")
    assert re.search(r"alone \S+ ns and 0 allocations a call \(reply\)", after.out), after.out
    assert re.search(r"measured (just now|\d+ seconds? ago) on ", after.out), after.out
    stages = {stage["name"]: stage for stage in hotlap.run("variants", "--json").json()["stages"]}
    assert all(variant["micro"]["cpu_ns_per_call"] > 0 for variant in stages["date"]["variants"])
    assert not any("micro" in variant for variant in stages["router"]["variants"])


def test_doctor(hotlap: Hotlap) -> None:
    result = hotlap.run("doctor")
    assert result.code == 0, result.err
    assert "cpu_clock" in result.out
    found = hotlap.run("doctor", "--json").json()
    for one in found["capabilities"]:
        assert one["detail"], one
        assert one["available"] or one["remedy"] or one["detail"], one
    names = {one["name"] for one in found["capabilities"]}
    assert {"allocation_counting", "cgroup_cpu", "kptr_restrict", "mitigations"} <= names


def test_doctor_shows_what_it_would_change_and_changes_nothing(hotlap: Hotlap) -> None:
    state = ("/usr/bin/env", f"XDG_STATE_HOME={hotlap.temporary}")
    planned = hotlap.run("doctor", "--fix", "--dry-run", "--json", prefix=state)
    assert planned.code == 0, planned.err
    for one in planned.json()["settings"]:
        assert one["outcome"] == "planned" and one["effect"]
        assert one["command"].startswith(("echo ", "mount "))
    assert planned.json()["state_file"] == f"{hotlap.temporary}/hotlap/machine.json"
    assert not (hotlap.temporary / "hotlap").exists()
    text = hotlap.run("doctor", "--fix", "--dry-run", prefix=state).out
    for one in planned.json()["settings"]:
        assert one["name"] in text
    nothing = hotlap.run("doctor", "--restore", prefix=state)
    assert nothing.code == 0 and "nothing to restore" in nothing.out
    assert_error(hotlap.run("doctor", "--dry-run"), "--fix or --restore")
    assert hotlap.run("doctor", "--fix", "--restore").code == 3


@pytest.mark.parametrize("more", [[], ["--close"], ["-c", "1"], ["-c", "8", "-t", "2"]])
def test_load_sums(hotlap: Hotlap, more: list[str]) -> None:
    with server(hotlap) as (_, url):
        result = hotlap.run("load", f"{url}/hello", "-d", "300ms", "--json", *more)
    assert result.code == 0, result.err
    requests = result.json()["requests"]
    assert requests["ok"] > 0
    parts = sum(requests[name] for name in (*CLASSES, "protocol", "tls", "in_flight"))
    assert parts == requests["started"]


def test_load_counts_what_is_wrong(hotlap: Hotlap) -> None:
    with server(hotlap) as (_, url):
        result = hotlap.run("load", f"{url}/nosuch", "-d", "200ms", "--json")
        text = hotlap.run("load", f"{url}/nosuch", "-d", "200ms")
        expected = hotlap.run("load", f"{url}/nosuch", "-d", "200ms", "--expect-status", "404")
    assert_error(result, "404 where 200", "--allow-errors")
    requests = result.json()["requests"]
    assert requests["unexpected_status"] == requests["started"] > 0
    assert requests["ok"] == 0
    assert_error(text, "404 where 200")
    assert "us CPU/request" not in text.out, "no request was right: there is nothing to divide by"
    assert expected.code == 0, expected.err


def test_load_of_nothing(hotlap: Hotlap) -> None:
    with server(hotlap) as (_, url):
        pass
    result = hotlap.run("load", f"{url}/hello", "-d", "200ms")
    assert_error(result, url.removeprefix("http://"), "refused")


def test_load_while_the_server_dies(hotlap: Hotlap) -> None:
    with server(hotlap) as (process, url):
        started = hotlap.start("load", f"{url}/hello", "-d", "3s", "--json")
        started.wait_for(lambda: hotlap.pid_of("hotlap agent") is not None)
        started.wait_for(lambda: cpu_ticks(process.pid) > 10)
        process.kill()
        result = started.end()
    assert_error(result, "requests failed", "--allow-errors")
    requests = result.json()["requests"]
    parts = sum(requests[name] for name in (*CLASSES, "protocol", "tls", "in_flight"))
    assert parts == requests["started"]


def test_load_is_interrupted(hotlap: Hotlap) -> None:
    with server(hotlap) as (process, url):
        started = hotlap.start("load", f"{url}/hello", "-d", "60s")
        started.wait_for(lambda: cpu_ticks(process.pid) > 10)
        started.process.send_signal(signal.SIGINT)
        result = started.end(timeout_s=10)
        assert result.code == 130
        assert holds_within(5, lambda: hotlap.pid_of("hotlap agent") is None)


def test_the_agent_wants_tls_beyond_loopback(hotlap: Hotlap) -> None:
    assert_error(hotlap.run("agent", "--listen", "0.0.0.0:0"), "0.0.0.0", "--tls-cert")


def test_the_agent_s_address_is_taken(hotlap: Hotlap) -> None:
    with server(hotlap) as (_, url):
        address = url.removeprefix("http://")
        assert_error(hotlap.run("agent", "--listen", address), address)


def test_the_server_refuses_a_port_in_use(hotlap: Hotlap) -> None:
    with server(hotlap) as (_, url):
        address = url.removeprefix("http://")
        command = [str(BIN / "hotlap-server"), "--pipeline", "fast", "--listen", address]
        done = subprocess.run(command, capture_output=True, text=True, timeout=10)
    assert done.returncode == 3
    assert address in done.stderr and "in use" in done.stderr


@pytest.mark.parametrize(
    "arguments, word",
    [
        (["--pipeline", "nosuch", "--listen", "127.0.0.1:0"], "nosuch"),
        (["--pipeline", "fast", "--listen", "127.0.0.1:http"], "127.0.0.1:http"),
        (["--pipeline", "fast", "--listen", "127.0.0.1:70000"], "127.0.0.1:70000"),
        (["--bogus"], "--bogus"),
    ],
)
def test_the_server_refuses(arguments: list[str], word: str) -> None:
    command = [str(BIN / "hotlap-server"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=10)
    assert done.returncode == 3, done
    assert word in done.stderr, done.stderr


def test_the_faulty_server_is_there() -> None:
    assert FAULTY_SERVER.exists()
