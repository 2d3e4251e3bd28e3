"""Writes profile.html, findings.md and the picture beside profile.json."""

from __future__ import annotations

from pathlib import Path

from hotlap_analysis import markdown, page
from hotlap_analysis.document import Picture, Pictures
from hotlap_analysis.files import replace
from hotlap_analysis.pictures import stages
from hotlap_analysis.pictures.canvas import NARROW, STAND_IN, WIDE, standalone
from hotlap_analysis.profile import flame, story
from hotlap_analysis.profile.recording import Profile
from hotlap_analysis.profile.story import PICTURE


def draw(profile: Profile) -> Pictures:
    wide, narrow = (
        stages.draw(profile, width, STAND_IN).svg(f"{PICTURE}-{name}")
        for width, name in ((WIDE, "w"), (NARROW, "n"))
    )
    return {PICTURE: Picture(wide, narrow)}


def write(profile: Profile) -> list[Path]:
    """The files written. Within a run of `ab`, findings.md is the run's, and this leaves it."""
    document = story.tell(profile)
    pictures = draw(profile)
    files = {
        "profile.html": page.render(document, pictures, flame.style(), flame.script()),
        f"pictures/{PICTURE}.svg": standalone(pictures[PICTURE].wide),
    }
    if not (profile.directory / "run.json").exists():
        files["findings.md"] = markdown.render(document, pictures)
    for name, text in files.items():
        replace(profile.directory / name, text.encode())
    return [profile.directory / name for name in files]
