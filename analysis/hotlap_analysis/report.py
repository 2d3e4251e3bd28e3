"""Writes a run's report.html, findings.md and pictures/ beside its tables."""

from __future__ import annotations

import os
from pathlib import Path

from hotlap_analysis import gallery, markdown, page, story
from hotlap_analysis.facts import Facts, gather
from hotlap_analysis.pictures.canvas import standalone
from hotlap_analysis.run import RunError, read_run
from hotlap_analysis.tables import read_tables


def load(directory: Path) -> Facts:
    """Raises RunError."""
    run = read_run(directory)
    return gather(run, read_tables(directory, [arm.name for arm in run.arms]))


def write(facts: Facts) -> list[Path]:
    """The files written, in order. Each is whole or not there: written aside, then renamed."""
    document = story.tell(facts)
    pictures = gallery.draw(facts)
    files: dict[str, bytes] = {
        "report.html": page.render(document, pictures).encode(),
        "findings.md": markdown.render(document, pictures).encode(),
    }
    for name, picture in pictures.items():
        files[f"pictures/{name}.svg"] = standalone(picture.wide).encode()
    if facts.comparisons and "forest" in pictures:
        sentence = document.headlines[0]
        files["pictures/headline.svg"] = standalone(gallery.headline_svg(facts, sentence)).encode()
        files["pictures/headline.png"] = gallery.headline_png(facts, sentence)
    written = []
    for relative, content in files.items():
        path = facts.run.directory / relative
        replace(path, content)
        written.append(path)
    return written


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
