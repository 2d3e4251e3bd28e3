"""Writes a run's report.html, findings.md and pictures/ beside its tables."""

from __future__ import annotations

from pathlib import Path

from hotlap_analysis import gallery, markdown, page, story
from hotlap_analysis.facts import Facts, gather
from hotlap_analysis.files import replace
from hotlap_analysis.pictures.canvas import standalone
from hotlap_analysis.profile import document as profile_document
from hotlap_analysis.profile.recording import NAME, Profile, read_profile
from hotlap_analysis.run import Run, RunError, read_run
from hotlap_analysis.tables import read_tables


def load(directory: Path) -> Facts:
    """Raises RunError."""
    run = read_run(directory)
    facts = gather(run, read_tables(directory, [arm.name for arm in run.arms]))
    try:
        facts.profile = _profile(run)
    except RunError as error:
        facts.notes.append(f"The profile is left out: {error}.")
    return facts


def _profile(run: Run) -> Profile | None:
    """Of the run's first arm and another one, where the run has one. Raises RunError."""
    if not (run.directory / NAME).exists():
        return None
    profile = read_profile(run.directory)
    profiled, known = [arm.arm for arm in profile.arms], [arm.name for arm in run.arms]
    if len(profiled) < 2 or profiled[0] != known[0] or profiled[1] not in known[1:]:
        raise RunError(
            f"{run.directory / NAME}: its arms are {', '.join(profiled)}, and the run compares "
            f"{', '.join(known)}; profile {known[0]} and one of the others"
        )
    return profile


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
    written = [] if facts.profile is None else profile_document.write(facts.profile)
    for relative, content in files.items():
        path = facts.run.directory / relative
        replace(path, content)
        if path not in written:
            written.append(path)
    return written
