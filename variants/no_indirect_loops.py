#!/usr/bin/env python3
"""Proves on the objects that no loop of a variant calls through a pointer.

Disassembles each object into a graph of control flow, cold parts that the compiler moved to another
section included, and reports every indirect call from which control can come back to that call
within its function. Objects marked HOTLAP_VARIANT_INDIRECT in variants.def stand on a library's own
indirect calls and are skipped.

usage: no_indirect_loops.py variants.def OBJECT...     exit 0 none found, 1 found, 3 cannot tell
"""

from __future__ import annotations

import argparse
import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass, field

FUNCTION = re.compile(r"^[0-9a-f]+ <(.+)>:$")
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\t(?:[0-9a-f]{2} )+\s*\t(.*)$")
RELOCATION = re.compile(r"^\s*[0-9a-f]+: R_X86_64_(?:PC32|PLT32)\t(\.[\w.]+)([+-]0x[0-9a-f]+)?$")
PREFIX = r"^(?:bnd |notrack )*"
JUMP = re.compile(PREFIX + r"(j[a-z]+|loop[a-z]*)\s+([0-9a-f]+)\b")
JUMP_BY_REGISTER = re.compile(PREFIX + r"jmp\s+\*%")
INDIRECT_CALL = re.compile(PREFIX + r"call[a-z]*\s+\*")
ENDS_FLOW = re.compile(PREFIX + r"(ret|jmp|hlt|ud2)")
LINE = re.compile(r"^HOTLAP_VARIANT(_INDIRECT|_ABSEIL)?\(([a-z0-9_]+), ([a-z0-9_]+)\)$")
PC_BIAS = 4  # an address relative to the next instruction, its four bytes being the last

Place = tuple[str, int]  # section and offset


@dataclass
class Instruction:
    place: Place
    function: str
    text: str
    relocated_to: Place | None = None


@dataclass
class Graph:
    instructions: dict[Place, Instruction] = field(default_factory=dict)
    next: dict[Place, list[Place]] = field(default_factory=dict)
    functions: dict[str, list[Place]] = field(default_factory=dict)


def parse(disassembly: str) -> list[Instruction]:
    listing: list[Instruction] = []
    section = function = ""
    for line in disassembly.splitlines():
        if line.startswith("Disassembly of section"):
            section = line.split()[-1].rstrip(":")
        elif match := FUNCTION.match(line):
            function = match.group(1)
        elif match := INSTRUCTION.match(line):
            place = (section, int(match.group(1), 16))
            listing.append(Instruction(place, function, match.group(2)))
        elif (match := RELOCATION.match(line)) and listing:
            offset = int(match.group(2) or "0", 16) + PC_BIAS
            listing[-1].relocated_to = (match.group(1), offset)
    return listing


def graph_of(listing: list[Instruction]) -> Graph:
    graph = Graph()
    for index, one in enumerate(listing):
        graph.instructions[one.place] = one
        graph.functions.setdefault(f"{one.place[0]} {one.function}", []).append(one.place)
        following: list[Place] = []
        if match := JUMP.match(one.text):
            following.append(one.relocated_to or (one.place[0], int(match.group(2), 16)))
        falls_through = not ENDS_FLOW.match(one.text) and index + 1 < len(listing)
        if falls_through and listing[index + 1].place[0] == one.place[0]:
            following.append(listing[index + 1].place)
        graph.next[one.place] = following
    # A jump by register is a switch, whose table may lead anywhere within the function.
    for one in listing:
        if JUMP_BY_REGISTER.match(one.text):
            graph.next[one.place] = graph.functions[f"{one.place[0]} {one.function}"]
    return graph


def comes_back(graph: Graph, start: Place) -> bool:
    seen: set[Place] = set()
    waiting = list(graph.next[start])
    while waiting:
        place = waiting.pop()
        if place == start:
            return True
        if place not in seen and place in graph.next:
            seen.add(place)
            waiting.extend(graph.next[place])
    return False


def indirect_calls_in_loops(disassembly: str) -> list[Instruction]:
    graph = graph_of(parse(disassembly))
    return [
        one
        for one in graph.instructions.values()
        if INDIRECT_CALL.match(one.text) and comes_back(graph, one.place)
    ]


def disassemble(path: pathlib.Path) -> str:
    done = subprocess.run(
        ["objdump", "-dr", "--demangle", str(path)], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        print(f"{path}: objdump failed: {done.stderr.strip()}", file=sys.stderr)
        sys.exit(3)
    return done.stdout


def marked_indirect(variants_def: pathlib.Path) -> dict[str, bool]:
    """`stage/name` of every variant listed, and whether it is marked."""
    listed = {}
    for line in variants_def.read_text().splitlines():
        if match := LINE.match(line):
            listed[f"{match.group(2)}/{match.group(3)}"] = match.group(1) == "_INDIRECT"
    return listed


def variant_of(path: pathlib.Path) -> str:
    return f"{path.parent.name}/{path.name.split('.')[0]}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("variants_def", type=pathlib.Path)
    parser.add_argument("objects", type=pathlib.Path, nargs="+")
    parser.add_argument("--some", action="store_true", help="not every variant is given")
    arguments = parser.parse_args()
    listed = marked_indirect(arguments.variants_def)
    found = 0
    looked_at = 0
    for path in arguments.objects:
        if listed.get(variant_of(path), False):
            continue
        disassembly = disassemble(path)
        looked_at += len(parse(disassembly))
        for call in indirect_calls_in_loops(disassembly):
            found += 1
            print(f"{variant_of(path)}: {call.function} at {call.place[1]:x}: {call.text}")
    if looked_at == 0:
        print("no instruction was found in these objects: wrong files?", file=sys.stderr)
        return 3
    missing = set(listed) - {variant_of(path) for path in arguments.objects}
    if missing and not arguments.some:
        print(f"no object was given for {', '.join(sorted(missing))}", file=sys.stderr)
        return 3
    print(f"{looked_at} instructions, {found} indirect calls within loops")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
