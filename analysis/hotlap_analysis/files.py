"""Writing a file so that it is whole or not there."""

from __future__ import annotations

import os
from pathlib import Path

from hotlap_analysis.run import RunError


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
