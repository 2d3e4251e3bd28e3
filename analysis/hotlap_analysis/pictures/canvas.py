"""A sheet to draw on, measured in pixels, and its SVG and PNG.

Pictures are drawn once with stand-in colours that become CSS variables, so that one SVG is right in
light and dark. Same input, same bytes: no dates, ids from a fixed salt, fonts named, not embedded.
"""

from __future__ import annotations

import html
import io
import re
from dataclasses import dataclass, field, fields
from typing import Any

import matplotlib

matplotlib.use("Agg")
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.axis import Axis  # noqa: E402
from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: E402
from matplotlib.backends.backend_svg import FigureCanvasSVG  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.ticker import FuncFormatter  # noqa: E402

matplotlib.rcParams["text.parse_math"] = False  # a target may hold a dollar sign

WIDE, NARROW = 860, 372
STAGES = 10
SANS = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif'


@dataclass(frozen=True)
class Palette:
    """Colours by role. Arms are blue, orange, green, purple, ochre: distinct without red-green.

    Stages are areas that text stands on; `rest` is what belongs to none. Dearer is red and cheaper
    blue, for differences that are no verdict.
    """

    surface: str
    ink: str
    muted: str
    grid: str
    band: str
    good: str
    bad: str
    arm0: str
    arm1: str
    arm2: str
    arm3: str
    arm4: str
    dearer: str
    cheaper: str
    rest: str
    stage0: str
    stage1: str
    stage2: str
    stage3: str
    stage4: str
    stage5: str
    stage6: str
    stage7: str
    stage8: str
    stage9: str

    def arm(self, index: int) -> str:
        return str(getattr(self, f"arm{index % 5}"))

    def stage(self, index: int) -> str:
        """Ten colours; what comes after them is `rest`, as is −1."""
        return str(getattr(self, f"stage{index}")) if 0 <= index < STAGES else self.rest

    def verdict(self, name: str) -> str:
        return {"improved": self.good, "regressed": self.bad}.get(name, self.ink)


LIGHT = Palette(
    surface="#ffffff",
    ink="#1b1f24",
    muted="#626b77",
    grid="#e3e6ea",
    band="#eef0f3",
    good="#0a7a70",
    bad="#b5321b",
    arm0="#0f65ad",
    arm1="#cf5a00",
    arm2="#0d8663",
    arm3="#9c4a8f",
    arm4="#8a6d00",
    dearer="#ee7d68",
    cheaper="#67a4e4",
    rest="#ccd2d9",
    stage0="#84b6e8",
    stage1="#f5a969",
    stage2="#7bcba3",
    stage3="#d4a2da",
    stage4="#e6d06c",
    stage5="#f2979b",
    stage6="#84d0d6",
    stage7="#c8aa8e",
    stage8="#b8c86c",
    stage9="#aab1f2",
)
DARK = Palette(
    surface="#1a1d22",
    ink="#e7eaee",
    muted="#99a3b0",
    grid="#31373f",
    band="#262b32",
    good="#4fc9bb",
    bad="#ff8a6b",
    arm0="#62b1f5",
    arm1="#f79a52",
    arm2="#46c79b",
    arm3="#d891cb",
    arm4="#d4b54a",
    dearer="#b5432f",
    cheaper="#2a67ab",
    rest="#464e59",
    stage0="#2f6ea8",
    stage1="#a3581b",
    stage2="#2b7d55",
    stage3="#85508f",
    stage4="#7d6a17",
    stage5="#a0454b",
    stage6="#22757c",
    stage7="#77593d",
    stage8="#627224",
    stage9="#565fb5",
)
ROLES = [f.name for f in fields(Palette)]
STAND_IN = Palette(**{role: f"#01{index:02x}fe" for index, role in enumerate(ROLES)})


def css_variables(palette: Palette) -> str:
    return " ".join(f"--{role}: {getattr(palette, role)};" for role in ROLES)


STANDALONE_STYLE = (
    f"<style>svg {{ {css_variables(LIGHT)} --sans: {SANS}; background: var(--surface); }} "
    f"@media (prefers-color-scheme: dark) {{ svg {{ {css_variables(DARK)} }} }} "
    "text { font-variant-numeric: tabular-nums; }</style>"
)


