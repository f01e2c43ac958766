"""CXL-GPU (Gouk et al.): a GPU whose memory grows through CXL root ports. `cxl_gpu.machine(...)` builds a machine; the
modules hold its workloads, how it is scaled, its media, and the points and assumptions that its studies share."""

import importlib as _importlib

from .machines import CONTROLLERS, MEDIA, machine, platforms

_MODULES = ("assumptions", "media", "points", "scale", "workloads")


def __getattr__(name):
    """The other modules are imported when they are asked for: a run needs few of them."""
    if name in _MODULES:
        return _importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
