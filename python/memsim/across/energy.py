"""Energy of the media and links that a way moves bytes over: bits of a run's statistics times joules of a bit.

Figures that a component has itself (HBF, XPoint) come from its statistics, those of Ohm-GPU's DRAM and light from
`papers.ohm.energy`. All others are in BITS.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .. import Root, SimObject
from ..model.energy import spent as spend
from ..model.provenance import assumed, cited, derived, source_of
from ..papers.ohm import energy as ohm_energy
from ..papers.zng.scale import PAGE
from ..systems.interleave import in_bytes

BESTHUB = "an article on NVLink-C2C (besthub.dev), which repeats NVIDIA; second hand"
CHATTERJEE = "no source; of GDDR5's 14 pJ the wires take 5 (Chatterjee et al., HPCA'17)"
FLINT = "as FLINT (arXiv 2608.25062) has HBF"

# pJ of a bit, with the other values that the envelope takes.
HBM = cited(4.3, "SC'25: an HBM2e device of an A100, measured; second hand", sweep=[3.97, 5.8])
DDR5 = assumed(15.0, "no source; GDDR5's 14 (Chatterjee et al., HPCA'17) and a module's register", sweep=[7.5, 25])
C2C = cited(1.3, BESTHUB, sweep=[1, 3])
PCIE = assumed(5.5, f"no source; a SerDes of 112 Gb/s has 5.5: {BESTHUB}", sweep=[3, 10])
FLASH_BUS = assumed(5.0, CHATTERJEE, sweep=[2, 10])
MESH = assumed(5.0, f"a link of ZnG's mesh as a bus: {CHATTERJEE}", sweep=[1.3, 10])
DRIVE = assumed(100.0, "no source: controller and DRAM of a drive", sweep=[0, 200])
SLC = f"no source for Z-NAND; {FLINT}"
ZNAND_READ, ZNAND_PROGRAM = assumed(20.0, SLC, sweep=[8, 30]), assumed(100.0, SLC)
TLC = f"no source for TLC: 7/3 and 3 times an SLC's, {FLINT[3:]}; seven sensings give three pages"
TLC_READ, TLC_PROGRAM = assumed(46.7, TLC, sweep=[20, 100]), assumed(300.0, TLC)
HBF_READ = cited(20.0, "FLINT (arXiv 2608.25062); the component's own", sweep=[8, 30])
HBF_PROGRAM = cited(100.0, "FLINT (arXiv 2608.25062); the component's own")
HBF_WIRES = cited(0.29, "KAIST's pooling of HBF (IEEE CAL 25(2)); the component's own", sweep=[0.1, 1])
PCM = "PCM: Lee et al., ISCA'09; the component's own, cells alone"
XPOINT_READ, XPOINT_WRITE = cited(2.5, PCM, sweep=[25, 250]), cited(16.8, PCM)
IDLE = 40.0  # W of an H200's HBM that does nothing: measured, 35 to 45 (CMU-SAFARI's HBM-Power; second hand)
OHM_DRAM = derived(ohm_energy.DRAM_ACCESS * 1e12, from_=ohm_energy.CHATTERJEE)
LASER = "Ohm-GPU VI: 0.73 mW a wavelength, lasers four times as strong; 10 % of the power is light (assumed)"
RINGS = cited(0.2, "Ohm-GPU table I: 200 fJ", sweep=[0.1, 0.4])


@dataclass(frozen=True)
class Part:
    """A medium or a link.

    counts   what its bits are
    figures  pJ of a bit, each with a source, by what is done to the bit; none: a power
    source   of the power
    factors  on its energy, from the sweep of the first figure
    """

    counts: str
    figures: Mapping[str, Any]
    source: str = ""
    others: tuple[float, ...] = ()

    @property
    def factors(self) -> tuple[float, ...]:
        """Other energies over this one."""
        if self.others or not self.figures:
            return self.others
        first = next(iter(self.figures.values()))
        source = source_of(first)
        return tuple(float(one.value) / float(first) for one in source.sweep) if source else ()


BUS = "bits on its bus"
PARTS: dict[str, Part] = {
    "HBM": Part(BUS, {"": HBM}),
    "DDR5": Part("bits of host or CXL memory, and on the bus of an endpoint's DRAM", {"": DDR5}),
    "C2C": Part("data", {"": C2C}),
    "PCIe": Part("data; with a CXL-SSD all bits on the wires", {"": PCIE}),
    "HBF cells": Part("bits of pages sensed or programmed", {"read": HBF_READ, "program": HBF_PROGRAM}),
    "HBF wires": Part("data", {"": HBF_WIRES}),
    "TLC NAND": Part("data of the drive", {"read": TLC_READ, "program": TLC_PROGRAM}),
    "Z-NAND": Part("bits of pages sensed or programmed", {"read": ZNAND_READ, "program": ZNAND_PROGRAM}),
    "flash bus": Part("data between package and controller", {"": FLASH_BUS}),
    "drive": Part("data that the drive's controller and DRAM pass on", {"": DRIVE}),
    "mesh": Part("bits of packets, once", {"": MESH}),
    "XPoint": Part("bits of lines read or written", {"read": XPOINT_READ, "write": XPOINT_WRITE}),
    "Ohm's DRAM": Part("bits between rows and pins", {"": OHM_DRAM}, others=(0.5, 2.0)),
    "lasers": Part("time", {}, LASER, others=(1 / 3, 2.0)),
    "rings": Part("bits of light", {"": RINGS}),
}
NOT_COUNTED = (
    "SMs, L1, L2, TLBs and the crossbar; power of a memory that does nothing (an H200's "
    f"HBM takes about {IDLE:g} W), refresh and leakage; controllers of memory and of links, retimers, switches, "
    "the host's processor; headers of links that are a latency and a rate (NVLink-C2C, PCIe, CXL memory, four SSDs); "
    "whole pages that an SSD senses for a part; erases; CMD's hashing, SAP's manager, ZnG's helper thread."
)

OHM = {"DRAM accesses": "Ohm's DRAM", "lasers": "lasers", "ring tuning": "rings"}  # parts of papers.ohm.energy
LIGHT = "bus_bytes", "dram_bytes", "side_bytes", "demand_bytes", "migration_bytes", "reverse_writes", "laser_power"

# Links of the memories that are a latency and a rate, or a drive of that kind, by the way's base name.
LINKS = {
    "c2c": ("DDR5", "C2C"),
    "cxl": ("DDR5", "PCIe"),
    "pcie": ("DDR5", "PCIe"),
    "hbf+cxl": ("DDR5", "PCIe"),
}


def spent(root: Root, way: str, seconds: float) -> dict[str, float]:
    """Joules of each of PARTS in a run of a way."""
    picojoules = dict.fromkeys(PARTS, 0.0)
    for one in below(root):
        count = COUNTED.get(str(one._type))
        for part, pj in count(one, way) if count else ():
            picojoules[part] += pj
    joules = {part: pj * 1e-12 for part, pj in picojoules.items()}
    if way.startswith("ohm-"):
        for part, more in _ohm(root, way, seconds).items():
            joules[part] += more
    return {part: j for part, j in joules.items() if j}


def below(part: SimObject) -> Iterator[SimObject]:
    """The object and all below it."""
    yield part
    for child in part._children.values():
        for one in [child] if isinstance(child, SimObject) else child:
            yield from below(one)


Count = Iterator[tuple[str, float]]  # (part, pJ)


def bits(of: SimObject, *names: str) -> float:
    """The sum of statistics in bytes, in bits."""
    return 8 * sum(float(getattr(of.stats, name)) for name in names)


def _dram(one: SimObject, way: str) -> Count:
    if one.path.startswith("port["):
        yield "DDR5", bits(one, "bus_bytes") * DDR5
    elif not way.startswith("ohm-") or one.path.startswith("gpu."):  # other DRAM is Ohm-GPU's there
        yield "HBM", bits(one, "bus_bytes") * HBM


def _far(one: SimObject, way: str) -> Count:
    for link in LINKS.get(way.removesuffix("+cmd"), ()):  # others are not data
        yield link, bits(one, "bytes") * PARTS[link].figures[""]


def _ssd(one: SimObject, way: str) -> Count:
    data, asked = bits(one, "bytes"), float(one.stats.reads) + float(one.stats.writes)
    read = data * float(one.stats.reads) / asked if asked else 0.0
    yield "TLC NAND", read * TLC_READ + (data - read) * TLC_PROGRAM
    yield "drive", data * DRIVE
    yield "PCIe", data * PCIE


def _hbf(one: SimObject, way: str) -> Count:
    yield "HBF cells", float(one.stats.cell_energy) * 1e3
    yield "HBF wires", float(one.stats.wire_energy) * 1e3


def _drive(one: SimObject, way: str) -> Count:
    if one.path.startswith("port["):  # HBF as a drive has no controller but the GPU's
        yield "drive", bits(one, "read_bytes", "write_bytes") * DRIVE


def _channel(one: SimObject, way: str) -> Count:
    yield "flash bus", bits(one, "data_in", "data_out") * FLASH_BUS


def _package(one: SimObject, way: str) -> Count:
    drive: Any = one._parent
    yield "Z-NAND", _pages(one, in_bytes(drive.drive.page, "page"))


def _zng_package(one: SimObject, way: str) -> Count:
    yield "Z-NAND", _pages(one, PAGE)
    yield "flash bus", bits(one, "read_bytes", "write_bytes") * FLASH_BUS


def _pages(package: SimObject, page: int) -> float:
    sensed, programmed = float(package.stats.senses), float(package.stats.programs)
    return 8 * page * (sensed * ZNAND_READ + programmed * ZNAND_PROGRAM)


def _zng_controller(one: SimObject, way: str) -> Count:
    yield "flash bus", bits(one, "unasked_bytes") * FLASH_BUS


def _mesh(one: SimObject, way: str) -> Count:
    yield "mesh", bits(one, "bytes") * MESH


def _wires(one: SimObject, way: str) -> Count:
    yield "PCIe", bits(one, "wire_bytes") * PCIE


def _xpoint(one: SimObject, way: str) -> Count:
    yield "XPoint", float(one.stats.media_energy) * 1e3


COUNTED = {
    "mem.DramController": _dram,
    "mem.SimpleMemory": _far,
    "flash.FixedDrive": _ssd,
    "flash.HbfStack": _hbf,
    "flash.Drive": _drive,
    "flash.Channel": _channel,
    "flash.Package": _package,
    "zng.Package": _zng_package,
    "zng.FlashController": _zng_controller,
    "zng.Mesh": _mesh,
    "cxl.RootPort": _wires,
    "cxl.DevicePort": _wires,
    "ohm.XpointModule": _xpoint,
}


def _ohm(root: Root, way: str, seconds: float) -> dict[str, float]:
    """DRAM and light of Ohm-GPU's memory, without static power."""
    values = {
        (one.path, name): float(getattr(one.stats, name))
        for one in below(root)
        if one.path.startswith(("memory.", "optics"))
        for name in LIGHT
        if name in one._stats
    }
    mode = "planar" if way.startswith("ohm-planar") else "two-level"
    platform, parts = (
        ("ohm-bw", root.memory.controller) if hasattr(root.memory, "xpoint") else ("oracle", root.memory.dram)
    )
    costs = [one for one in ohm_energy.costs(mode, platform, len(parts)) if one.part in OHM]
    return {OHM[part]: joules for part, joules in spend(costs, values, seconds).items()}
