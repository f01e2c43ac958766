"""How ZnG's machines are made smaller: slices of the paper's, then capacities with the footprint.

A slice of k has 16/k SMs and flash channels, and that share of every resource of which there is one (an SSD's DRAM
buffer, its cores, PCIe). Latencies, pages, thresholds, ways and the predictor's entries are not scaled; nor are the
planes and registers of a channel, which determine its parallelism, and the pages of a block.
"""

from dataclasses import dataclass, field
from fractions import Fraction

from ...model.provenance import assumed, cited, derived, inferred, stated, swept
from ...systems.interleave import Interleave
from ...systems.scale import GIB, KIB, MIB, Invariant, up_to

SMS, CHANNELS = stated((16, 16), "ZnG table I")
CONTROLLERS = stated(6, "ZnG table I")
INTERLEAVE = assumed("4KiB", "a chunk of an L2 slice is a flash page, so that a prefetch stays in one slice")
# The paper gives no footprint. Ours is that of its suites' own inputs (assumption, D194; sweep to 8 GiB): GraphBIG's
# largest graph, LDBC-1000k, has 28.8 million arcs, 120 to 140 MiB in the CSR of its GPU kernels; beside it
# PolyBench's and Rodinia's matrices, 48 MiB for three of 2048 x 2048. So --scale judge is the paper's whole machine.
FOOTPRINT = assumed(
    192 * MIB,
    "that of the suites' own inputs: 120 to 140 MiB of LDBC-1000k's CSR, and 48 MiB of matrices (D194)",
    sweep=[swept("1GiB", arguments=("--whole", GIB)), swept("8GiB", arguments=("--whole", 8 * GIB))],
    name="footprint of the paper",
)
L1, L2 = stated((48 * KIB, 6 * MIB), "ZnG table I")
DRAM = cited(1536 * MIB, "GTX 580, specifications: 1536 MB")  # of hetero's GPU
BUFFER = assumed(  # of HybridGPU's SSD controller
    32 * MIB,
    "as the authors' other work",
    sweep=[swept("8MiB", arguments=("--buffer", 8 * MIB)), swept("128MiB", arguments=("--buffer", 128 * MIB))],
    name="HybridGPU's buffer",
)
# A smaller slice of the L2 has too few sets for its 128 MSHRs, and limits the requests that reach the memory. The
# buffer, which serves its misses, keeps its proportion to it. Of the scales, only judge is above both floors.
L1_FLOOR, L2_FLOOR = 8 * KIB, 64 * KIB
PLANES, PAGES, PAGE, REGISTERS = 64, 384, 4 * KIB, 7  # of a channel, a block, bytes; that cache, a plane


def interleave(size: "Scaled", chunk: str = INTERLEAVE) -> Interleave:
    """How addresses are interleaved over the L2 slices of a machine, and over the controllers behind them."""
    return Interleave(size.controllers, chunk)


@dataclass
class Scaled:
    """A machine at some scale; sizes in bytes."""

    k: int  # slice: 1 of k of the paper's machine
    sms: int
    channels: int  # of flash
    controllers: int  # of DRAM, and slices of the L2
    footprint: int
    l1: int  # of one SM
    l2_slice: int  # of one slice, in SRAM
    dram: int  # of hetero's GPU, in all
    buffer: int  # pages that HybridGPU's SSD controller holds
    data_pages: int  # of a flash block, that hold data: so data are in as many blocks as the paper's
    invariants: list[Invariant] = field(default_factory=list)

    @property
    def share(self) -> Fraction:
        """The share of a slice in a resource of which the paper's machine has one."""
        return Fraction(1, self.k)

    @property
    def of_controller(self) -> Fraction:
        """How much of a controller of the paper's one of these is: 6 do not divide by 4 and 8."""
        return Fraction(CONTROLLERS, self.k * self.controllers)


