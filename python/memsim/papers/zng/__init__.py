"""ZnG (Zhang and Jung, ISCA'20): `zng.machine(zng.MachineParameters(...))` builds a machine; the modules hold its
flash, its workloads, how it is scaled, its wear, and the points and assumptions that its studies share."""

from ...lazy import when_asked as _when_asked
from .machines import MachineParameters, machine, platforms

__getattr__ = _when_asked(__name__)
