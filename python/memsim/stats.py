"""Statistics of the default machine: `memsim.stats.dump()`."""
from .run import default


def dump(label=""):
    """Writes all statistics of the default machine to its database under this label."""
    default().stats.dump(label)


def reset():
    """Sets all statistics of the default machine to zero."""
    default().stats.reset()


def series(period, patterns=("*",)):
    """Samples statistics ('gpu.l2[0].hits', '*' at the end allowed) of the default machine."""
    default().stats.series(period, patterns)
