"""A CXL-SSD beside or behind the HBM: CXL-GPU's root port, with its queues, and its endpoint of Z-NAND.

beside  the far part of the weights lies in the endpoint; the slices of the L2 share one root port
behind  all data lie in the endpoint; HBM is a page cache, whose pages an adapter divides into memory requests
"""

from typing import Any

from .. import Root, System, cxl, mem
from ..model.ports import Port
from ..model.provenance import assumed, derived, wired
from ..papers.cxl_gpu.machines import MachineParameters, add_port
from ..papers.cxl_gpu.scale import LOCAL, Scaled
from ..systems import placed
from ..systems.interleave import Interleave
from .machine import Build, Machine, adapter, behind

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
    """The entrances of the slices to the root complex, whose endpoints hold the far part of the data."""
    root.join = mem.Crossbar(
        inputs=wired(machine.channels), **Interleave(machine.channels, "256B").over(1).crossbar, **placed.CROSSBAR
    )
    root.join.mem_side[0] = _root_complex(root, machine, platform, machine.footprint, machine.far_share)

    def channel(i: int, interleave: Interleave) -> Port:
        entrance: Port = root.join.cpu_side[i]
        return entrance

    return channel


def cxl_ssd_behind(platform: str) -> Build:
    """A CXL-SSD with all data, of which HBM is the page cache."""
    cache = behind(adapter)

    def build(root: Root, machine: Machine) -> None:
        cache(root, machine)
        root.gpu.drive.mem_side = _root_complex(root, machine, platform, machine.footprint + machine.tables)

    return build


def _root_complex(root: Root, machine: Machine, platform: str, window: int, share: float = 1.0) -> Port:
    """The root complex with a port for each endpoint. Its window has the addresses of all data, in bytes, of which
    the endpoints hold a share."""
    count, loads = machine.assumed.endpoints, machine.assumed.loads
    root.bridge = cxl.HostBridge()
    root.firmware = cxl.Firmware(ways=wired(count))
    root.firmware.bridge = root.bridge.config
    root.port = [System() for _ in range(count)]
    cache = derived(int(window * share / LOCAL), from_=LOCAL)
    size = Scaled(window, local=cache, llc=0)
    parameters = MachineParameters(platform, root.model, media="z-nand", unit=UNIT, ports=count)
    for i, port in enumerate(root.port):
        add_port(root, i, size, parameters)
        for end in (port.root_port, port.device):
            end.lanes = derived(lanes(machine.share), from_=[LANES, "the share of an H100"])
        if loads:
            port.queues.loads_at_once = assumed(loads, "a value of the envelope")
    entrance: Port = root.bridge.cpu_side
    return entrance
