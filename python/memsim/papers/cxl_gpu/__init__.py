"""CXL-GPU (Gouk et al.): a GPU whose memory grows through CXL root ports. `cxl_gpu.machine(...)` builds a machine; the
modules hold its workloads, how it is scaled, its media, and the points and assumptions that its studies share."""

from ...lazy import modules_when_asked as _modules_when_asked
from .machines import CONTROLLERS, MEDIA, machine, platforms

__getattr__ = _modules_when_asked(__name__)
