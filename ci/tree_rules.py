"""The house rules about files in relation to each other, and those that a tool checks.

Each takes the top of the tree and its sources. A tool that is missing is a finding: a check that
did not run must not look like one that passed.
"""

import os
import posixpath
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from house_rules import REASONS, Finding, Source

README_LINES = 60

REASONS.update(
    {
        "readme": "a folder's README says what lives here, how it flows and how to add one, on at "
        f"most a page ({README_LINES} lines)",
        "test-beside": "a test stands beside what it tests: x_test.cc beside x.h or x.cc",
        "result": "a figure that nobody can look up again is a claim, not a result",
        "variants-list": "variants.def is the one list: build, registry and tests read it",
        "layout": "one layout for all, so that a diff shows only what changed",
        "types": "annotated Python is checked, or its annotations are comments that may be wrong",
    }
)

_CODE = ("cpp", "python", "shell", "proto", "list")


def _described_above(folder: str, by_path: dict[str, Source]) -> bool:
    """Whether a page above names the folder, or stands for folders all alike: `<stage>/`."""
    above, last = posixpath.split(folder)
    while above:
        page = by_path.get(f"{above}/README.md")
        if page is not None and re.search(rf"\b{last}/|<\w+>/", page.text):
            return True
        above = posixpath.dirname(above)
    return False


def readmes(sources: Sequence[Source]) -> Iterator[Finding]:
    """A README in every folder with code, or its mention as `folder/` on one above it."""
    by_path = {source.path: source for source in sources}
    for folder in sorted({posixpath.dirname(s.path) for s in sources if s.kind in _CODE}):
        if not folder or folder.startswith("."):
            continue
        page = by_path.get(f"{folder}/README.md")
        if page is None and not _described_above(folder, by_path):
            parent, last = posixpath.split(folder)
            what = "there is none" + (f", nor `{last}/` in {parent}/README.md" if parent else "")
            yield Finding(f"{folder}/README.md", 1, "readme", what)
        elif page is not None and len(page.lines) > README_LINES:
            yield Finding(page.path, README_LINES + 1, "readme", f"{len(page.lines)} lines")


# Their tests are not of a file but of every variant listed, or of the whole server.
_TESTS_OF_MANY = re.compile(r"(variants/contract|server/conformance)/.*|variants/(\w+)/\2_test\.cc")


def tests_beside(sources: Sequence[Source]) -> Iterator[Finding]:
    paths = {source.path for source in sources}
    for source in sources:
        if not source.path.endswith("_test.cc") or _TESTS_OF_MANY.fullmatch(source.path):
            continue
        stem = source.path.removesuffix("_test.cc")
        is_no_test = f"{stem}_test.h" in paths  # such as self_test.cc
        if is_no_test or source.allowed_in_file("test-beside"):
            continue
        if f"{stem}.h" not in paths and f"{stem}.cc" not in paths:
            what = f"neither {posixpath.basename(stem)}.h nor .cc stands here"
            yield Finding(source.path, 1, "test-beside", what)


# A run's directory that is ignored by git, or a name to be filled in, names no curated run.
_RESULT = re.compile(r"(?<![\w/.-])(?:\./)?results/([A-Za-z0-9][\w.-]*)")


def results_exist(root: Path, sources: Sequence[Source]) -> Iterator[Finding]:
    for source in sources:
        if source.kind != "markdown":
            continue
        for number, line in enumerate(source.lines, 1):
            for match in _RESULT.finditer(line):
                run = match.group(1).rstrip(".")
                if run.startswith("run-") or (root / "results" / run).exists():
                    continue
                yield Finding(source.path, number, "result", f"there is no results/{run}")


_CONTRACT = re.compile(r"server/stages/\w+\.h")
_VARIANT = re.compile(r"^\s*[A-Z_]+\(\s*(\w+)\s*,\s*(\w+)")


