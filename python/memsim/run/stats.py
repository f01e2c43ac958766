"""Statistics of the default machine: `memsim.stats.dump()`."""
from typing import Any

from ..model.units import Time
from .default import default


def dump(label: str = "") -> None:
    """Writes all statistics of the default machine to its database under this label."""
    default().stats.dump(label)


def reset() -> None:
    """Sets all statistics of the default machine to zero."""
    default().stats.reset()


def series(period: str | int | Time, patterns: Any = ("*",)) -> None:
    """Samples statistics of the default machine every `period` of simulated time: '1us', a Time, femtoseconds. A second
    call replaces what the first one selected.

    patterns  one or several of: 'gpu.l2[0].hits', where [*] stands for every index and * for any text; a statistic,
              l2.stats.hits; all statistics of an object, l2.stats
    """
    default().stats.series(period, patterns)
