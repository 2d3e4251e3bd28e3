"""The flame graphs in a real browser: pointing, clicking, searching, keys, colours, widths."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browser
import profiles
import pytest
from profiles import A, B, HOSTILE, MAIN, PARSE, REGEX, SERVE

from hotlap_analysis import cli

pytestmark = pytest.mark.skipif(not browser.PROGRAM, reason="chromium is not installed")
ROW = 20  # pixels, as flame.js has it


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[browser.Page]:
    with browser.browser(tmp_path_factory.mktemp("browser")) as page:
        yield page


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("profile"), profiles.content())


def made(directory: Path, content: profiles.Json) -> Path:
    assert cli.main(["profile", str(profiles.write(directory, content))]) == 0
    return directory / "profile.html"


class Graph:
    """The flame graph of an open page, in parts of its width and rows from its root."""

    def __init__(self, page: browser.Page) -> None:
        self.page = page
        page.evaluate("document.querySelector('.flame').scrollIntoView()")

    def at(self, part: float, row: int) -> tuple[float, float]:
        box = self.page.evaluate(
            "(({x, y, width}) => [x, y, width])"
            "(document.querySelector('canvas').getBoundingClientRect())"
        )
        return box[0] + part * box[2], box[1] + ROW * row + ROW / 2

    def point(self, part: float, row: int) -> str:
        self.page.move(*self.at(part, row))
        return self.about()

    def click(self, part: float, row: int) -> None:
        self.page.click(*self.at(part, row))

    def press(self, *keys: str) -> str:
        self.page.evaluate("document.querySelector('canvas').focus()")
        for key in keys:
            self.page.press(key)
        return self.about()

    def button(self, selector: str) -> None:
        self.page.evaluate(f'document.querySelector(".flame {selector}").click()')

    def about(self) -> str:
        text = "[...document.querySelector('.about').children].map(e => e.textContent).join('\\n')"
        return str(self.page.evaluate(text)).replace("\u00a0", " ")

    def color(self, part: float, row: int) -> list[int]:
        """Red, green, blue at the left of a frame's lower edge, where no letter is."""
        script = f"""(() => {{
            const canvas = document.querySelector('canvas'), scale = devicePixelRatio;
            const at = [{part} * canvas.clientWidth, {row * ROW + ROW - 3}];
            const pen = canvas.getContext('2d');
            return [...pen.getImageData(at[0] * scale, at[1] * scale, 1, 1).data].slice(0, 3);
        }})()"""
        return list(self.page.evaluate(script))


@pytest.fixture
def graph(window: browser.Page, path: Path) -> Iterator[Graph]:
    window.open(path)
    yield Graph(window)
    assert window.complaints() == []
    assert window.requests() == [path.resolve().as_uri()], "the page asked for something"


def test_a_frame_says_what_it_costs_in_both_arms(graph: Graph) -> None:
    graph.button("[data-widths='0']")
    assert graph.point(0.3, 3).split("\n") == [
        PARSE,
        "hotlap-server, stage request_line",
        "a: 6,000 ns per request (60.0 %, itself 1,000)",
        "b: 600 ns per request (12.8 %, itself 600)",
        "difference −5,400 ± 504 ns",
    ]
    assert graph.point(0.8, 4).startswith("__x64_sys_sendmsg\n[kernel], stage response\n")
    assert "\nb: no sample\n" in graph.point(0.1, 4), "none was seen: that is not zero"


def test_a_click_zooms_and_reset_shows_all_again(graph: Graph) -> None:
    graph.button("[data-widths='0']")
    assert graph.point(0.8, 4).startswith("__x64_sys_sendmsg")
    graph.click(0.3, 3)
    assert graph.point(0.8, 4).startswith(REGEX[0]), "parse is as wide as the graph"
    assert graph.point(0.9, 4).startswith("__x64") is False
    graph.click(0.5, 1)
    assert graph.point(0.8, 4).startswith("__x64_sys_sendmsg"), "a click on a caller zooms out"
    graph.click(0.3, 3)
    graph.button(".reset")
    assert graph.point(0.8, 4).startswith("__x64_sys_sendmsg")


