"""CXL-GPU (Gouk et al.): a GPU whose memory grows through CXL root ports. `cxl_gpu.machine(
cxl_gpu.MachineParameters(...))` builds a machine. The modules hold its workloads, how it is scaled, its media, and the
points and assumptions that its studies share."""

from ...lazy import when_asked as _when_asked
from .drives import MEDIA
from .machines import MachineParameters, machine, platforms
from .values import CONTROLLERS

__getattr__ = _when_asked(__name__)
