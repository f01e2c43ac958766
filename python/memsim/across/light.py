"""Ohm-GPU's memory in place of the HBM: DRAM and XPoint on one channel of light for each slice of the L2.

planar      DRAM and XPoint hold different pages of 2 KiB; hot ones are swapped into the DRAM
two-level   the DRAM is a cache of lines, XPoint holds all

Channel, DRAM, XPoint and controllers are those of the paper's platform Ohm-BW. The DRAM has the capacity that local
memory has on the other ways; where all data fit, it is the paper's oracle, of DRAM alone.
"""

from .. import Root, System
from ..model.provenance import derived
from ..papers.ohm.machines import MachineParameters, add_memory
from ..papers.ohm.modes import INTERLEAVE, MODULES, XPOINT
from ..papers.ohm.scale import Scaled
from ..systems.scale import up_to
from .machine import QUEUE, Build, Machine


LINES = 256 * XPOINT["partitions"]  # bytes: a line of each partition of a module


def ohm(mode: str) -> Build:
    """The memory of a mode, 'planar' or 'two-level'."""

    def build(root: Root, machine: Machine) -> None:
        root.gpu = machine.gpu(None, interleave=INTERLEAVE)
        root.memory = System()
        size = capacities(mode, machine)
        platform = "ohm-bw" if size.xpoint else "oracle"
        add_memory(root, size, MachineParameters(mode, platform, root.model))
        for one in root.memory.controller if size.xpoint else root.memory.dram:
            one.queue = QUEUE
            if mode == "planar" and size.xpoint:
                one.ratio = derived(machine.ratio - 1, from_="the footprint over local memory")

    return build


def capacities(mode: str, machine: Machine) -> Scaled:
    """DRAM and XPoint of each controller. In planar mode both together hold the data, in two-level mode XPoint does."""
    data = machine.footprint + machine.tables
    dram = up_to(-(-data // (machine.ratio * machine.channels)), LINES * MODULES)
    pages = (machine.ratio - 1 if mode == "planar" else machine.ratio) if machine.ratio > 1 else 0
    from_ = "the footprint and its ratio to local memory"
    return Scaled(
        machine.sms,
        machine.channels,
        machine.footprint,
        l1=0,
        l2_slice=0,
        dram=derived(dram, from_=from_),
        xpoint=derived(pages * dram, from_=from_),
    )
