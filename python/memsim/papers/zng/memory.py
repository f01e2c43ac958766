"""What is behind the L2 on ZnG's platforms without a flash network of its own."""

from fractions import Fraction

from ...model import dram
from ...model.provenance import assumed, cited, derived, inferred, stated, swept, wired, with_unit
from ... import mem, zng
from ...errors import check_known
from ...systems import gtx580, mmu
from ...systems.drive import solid_state_drive
from ...systems.host import PAGE_COST, SHARE, share_of_host
from ...systems.interleave import connect, in_bytes
from ...systems.scale import up_to
from . import scale
from .flash import BEHIND_L2

PAGE = 4096

# GDDR5 of 384 bit x 4.008 GT/s over six controllers (GTX 580): 32.064 GB/s each.
GDDR5_RATE = cited(32_064_000_000, "GTX 580: GDDR5 of 384 bit x 4.008 GT/s over six controllers")
GDDR5_ROW = 2048  # of gtx580.DRAM
# An Optane DIMM reads 6.57 GB/s (Izraelevitz et al., 2019): 39 GB/s of six.
OPTANE_RATE = cited(6_570_000_000, "Izraelevitz et al., 2019: an Optane DIMM reads 6.57 GB/s")
# What Table I's tRCD/tCL/tRP of 190/8.9/763 ns mean (assumption). table: a DRAM's times, in the banks and rows that the
# authors' simulator has by default (MacSim's params_gtx580: 16 of 2 KiB; the paper gives none); closing a row that
# was written takes tRP: XPoint "has no destructive reads" (Ohm-GPU, I). printed, which holds: closing any row does, as
# Table I has it, and the first author's public simulator (SimpleSSD-MacSim, branch network). dimm: as table, in the rows of a DDR4 DIMM. measured: as devices were measured, a line of 256 B is read in 305 ns
# whatever was read before, and the 763 ns are the write of a dirty one to the media. 8 partitions at work:
# 256 B x 8 / (190 + 763 + 39 ns of data) = 2.1 GB/s of writes, where 2.3 were measured.
OPTANE = {
    "table": dict(banks=16, row=2048, tRP="1fs", tRPW="763ns", tRC="191ns", tWR="15ns"),
    "printed": dict(banks=16, row=2048, tRP="763ns", tRC="953ns", tWR="15ns"),
    "dimm": dict(banks=16, row=8192, tRP="1fs", tRPW="763ns", tRC="191ns", tWR="15ns"),
    "measured": dict(banks=8, row=256, tRP="1fs", tRC="191ns", tWR="763ns"),
}
# The host's work for a page that it reads through its kernel (system call, block layer, interrupt), beside the
# driver's: 177,000 (Foong et al., 2010) to 354,000 (Shin et al., ATC'14) reads a second were measured; sweep 2 to 20 us.
READ_COST = assumed(  # 1 and 20 us of the whole host are 8 and 160 us of a slice of 1/8
    4_000_000_000,
    "between measured figures of Foong et al., 2010, and Shin et al., ATC'14, in fs",
    sweep=[swept(t, f"host.page_cost={t}") for t in ("8us", "160us")],
    name="page_cost",
)
FAULT_LATENCY = cited("20us", "Zheng et al., HPCA'16: 20 to 50 us", sweep=["50us"])
DISPATCH = assumed("2ns", "a cycle of 500 MHz", sweep=["0ns", "20ns"], name="dispatcher")
DRAM = "memory.dram[*]"
QUEUES = dict(
    gtx580.DRAM_QUEUES,
    read_queue=cited(
        128,
        f"{gtx580.MACSIM}: dram_buffer_size",
        sweep=[
            swept(
                32,
                f"{DRAM}.write_low=16",
                f"{DRAM}.write_high=28",
                f"{DRAM}.read_queue=32",
                f"{DRAM}.write_queue=32",
            )
        ],
        name="DRAM queues",
    ),
)
TIMES = "tCL tCWL tRCDRD tRCDWR tRP tRAS tRC tRRD_S tRRD_L tFAW tWTR_S tWTR_L tRTP tWR tRTRS".split()
# HybridGPU's buffer: 32 bit x 1600 MT/s (assumption; 96 % below GDDR5 is the paper's).
BUFFER_RATE = assumed(6_400_000_000, "32 bit x 1600 MT/s; 96 % below GDDR5 is the paper's")
# A page that goes into the buffer and is then read from it crosses its 6.4 GB/s twice: 3.2 GB/s at most.
PASSING = inferred(
    True,
    "ZnG Fig. 4c, V-B: HybridGPU gives 1/40 of GPU DRAM, 4.8 GB/s, of pages that lie in the SSD",
    used=["zng-33"],
    sweep=[swept("false", "memory.buffer.passing=false")],
    name="answers from pages as they pass",
)


MAP = assumed("RoRaBaCoChCl", "a usual map: neighbouring lines in a row")
HOLDS = "what the programs need"
WIDE = dict(width=BEHIND_L2)


def fs(seconds):
    return f"{round(seconds * 10**15)}fs"


def at_rate(rate, burst):
    """Bursts back to back at so many bytes a second, a command each half of one."""
    return dict(
        rate=f"{round(rate)}B/s",
        burst=burst,
        tCCD_S=fs(Fraction(burst) / rate),
        tCCD_L=fs(Fraction(burst) / rate),
        tCK=fs(Fraction(burst) / rate / 2),
    )


def one_each(root, controllers):
    """A controller behind each L2 slice."""
    root.memory.dram = controllers
    connect(root.gpu.l2, controllers)


def chunk(platform, reading="printed"):
    """In what addresses go round over controllers: a flash page, and no more than a row."""
    row = {"optane": OPTANE.get(reading, {}).get("row", PAGE), "ideal": GDDR5_ROW, "hetero": GDDR5_ROW}.get(
        platform, PAGE
    )
    return f"{min(row, PAGE)}B"


