"""Runs made once a session; tests copy what they change."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from synthetic import Shape, make  # noqa: E402


@pytest.fixture(scope="session")
def two_arms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("two") / "run", Shape(rounds=26, void=(7, 15)))


@pytest.fixture(scope="session")
def three_arms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    shape = Shape(
        seed=3,
        rounds=12,
        arms=("a", "b", "c"),
        targets=("request_line=regex", "request_line=scalar", "request_line=re2"),
        effects=(0.0, -0.031, 0.012),
        blocks=6,
    )
    return make(tmp_path_factory.mktemp("three") / "run", shape, packed=False)
