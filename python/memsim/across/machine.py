"""The GPU that all ways share, and what a way is."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from math import inf
from typing import Any

from .. import Root, SimObject, link, mem
from ..errors import user_error
from ..model.ports import unbind
from ..model.provenance import assumed, derived, wired
from ..model.units import Bytes
from ..systems import nvidia, nvidia_parts, placed
from ..systems.far import Link, linked
from ..systems.interleave import Interleave
from ..systems.placed import Memory, Range
from . import prices
from .prices import Price, PriceOf, middle

CHIP = nvidia.chip("h100-sxm")
ADAPTER = assumed(dict(queue=8192, jobs=8192, outstanding=4096), "as many as the page cache and the routers have")
CHUNK = "256B"  # of local memory on all ways, as of the slices
QUEUE = nvidia_parts.DRAM["queue"]  # of what takes requests from the L2: the way there is 146 ns long


@dataclass(frozen=True)
class Assumed:
    """Assumptions of the ways, with the values of the tables.

    hbf_read  tR of HBF; "": DASH's
    loads     at once of an endpoint of the CXL-SSD; 0: CXL-GPU's
    endpoints of Z-NAND for a share of an H100
    links     rate of links to far memories and drives over the share of the GPU
    optics    Ohm-GPU's controllers, each with its channel of light, over those of as many SMs of the paper
    packages  ZnG's controllers and packages over those of as many SMs of the paper
    """

    hbf_read: str = ""
    loads: int = 0
    endpoints: int = 1
    links: float = 1.0
    optics: float = 1.0
    packages: float = 1.0

    def __post_init__(self) -> None:
        for name in ("links", "optics", "packages"):
            if not 0 < (value := getattr(self, name)) < inf:
                raise user_error(f"Assumed: {name}={value}: write a finite factor above 0")

    @property
    def changes(self) -> dict[str, str | int | float]:
        """The assumptions that do not have the values of the tables."""
        return {one.name: getattr(self, one.name) for one in fields(self) if getattr(self, one.name) != one.default}

    @property
    def hbf(self) -> dict[str, str]:
        """Parameters of HBF that differ from DASH's."""
        return {"t_read": assumed(self.hbf_read, "a value of the envelope")} if self.hbf_read else {}


@dataclass(frozen=True)
class Machine:
    """A GPU as a share of an H100 SXM, and the ratio of the footprint to its local memory."""

    share: float
    sms: int
    channels: int
    ratio: int
    footprint: int
    pause_at_launch: int
    tables: int = 0  # bytes of deduplication's tables, behind the data
    assumed: Assumed = Assumed()

    def gpu(self, memory: Any, **changes: Any) -> Any:
        """The GPU with this memory, as systems.gpu() takes it, and with changes of its other arguments."""
        paused = dict(pause_at_launch=wired(self.pause_at_launch))
        l2 = derived(Bytes(int(Bytes.parse(CHIP.l2).value * self.channels / CHIP.slices)), from_="a share of the L2")
        given = dict(sms=self.sms, channels=self.channels, slices=self.channels, l2=l2, dispatcher=paused)
        # Deduplication and light need shares that are distributed in turn, and all ways have the same GPU.
        return CHIP.gpu(**given, hash_rounds=0, memory=memory, **changes)

    @property
    def local(self) -> dict[str, Any]:
        """The parameters of a controller of local memory."""
        return CHIP.memory()

    @property
    def far_share(self) -> float:
        """Of the data: what local memory does not hold."""
        return 1 - 1 / self.ratio

    def far_ranges(self, program: SimObject) -> list[Range]:
        """Of each array of weights the last part, if there is far memory at all."""
        return placed.arrays(program, "weights.", share=self.far_share) if self.ratio > 1 else []

    @property
    def pages(self) -> str:
        """Local memory as pages of 4 KiB."""
        return str(Bytes(4096 * max(16, self.footprint // self.ratio // 4096 + (self.ratio == 1))))


Build = Callable[[Root, Machine], None]


@dataclass(frozen=True)
class Way:
    """A way to a larger memory.

    what     it is, for a reader
    build    puts the GPU of a machine into a root that has the `model`
    far      price of its far memory; None: it has none
    behind   far memory holds all data, local memory is its cache; else each has its own
    local    price of its local memory; None: it has none
    contents whether the values of the program decide what it does
    steady   whether its time is the same at all ratios
    """

    what: str
    build: Build
    far: Price | None
    behind: bool = False
    local: Price | None = prices.HBM
    contents: bool = False
    steady: bool = False

    def dollars(self, ratio: int, price: PriceOf = middle) -> float:
        """Of memory for a terabyte of data. `price` is what a gigabyte of a memory costs, by default the middle."""
        if self.far is None:
            return 1000 * price(prices.HBM)
        local = price(self.local) / ratio if self.local else 0
        return 1000 * (local + price(self.far) * (1 if self.behind else 1 - 1 / ratio))


def nearest(wanted: float, numbers: Iterable[int]) -> int:
    """The number whose quotient with what is wanted is nearest to 1."""
    return min(numbers, key=lambda n: max(n / wanted, wanted / n))


def beside(far: Callable[[Machine], Memory]) -> Build:
    """The last part of each array of weights lies in far memory."""

    def build(root: Root, machine: Machine) -> None:
        moved = machine.far_ranges(root.model)
        root.gpu = machine.gpu(placed.beside(far(machine), moved, machine.local) if moved else machine.local)

    return build


def behind(drive: Callable[[Machine], SimObject], **cache: Any) -> Build:
    """Local memory is a page cache of a drive."""

    def build(root: Root, machine: Machine) -> None:
        root.gpu = machine.gpu(None)
        placed.behind(root.gpu, drive(machine), machine.pages, machine.local, **cache)

    return build


def adapter(machine: Machine) -> SimObject:
    """A memory as the drive of a page cache: its `mem_side` is the memory's."""
    made: SimObject = link.BlockAdapter(**ADAPTER)
    return made


def cached(way: Build) -> Build:
    """The memory of another way, which has no local memory, with all data; local memory is its page cache."""

    def build(root: Root, machine: Machine) -> None:
        way(root, machine)
        entrances = [unbind(l2.mem_side) for l2 in root.gpu.l2]
        chunks = Interleave(machine.channels, CHUNK)  # a row of HBM is less than a chunk of other memories may be
        placed.behind(root.gpu, adapter(machine), machine.pages, machine.local, chunks)
        root.apart = mem.Crossbar(inputs=wired(1), **root.gpu.interleave.crossbar, **placed.CROSSBAR)
        root.gpu.drive.mem_side = root.apart.cpu_side[0]
        for i, entrance in enumerate(entrances):
            root.apart.mem_side[i] = entrance

    return build


def fixed(link: Link) -> Callable[[Machine], Memory]:
    """A memory behind a link of a whole H100."""

    def far(machine: Machine) -> Memory:
        return linked(link._replace(rate=link.rate * machine.share * machine.assumed.links))

    return far
