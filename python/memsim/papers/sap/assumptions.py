"""The assumptions of SAP's machines, for configs/studies/sap/sensitivity.py."""

from ...study import assumptions


ALL = assumptions.of("sap")
NAMES = list(dict.fromkeys(a.name for a in ALL))


def chosen(names):
    """The assumptions of these names, all values."""
    return assumptions.chosen(names, ALL)