def channels(size, chunk=scale.INTERLEAVE):
    """What each of the controllers sees of the addresses."""
    share = scale.interleave(size, chunk)
    return [dict(share.channel(i), map=MAP) for i in range(size.controllers)]


def ideal(root, size, needed):
    """GDDR5 that holds everything (V-D)."""
    rate = GDDR5_RATE * size.of_controller
    # Activates need no distance, and a change of direction no time: both are of Ohm-GPU's own table and rings. A row may
    # close when its data has crossed: tCL and a burst.
    card = dram.Preset(
        "gtx580",
        base=gtx580.DRAM,
        source="MacSim's params_gtx580 at a GTX 580's rate; refresh: gddr5",
        **at_rate(rate, 64),
        tRRD_S="0fs",
        tRRD_L="0fs",
        tRTRS="0fs",
        tRTP=fs(Fraction(5238095, 10**15) + 64 / rate),
    )
    figures = dram.presets()["gddr5"].figures
    parts_times = [f"{name}={figures[name]}" for name in TIMES]
    capacity = up_to(-(-needed // size.controllers), GDDR5_ROW * int(card.figures["banks_per_group"]))
    one_each(
        root,
        [
            mem.DramController(
                timing=cited(
                    card,
                    card.source,
                    sweep=[swept("a part's", f"{DRAM}.changes={' '.join(parts_times)}")],
                    name="GDDR5's times",
                ),
                capacity=derived(f"{capacity}B", from_=HOLDS),
                **QUEUES,
                **channel,
            )
            for channel in channels(size, chunk("ideal"))
        ],
    )


def optane_table(size, reading):
    """A controller's Optane DIMM, by one of the readings of Table I in OPTANE."""
    check_known("reading of Optane's times", reading, OPTANE)
    read = dict(OPTANE[reading])
    banks, row = max(1, round(read.pop("banks") * size.of_controller)), read.pop("row")
    none = {name: "1fs" for name in ("tRRD_S", "tRRD_L", "tRTP", "tWTR_S", "tWTR_L", "tRTRS")}
    return dram.Preset(
        f"optane_{reading}",
        source="ZnG (ISCA 2020), Table I; banks and rate: zng.memory.OPTANE",
        **at_rate(OPTANE_RATE * size.of_controller, 64),
        groups=1,
        ranks=1,
        banks_per_group=banks,
        row=f"{row}B",
        tCL="8900ps",
        tCWL="8900ps",
        tRCDRD="190ns",
        tRCDWR="190ns",
        tRAS="190ns",
        tFAW="0fs",
        tRFC="0fs",
        tREFI="0fs",
        **none,
        **read,
    )


def optane(root, size, needed, reading="printed"):
    """Six Optane DIMMs."""
    table = optane_table(size, reading)
    rows = in_bytes(table.figures["row"], "row") * int(table.figures["banks_per_group"])
    capacity = up_to(-(-needed // size.controllers), rows)
    one_each(
        root,
        [
            mem.DramController(
                timing=stated(
                    table,
                    "ZnG table I: tRCD/tCL 190/8.9 ns, tRP 763 ns; banks and rows as memory.OPTANE reads it",
                    sweep=[
                        swept(shown, arguments=("--optane", value))
                        for shown, value in (
                            ("measured", "measured"),
                            ("rows of 8 KiB", "dimm"),
                            ("763 ns to close a row that was written", "table"),
                        )
                    ],
                    name="Optane's times and rows",
                ),
                capacity=derived(f"{capacity}B", from_=HOLDS),
                **QUEUES,
                **part,
            )
            for part in channels(size, chunk("optane", reading))
        ],
    )


def buffer_table(rate):
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


def hetero(root, size, needed):
    """A GPU with 1.5 GB of GDDR5; its data is on a Z-SSD, which the host reads at page faults."""
    root.ssd = ssd(size)
    mmu.page_faults(
        root,
        root.gpu,
        device=mmu.new_input(root.gpu.network),
        drive=root.ssd.drive.host[0],
        fault_latency=FAULT_LATENCY,
        **share_of_host(size.share, PAGE_COST + READ_COST),
    )
    ideal(root, size, needed)


def hybridgpu(root, size, needed, buffer=None):
    """HybridGPU: an SSD controller with its DRAM buffer, in the GPU (II-C). `needed` is on the flash. `buffer` takes the
    buffer's place: a mem.PageCache, say."""
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
        capacity=derived(f"{up_to(size.buffer, 32 << 10)}B", from_=size.buffer),
        map=assumed("RoRaBaCoCh", "as the other DRAM, on one channel"),
    )
    # The buffer's DRAM is modelled apart: the drive's own stands for pages on their way to the flash.
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


def ssd(size, **changes):
    """The slice's share of the Z-SSD: channels, cores, link and DRAM."""

    def share(rate):
        return derived(f"{round(rate * size.share)}B/s", from_=[rate, SHARE])

    return solid_state_drive(
        "z_ssd",
        channels=size.channels,
        **{
            "cores": derived(scale.cores(size), from_=[scale.CORES, SHARE]),
            "firmware": derived(fs(scale.firmware(size)), from_=[scale.FIRMWARE, SHARE]),
            "host_rate": share(cited(3_282_000_000, "MQSim's PCIe: 4 lanes of 1 GB/s, 128 of 156 bytes are payload")),
            "dram_rate": share(assumed(6_400_000_000, "32 bit x 1600 MT/s")),
            **changes,
        },
    )


# Platforms whose device memory does not hold everything, and the bytes that it holds.
PAGED = {"hetero": lambda size: size.dram}
