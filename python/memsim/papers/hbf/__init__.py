"""Papers of 2026 that model High Bandwidth Flash (HBF): HBF-Sim, TileLens, FLINT, DASH, FlashAccel, HBFlex and H3.

They are no system of memsim's; their figures judge flash.HbfStack. `hbf.machine(hbf.MachineParameters(...))` builds a
machine of one paper's parameters."""

from ...lazy import when_asked as _when_asked
from .machines import MachineParameters, machine, platforms

__getattr__ = _when_asked(__name__)
