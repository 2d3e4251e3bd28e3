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


def write(directory: Path, found: Json) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "profile.json").write_text(json.dumps(found))
    return directory
