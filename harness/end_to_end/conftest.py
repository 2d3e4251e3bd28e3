"""Fixtures of the end-to-end tests."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from running import Hotlap


@pytest.fixture
def hotlap() -> Iterator[Hotlap]:
    """A hotlap whose every process must be gone soon after the test."""
    # A Unix socket's path has 107 bytes: pytest's own directories are too deep.
    temporary = Path(tempfile.mkdtemp(prefix="hl-"))
    runner = Hotlap(temporary)
    try:
        yield runner
        runner.assert_all_gone()
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A run directory that does not exist yet."""
    return tmp_path / "run"
