"""SAP (Wang et al.): a GPU's DRAM as the cache of a PCIe SSD, prefetched by what the warp schedulers are about to
access. `sap.machine(...)` builds a machine; the modules hold its workloads, effective access times, and the points and
assumptions that its studies share."""

import importlib as _importlib

from .machines import machine, policies, shadows

_MODULES = ("assumptions", "eat", "hinted", "machines", "points", "watch", "workloads")


def __getattr__(name):
    """The other modules are imported when they are asked for: a run needs few of them."""
    if name in _MODULES:
        return _importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
