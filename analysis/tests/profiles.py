"""Makes profile.json with known costs: 10 ns a sample, so that sums are seen at a glance."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Json = dict[str, Any]
REQUESTS = 1000
NS_PER_SAMPLE = 10
# What must be text wherever it comes to stand.
HOSTILE = "operator< </script><img src=x onerror=alert(1)> & \"quoted\" 'too'"
PARSE = "hotlap::variants::(anonymous namespace)::parse"

# (function, object, stage) from the root, and samples.
Path_ = tuple[tuple[str, str, str], ...]
MAIN = ("main", "hotlap-server", "server")
SERVE = ("hotlap::server::serve", "hotlap-server", "server")
WRITE = ("hotlap::variants::(anonymous namespace)::write", "hotlap-server", "response")
SEND = ("__x64_sys_sendmsg", "[kernel]", "")
REGEX = (
    "std::__detail::_Executor<char const*, std::allocator<int>, true>::_M_dfs",
    "hotlap-server",
    "",
)
STAGE_OF_PARSE = (PARSE, "hotlap-server", "request_line")
A: dict[Path_, int] = {
    (MAIN, SERVE, STAGE_OF_PARSE, REGEX): 500,
    (MAIN, SERVE, STAGE_OF_PARSE): 100,
    (MAIN, SERVE, WRITE, SEND): 390,
    (MAIN, SERVE): 10,
}
B: dict[Path_, int] = {
    (MAIN, SERVE, STAGE_OF_PARSE): 60,
    (MAIN, SERVE, WRITE, SEND): 400,
    (MAIN, SERVE): 10,
}


def charged(path: Path_) -> str:
    """The innermost stage; the server's own code where there is none."""
    stages = [stage for _, _, stage in path if stage]
    inner = [stage for stage in stages if stage != "server"]
    return inner[-1] if inner else stages[-1] if stages else "libraries"


def arm(name: str, asked: str, stacks: dict[Path_, int], **more: Any) -> Json:
    table: dict[tuple[str, str, str], int] = {}
    found = []
    for path, samples in stacks.items():
        frames = [table.setdefault(frame, len(table)) for frame in path]
        found.append({"frames": frames, "samples": str(samples), "stage": charged(path)})
    samples = sum(stacks.values())
    frames_out = [
        {"function": f, "object": o, "kernel": o == "[kernel]", "stage": s} for f, o, s in table
    ]
    return {
        "arm": name,
        "asked": asked,
        "pipeline": f"dispatch=inline_pollers:1,{asked},response=writev",
        "event": "cpu-clock",
        "frequency_hz": 4999,
        "call_graph": "fp",
        "requests": str(REQUESTS),
        "cpu_ns": str(samples * NS_PER_SAMPLE * REQUESTS),
        "samples": str(samples),
        "lost_samples": "0",
        "frames": frames_out,
        "stacks": found,
        "annotated": [],
        "notes": ["a note with <b> and `tick`"],
        "turns": 1,
        "processes": 1,
        "threads": 1,
        **more,
    }


def costs(arms: list[dict[Path_, int]], by_function: bool) -> list[Json]:
    sums: dict[tuple[str, str, str], list[int]] = {}
    for place, stacks in enumerate(arms):
        for path, samples in stacks.items():
            key = (charged(path), *(path[-1][:2] if by_function else ("", "")))
            sums.setdefault(key, [0] * len(arms))[place] += samples
    found: list[Json] = []
    for (stage, function, object_), counts in sums.items():
        cost: Json = {
            "stage": stage,
            "function": function,
            "object": object_,
            "arms": [{"samples": str(n), "ns": float(n * NS_PER_SAMPLE)} for n in counts],
        }
        if len(arms) > 1:
            cost["difference_ns"] = float((counts[1] - counts[0]) * NS_PER_SAMPLE)
        found.append(cost)
    return sorted(found, key=lambda c: -abs(c.get("difference_ns", c["arms"][0]["ns"])))


def content(stacks: list[dict[Path_, int]] | None = None) -> Json:
    chosen = [A, B] if stacks is None else stacks
    asked = ("request_line=regex", "request_line=scalar")
    return {
        "schema_version": 1,
        "created": "2026-11-30T12:00:00Z",
        "command": "hotlap profile --a fast,request_line=regex --b fast,request_line=scalar",
        "environment": {"cpu_model": "Some <CPU>", "kernel": "6.1"},
        "arms": [arm(n, a, s) for n, a, s in zip("ab", asked, chosen)],
        "stages": costs(chosen, by_function=False),
        "functions": costs(chosen, by_function=True),
    }


