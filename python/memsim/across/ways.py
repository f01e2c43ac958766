"""The ways to a larger memory: what each puts beside or behind the local memory of a GPU."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .. import Root, SimObject, flash, mem
from ..model.provenance import assumed, cited, derived, wired
from ..model.units import Bytes
from ..systems import hbf, nvidia, placed
from ..systems.interleave import Interleave
from ..systems.placed import Memory
from . import prices
from .prices import Price


@dataclass(frozen=True)
class Machine:
    """A GPU as a share of an H100 SXM, and the ratio of the footprint to its local memory."""

    share: float
    sms: int
    channels: int
    ratio: int
    footprint: int
    pause_at_launch: int

    def gpu(self, memory: Any) -> SimObject:
        """The GPU with this memory, as systems.gpu() takes it."""
        chip = nvidia.chip("h100-sxm")
        paused = dict(pause_at_launch=wired(self.pause_at_launch))
        l2 = derived(f"{int(Bytes.parse(chip.l2).value * self.channels / chip.slices)}B", from_="a share of the L2")
        return chip.gpu(
            sms=self.sms, channels=self.channels, slices=self.channels, l2=l2, memory=memory, dispatcher=paused
        )

    @property
    def local(self) -> dict[str, Any]:
        """The parameters of a controller of local memory."""
        return nvidia.chip("h100-sxm").memory()


@dataclass(frozen=True)
class Way:
    """A way to a larger memory.

    what     it is, for a reader
    build    puts the GPU of a machine into a root that has the `model`
    far      price of its far memory; None: it has none
    behind   far memory holds all data, local memory is its cache; else each has its own
    flash    name of the far memory whose wear counts: 'hbf', or ''
    """

    what: str
    build: Callable[[Root, Machine], None]
    far: Price | None
    behind: bool = False
    flash: str = ""

    def dollars(self, ratio: int) -> float:
        """Of memory for a terabyte of data."""
        local = prices.HBM.middle / ratio
        if self.far is None:
            return 1000 * prices.HBM.middle
        return 1000 * (local + self.far.middle * (1 if self.behind else 1 - 1 / ratio))


def beside(far: Callable[[Machine], Memory]) -> Callable[[Root, Machine], None]:
    """The last part of each array of weights lies in far memory."""

    def build(root: Root, machine: Machine) -> None:
        memory: Any = machine.local
        if machine.ratio > 1:
            moved = placed.arrays(root.model, "weights.", share=1 - 1 / machine.ratio)
            memory = placed.beside(far(machine), moved, machine.local)
        root.gpu = machine.gpu(memory)

    return build


def behind(drive: Callable[[Machine], SimObject]) -> Callable[[Root, Machine], None]:
    """Local memory is a page cache of a drive."""

    def build(root: Root, machine: Machine) -> None:
        root.gpu = machine.gpu(None)
        capacity = max(16, machine.footprint // machine.ratio // 4096 + (machine.ratio == 1))
        placed.behind(root.gpu, drive(machine), f"{4096 * capacity}B", machine.local)

    return build


def fixed(latency: str, rate: float) -> Callable[[Machine], Memory]:
    """A memory of this latency and rate (GB/s of the whole H100)."""

    def far(machine: Machine) -> Memory:
        each = derived(f"{round(rate * 1000 * machine.share / machine.channels)}MB/s", from_="a channel's share")

        def memory(i: int, interleave: Interleave) -> SimObject:
            made: SimObject = mem.SimpleMemory(latency=latency, bandwidth=each, queue=1024)
            return made

        return memory

    return far


def _all_local(root: Root, machine: Machine) -> None:
    root.gpu = machine.gpu(machine.local)


def _hbf(machine: Machine) -> Memory:
    # Five stacks of 16 channels are the H100's 80 channels, so a channel of each. Few blocks: rows of 16 pages.
    return hbf.channel("dash", blocks=4096, pages=16)


def _hbf_drive(machine: Machine) -> SimObject:
    return hbf.drive(machine.footprint, "dash", channels=machine.channels)


def _ssd(machine: Machine) -> SimObject:
    made: SimObject = flash.FixedDrive(
        read_latency=assumed("40us", "the least of the 40 to 100 us that TLC NAND is known for"),
        bandwidth=derived(f"{round(4 * 14500 * machine.share)}MB/s", from_=SSDS),
        queue=8192,
    )
    return made


SSDS = assumed("4 x 14.5GB/s", "four Solidigm D7-PS1010 of 14.5 GB/s fill PCIe 5 x16 (vendor)")
WAYS = {
    "hbm": Way("all data in HBM, whatever the ratio: the upper bound", _all_local, None),
    "hbf-beside": Way("HBF, a range of addresses", beside(_hbf), prices.HBF, flash="hbf"),
    "hbf-behind": Way("HBF, HBM as its page cache", behind(_hbf_drive), prices.HBF, behind=True, flash="hbf"),
    "c2c": Way(
        "host memory over NVLink-C2C, a range of addresses",
        beside(
            fixed(
                cited("772ns", "nvbandwidth, host_device_latency_sm: 772.6 ns in a log of a GH200-class machine"), 375
            )
        ),
        prices.DDR5,
    ),
    "cxl": Way(
        "CXL memory over a x16 port, a range of addresses",
        beside(
            fixed(assumed("300ns", "between the 214 and 394 ns that Melody (ASPLOS'25) measured on four devices"), 63)
        ),
        prices.CXL,
    ),
    "pcie": Way(
        "host memory over PCIe 5 x16, a range of addresses",
        beside(
            fixed(cited("1191ns", "nvbandwidth, host_device_latency_sm: median of an H200 on the same socket"), 55.6)
        ),
        prices.DDR5,
    ),
    "ssd-behind": Way("four SSDs over PCIe 5, HBM as their page cache", behind(_ssd), prices.SSD, behind=True),
}
