"""SAP's memory manager, which knows what warps are about to access: over HBM as the page cache of a drive, where each
miss brings these pages, too; before a CXL-SSD, as speculative reads. All else is as on the way without the manager.
"""

from collections.abc import Callable

from .. import Root, SimObject
from ..model.provenance import derived
from ..papers.sap.machines import WATCH
from ..papers.sap.watch import hint_path, watch
from .machine import CHIP, QUEUE, Build, Machine, behind


WATCHED = {**WATCH, "clock": derived(f"{CHIP.megahertz}MHz", from_="the clock of the SMs")}


def sap(drive: Callable[[Machine], SimObject]) -> Build:
    """HBM as the page cache of this drive, with the memory manager."""
    cache = behind(drive)

    def build(root: Root, machine: Machine) -> None:
        cache(root, machine)
        manager = watch(root, **WATCHED)
        root.gpu.cache.misses = manager.misses
        manager.hints = root.gpu.cache.hints

    return build


def hinting(way: Build, unit: str) -> Build:
    """Another way with the memory manager, which each period requests the units that came into view."""

    def build(root: Root, machine: Machine) -> None:
        way(root, machine)
        entrance = hint_path(root)
        for join in root.hint_path.join:
            join.queue = QUEUE
        manager = watch(root, **{**WATCHED, "unit": unit}, trigger="period")
        manager.hints = entrance

    return build
