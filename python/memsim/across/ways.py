"""The ways to a larger memory: what each puts beside, behind or in place of the local memory of a GPU."""

from dataclasses import replace

from .. import Root, SimObject, flash
from ..model.provenance import assumed, derived
from ..systems import far, hbf, placed
from ..systems.placed import Memory
from . import prices
from .deduplicated import deduplicated
from .endpoint import cxl_ssd, cxl_ssd_behind
from .light import ohm, ohm_behind
from .machine import Machine, Way, behind, beside, fixed
from .managed import hinting, sap
from .network import zng


def _all_local(root: Root, machine: Machine) -> None:
    root.gpu = machine.gpu(machine.local)


def _hbf(machine: Machine) -> Memory:
    # Five stacks of 16 channels are the H100's 80 channels, so a channel of each. Few blocks: rows of 16 pages.
    return hbf.channel("dash", blocks=4096, pages=16, **machine.assumed.hbf)


def _hbf_drive(machine: Machine) -> SimObject:
    return hbf.drive(machine.footprint, "dash", channels=machine.channels, **machine.assumed.hbf)


def _ssd(machine: Machine) -> SimObject:
    made: SimObject = flash.FixedDrive(
        read_latency=assumed("40us", "the least of the 40 to 100 us that TLC NAND is known for"),
        bandwidth=derived(f"{round(4 * 14500 * machine.share * machine.assumed.links)}MB/s", from_=SSDS),
        queue=8192,
    )
    return made


def _hbf_and_cxl(root: Root, machine: Machine) -> None:
    near, remote = placed.divided(machine.far_ranges(root.model), CXL_PART)
    two = placed.spread([(_hbf(machine), near), (_cxl(machine), remote)], machine.local)
    root.gpu = machine.gpu(two if machine.ratio > 1 else machine.local)


SSDS = assumed("4 x 14.5GB/s", "four Solidigm D7-PS1010 of 14.5 GB/s fill PCIe 5 x16 (vendor)")
# HBF and CXL memory take about as long for their parts: beside HBM alone they give 50 and 3.5 GB/s.
CXL_PART = assumed(1 / 16, "of the far data in CXL memory; chosen after runs of hbf-beside and cxl")
# The time of the way from an SM to the L2 is taken off, as in systems.far.
PCIE = far.Link(
    derived("915ns", from_="nvbandwidth, host_device_latency_sm: 1191 ns of an H200 on the same socket"), 55.6
)
_cxl = fixed(far.CXL)
WAYS = {
    "hbm": Way("all data in HBM, whatever the ratio: the upper bound", _all_local, None, steady=True),
    "hbf-beside": Way("HBF, a range of addresses", beside(_hbf), prices.HBF),
    "hbf-behind": Way("HBF, HBM as its page cache", behind(_hbf_drive), prices.HBF, behind=True),
    "c2c": Way(
        "host memory over NVLink-C2C, a range of addresses",
        beside(fixed(far.C2C)),
        prices.DDR5,
    ),
    "cxl": Way("CXL memory over a x16 port, a range of addresses", beside(_cxl), prices.CXL),
    "pcie": Way(
        "host memory over PCIe 5 x16, a range of addresses",
        beside(fixed(PCIE)),
        prices.DDR5,
    ),
    "ssd-behind": Way("four SSDs over PCIe 5, HBM as their page cache", behind(_ssd), prices.SSD, behind=True),
    "cxl-ssd": Way("a CXL-SSD of Z-NAND as CXL-GPU has it, a range of addresses", cxl_ssd("cxl"), prices.SLC_SSD),
    "cxl-ssd-sr": Way("cxl-ssd with CXL-GPU's speculative reads", cxl_ssd("cxl-sr"), prices.SLC_SSD),
    "cxl-ssd-behind": Way(
        "a CXL-SSD with CXL-GPU's speculative reads, HBM as its page cache",
        cxl_ssd_behind("cxl-sr"),
        prices.SLC_SSD,
        behind=True,
    ),
    "sap-cxl-ssd": Way(
        "cxl-ssd-sr with hints of SAP's memory manager as further speculative reads",
        hinting(cxl_ssd("cxl-sr"), "256B"),
        prices.SLC_SSD,
    ),
    "ohm-planar": Way(
        "Ohm-GPU's memory in place of HBM: DRAM and XPoint over light, hot pages are swapped into DRAM",
        ohm("planar"),
        prices.XPOINT,
        local=prices.DDR5,
    ),
    "ohm-2level": Way(
        "Ohm-GPU's memory in place of HBM: DRAM is a cache of lines of XPoint, over light",
        ohm("two-level"),
        prices.XPOINT,
        behind=True,
        local=prices.DDR5,
    ),
    "ohm-2level-behind": Way(
        "Ohm-GPU's memory of XPoint with a 64th of DRAM, over light, HBM as its page cache",
        ohm_behind(),
        prices.XPOINT_AND_DDR5,
        behind=True,
    ),
    "zng": Way(
        "ZnG's flash in place of HBM, behind the L2, whatever the ratio",
        zng(),
        prices.ZNAND,
        behind=True,
        local=None,
        steady=True,
    ),
    "sap-behind": Way("ssd-behind with SAP's memory manager", sap(_ssd), prices.SSD, behind=True),
    "sap-hbf": Way("hbf-behind with SAP's memory manager", sap(_hbf_drive), prices.HBF, behind=True),
    "hbf+cxl": Way("HBF and CXL memory, a range of addresses each", _hbf_and_cxl, prices.HBF_AND_CXL),
}
# ZnG's flash has no addresses for the tables: its helper thread knows those of programs alone.
DEDUPLICATED = {
    f"{name}+cmd": replace(
        way, what=f"{name} with CMD's deduplication", build=deduplicated(way.build), contents=True, steady=False
    )
    for name, way in WAYS.items()
    if name != "zng"
}
KNOWN = {**WAYS, **DEDUPLICATED}
DEFAULT = [*WAYS, "hbf-beside+cmd", "cxl+cmd"]
