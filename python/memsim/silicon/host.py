"""Memory of the host behind a link, in place of a GPU's own: link.Pcie, or NVLink-C2C as a latency and a rate."""

from .. import Root, link, mem
from ..model.provenance import assumed, cited
from ..systems import far
from ..systems.interleave import Interleave
from ..systems.placed import CROSSBAR

C2C = dict(
    latency=far.C2C.latency,
    bandwidth=cited(f"{far.C2C.rate}GB/s", "arXiv 2407.07850, copies from host to device"),
    queue=1024,
)
DRAM = dict(
    latency=assumed("100ns", "a usual latency of a host's DRAM"),
    bandwidth=assumed("200GB/s", "more than the link's"),
    queue=256,
)
GENERATIONS = {f"PCIe{n}": n for n in (3, 4, 5)}


def put_behind(root: Root, name: str) -> None:
    """Puts the memory of the host behind the L2 of `root.gpu`, which has no memory of its own, over this link."""
    slices = list(root.gpu.l2)
    root.uplink = uplink = mem.Crossbar(inputs=len(slices), **Interleave(1, "256B").crossbar, **CROSSBAR)
    for i, l2 in enumerate(slices):
        l2.mem_side = uplink.cpu_side[i]
    if name in GENERATIONS:
        root.link = link.Pcie(generation=GENERATIONS[name], queue=256)
        root.host = mem.SimpleMemory(**DRAM)
        uplink.mem_side[0] = root.link.from_device
        root.link.to_host = root.host.cpu_side
    else:
        root.host = mem.SimpleMemory(**C2C)
        uplink.mem_side[0] = root.host.cpu_side
