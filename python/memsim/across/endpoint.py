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
    """The root complex with a port for each endpoint; its window has the addresses of all data."""
    count, loads = machine.assumed.endpoints, machine.assumed.loads
    root.join = mem.Crossbar(
        inputs=wired(machine.channels), **Interleave(machine.channels, "256B").over(1).crossbar, **placed.CROSSBAR
    )
    root.bridge = cxl.HostBridge()
    root.firmware = cxl.Firmware(ways=wired(count))
    root.join.mem_side[0] = root.bridge.cpu_side
    root.firmware.bridge = root.bridge.config
    root.port = [System() for _ in range(count)]
    cache = derived(int(machine.footprint * machine.far_share / LOCAL), from_=LOCAL)
    size = Scaled(machine.footprint, local=cache, llc=0)
    parameters = MachineParameters(platform, root.model, media="z-nand", unit=UNIT, ports=count)
    for i, port in enumerate(root.port):
        add_port(root, i, size, parameters)
        for end in (port.root_port, port.device):
            end.lanes = derived(lanes(machine.share), from_=[LANES, "the share of an H100"])
        if loads:
            port.queues.loads_at_once = assumed(loads, "a value of the envelope")

    def channel(i: int, interleave: Interleave) -> Port:
        entrance: Port = root.join.cpu_side[i]
        return entrance

    return channel
