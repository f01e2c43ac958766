"""The memory behind the L2 on the platforms without ZnG's flash network."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ...model import dram
from ...model.provenance import assumed, cited, derived, stated, swept
from ...model.units import Bytes
from ... import Root, SimObject, System, mem
from ...errors import check_known
from ...systems import gtx580, mmu
from ...systems.drive import solid_state_drive
from ...systems.host import PAGE_COST, SHARE, share_of_host
from ...systems.interleave import connect, in_bytes
from ...systems.parameters import Parameters
from ...systems.scale import up_to
from . import scale
from .backbone import BEHIND_L2
from .scale import Scaled

PAGE = 4096
Rate = int | Fraction  # bytes a second

# GDDR5 of 384 bit x 4.008 GT/s over six controllers (GTX 580): 32.064 GB/s each.
GDDR5_RATE = cited(32_064_000_000, "GTX 580, specifications: GDDR5 of 384 bit x 4.008 GT/s; over six controllers")
GDDR5_ROW = 2048  # of gtx580.DRAM
# An Optane DIMM reads 6.57 GB/s (Izraelevitz et al., 2019): 39 GB/s of six.
OPTANE_RATE = cited(6_570_000_000, "Izraelevitz et al., arXiv 1903.05714, section 3: six Optane DIMMs read 39.4 GB/s")
# Readings of Table I's tRCD/tCL/tRP of 190/8.9/763 ns (assumption). table: a DRAM's times, in the banks and rows that
# the authors' simulator has by default (MacSim's params_gtx580: 16 of 2 KiB; the paper gives none); closing a row that
# was written takes tRP: XPoint "has no destructive reads" (Ohm-GPU, I). printed, which holds: closing any row does, as
# Table I has it, and the first author's public simulator (SimpleSSD-MacSim, branch network). dimm: as table, in the
# rows of a DDR4 DIMM. measured: as devices were measured, a line of 256 B is read in 305 ns whatever was read before,
# and the 763 ns are the write of a dirty one to the media. 8 partitions at work: 256 B x 8 / (190 + 763 + 39 ns of
# data) = 2.1 GB/s of writes, where 2.3 were measured.
OPTANE: dict[str, Parameters] = {
    "table": dict(banks=16, row=2048, tRP="1fs", tRPW="763ns", tRC="191ns", tWR="15ns"),
    "printed": dict(banks=16, row=2048, tRP="763ns", tRC="953ns", tWR="15ns"),
    "dimm": dict(banks=16, row=8192, tRP="1fs", tRPW="763ns", tRC="191ns", tWR="15ns"),
    "measured": dict(banks=8, row=256, tRP="1fs", tRC="191ns", tWR="763ns"),
}
# The host's work for a page that it reads through its kernel (system call, block layer, interrupt), beside the
# driver's: 177,000 (Foong et al., 2010) to 354,000 (Shin et al., ATC'14) reads a second were measured; sweep 2 to 20
# us.
READ_COST = assumed(  # 1 and 20 us of the whole host are 8 and 160 us of a slice of 1/8
    4_000_000_000,
    "between measured figures of Foong et al., 2010, and Shin et al., ATC'14, in fs",
    sweep=[swept(t, f"host.page_cost={t}") for t in ("8us", "160us")],
    name="page_cost",
)
FAULT_LATENCY = assumed("20us", "as Zheng et al., HPCA'16, are quoted: 20 to 50 us; not looked up", sweep=["50us"])
DRAM = "memory.dram[*]"
QUEUES: Parameters = dict(
    gtx580.DRAM_QUEUES,
    read_queue=cited(
        128,
        f"{gtx580.MACSIM_DEFAULTS}: dram_buffer_size 128",
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


MAP = assumed("RoRaBaCoChCl", "a usual map: neighbouring lines in a row")
HOLDS = "the programs' footprint"
WIDE: Parameters = dict(width=BEHIND_L2)


def fs(seconds: Fraction) -> str:
    """Seconds as a time."""
    return f"{round(seconds * 10**15)}fs"


def at_rate(rate: Rate, burst: int) -> Parameters:
    """Bursts back to back at so many bytes a second, a command each half of one."""
    return dict(
        rate=f"{round(rate)}B/s",
        burst=burst,
        tCCD_S=fs(Fraction(burst) / rate),
        tCCD_L=fs(Fraction(burst) / rate),
        tCK=fs(Fraction(burst) / rate / 2),
    )


def one_each(root: Root, controllers: Sequence[SimObject]) -> None:
    """A controller behind each L2 slice."""
    root.memory.dram = controllers
    connect(root.gpu.l2, controllers)


def chunk(kind: str, reading: str = "printed") -> str:
    """Bytes of a chunk when addresses are interleaved over controllers: a flash page, and no more than a row. `kind`
    is the name of the function that builds the memory; other memories have no rows."""
    row = {"optane": OPTANE.get(reading, {}).get("row", PAGE), "ideal": GDDR5_ROW, "hetero": GDDR5_ROW}.get(kind, PAGE)
    return str(Bytes(min(row, PAGE)))


def channels(size: Scaled, chunk: str = scale.INTERLEAVE) -> list[Parameters]:
    """The parameters of each controller that select its share of the addresses."""
    share = scale.interleave(size, chunk)
    return [dict(share.channel(i), map=MAP) for i in range(size.controllers)]


def ideal(root: Root, size: Scaled, needed: int) -> None:
    """GDDR5 that holds everything (V-D)."""
    rate = GDDR5_RATE * size.of_controller
    # Activates need no distance, and a change of direction no time: both are of Ohm-GPU's own table and rings. A row
    # may close when its data has crossed: tCL and a burst.
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
                    f"{gtx580.MACSIM}: {gtx580.DRAM_KNOBS}, at the rate of a GTX 580; refresh as gddr5",
                    sweep=[swept("a part's", f"{DRAM}.changes={' '.join(parts_times)}")],
                    name="GDDR5's times",
                ),
                capacity=derived(Bytes(capacity), from_=HOLDS),
                **QUEUES,
                **channel,
            )
            for channel in channels(size, chunk("ideal"))
        ],
    )


def optane_table(size: Scaled, reading: str) -> dram.Preset:
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
        row=Bytes(row),
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


def optane(root: Root, size: Scaled, needed: int, reading: str = "printed") -> None:
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
                capacity=derived(Bytes(capacity), from_=HOLDS),
                **QUEUES,
                **part,
            )
            for part in channels(size, chunk("optane", reading))
        ],
    )


def hetero(root: Root, size: Scaled, needed: int) -> None:
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


def ssd(size: Scaled, **changes: Any) -> System:
    """The slice's share of the Z-SSD: channels, cores, link and DRAM."""

    def share(rate: int) -> str:
        return derived(f"{round(rate * size.share)}B/s", from_=[rate, SHARE])

    drive: Parameters = {
        "cores": derived(scale.cores(size), from_=[scale.CORES, SHARE]),
        "firmware": derived(fs(scale.firmware(size)), from_=[scale.FIRMWARE, SHARE]),
        "host_rate": share(
            cited(
                3_282_000_000,
                "MQSim, ssdconfig.xml: PCIe_Lane_Count 4, 1 GB/s each; PCIe_Link.h: 128 of 156 bytes are data",
            )
        ),
        "dram_rate": share(assumed(6_400_000_000, "32 bit x 1600 MT/s")),
    }
    return solid_state_drive("z_ssd", channels=size.channels, **{**drive, **changes})
