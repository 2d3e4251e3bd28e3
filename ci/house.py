"""What the house rules are applied to: the files of a tree, and one run of every rule over them."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import house_rules
import tree_rules
from house_rules import Finding

UNTRACKED = {".git", "build", "__pycache__", ".pytest_cache", ".mypy_cache"}


def files(root: Path) -> list[str]:
    """What git has or would add; in a tree without git, all but what a build leaves behind."""
    if (root / ".git").exists():
        listing = subprocess.run(
            [
                "git",
                "-C",
                str(root),
                "ls-files",
                "-z",
                "--cached",
                "--others",
                "--exclude-standard",
            ],
            capture_output=True,
            check=False,
        )
        if listing.returncode == 0:
            return sorted({name.decode() for name in listing.stdout.split(b"\0") if name})
    found = []
    for path in root.rglob("*"):
        relative = path.relative_to(root)
        if path.is_file() and not UNTRACKED.intersection(relative.parts):
            found.append(relative.as_posix())
    return sorted(name for name in found if not name.startswith("results/run-"))


def check(root: Path) -> list[Finding]:
    """Breaches and notes in order of file and line. Runs three tools; takes some seconds."""
    sources = [s for name in files(root) if (s := house_rules.read(root, name)) is not None]
    return sorted([*_by_reading(root, sources), *_by_tools(root, sources)])


def check_by_reading(root: Path) -> list[Finding]:
    """The rules that need no other program; takes some hundredths of a second."""
    sources = [s for name in files(root) if (s := house_rules.read(root, name)) is not None]
    return sorted(_by_reading(root, sources))


def _by_reading(root: Path, sources: list[house_rules.Source]) -> Iterator[Finding]:
    for source in sources:
        for rule in house_rules.FILE_RULES:
            yield from rule(source)
    yield from tree_rules.readmes(sources)
    yield from tree_rules.tests_beside(sources)
    yield from tree_rules.results_exist(root, sources)
    yield from tree_rules.variants_listed(sources)


def _by_tools(root: Path, sources: list[house_rules.Source]) -> Iterator[Finding]:
    yield from tree_rules.cpp_layout(root, sources)
    yield from tree_rules.python_layout(root, sources)
    yield from tree_rules.python_types(root, sources)