def test_widths_are_of_the_arm_asked_for(graph: Graph) -> None:
    assert graph.point(0.3, 3).startswith("hotlap::variants::(anonymous namespace)::write")
    graph.button("[data-widths='0']")
    assert graph.point(0.3, 3).startswith(PARSE)
    legend = "document.querySelector('.legend').textContent"
    graph.button("[data-widths='1']")
    assert "5,000 ns are in frames that only a has" in graph.page.evaluate(legend)


def test_a_search_counts_each_stack_once(graph: Graph) -> None:
    graph.page.evaluate("document.querySelector('.flame input').focus()")
    graph.page.type("HOTLAP::")
    found = "found: a: 10,000 ns per request (100.0 %); b: 4,700 ns per request (100.0 %)"
    assert graph.about() == found
    graph.page.type("variants::(anonymous namespace)::p")
    assert graph.about() == (
        "found: a: 6,000 ns per request (60.0 %); b: 600 ns per request (12.8 %)"
    )
    graph.page.type("nothing")
    assert graph.about() == "no frame matches"
    graph.page.press("Escape")
    assert graph.about().startswith("all\n")


def test_a_stage_of_the_legend_is_found_and_let_go(graph: Graph) -> None:
    graph.button("[data-colors=stage]")
    graph.button(".legend button")
    assert graph.about() == (
        "found: a: 6,000 ns per request (60.0 %); b: 600 ns per request (12.8 %)"
    )
    graph.button(".legend button")
    assert graph.about().startswith("all\n")


def test_keys_walk_zoom_and_reset(graph: Graph) -> None:
    graph.button("[data-widths='0']")
    assert graph.press("ArrowDown", "ArrowDown", "ArrowDown").startswith(PARSE)
    assert graph.press("ArrowRight").startswith("hotlap::variants::(anonymous namespace)::write")
    assert graph.press("ArrowLeft", "ArrowDown").startswith(REGEX[0])
    assert graph.press("ArrowUp", "Enter").startswith(PARSE)
    assert graph.point(0.8, 4).startswith(REGEX[0]), "Enter zooms"
    graph.press("Escape")
    assert graph.point(0.8, 4).startswith("__x64_sys_sendmsg")
    graph.press("/")
    assert graph.page.evaluate("document.activeElement.type") == "search"


def test_colours_tell_cheaper_from_dearer_and_from_neither(window: browser.Page, path: Path,
                                                            tmp_path: Path) -> None:  # fmt: skip
    window.open(path)
    graph = Graph(window)
    graph.button("[data-widths='0']")
    red, _, blue = graph.color(0.02, 3)
    assert blue > red + 60, "parse is cheaper in b"
    rest = list(graph.color(0.62, 3))
    assert max(rest) - min(rest) < 20, "write differs by less than the error"
    graph.button("[data-colors='stage']")
    assert graph.color(0.02, 3) != graph.color(0.62, 3)
    window.open(made(tmp_path, profiles.content([B, A])))
    graph = Graph(window)
    red, _, blue = graph.color(0.02, 3)
    assert red > blue + 60, "parse is dearer in b"


def test_turned_over_the_root_is_at_the_foot(graph: Graph) -> None:
    rows = graph.page.evaluate("document.querySelector('canvas').clientHeight") // ROW
    graph.button(".turn")
    assert graph.point(0.5, rows - 1).startswith("all\n")
    assert graph.press("ArrowUp").startswith("main\n")


@pytest.mark.parametrize("width, mobile", [(1000, False), (390, True)])
def test_nothing_is_wider_than_the_window(
    window: browser.Page, path: Path, width: int, mobile: bool
) -> None:
    window.open(path, width=width, mobile=mobile)
    assert window.evaluate("document.documentElement.scrollWidth") == width
    inner = window.evaluate("document.querySelector('canvas').clientWidth")
    assert 0.8 * width < inner < width


def test_dark_pages_have_dark_frames(window: browser.Page, path: Path) -> None:
    lightness: list[Any] = []
    for dark in (False, True):
        window.open(path, dark=dark)
        lightness.append(sum(Graph(window).color(0.02, 0)))
    assert lightness[1] < lightness[0] - 100


