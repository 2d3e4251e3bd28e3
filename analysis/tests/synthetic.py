"""Makes run directories with known effects from a fixed seed, in the formats the harness writes.

The machine drifts by 10 % and more within a run, as real ones do, so that plots show what
interleaving cancels. Same arguments, same bytes.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

SLICE_NS = 5_000_000
ROUND_NS = 1_500_000_000
REQUESTS_PER_SLICE = 700
CLASSES = "started ok unexpected_status unexpected_body connect reset timeout protocol tls".split()
CLASSES += ["in_flight"]
SLICE_COLUMNS = [
    "pass",
    "round",
    "set",
    "block",
    "position",
    "arm",
    "start_ns",
    "duration_ns",
    *CLASSES,
] + ["server_cpu_ns", "generator_cpu_ns", "syscalls"]
ROUND_COLUMNS = (
    "pass round arm launch_position connect_position path_slot padding_bytes port pids".split()
    + CLASSES
    + (
        "load_ns own_slices_ns cpu_ns cpu_own_slices_ns generator_cpu_ns "
        "minor_faults major_faults voluntary_switches involuntary_switches rss_begin_bytes "
        "rss_end_bytes rss_requests user_ns_sampled system_ns_sampled syscalls latency_p50_ns "
        "latency_p90_ns latency_p99_ns steal_ns other_load_ns generator_late_ns ballast_step_ns "
        "round_ns void_cause void_arm"
    ).split()
)
LATENCY_COLUMNS = "pass round arm low_ns high_ns count min_ns max_ns sum_ns".split()


@dataclass
class Shape:
    """What the synthetic machine and servers are like."""

    seed: int = 1
    rounds: int = 24
    arms: tuple[str, ...] = ("a", "b")
    targets: tuple[str, ...] = ("request_line=regex", "request_line=scalar")
    effects: tuple[float, ...] = (0.0, -0.031)  # ln of CPU per request against the first arm
    round_noise: float = 0.004
    sets: int = 4
    blocks: int = 20
    void: tuple[int, ...] = ()
    ties: bool = False  # CPU rounded so far that round values tie
    state: str = "complete"
    failure: str = ""
    counting_rounds: int = 2
    step_ns: float = 0.0  # of ballast, where it was measured
    rows: dict[str, list[dict[str, Any]]] = field(
        default_factory=lambda: {"slices": [], "rounds": [], "latency": []}
    )


def make(directory: Path, shape: Shape, packed: bool = True, slices: bool = True) -> Path:
    """Writes a run without verdicts; the tests add those that they want."""
    directory.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(shape.seed)
    for rows in shape.rows.values():
        rows.clear()
    for index in range(1, shape.rounds + 1):
        _round(shape, random, "timing", index)
    for index in range(1, shape.counting_rounds + 1 if shape.rounds else 0):
        _round(shape, random, "counting", index)
    if slices:
        text = _csv(SLICE_COLUMNS, shape.rows["slices"])
        if packed:
            (directory / "slices.csv.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))
        else:
            (directory / "slices.csv").write_text(text, encoding="utf-8")
    for name, columns in (("rounds", ROUND_COLUMNS), ("latency", LATENCY_COLUMNS)):
        (directory / f"{name}.csv").write_text(_csv(columns, shape.rows[name]), encoding="utf-8")
    write_json(directory, run_json(shape))
    return directory


def write_json(directory: Path, content: dict[str, Any]) -> None:
    text = json.dumps(content, indent=1) + "\n"
    (directory / "run.json").write_text(text, encoding="utf-8")


def _csv(columns: list[str], rows: list[dict[str, Any]]) -> str:
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue()


def _drift(at_s: float) -> float:
    """The machine's speed over the run: slow waves and a step."""
    step = 0.06 if math.sin(at_s * 0.31 + 1.0) > 0.4 else 0.0
    return 1.0 + 0.05 * math.sin(at_s * 0.9) + 0.03 * math.sin(at_s * 5.3 + 2.0) + step


