"""SAP's memory manager over HBM as the page cache of a drive: each miss brings the pages, too, that warps are about to
access. The drive and the cache are those of the way without the manager.
"""

from collections.abc import Callable

from .. import Root, SimObject
from ..model.provenance import derived, wired
from ..papers.sap.machines import WATCH
from ..papers.sap.watch import watch
from .machine import CHIP, Build, Machine, behind


def sap(drive: Callable[[Machine], SimObject]) -> Build:
    """HBM as the page cache of this drive, with the memory manager."""
    cache = behind(drive, prefetchers=wired(1))

    def build(root: Root, machine: Machine) -> None:
        cache(root, machine)
        clock = derived(f"{CHIP.megahertz}MHz", from_="the clock of the SMs")
        manager = watch(root, **{**WATCH, "clock": clock})
        root.gpu.cache.misses[0] = manager.misses[0]
        manager.hints[0] = root.gpu.cache.hints[0]

    return build
