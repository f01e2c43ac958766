"""CMD (Zhao et al.): deduplication in front of GPU memory. `cmd.machine(cmd.MachineParameters(...))` builds a machine;
the modules hold its workloads, how it is scaled, its energy and area, and the points and assumptions that its studies
share."""

from ...lazy import when_asked as _when_asked
from .machines import MachineParameters, machine, platforms

__getattr__ = _when_asked(__name__)