def _round(shape: Shape, random: np.random.Generator, pass_name: str, index: int) -> None:
    count = len(shape.arms)
    void = pass_name == "timing" and index in shape.void
    roles = {r: random.permutation(count) for r in ("launch", "connect", "slot")}
    luck = random.normal(0.0, shape.round_noise / math.sqrt(2), count)
    totals = [dict.fromkeys((*CLASSES, "own", "cpu", "generator"), 0) for _ in shape.arms]
    for set_index in range(shape.sets):
        for block in range(shape.blocks):
            for position, arm in enumerate(random.permutation(count)):
                start = int((set_index * 0.33 + 0.12) * 1e9)
                start += (block * count + position) * (SLICE_NS + 200_000)
                row = _slice(shape, random, index, start, int(arm), float(luck[arm]))
                row.update(zip(("pass", "round", "set"), (pass_name, index, set_index)))
                row.update(block=block, position=position, arm=shape.arms[arm], start_ns=start)
                if pass_name == "counting":
                    row["syscalls"] = row["ok"] * (3 if arm == 0 else 2)
                shape.rows["slices"].append(row)
                for key in CLASSES:
                    totals[arm][key] += row.get(key, 0)
                totals[arm]["own"] += row["duration_ns"]
                totals[arm]["cpu"] += row["server_cpu_ns"]
                totals[arm]["generator"] += row["generator_cpu_ns"]
    for arm in range(count):
        row = _arm_row(shape, random, pass_name, index, arm, totals[arm], roles)
        if void:
            row.update(void_cause="steal, 3.1 % of the round", void_arm=shape.arms[index % count])
        shape.rows["rounds"].append(row)
        _latency(shape, random, pass_name, index, arm, row)


def _slice(
    shape: Shape, random: np.random.Generator, index: int, start: int, arm: int, luck: float
) -> dict[str, Any]:
    speed = _drift((index - 1) * ROUND_NS / 1e9 + start / 1e9)
    effect = math.exp(shape.effects[arm] + luck)
    per_request = 6900.0 * speed * effect * (1.0 + random.normal(0.0, 0.02))
    duration = SLICE_NS + int(random.integers(0, 60_000))
    ok = int(REQUESTS_PER_SLICE / (speed * effect) * (1.0 + random.normal(0.0, 0.01)))
    cpu = int(per_request * ok)
    return {
        "duration_ns": duration,
        "started": ok,
        **dict.fromkeys(CLASSES[1:], 0),
        "ok": ok,
        "server_cpu_ns": cpu,
        "generator_cpu_ns": int(5100.0 * speed * ok),
    }


def _arm_row(
    shape: Shape, random: np.random.Generator, pass_name: str, index: int, arm: int,
    total: dict[str, int], roles: dict[str, Any],
) -> dict[str, Any]:  # fmt: skip
    ok, begin = total["ok"], 900
    cpu = total["cpu"] + int(0.002 * total["cpu"])
    if shape.ties:
        cpu = int(round(cpu / ok / 100.0)) * 100 * ok
    row: dict[str, Any] = {key: total[key] for key in CLASSES}
    row.update(
        zip(
            ("pass", "round", "arm", "launch_position", "connect_position", "path_slot"),
            (pass_name, index, shape.arms[arm], *(int(roles[r][arm]) for r in roles)),
        )
    )
    row.update(padding_bytes=int(random.integers(0, 4096)), port=int(random.integers(32768, 60999)))
    row.update(pids=str(4000 + 10 * index + arm), load_ns=2 * total["own"])
    row.update(own_slices_ns=total["own"], cpu_ns=cpu, cpu_own_slices_ns=total["cpu"])
    row.update(generator_cpu_ns=total["generator"])
    row.update(minor_faults=0 if arm else int(0.02 * ok + random.integers(0, 40)), major_faults=0)
    row.update(voluntary_switches=int(ok * 0.07 + random.integers(0, 60)))
    row.update(involuntary_switches=int(random.integers(3, 40)))
    grown = int(random.integers(0, 5)) * 4096
    row.update(rss_begin_bytes=9_100_000, rss_end_bytes=9_100_000 + grown, rss_requests=ok - begin)
    row.update(user_ns_sampled=int(cpu * 0.4), system_ns_sampled=int(cpu * 0.6))
    if pass_name == "counting":
        row["syscalls"] = ok * (3 if arm == 0 else 2)
    row.update(steal_ns=0, other_load_ns=0, generator_late_ns=0, round_ns=ROUND_NS)
    if shape.step_ns:
        row.update(ballast_step_ns=round(shape.step_ns * (1.0 + 0.001 * (index % 5)), 6))
    return row


