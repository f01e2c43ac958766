"""Statistics of the default machine: `memsim.stats.dump()`."""
from .simulation import default


def dump(label: str = ""):
    """Writes all statistics of the default machine to its database under this label."""
    default().stats.dump(label)


def reset():
    """Sets all statistics of the default machine to zero."""
    default().stats.reset()


def series(period: str | int, patterns=("*",)):
    """Samples statistics of the default machine every `period`: 'gpu.l2[0].hits', where [*] stands for
    every index and * for any text, or the statistic itself, such as l2.stats.hits."""
    default().stats.series(period, patterns)
