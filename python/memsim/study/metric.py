"""Metrics of a run: typed functions of a `Run`, which a paper's metrics.py declares with their unit.

    @metric("GB/s", "memory bandwidth")
    def memory_bandwidth(run: Run) -> float:
        return 1e-9 * share(run.total("gpu.l2", "fetched_bytes"), run.seconds)
"""

import contextlib
import dataclasses
import functools
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..errors import did_you_mean, user_error
from ..results.database import connect

DISPATCHER = "gpu.dispatcher"  # counts a run's cycles


class Run:
    """A finished run: its values by path and name, the parameters of its machine, and the point to which it belongs."""

    def __init__(self, database: str, run: str, keys: Mapping[str, Any], platform: str = "", mode: str = "") -> None:
        """keys: those that identify the point; platform, mode: of the machine, independent of the variant."""
        self.database, self.run, self.keys = database, run, dict(keys)
        self.platform, self.mode = platform, mode

    @classmethod
    def of(cls, values: dict[tuple[str, str], float], clock: float, platform: str = "", mode: str = "") -> "Run":
        """A run with these values that is not in a database."""
        run = cls("", "", {}, platform, mode)
        run.__dict__.update(values=values, parameters={(DISPATCHER, "clock"): clock})
        return run

    def query(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """The rows of a query. `:run` is not defined: pass `run` among the values."""
        with contextlib.closing(connect(self.database)) as database:
            return list(database.execute(sql, values))

    @functools.cached_property
    def values(self) -> dict[tuple[str, str], float]:
        """All values of the last dump by (path, name)."""
        rows = self.query("SELECT path, name, value FROM result WHERE run = ?", self.run)
        return {(path, name): value for path, name, value in rows}

    @functools.cached_property
    def parameters(self) -> dict[tuple[str, str], float]:
        """All numeric parameters of the machine by (path, name), in base units (Hz, s, B)."""
        rows = self.query(
            "SELECT path, name, value FROM object JOIN param ON param.object = object.id WHERE run = ?", self.run
        )
        return {(path, name): value for path, name, value in rows}

    def value(self, path: str, name: str) -> float:
        """The value of one statistic."""
        if (path, name) not in self.values:
            known = [f"{p}.{n}" for p, n in self.values]
            wrong = f"{path}.{name}"
            raise user_error(f"the run {self.run} has no value '{wrong}'{did_you_mean(wrong, known)}")
        return self.values[path, name]

    def total(self, path: str, *names: str, end: str = "") -> float:
        """The sum of these statistics over the objects whose path begins with `path` and ends with `end`."""
        return sum(v for (p, n), v in self.values.items() if n in names and p.startswith(path) and p.endswith(end))

    def paths(self, path: str) -> set[str]:
        """The paths of objects with statistics that begin with `path`."""
        return {p for p, _ in self.values if p.startswith(path)}

    @property
    def clock(self) -> float:
        """The frequency of the GPU's clock in Hz."""
        return self.parameters[DISPATCHER, "clock"]

    @property
    def cycles(self) -> float:
        """Cycles of the GPU's clock during the programs."""
        return self.value(DISPATCHER, "cycles")

    @property
    def seconds(self) -> float:
        """Simulated time of the programs."""
        return self.cycles / self.clock


def share(part: float, whole: float) -> float:
    """part / whole; 0 if whole is 0."""
    return part / whole if whole else 0.0


def rate(part: float, whole: float) -> float:
    """part / whole; NaN if whole is 0, which counts as not modelled."""
    return part / whole if whole else math.nan


@dataclasses.dataclass(frozen=True)
class Metric:
    """A function of a run (or of a part of one, if metrics.py has `parts`), with its unit and its name in words."""

    name: str
    unit: str  # '1' for a ratio or a share of 1, '%' for a share of 100
    title: str  # as printed with a claim
    of: Callable[[Any], float]


def metric(unit: str, title: str = "") -> Callable[[Callable[[Any], float]], Callable[[Any], float]]:
    """Declares a function of a run to be a metric; its name is the function's."""

    def declare(function: Callable[[Any], float]) -> Callable[[Any], float]:
        name = function.__name__
        setattr(function, "metric", Metric(name, unit, title or name.replace("_", " "), function))
        return function

    return declare


# Pairs of units whose values differ by a factor, for claims in another unit than the metric.
FACTORS = {("1", "%"): 100.0, ("%", "1"): 0.01}


def convert(value: float, unit: str, to: str) -> float:
    """A metric's value in the unit of a claim, if both are of one kind; otherwise the value itself."""
    return value * FACTORS.get((unit, to), 1.0)


def metrics_of(module: object) -> dict[str, Metric]:
    """The metrics of a module, in source order."""
    declared = (getattr(value, "metric", None) for value in vars(module).values())
    return {m.name: m for m in declared if isinstance(m, Metric)}


Parts = Callable[[Run], Iterator[tuple[dict[str, Any], Any]]]


def whole(run: Run) -> Iterator[tuple[dict[str, Any], Any]]:
    """The default of `parts`: a run is one row of a figure's table."""
    yield {}, run


def root() -> Path:
    """The folder of the project, with configs and docs."""
    from ..errors import PACKAGE

    return Path(PACKAGE, "__init__.py").resolve().parents[2]
