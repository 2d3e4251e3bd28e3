"""What is measured: each metric's unit, its better side, and its value per round and arm.

Ratios are of totals within a round, so that rare costs stay in. A round in which an arm lacks a
value does not take part in that metric.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

import numpy as np
import numpy.typing as npt
import pandas as pd

from hotlap_analysis.run import DEFAULT_MARGIN_PERCENT as USUAL_MARGIN_PERCENT
from hotlap_analysis.run import Run
from hotlap_analysis.tables import Tables

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Metric:
    """`top` over `bottom` is the metric's value; `bottom` of None means that `top` is it."""

    name: str
    title: str
    unit: str
    better: str
    top: Callable[[pd.DataFrame], pd.Series]
    bottom: Callable[[pd.DataFrame], pd.Series] | None
    less: str  # how a sentence says that it fell, "{x}" the amount, "{a}" and "{b}" the arms
    more: str
    absolute: bool = False
    pass_name: str = "timing"
    # The usual one where None, which the run's own stands for where its primary metric has it too.
    margin_percent: float | None = None
    margin_absolute: float = 10.0
    exact_possible: bool = False
    scale: float = 1.0

    def per_round(self, tables: Tables) -> pd.DataFrame:
        """One row a round, one column an arm; rounds with every arm's value only."""
        rows = tables.valid(self.pass_name)
        value = self.top(rows)
        if self.bottom is not None:
            below = self.bottom(rows)
            value = value / below.where(below > 0) * self.scale
        frame = pd.DataFrame({"round": rows["round"], "arm": rows["arm"], "value": value})
        return frame.pivot(index="round", columns="arm", values="value").sort_index()

    def margin(self, run: Run, relative: bool) -> float:
        """delta on that scale: per cent, or the metric's unit."""
        if not relative:
            return self.margin_absolute
        primary = metric(run.primary_metric)
        usual = primary is None or primary.margin_percent is None
        if self.name == run.primary_metric or (self.margin_percent is None and usual):
            return run.margin_percent
        return USUAL_MARGIN_PERCENT if self.margin_percent is None else self.margin_percent


def _column(name: str) -> Callable[[pd.DataFrame], pd.Series]:
    return lambda rows: rows[name] if name in rows else pd.Series(np.nan, index=rows.index)


def _sum(first: str, second: str) -> Callable[[pd.DataFrame], pd.Series]:
    return lambda rows: _column(first)(rows) + _column(second)(rows)


def _growth(rows: pd.DataFrame) -> pd.Series:
    return _column("rss_end_bytes")(rows) - _column("rss_begin_bytes")(rows)


def _costs(what: str) -> tuple[str, str]:
    return f"{{b}} costs {{x}} less {what} than {{a}}", f"{{b}} costs {{x}} more {what} than {{a}}"


def _takes(what: str) -> tuple[str, str]:
    of = f"{what} of {{b}} is {{x}}"
    return f"{of} lower than {{a}}'s", f"{of} higher than {{a}}'s"


def _latency(name: str, margin_percent: float) -> Metric:
    top = _column(f"latency_{name}_ns")
    title = f"latency {name}"
    words = _takes(f"the {title}")
    full = f"latency_{name}"
    return Metric(
        full, title, "ns", "lower", top, None, *words,
        margin_percent=margin_percent, margin_absolute=1000.0,
    )  # fmt: skip


_CPU = "CPU per request"
_FAULTS = "minor faults per request"
_SWITCHES = "context switches per request"
_SYSCALLS = "syscalls per request"
_ALLOCATIONS = "allocations per request"
_BYTES = "allocated bytes per request"
_REPLY = "reply bytes per request"
_CGROUP = "cgroup CPU per request"
_SUM = "server + generator CPU per request"

