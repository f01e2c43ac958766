"""ZnG's flash in place of the HBM: about as many flash controllers and packages as SMs, joined by a mesh.

There is no local memory: whatever misses the L2 goes to registers and pages of Z-NAND. TLBs and the table of blocks
in the MMU are ZnG's; its write path (eight registers of a plane, joined by its network) and its read path (a sensing
serves the reads that wait) as well, with the predictor that fetches pages into the L2. The L2 is the H100's, of SRAM:
it is written to, so the paper's pinned ways for writes are left out.
"""

from dataclasses import replace

from .. import Root, System
from ..model.provenance import derived
from ..papers.zng import flash, scale
from ..papers.zng.machines import PAGE_FILL, STT_MRAM, add_prefetcher
from .machine import QUEUE, Build, Machine, nearest

PATHS = replace(flash.WROPT, reuse=flash.WAITING)


def zng(paths: flash.FlashParameters = PATHS) -> Build:
    """ZnG's flash with these paths."""

    def build(root: Root, machine: Machine) -> None:
        root.gpu = machine.gpu(None, interleave=scale.INTERLEAVE)
        root.memory = System()
        flash.attach(root, size(machine), [root.model], paths)
        root.memory.network.queue = QUEUE
        add_prefetcher(root.gpu, STT_MRAM["prefetch"])
        for l2 in root.gpu.l2:
            l2.mshr_lines = PAGE_FILL

    return build


def size(machine: Machine) -> scale.Scaled:
    """About a channel for each SM, as in the paper, or a multiple. Blocks are small: data are in as many as there."""
    channels = nearest(
        machine.sms * scale.CHANNELS / scale.SMS * machine.assumed.packages,
        (scale.CHANNELS // k for k in flash.MESHES),
    )
    pages = machine.footprint / (channels * scale.PLANES * scale.PAGE * scale.data_blocks(scale.FOOTPRINT))
    return scale.Scaled(
        k=scale.CHANNELS // channels,
        sms=machine.sms,
        channels=derived(channels, from_=[scale.CHANNELS, scale.SMS]),
        controllers=machine.channels,
        footprint=machine.footprint,
        l1=0,
        l2_slice=0,
        dram=0,
        buffer=0,
        data_pages=derived(min(scale.PAGES, max(1, round(pages))), from_=scale.FOOTPRINT),
    )
