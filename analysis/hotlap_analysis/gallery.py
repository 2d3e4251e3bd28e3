"""Draws every picture that a run has the numbers for."""

from __future__ import annotations

from typing import Callable

from hotlap_analysis import amounts, calls, open_loop
from hotlap_analysis.document import Picture, Pictures
from hotlap_analysis.facts import Facts, role_effects
from hotlap_analysis.pictures import amounts as amounts_picture
from hotlap_analysis.pictures import drift, forest, headline, percentiles, roles, rounds, syscalls
from hotlap_analysis.pictures.canvas import LIGHT, NARROW, STAND_IN, WIDE, Sheet
from hotlap_analysis.profile import document


def draw(facts: Facts) -> Pictures:
    drawn: Pictures = {}

    def add(name: str, sheet: Callable[[int], Sheet]) -> None:
        wide, narrow = sheet(WIDE).svg(f"{name}-w"), sheet(NARROW).svg(f"{name}-n")
        drawn[name] = Picture(wide, narrow)

    if forest.rows(facts):
        add("forest", lambda width: forest.draw(facts, width, STAND_IN))
    if facts.comparisons:
        add("rounds", lambda width: rounds.draw(facts.comparisons, width, STAND_IN))
        comparison = facts.comparisons[0]
        effects = role_effects(facts, comparison)
        if effects and comparison.relative:
            add("roles", lambda width: roles.draw(comparison, effects, width, STAND_IN))
    if len(facts.tables.latency) and percentiles.curves(facts):
        in_slices = percentiles.curves(facts)
        add("percentiles", lambda width: percentiles.draw(facts, in_slices, [], width, STAND_IN))
    tails = open_loop.curves(facts)
    if tails is not None:
        of, dashed = tails.response, tails.service
        add("open-loop", lambda width: percentiles.draw(facts, of, dashed, width, STAND_IN))
    course = drift.course(facts)
    if course is not None:
        over_time = course
        add("drift", lambda width: drift.draw(facts, over_time, width, STAND_IN))
    counted = calls.count(facts)
    if counted is not None:
        by_name = counted
        add("syscalls", lambda width: syscalls.draw(by_name, facts.labels, width, STAND_IN))
    happen = amounts.amounts(facts)
    if happen:
        add("amounts", lambda width: amounts_picture.draw(happen, facts.labels, width, STAND_IN))
    if facts.profile is not None:
        drawn.update(document.draw(facts.profile))
    return drawn


def headline_svg(facts: Facts, sentence: str) -> str:
    return headline.draw(facts, sentence, STAND_IN).svg("headline")


def headline_png(facts: Facts, sentence: str) -> bytes:
    return headline.draw(facts, sentence, LIGHT).png()