# In the order in which a report shows them; name, title, unit, better, top, bottom, less, more.
_DECLARED = (
    Metric("cpu_per_request", _CPU, "ns", "lower", _column("cpu_ns"), _column("ok"), *_costs(_CPU)),
    Metric(
        "server_and_generator_cpu_per_request", _SUM, "ns", "lower",
        _sum("cpu_ns", "generator_cpu_ns"), _column("ok"), *_costs(_SUM), margin_absolute=20.0,
    ),
    Metric(
        "throughput", "throughput", "1/s", "higher", _column("ok"), _column("own_slices_ns"),
        "{b} serves {x} fewer requests per second than {a}",
        "{b} serves {x} more requests per second than {a}",
        margin_absolute=1.0, scale=1e9,
    ),
    _latency("p50", 1.0),
    _latency("p90", 2.0),
    _latency("p99", 5.0),
    Metric(
        "minor_faults_per_request", _FAULTS, "1", "lower", _column("minor_faults"), _column("ok"),
        *_costs(_FAULTS), absolute=True, margin_absolute=0.01, exact_possible=True,
    ),
    Metric(
        "context_switches_per_request", _SWITCHES, "1", "lower",
        _sum("voluntary_switches", "involuntary_switches"), _column("ok"),
        *_costs(_SWITCHES), absolute=True, margin_absolute=0.02, exact_possible=True,
    ),
    Metric(
        "rss_growth_per_request", "RSS growth per request", "bytes", "lower",
        _growth, _column("rss_requests"),
        "{b} grows by {x} less memory per request than {a}",
        "{b} grows by {x} more memory per request than {a}",
        absolute=True, margin_absolute=1.0,
    ),
    Metric(
        "rss_peak", "peak RSS", "bytes", "lower", _column("rss_peak_bytes"), None,
        *_takes("the peak RSS"), margin_percent=2.0, margin_absolute=float(1 << 20),
    ),
    Metric(
        "reply_bytes_per_request", _REPLY, "bytes", "lower", _column("reply_bytes"), _column("ok"),
        *_costs(_REPLY), absolute=True, margin_absolute=1.0, exact_possible=True,
    ),
    Metric(
        "syscalls_per_request", _SYSCALLS, "1", "lower", _column("syscalls"), _column("ok"),
        *_costs(_SYSCALLS), pass_name="counting", margin_absolute=0.01, exact_possible=True,
    ),
    Metric(
        "allocations_per_request", _ALLOCATIONS, "1", "lower", _column("allocations"),
        _column("ok"), *_costs(_ALLOCATIONS), absolute=True, pass_name="counting",
        margin_absolute=0.01, exact_possible=True,
    ),
    Metric(
        "allocated_bytes_per_request", _BYTES, "bytes", "lower", _column("allocated_bytes"),
        _column("ok"), *_costs(_BYTES), absolute=True, pass_name="counting", margin_absolute=1.0,
        exact_possible=True,
    ),
    Metric(
        "cgroup_cpu_per_request", _CGROUP, "ns", "lower", _column("cgroup_cpu_ns"), _column("ok"),
        *_costs(_CGROUP),
    ),
)  # fmt: skip
METRICS: dict[str, Metric] = {declared.name: declared for declared in _DECLARED}
EVENT = "event:"


def of_event(name: str) -> Metric:
    """A perf event that the run counted; `name` is its column of rounds.csv."""
    what = f"{name.removeprefix(EVENT)} per request"
    return Metric(
        name, what, "1", "lower", _column(name), _column("ok"), *_costs(what),
        pass_name="events", margin_absolute=0.01, exact_possible=True,
    )  # fmt: skip


def of_run(tables: Tables) -> list[Metric]:
    """Every metric that a run may have values of."""
    events = [name for name in tables.rounds.columns if str(name).startswith(EVENT)]
    return [*METRICS.values(), *map(of_event, events)]


def metric(name: str) -> Metric | None:
    """By the name used in run.json, where a bare or suffixed quantile is the same metric."""
    for known in (name, f"latency_{name}", name.removesuffix("_ns")):
        if known in METRICS:
            return METRICS[known]
    return of_event(name) if name.startswith(EVENT) else None


def title(name: str) -> str:
    known = metric(name)
    return known.title if known else name.replace("_", " ")


@dataclass
class Paired:
    """A metric's values of one arm and of the first, in the rounds where both have one."""

    metric: Metric
    rounds: pd.Index
    a: Floats
    b: Floats

    @property
    def relative(self) -> bool:
        """Whether the verdict is on the ratio scale: declared so, and both arms positive."""
        return self.ratio_defined and not self.metric.absolute

    @property
    def ratio_defined(self) -> bool:
        return bool(len(self.a)) and bool(np.all(self.a > 0)) and bool(np.all(self.b > 0))

    @property
    def log_ratio(self) -> Floats:
        """d = ln(B/A) of each round."""
        return np.asarray(np.log(self.b / self.a))

    @property
    def difference(self) -> Floats:
        return np.asarray(self.b - self.a)

    @property
    def unvarying(self) -> bool:
        return len(self.a) > 0 and np.ptp(self.a) == 0 and np.ptp(self.b) == 0


def paired(metric: Metric, tables: Tables, first: str, arm: str) -> Paired:
    values = metric.per_round(tables)
    if first not in values or arm not in values:
        return Paired(metric, values.index[:0], np.array([]), np.array([]))
    both = values[[first, arm]].dropna()
    return Paired(metric, both.index, both[first].to_numpy(), both[arm].to_numpy())
