"""Writing a file so that it is whole or not there, and reading one whose version is known."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from hotlap_analysis.run import RunError


def read_document(path: Path, kind: str, key: str, version: int) -> dict[str, Any]:
    """A JSON object whose `key` is `version`; `kind` names its directory. Raises RunError."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise RunError(f"{path}: cannot be read ({error}); give {kind}'s directory") from None
    except json.JSONDecodeError as error:
        raise RunError(f"{path}: not valid JSON at line {error.lineno}; make it again") from None
    found = content.get(key) if isinstance(content, dict) else None
    if found != version:
        raise RunError(
            f"{path}: {key} is {found}, and this hotlap reads {version} only; use the hotlap that "
            "wrote it"
        )
    assert isinstance(content, dict)
    return content


def replace(path: Path, content: bytes) -> None:
    """Written aside, then renamed. Raises RunError."""
    aside = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(exist_ok=True)
        aside.write_bytes(content)
        os.replace(aside, path)
    except OSError as error:
        raise RunError(
            f"{path}: cannot be written ({error.strerror}); free space or allow writing there"
        ) from None
    finally:
        aside.unlink(missing_ok=True)
