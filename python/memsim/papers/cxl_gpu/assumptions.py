"""The assumptions of CXL-GPU's machines, for configs/studies/cxl/sensitivity.py."""

from ...study import assumptions


ALL = assumptions.of("cxl_gpu")
NAMES = list(dict.fromkeys(a.name for a in ALL))


def chosen(names):
    """The assumptions of these names, all values."""
    return assumptions.chosen(names, ALL)