def _latency(
    shape: Shape, random: np.random.Generator, pass_name: str, index: int, arm: int,
    row: dict[str, Any],
) -> None:  # fmt: skip
    mean = row["own_slices_ns"] / row["ok"] * 16
    values = mean * 0.92 * np.exp(random.gamma(1.2, 0.07, row["ok"]))
    tail = random.random(len(values)) < 0.002
    values[tail] *= 1.5 + random.exponential(1.0, int(tail.sum()))
    for name, q in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99)):
        row[f"latency_{name}_ns"] = int(np.quantile(values, q))
    width = 2 ** max(0, int(math.log2(mean)) - 6)
    low, counts = np.unique((values // width).astype(int) * width, return_counts=True)
    for place, (bucket, count) in enumerate(zip(low.tolist(), counts.tolist())):
        line = {"pass": pass_name, "round": index, "arm": shape.arms[arm]}
        line.update(low_ns=bucket, high_ns=bucket + width - 1, count=count)
        if place == 0:
            line.update(min_ns=int(values.min()), max_ns=int(values.max()))
            line["sum_ns"] = int(values.sum())
        shape.rows["latency"].append(line)


def _pipeline(target: str) -> str:
    stages = {"dispatch": "inline_pollers:1", "read_buffer": "reuse", "request_line": "scalar"}
    stages.update({"header_map": "pod", "response": "writev", "ballast": "none"})
    for change in target.split(","):
        stage, _, variant = change.partition("=")
        if stage in stages:
            stages[stage] = variant
    return ",".join(f"{stage}={variant}" for stage, variant in stages.items())


def run_json(shape: Shape) -> dict[str, Any]:
    """As protobuf prints it: 64-bit integers as strings, defaults left out."""
    finished = shape.rounds - len(shape.void)
    arms = [
        {"name": name, "target": {"pipeline": f"fast,{target}"}}
        for name, target in zip(shape.arms, shape.targets)
    ]
    experiment: dict[str, Any] = {
        "name": "demo",
        "arms": arms,
        "workload": {
            "requests": [{"target": "/hello"}],
            "connections": 16,
            "threads": 1,
            "keep_alive": True,
            "timeout_ms": 5000,
        },
        "plan": {"slice_ms": 5.0, "sets": shape.sets, "set_ms": 200.0, "warmup_ms": 100.0},
        "seed": "18446744073709551557",
        "primary_metric": "cpu_per_request",
        "margin_percent": 0.5,
    }
    command = f"hotlap ab --base fast --stage {shape.targets[0]}"
    content: dict[str, Any] = {
        "schema_version": 1,
        "name": "run-20260102-030405-demo",
        "state": shape.state,
        "created": "2026-01-02T03:04:05Z",
        "command": ",".join([command, *(t.split("=")[-1] for t in shape.targets[1:])]),
        "asked": experiment,
        "effective": experiment,
        "environment": _environment(),
        "echoes": [
            {
                **{"arm": name, "asked": f"fast,{target}", "pipeline": _pipeline(target)},
                **{"program": "build/release/bin/hotlap-server", "cpu_source": "process_clock"},
            }
            for name, target in zip(shape.arms, shape.targets)
        ],
        "verify": {"ran": True, "cases": 412},
        "schedule": {
            "plan": "quick",
            "looks": [12, 24, 40],
            "alphas": [0.0221, 0.0221, 0.0221],
            "rounds": finished,
            "stopped": "the look at 24 rounds found p <= 0.0221",
            "alpha": 0.0221,
        },
        "calibration": "uncalibrated",
        "elapsed_s": shape.rounds * 1.9,
    }
    if shape.failure:
        content["failure"] = shape.failure
    return content


def _environment() -> dict[str, Any]:
    return {
        "cpu_model": "Example CPU @ 2.60GHz",
        "cpus": 2,
        "kernel": "6.1.0-13-amd64",
        "mitigations": "spectre_v2: Retpolines; meltdown: PTI",
        "compiler": "GNU 12.2.0",
        "compiler_flags": "-O2 -g1 -DNDEBUG -fno-omit-frame-pointer",
        "git_revision": "d918edd0a1b2",
        "git_dirty": True,
        "clocksource": "kvm-clock",
        "virtualization": "kvm",
        "congestion_control": "bbr",
        "versions": {"hotlap": "0.1.0", "grpc": "1.51.1"},
        "unavailable": {"instructions": "perf_event_open: no such event on this virtual CPU"},
        "server_cpus": [0],
        "load_cpus": [1],
        "steal_percent": 0.04,
    }
