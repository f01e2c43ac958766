"""Ohm-GPU (Zhang and Jung, MICRO'21): `ohm.planar(...)` and `ohm.two_level(...)` build a machine; the modules hold
its workloads, how it is scaled, its optics, costs, energy and wear; the tables its claims and figures (docs/papers.md)."""

from ...lazy import modules_when_asked as _modules_when_asked
from .machines import MODULES, PAGE, PLANAR, TWO_LEVEL, machine_scale, planar, platforms, testbed, two_level

__getattr__ = _modules_when_asked(__name__)