def test_the_graph_stays_where_it_is_under_long_names(window: browser.Page, tmp_path: Path) -> None:
    long = ("f<" + ", ".join(["std::basic_string<char>"] * 60) + ">", "hotlap-server", "server")
    window.open(made(tmp_path, profiles.content([{(MAIN, long): 9}, {(MAIN, long): 9}])))
    graph = Graph(window)
    before = graph.at(0.5, 0)
    assert graph.point(0.5, 2).startswith("f<")
    assert graph.at(0.5, 0) == before, "else the pointer would be on another frame"


def test_a_hostile_name_is_shown_and_does_nothing(window: browser.Page, tmp_path: Path) -> None:
    stacks = {(MAIN, SERVE, (HOSTILE, "hotlap-server", "server")): 100}
    window.open(made(tmp_path, profiles.content([stacks])))
    assert Graph(window).point(0.5, 3).startswith(HOSTILE + "\n")
    assert window.evaluate("document.images.length") == 0
    assert window.complaints() == []


def test_one_arm_has_stages_for_colours_and_no_choice(window: browser.Page, tmp_path: Path) -> None:
    window.open(made(tmp_path, profiles.content([A])))
    assert Graph(window).point(0.3, 3).split("\n") == [
        PARSE,
        "hotlap-server, stage request_line",
        "6,000 ns per request (60.0 %, itself 1,000)",
    ]
    legend = "[...document.querySelectorAll('.legend li')].map(e => e.textContent)"
    assert window.evaluate(legend) == ["request_line", "response", "server"]
    assert window.complaints() == []


@pytest.fixture
def tabbed(window: browser.Page, tmp_path: Path) -> Iterator[browser.Page]:
    window.open(made(tmp_path, profiles.with_views("off-cpu")))
    yield window
    assert window.complaints() == []


def shown(window: browser.Page) -> list[str]:
    script = "[...document.querySelectorAll('[role=tabpanel]')].filter(e => !e.hidden)"
    return list(window.evaluate(f"{script}.map(e => e.id)"))


def test_a_tab_shows_its_view_and_hides_the_others(tabbed: browser.Page) -> None:
    assert shown(tabbed) == ["cpu"]
    tabbed.evaluate("document.querySelector('#tab-off-cpu').click()")
    assert shown(tabbed) == ["off-cpu"]
    width = "document.querySelector('#off-cpu canvas').clientWidth"
    assert tabbed.evaluate(width) > 700, "the graph is drawn once it is seen"


def test_keys_go_from_tab_to_tab(tabbed: browser.Page) -> None:
    tabbed.evaluate("document.querySelector('#tab-cpu').focus()")
    tabbed.press("ArrowRight")
    assert shown(tabbed) == ["off-cpu"]
    assert tabbed.evaluate("document.activeElement.id") == "tab-off-cpu"
    tabbed.press("ArrowRight")
    assert shown(tabbed) == ["cpu"], "round again"


def test_the_arm_that_has_something_is_shown_first(window: browser.Page, tmp_path: Path) -> None:
    found = profiles.with_views("heap")
    found["views"][0]["arms"][1]["stacks"] = []
    window.open(made(tmp_path, found))
    window.evaluate("document.querySelector('#tab-heap').click()")
    pressed = "document.querySelector('#heap [data-widths=\"0\"]').getAttribute('aria-pressed')"
    assert window.evaluate(pressed) == "true"
    assert window.complaints() == []


def test_a_sleep_is_told_in_its_units(tabbed: browser.Page) -> None:
    tabbed.evaluate("document.querySelector('#tab-off-cpu').click()")
    about = (
        "(() => { const flame = document.querySelector('#off-cpu .flame');"
        "flame.querySelector(\"[data-widths='0']\").click();"
        "const canvas = flame.querySelector('canvas'); canvas.focus();"
        "for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown'])"
        " canvas.dispatchEvent(new KeyboardEvent('keydown', {key}));"
        "return [...flame.querySelector('.about').children].map(e => e.textContent); })()"
    )
    told = [str(line).replace("\u00a0", " ") for line in tabbed.evaluate(about)]
    # Ten sleeps of 0.6 ms each: half of the interval is 1.96 * 6,000 ns / sqrt(10).
    assert told == [
        "take_turn",
        "hotlap-server, stage dispatch",
        "a: 6,000 ns asleep per request (93.8 %, itself 0)",
        "b: never asleep",
        "difference −6,000 ± 3,719 ns asleep",
    ]