@dataclass
class Sheet:
    """A figure of width × height pixels, its palette, and tips: gid -> what hovering shows."""

    width: int
    height: int
    palette: Palette
    figure: Figure = field(init=False)
    tips: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.figure = Figure(figsize=(self.width / 72.0, self.height / 72.0), dpi=72)
        self.figure.patch.set_alpha(0.0)

    @property
    def narrow(self) -> bool:
        return self.width < 600

    def axes(self, left: float, top: float, width: float, height: float, **options: Any) -> Axes:
        """Axes at these pixels from the top left; thin, without a box, grid across the y axis."""
        box = (
            left / self.width,
            1.0 - (top + height) / self.height,
            width / self.width,
            height / self.height,
        )
        axes = self.figure.add_axes(box, **options)
        axes.patch.set_alpha(0.0)
        for side in ("top", "right", "left"):
            axes.spines[side].set_visible(False)
        axes.spines["bottom"].set_color(self.palette.muted)
        axes.spines["bottom"].set_linewidth(0.8)
        axes.tick_params(
            colors=self.palette.muted, labelsize=11, length=3, width=0.8, pad=4, which="both"
        )
        axes.tick_params(axis="y", length=0, which="both")
        axes.grid(axis="y", color=self.palette.grid, linewidth=0.8)
        axes.set_axisbelow(True)
        return axes

    def text(self, x: float, y: float, text: str, **options: Any) -> None:
        """Text at pixels from the top left."""
        options = {"fontsize": 11, "color": self.palette.ink, "va": "baseline", **options}
        self.figure.text(x / self.width, 1.0 - y / self.height, text, **options)

    def svg(self, name: str) -> str:
        """An <svg> element whose ids start with `name` and whose colours are CSS variables."""
        buffer = io.StringIO()
        settings = {
            "svg.hashsalt": "hotlap",
            "svg.fonttype": "none",
            "font.family": "DejaVu Sans",
            "axes.unicode_minus": True,
            "path.simplify": True,
        }
        with matplotlib.rc_context(settings):
            FigureCanvasSVG(self.figure).print_svg(
                buffer, metadata={"Date": None, "Creator": None, "Format": None, "Type": None}
            )
        return _clean(buffer.getvalue(), name, self.tips)

    def png(self, pixels_per_pixel: float = 2.0) -> bytes:
        buffer = io.BytesIO()
        self.figure.patch.set_alpha(1.0)
        self.figure.patch.set_facecolor(self.palette.surface)
        with matplotlib.rc_context({"font.family": "DejaVu Sans"}):
            FigureCanvasAgg(self.figure)
            self.figure.savefig(
                buffer, format="png", dpi=72 * pixels_per_pixel, metadata={"Software": None}
            )
        return buffer.getvalue()


def signed_ticks(axis: Axis) -> None:
    """Ticks with as many digits as their step needs, a true minus and no plus on zero."""

    def shown(value: float, _: object) -> str:
        places = axis.get_majorticklocs()
        step = float(places[1] - places[0]) if len(places) > 1 else 1.0
        digits = next((n for n in range(6) if abs(round(step, n) - step) < 1e-9 * step), 6)
        text = f"{abs(value):,.{digits}f}"
        if abs(value) < 1e-9 * step or not any(c in "123456789" for c in text):
            return "0"
        return ("\u2212" if value < 0 else "+") + text

    axis.set_major_formatter(FuncFormatter(shown))


def end_labels(
    sheet: Sheet, axes: Axes, ends: list[tuple[float, str, str]], spacing: float = 16.0
) -> None:
    """Names at the right ends of curves, (y, text, colour) each, pushed apart where they meet."""
    placed = sorted((float(axes.transData.transform((0.0, y))[1]), t, c) for y, t, c in ends)
    previous = float("-inf")
    for height, text, color in placed:
        previous = max(height, previous + spacing)
        axes.annotate(
            text, (1.0, 0.0), xycoords="axes fraction", xytext=(8, previous - float(axes.bbox.y0)),
            textcoords="offset pixels", fontsize=11.5, va="center", annotation_clip=False,
            color=color, fontweight="bold",
        )  # fmt: skip


def _clean(svg: str, name: str, tips: dict[str, str]) -> str:
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.S)
    svg = re.sub(r"<!--.*?-->\s*", "", svg, flags=re.S)
    svg = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'id="([^"]+)"', rf'id="{name}-\1"', svg)
    svg = re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", svg)
    svg = re.sub(r'href="#([^"]+)"', rf'href="#{name}-\1"', svg)
    for index, role in enumerate(ROLES):
        svg = svg.replace(f"#01{index:02x}fe", f"var(--{role})")
    svg = re.sub(r"""['"]?DejaVu Sans['"]?""", "var(--sans)", svg)
    for gid, tip in tips.items():
        mark = f'<g id="{name}-{gid}">'
        svg = svg.replace(mark, f"{mark}<title>{html.escape(tip)}</title>")
    return re.sub(r"[ \t]+\n", "\n", svg).rstrip() + "\n"


def standalone(svg: str) -> str:
    """The same picture as a file of its own, with its colours for light and dark."""
    end = svg.index(">") + 1
    return '<?xml version="1.0" encoding="utf-8"?>\n' + svg[:end] + STANDALONE_STYLE + svg[end:]
