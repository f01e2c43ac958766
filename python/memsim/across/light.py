"""Ohm-GPU's memory in place of the HBM: DRAM and XPoint on channels of light.

planar      DRAM and XPoint hold different pages of 2 KiB; hot ones are swapped into the DRAM
two-level   the DRAM is a cache of lines, XPoint holds all

Channel, DRAM, XPoint and controllers are those of the paper's platform Ohm-BW, with about as many SMs to a controller.
The DRAM has the capacity of local memory on the other ways. Where all data fit, it is the paper's oracle: DRAM alone.
Behind HBM, the two-level memory has the paper's share of DRAM.
"""

from dataclasses import replace

from .. import Root, System
from ..model.provenance import derived
from ..papers.ohm import optics
from ..papers.ohm.machines import MachineParameters, add_memory
from ..papers.ohm.modes import INTERLEAVE, MODULES, XPOINT
from ..papers.ohm.scale import OHM_PLANAR, Scaled
from ..systems.interleave import join
from ..systems.scale import up_to
from .machine import CHIP, QUEUE, Build, Machine, cached, nearest
from .prices import XPOINT_SHARE

LINES = 256 * XPOINT["partitions"]  # bytes: a line of each partition of a module


def ohm(mode: str) -> Build:
    """The memory of a mode, 'planar' or 'two-level'."""

    def build(root: Root, machine: Machine) -> None:
        root.gpu = machine.gpu(None, interleave=INTERLEAVE)
        root.memory = System()
        size = capacities(mode, machine)
        root.join = join(
            machine.channels, size.controllers, root.gpu.interleave, clock=f"{CHIP.megahertz}MHz", queue=QUEUE
        )
        platform = "ohm-bw" if size.xpoint else "oracle"
        root.optics = optics.channel(mode, platform)  # the lasers' power
        add_memory(root, size, MachineParameters(mode, platform, root.model), root.join)
        for one in root.memory.controller if size.xpoint else root.memory.dram:
            one.queue = QUEUE
            if mode == "planar" and size.xpoint:
                one.ratio = derived(machine.ratio - 1, from_="the footprint over local memory")

    return build


def ohm_behind() -> Build:
    """The memory of the two-level mode with the paper's share of DRAM; HBM is its page cache."""

    def memory(root: Root, machine: Machine) -> None:
        ohm("two-level")(root, replace(machine, ratio=XPOINT_SHARE))

    return cached(memory)


def controllers(machine: Machine) -> int:
    """A divisor of the slices that comes nearest to the paper's SMs of a controller, or so many times that."""
    divisors = [n for n in range(1, machine.channels + 1) if machine.channels % n == 0]
    return nearest(machine.sms * OHM_PLANAR.controllers / OHM_PLANAR.sms * machine.assumed.optics, divisors)


def capacities(mode: str, machine: Machine) -> Scaled:
    """DRAM and XPoint of each controller. In planar mode both together hold the data, in two-level mode XPoint does."""
    data, count = machine.footprint + machine.tables, controllers(machine)
    dram = up_to(-(-data // (machine.ratio * count)), LINES * MODULES)
    pages = (machine.ratio - 1 if mode == "planar" else machine.ratio) if machine.ratio > 1 else 0
    from_ = "the footprint and its ratio to local memory"
    return Scaled(
        machine.sms,
        derived(count, from_=[OHM_PLANAR.controllers, OHM_PLANAR.sms]),
        machine.footprint,
        l1=0,
        l2_slice=0,
        dram=derived(dram, from_=from_),
        xpoint=derived(pages * dram, from_=from_),
    )
