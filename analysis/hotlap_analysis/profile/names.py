"""Names of functions cut to what tells them apart, for places where the whole does not fit.

Works on text alone, for C++, Go, Rust and C as `perf` prints them; a name that it does not
understand is left as it is.
"""

from __future__ import annotations

import re

_OPERATOR = re.compile(r"\boperator\s*(\(\)|\[\]|->\*?|<=>|<<=?|>>=?|[<>]=?)")
_OPEN, _CLOSE = "<([{", ">)]}"
_VERSION = re.compile(r"@+[A-Z]+_[\d.]+$")
_CLONE = re.compile(r"(\.(isra|constprop|part|cold|llvm|lto_priv|abi0|abiinternal)(\.\d+)*)+$")
# Before the last part; Go's closures, `Serve.func3`, stay with their function.
_PARTS = re.compile(r"::|\.(?!func\d)(?=\w+(?:\.func[\d.]+)?$)|/(?=[^/]+$)")
_ANONYMOUS = re.compile(r"\(anonymous namespace\)|\{anonymous\}|\(anonymous class\)")


def without_arguments(name: str) -> str:
    """Template arguments as <…>; function arguments, ABI tags and versions of symbols left out."""
    name = _ANONYMOUS.sub("{anon}", _VERSION.sub("", name))
    kept: list[str] = []
    at = 0
    while at < len(name):
        operator = _OPERATOR.match(name, at)
        if operator:
            kept.append(operator.group(0))
            at = operator.end()
        elif name[at] in "<([" and not _is_part(name, at):
            end = _closing(name, at)
            if end is None:
                return name
            if name[at] == "<" and name[:at].strip():
                kept.append("<…>")
            at = end
        else:
            kept.append(name[at])
            at += 1
    shown = re.sub(r"\s+(const|volatile|&+)$", "", "".join(kept).strip())
    return shown.replace("{anon}::", "") or name


def last(name: str) -> str:
    """The last part of a name: `parse` of `hotlap::variants::(anonymous namespace)::parse`."""
    bare = _CLONE.sub("", without_arguments(name))
    if re.search(r"\boperator\b", bare):
        return bare[bare.rindex("operator") :]
    part = re.split(_PARTS, bare.replace("<…>", ""))[-1]
    return part.split(" ")[-1] or bare


def _is_part(name: str, at: int) -> bool:
    """Go's receivers, `(*conn)`, Rust's `<T as Trait>` and perf's `[unknown]` are names."""
    if name[at] == "(":
        return name.startswith("(*", at)
    return at == 0


def _closing(name: str, at: int) -> int | None:
    """Behind the bracket that closes the one at `at`."""
    depth = 0
    for place in range(at, len(name)):
        if name[place] in _OPEN:
            depth += 1
        elif name[place] in _CLOSE and not (name[place] == ">" and name[place - 1] == "-"):
            depth -= 1
            if depth == 0:
                return place + 1
    return None