def variants_listed(sources: Sequence[Source]) -> Iterator[Finding]:
    lists = [source for source in sources if source.path == "variants/variants.def"]
    if not lists:
        return
    listed: dict[str, int] = {}
    stages = {posixpath.basename(s.path)[:-2] for s in sources if _CONTRACT.fullmatch(s.path)}
    for number, line in enumerate(lists[0].code, 1):
        match = _VARIANT.match(line)
        if not match:
            continue
        stages.add(match.group(1))
        path = f"variants/{match.group(1)}/{match.group(2)}.cc"
        if path in listed:
            yield Finding(lists[0].path, number, "variants-list", f"{path} is listed twice")
        listed[path] = number
    if not listed:
        yield Finding(lists[0].path, 1, "variants-list", "no line of it lists a variant")
    found = (re.fullmatch(r"variants/(\w+)/\w+(?<!_test)\.cc", s.path) for s in sources)
    files = {match.group() for match in found if match and match.group(1) in stages}
    for path, number in listed.items():
        if path not in files:
            yield Finding(lists[0].path, number, "variants-list", f"{path} does not exist")
    for path in sorted(files - listed.keys()):
        yield Finding(path, 1, "variants-list", "not in variants/variants.def")


def _run(
    root: Path, tool: str, arguments: Iterable[str], **environment: str
) -> tuple[int, str] | None:
    """Exit code and all output; None where the tool is missing."""
    if shutil.which(tool) is None:
        return None
    done = subprocess.run(
        [tool, *arguments],
        cwd=root,
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def _missing(tool: str, rule: str) -> Finding:
    return Finding("ci/tidy", 1, rule, f"{tool} is not installed: run ci/setup")


def cpp_layout(root: Path, sources: Sequence[Source]) -> Iterator[Finding]:
    paths = [source.path for source in sources if source.kind == "cpp"]
    if not paths:
        return
    done = _run(root, "clang-format-14", ["--dry-run", *paths])
    if done is None:
        yield _missing("clang-format-14", "layout")
        return
    seen: set[str] = set()
    for match in re.finditer(r"^([^:\n]+):(\d+):\d+: warning: code should be", done[1], re.M):
        if match.group(1) not in seen:
            seen.add(match.group(1))
            what = f"run clang-format-14 -i {match.group(1)}"
            yield Finding(match.group(1), int(match.group(2)), "layout", what)
    if done[0] != 0:
        yield Finding("ci/tidy", 1, "layout", f"clang-format-14 failed: {done[1].strip()[:300]}")


def python_layout(root: Path, sources: Sequence[Source]) -> Iterator[Finding]:
    paths = [source.path for source in sources if source.kind == "python"]
    if not paths:
        return
    options = ["--check", "--line-length=100", "--target-version=py311"]
    done = _run(root, "black", [*options, *paths])
    if done is None:
        yield _missing("black", "layout")
        return
    for match in re.finditer(r"^would reformat (.+)$", done[1], re.M):
        path = posixpath.relpath(match.group(1), root)  # black prints what it was given, or more
        if not match.group(1).startswith("/"):
            path = match.group(1)
        yield Finding(path, 1, "layout", f"run black -l 100 {path}")
    if done[0] not in (0, 1):
        yield Finding("ci/tidy", 1, "layout", f"black failed: {done[1].strip()[-300:]}")


def python_types(root: Path, sources: Sequence[Source]) -> Iterator[Finding]:
    paths = [source.path for source in sources if source.kind == "python"]
    if not paths:
        return
    options = [
        "--python-version=3.11",
        "--ignore-missing-imports",
        "--check-untyped-defs",
        "--scripts-are-modules",
        "--explicit-package-bases",
        "--namespace-packages",
        "--no-error-summary",
        "--cache-dir=build/mypy",
    ]
    done = _run(root, "mypy", [*options, *paths], MYPYPATH="ci:ci/benchmark:analysis")
    if done is None:
        yield _missing("mypy", "types")
        return
    found = list(re.finditer(r"^([^:\n]+):(\d+): error: (.+)$", done[1], re.M))
    for match in found:
        yield Finding(match.group(1), int(match.group(2)), "types", match.group(3))
    if done[0] != 0 and not found:
        yield Finding("ci/tidy", 1, "types", f"mypy failed: {done[1].strip()[-300:]}")
