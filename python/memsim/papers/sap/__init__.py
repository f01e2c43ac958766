"""SAP (Wang et al.): a GPU's DRAM as the cache of a PCIe SSD, with prefetches of the pages that the warp schedulers are
about to access. `sap.machine(sap.MachineParameters(...))` builds a machine; the modules hold its workloads and
effective access times, the tables its claims and figures (docs/papers.md)."""

from ...lazy import when_asked as _when_asked
from .machines import MachineParameters, ShadowParameters, machine, policies, shadows

__getattr__ = _when_asked(__name__)
