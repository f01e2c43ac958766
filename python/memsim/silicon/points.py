"""The measured figures of points.toml."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..errors import check_known
from .benchmarks import BENCHMARKS

FILE = Path(__file__).with_name("points.toml")


@dataclass(frozen=True)
class Point:
    """A figure of a chip.

    at         footprint, occupancy or another place, depending on the benchmark
    value      the median of the sources; None if no source has one
    low, high  lowest and highest source; both `value` where there is one
    used       whether a parameter of the preset was inferred from it
    note       on the benchmark's figures of this chip
    """

    chip: str
    benchmark: str
    at: str
    value: float | None
    low: float
    high: float
    source: str
    used: bool
    note: str = ""

    def error(self, ours: float) -> float:
        """How far ours is from the value, as a share of it. Requires: there is a value."""
        assert self.value is not None
        return ours / self.value - 1

    def agrees(self, ours: float) -> bool:
        """Whether ours is in the range of the sources or close enough to their median: latencies 10 %, rates 5 %.
        Requires: there is a value."""
        assert self.value is not None
        near = abs(ours - self.value) <= BENCHMARKS[self.benchmark].tolerance * self.value
        return near or self.low <= ours <= self.high


def chips() -> list[str]:
    """Those of which there are figures."""
    return list(tomllib.loads(FILE.read_text()))


def points_of(chip: str) -> Iterator[Point]:
    """All figures of a chip, in the order of the file."""
    check_known("chip with measured figures", chip, chips())
    for benchmark, table in tomllib.loads(FILE.read_text())[chip].items():
        for at, *figures in table["points"]:
            value = figures[0] if figures else None
            low, high = figures[1:] or (value or 0.0, value or 0.0)
            used = at in table.get("used", ())
            yield Point(chip, benchmark, at, value, low, high, table["source"], used, table.get("note", ""))
