"""HybridGPU: an SSD controller with its DRAM buffer, in the GPU (ZnG II-C)."""

from ... import Root, SimObject, mem, zng
from ...model import dram
from ...model.provenance import assumed, derived, inferred, swept, wired, with_unit
from ...model.units import Bytes
from ...systems.scale import up_to
from . import scale
from .memory import PAGE, WIDE, Rate, at_rate, ssd
from .scale import Scaled

DISPATCH = assumed("2ns", "a cycle of 500 MHz", sweep=["0ns", "20ns"], name="dispatcher")
# HybridGPU's buffer: 32 bit x 1600 MT/s (assumption; 96 % below GDDR5 is the paper's).
BUFFER_RATE = assumed(6_400_000_000, "32 bit x 1600 MT/s; 96 % below GDDR5 is the paper's")
# A page that is written into the buffer and then read from it uses its 6.4 GB/s twice, so that it gives 3.2 GB/s at
# most.
PASSING = inferred(
    True,
    "ZnG Fig. 4c, V-B: HybridGPU gives 1/40 of GPU DRAM, 4.8 GB/s, of pages that lie in the SSD",
    used=["zng-33"],
    sweep=[swept("false", "memory.buffer.passing=false")],
    name="answers from pages as they pass",
)


def buffer_table(rate: Rate) -> dram.Preset:
    """The DRAM of HybridGPU's buffer: DDR3-1600 times (JESD79-3, 11-11-11), 32 bit wide."""
    return dram.Preset(
        "hybridgpu_buffer",
        source="DDR3-1600 (assumption)",
        **at_rate(rate, 32),
        groups=1,
        ranks=1,
        banks_per_group=8,
        row="4KiB",
        tCL="13750ps",
        tCWL="10ns",
        tRCDRD="13750ps",
        tRCDWR="13750ps",
        tRP="13750ps",
        tRAS="35ns",
        tRC="48750ps",
        tRRD_S="7500ps",
        tRRD_L="7500ps",
        tFAW="40ns",
        tWTR_S="7500ps",
        tWTR_L="7500ps",
        tRTP="7500ps",
        tWR="15ns",
        tRTRS="2500ps",
        tRFC="260ns",
        tREFI="7800ns",
    )


def hybridgpu(root: Root, size: Scaled, needed: int, buffer: SimObject | None = None) -> None:
    """Puts HybridGPU behind the L2. `needed` is on the flash. `buffer` replaces the buffer, with a mem.PageCache for
    example."""
    root.memory.network = mem.Crossbar(
        inputs=wired(size.controllers), **scale.interleave(size).over(1).crossbar, **WIDE
    )
    root.memory.buffer = buffer or zng.PageBuffer(
        capacity=with_unit(size.buffer, "B"),
        dispatch=DISPATCH,
        passing=PASSING,
        dirty_pages=derived(
            max(1, size.buffer // PAGE // 32), from_=[size.buffer, "a write buffer of 1 MiB in 32 MiB"]
        ),
    )
    root.memory.dram = mem.DramController(
        timing=assumed(buffer_table(BUFFER_RATE * size.share), "DDR3-1600 (JESD79-3, 11-11-11), 32 bit wide"),
        capacity=derived(Bytes(up_to(size.buffer, 32 << 10)), from_=size.buffer),
        map=assumed("RoRaBaCoCh", "as the other DRAM, on one channel"),
    )
    # The buffer's DRAM is a separate component. The drive's own DRAM holds pages that are being programmed.
    root.ssd = ssd(
        size,
        **derived(
            dict(
                host_rate="1000GB/s",
                completion="1fs",
                cache="1MiB",
                cache_reads=False,
                dram_rate="1000GB/s",
                dram_latency="0fs",
            ),
            from_="the buffer and its DRAM, which are modelled apart, so that the drive's own cost nothing",
        ),
    )
    for i, l2 in enumerate(root.gpu.l2):
        l2.mem_side = root.memory.network.cpu_side[i]
    root.memory.network.mem_side[0] = root.memory.buffer.cpu_side
    root.memory.buffer.dram_side = root.memory.dram.cpu_side
    root.memory.buffer.drive_side = root.ssd.drive.host[0]
