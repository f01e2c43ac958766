"""A CXL-SSD beside the HBM: CXL-GPU's root port, with its queues, and its endpoint of Z-NAND.

The far part of the weights lies in the endpoint. The slices of the L2 share one root port.
"""

from typing import Any

from .. import Root, System, cxl, mem
from ..model.ports import Port
from ..model.provenance import assumed, derived, wired
from ..papers.cxl_gpu.machines import MachineParameters, add_port
from ..papers.cxl_gpu.scale import LOCAL, Scaled
from ..systems import placed
from ..systems.interleave import Interleave
from .machine import Build, Machine

UNIT = assumed("256B", "two lines of the GPU's L2")
LANES = assumed(16, "lanes of an H100, as its x16 of PCIe 5")


def lanes(share: float) -> int:
    """The power of two that is nearest to a share of the lanes: 1 of 1/20, 2 of 1/10."""
    return 1 << max(0, round(LANES * share).bit_length() - 1)


def cxl_ssd(platform: str) -> Build:
    """The platform of CXL-GPU: 'cxl', or 'cxl-sr' with speculative reads."""

    def build(root: Root, machine: Machine) -> None:
        moved = machine.far_ranges(root.model)
        memory: Any = machine.local
        if moved:
            memory = placed.beside(_port(root, machine, platform), moved, machine.local)
        root.gpu = machine.gpu(memory)

    return build


def _port(root: Root, machine: Machine, platform: str) -> placed.Memory:
    """The root complex with one port; its window has the addresses of all data."""
    root.join = mem.Crossbar(
        inputs=wired(machine.channels), **Interleave(machine.channels, "256B").over(1).crossbar, **placed.CROSSBAR
    )
    root.bridge = cxl.HostBridge()
    root.firmware = cxl.Firmware(ways=wired(1))
    root.join.mem_side[0] = root.bridge.cpu_side
    root.firmware.bridge = root.bridge.config
    root.port = [System()]
    cache = derived(int(machine.footprint * machine.far_share / LOCAL), from_=LOCAL)
    add_port(
        root,
        0,
        Scaled(machine.footprint, local=cache, llc=0),
        MachineParameters(platform, root.model, media="z-nand", unit=UNIT),
    )
    for end in (root.port[0].root_port, root.port[0].device):
        end.lanes = derived(lanes(machine.share), from_=[LANES, "the share of an H100"])

    def channel(i: int, interleave: Interleave) -> Port:
        entrance: Port = root.join.cpu_side[i]
        return entrance

    return channel
