"""Ohm-GPU (Zhang and Jung, MICRO'21): `ohm.machine(ohm.MachineParameters(...))` builds a machine; the modules hold
its workloads, how it is scaled, its optics, costs, energy and wear; the tables its claims and figures
(docs/papers.md)."""

from ...lazy import when_asked as _when_asked
from .machines import (
    MachineParameters,
    TestbedParameters,
    machine,
    machine_scale,
    planar,
    platforms,
    testbed,
    two_level,
)
from .modes import MODULES, PAGE, PLANAR, TWO_LEVEL

__getattr__ = _when_asked(__name__)
