"""The memory manager as a part of any machine: `watch(root, ...)` connects it to the SMs of `root.gpu`, whichever
component receives its hints; `hint_path(root)` adds a path for hints below the L2 to a machine that has none."""

from typing import Any

from ... import System, mem, sap
from ...model.ports import unbind
from ...model.provenance import wired


def watch(root: Any, clock: str, **manager: Any) -> Any:
    """Returns a sap.MemoryManager that observes the SMs of root.gpu, their L1s and the slices of the L2. On a machine
    with an MMU it looks into no cache. The caller binds `hints` and `misses`."""
    gpu = root.gpu
    looks = not hasattr(gpu, "mmu")
    root.manager = sap.MemoryManager(
        **wired(
            dict(
                sms=len(gpu.sm),
                slices=len(gpu.l2),
                interleave=gpu.interleave.chunk,
                clock=clock,
                looks_into_caches=looks,
            )
        ),
        **manager,
    )
    for i, (sm, l1) in enumerate(zip(gpu.sm, gpu.l1)):
        root.manager.queries[i] = sm.queries
        sm.upcoming = root.manager.upcoming[i]
        if looks:
            l1.control_ports = wired(1)
            root.manager.l1[i] = l1.control[0]
    for i, l2 in enumerate(gpu.l2 if looks else ()):
        l2.control_ports = wired(1)
        root.manager.l2[i] = l2.control[0]
    return root.manager


def hint_path(root: Any, hints: bool = True) -> Any:
    """Inserts a crossbar without latency below each slice of the L2, and returns the port that receives hints for all
    of them, or None without `hints`."""
    wires = wired(dict(clock="100GHz", width="4KiB", latency="1fs"))
    slices = list(root.gpu.l2)
    root.hint_path = System()
    root.hint_path.join = [mem.Crossbar(**wired(dict(inputs=1 + hints, outputs=1)), **wires) for _ in slices]
    for l2, join in zip(slices, root.hint_path.join):
        below = l2.mem_side.peer
        unbind(l2.mem_side)
        l2.mem_side = join.cpu_side[0]
        join.mem_side[0] = below
    if not hints:
        return None
    entrances = [join.cpu_side[1] for join in root.hint_path.join]
    if len(entrances) == 1:
        return entrances[0]
    root.hint_path.split = mem.Crossbar(inputs=wired(1), **root.gpu.interleave.crossbar, **wires)
    for i, entrance in enumerate(entrances):
        root.hint_path.split.mem_side[i] = entrance
    return root.hint_path.split.cpu_side[0]
