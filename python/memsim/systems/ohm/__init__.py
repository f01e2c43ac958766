"""Ohm-GPU (Zhang and Jung, MICRO'21): `ohm.planar(...)` and `ohm.two_level(...)` build a machine; the modules hold
its workloads, optics, costs, energy, wear, and the points and assumptions that its studies share."""

import importlib as _importlib

from .machines import (MODULES, PAGE, PLANAR, TWO_LEVEL, machine_scale, planar, planar_scale, platforms,
                       testbed, two_level, two_level_scale)

_MODULES = ("assumptions", "cost", "dram", "energy", "job", "limits", "optics", "points", "wear", "workloads")


def __getattr__(name):
    """The other modules are imported when they are asked for: a run needs few of them."""
    if name in _MODULES:
        return _importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