def with_errors(found: Json, error_ns: float, turns: int) -> Json:
    """As if it was recorded in so many turns, every difference having this error."""
    arms = [{"samples": a["samples"], "ns": 10.0 * int(a["samples"])} for a in found["arms"]]
    found["total"] = {"stage": "", "function": "", "object": "", "arms": arms}
    for cost in [*found["stages"], *found["functions"], found["total"]]:
        cost["difference_standard_error_ns"] = error_ns
    for one in found["arms"]:
        one["turns"] = turns
    return found


# (function, object, stage) from the root, and the two amounts of each of ten events.
WAIT = ("epoll_wait", "libc.so.6", "readiness")
LOCK = ("take_turn", "hotlap-server", "dispatch")
FUTEX = ("__x64_sys_futex", "[kernel]", "")
WAITS_A: dict[Path_, tuple[float, float]] = {
    (MAIN, SERVE, WAIT): (400_000.0, 200.0),
    (MAIN, SERVE, LOCK, FUTEX): (6_000_000.0, 300.0),
}
WAITS_B: dict[Path_, tuple[float, float]] = {(MAIN, SERVE, WAIT): (500_000.0, 400.0)}
EVENTS = 10


def amount(values: list[float], error: float) -> Json:
    arms = [{"per_request": v / REQUESTS, "standard_error": error, "seen": v > 0.0} for v in values]
    made: Json = {"arms": arms}
    if len(values) > 1:
        made["difference"] = (values[1] - values[0]) / REQUESTS
        made["difference_standard_error"] = error
    return made


def view_rows(arms: list[dict[Path_, tuple[float, float]]], by_site: bool) -> list[Json]:
    sums: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
    for place, stacks in enumerate(arms):
        for path, values in stacks.items():
            site = next(frame for frame in reversed(path) if frame[2])
            key = (charged(path), *(site[:2] if by_site else ("", "")))
            sums.setdefault(key, [(0.0, 0.0)] * len(arms))[place] = values
    found: list[Json] = []
    for (stage, function, object_), amounts in sums.items():
        idle = by_site and stage == "readiness"
        call = {"readiness": "epoll_wait", "dispatch": "futex"}.get(stage, "") if by_site else ""
        found.append(
            {
                "stage": stage,
                "function": function,
                "object": object_,
                "system_call": call,
                "first": amount([a[0] for a in amounts], 10.0),
                "second": amount([a[1] for a in amounts], 0.01),
                "idle": idle,
            }
        )
    return found


def view_arm(name: str, stacks: dict[Path_, tuple[float, float]]) -> Json:
    table: dict[tuple[str, str, str], int] = {}
    found = []
    for path, (first, second) in stacks.items():
        frames = [table.setdefault(frame, len(table)) for frame in path]
        made: Json = {"frames": frames, "stage": charged(path), "first": first, "second": second}
        found.append({**made, "first_squares": first * first / EVENTS, "second_squares": second})
    frames_out = [
        {"function": f, "object": o, "kernel": o == "[kernel]", "stage": s} for f, o, s in table
    ]
    more: Json = {"event": "context-switches", "every": 7, "call_graph": "dwarf", "turns": 4}
    more |= {"requests": str(REQUESTS), "stacks_taken": "20", "lost_events": "3", "threads": 2}
    return {"arm": name, "frames": frames_out, "stacks": found, "notes": ["a `note`"], **more}


def view(name: str, arms: list[dict[Path_, tuple[float, float]]]) -> Json:
    def whole(which: int) -> list[float]:
        return [sum(values[which] for values in stacks.values()) for stacks in arms]

    made: Json = {
        "name": name,
        "arms": [view_arm(n, stacks) for n, stacks in zip("ab", arms)],
        "stages": view_rows(arms, by_site=False),
        "sites": view_rows(arms, by_site=True),
        "total": {"first": amount(whole(0), 10.0), "second": amount(whole(1), 0.01)},
    }
    if name == "off-cpu":
        idle = [stacks[(MAIN, SERVE, WAIT)][0] for stacks in arms]
        made["more"] = [
            {"name": "idle", "unit": "ns", "amount": amount(idle, 5.0)},
            {"name": "preemptions", "unit": "", "amount": amount([20.0] * len(arms), 0.001)},
        ]
    return made


def with_views(*names: str, arms: int = 2) -> Json:
    found = content([A, B][:arms])
    found["views"] = [view(name, [WAITS_A, WAITS_B][:arms]) for name in names]
    return found


def write(directory: Path, found: Json) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "profile.json").write_text(json.dumps(found))
    return directory
