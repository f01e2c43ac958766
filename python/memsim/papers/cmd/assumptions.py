"""The assumptions of CMD's machines, for configs/studies/cmd/sensitivity.py."""

from ...study import assumptions


ALL = assumptions.of("cmd")
NAMES = list(dict.fromkeys(a.name for a in ALL))


def chosen(names):
    """The assumptions of these names, all values."""
    return assumptions.chosen(names, ALL)