def scale(footprint: int, whole: int = FOOTPRINT, buffer: int = BUFFER) -> Scaled:
    """The machine for programs of so many bytes together. The paper's runs have `whole` bytes, its
    HybridGPU a buffer of `buffer`: both are assumptions."""
    k = max(k for k in (1, 2, 4, 8) if k * footprint <= whole or k == 1)
    controllers = -(-CONTROLLERS // k)
    share = min(Fraction(1), Fraction(footprint, whole))  # never more than the paper's machine
    sms = SMS // k
    l2_slice = up_to(max(Fraction(L2_FLOOR), L2 * share / controllers), 8 * 128)
    made = Scaled(
        k=k,
        sms=sms,
        channels=CHANNELS // k,
        controllers=controllers,
        footprint=footprint,
        l1=derived(up_to(max(Fraction(L1_FLOOR), L1 * SMS * share / sms), 6 * 128), from_=[L1, whole]),
        l2_slice=derived(l2_slice, from_=[L2, whole]),
        dram=derived(up_to(DRAM * share, 4096), from_=[DRAM, whole]),
        buffer=derived(up_to(Fraction(buffer * l2_slice * controllers, L2), 8 * 4096), from_=[buffer, whole]),
        data_pages=derived(
            min(PAGES, max(1, round(footprint * k / (CHANNELS * PLANES * PAGE * data_blocks(whole))))), from_=[whole]
        ),
    )
    made.invariants = [
        Invariant("footprint / L2", whole / L2, footprint / (made.l2_slice * controllers)),
        Invariant("footprint / all L1", whole / (L1 * SMS), footprint / (made.l1 * sms)),
        Invariant("footprint / hetero's DRAM", whole / DRAM, footprint / made.dram),
        Invariant("footprint / HybridGPU's buffer", whole / buffer, footprint / made.buffer),
        Invariant("footprint / reach of the L2 TLB", whole / (512 * 4096), footprint / (512 * 4096)),
        Invariant(
            "flash blocks of data / planes",
            float(data_blocks(whole)),
            footprint / (made.data_pages * PAGE * made.channels * PLANES),
        ),
        Invariant(
            "footprint / flash registers",
            whole / (CHANNELS * PLANES * REGISTERS * PAGE),
            footprint / (made.channels * PLANES * REGISTERS * PAGE),
        ),
        Invariant("us of a core for a page of HybridGPU", float(FIRMWARE * 10**6), float(firmware(made) * 10**6)),
    ]
    return made


def data_blocks(whole: int) -> Fraction:
    """Of a plane, that hold data, as a mean: a block holds pages that follow one another (IV-A)."""
    return Fraction(whole, CHANNELS * PLANES * PAGES * PAGE)


CORES = assumed(5, "ZnG: 2 to 5 low-power embedded processor cores")
# Five cores serve the 5 GB/s of HybridGPU's engine: 5 x 4 KiB / 4.1 us.
FIRMWARE = inferred(  # cores of a slice of 1/8: one, of 6.6 us a page for the paper's five of 4.1 us
    Fraction(41, 10**7),
    "ZnG V-B: HybridGPU is limited by its SSD controller to 5 GB/s, of 2 to 5 cores: "
    "time of a core for a page, in seconds",
    used=["zng-08", "zng-33"],
    sweep=[
        swept(shown, f"ssd.drive.firmware={value}", platforms=("hybridgpu",))
        for shown, value in (
            ("1us", "1600ns"),
            ("5us", "8us"),
            ("10us", "16us"),
            ("4.1us, 2 cores", "16400ns"),
            ("4.1us, 8 cores", "4100ns"),
        )
    ],
    name="firmware",
)


def cores(size: Scaled) -> int:
    """Cores of an SSD controller: the paper's five, or one where less than one is left."""
    return max(1, CORES // size.k)


def firmware(size: Scaled) -> Fraction:
    """Seconds of a core for a page: the cores of a slice together serve 1/k of the rate of the paper's five."""
    return FIRMWARE * size.k * cores(size) / CORES
