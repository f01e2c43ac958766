"""The values of CXL-GPU's configurations: platforms, cores, links, queues and hosts.

Values are of the paper's table, or assumptions (docs/models/assumptions.md).
"""

from ...model.provenance import Swept, assumed, cited, derived, inferred, options, stated, swept
from ...systems.parameters import Parameters
from .drives import LINKED, OPTANE

# The read-ahead policy of a root port's queue logic; None: no endpoint.
PLATFORMS: dict[str, str | None] = {
    "gpu-dram": None,
    "uvm": None,
    "gds": None,
    "cxl": "none",
    "cxl-naive": "naive",
    "cxl-dyn": "dynamic",
    "cxl-sr": "window",
    "cxl-ds": "window",
}
CONTROLLERS = ("ours", "smt", "tpp")
CONTROLLER = "CXL-GPU: the compared controllers (ours, SMT, TPP)"
FLIT = "CXL 3.1: flits of 68 and 256 bytes; CXL-GPU's link has those of 68"
FLITS = ("68B", "256B", "256B-lopt")
VORTEX = "Vortex, hw/rtl/VX_config.vh"
CORES = stated(8, "CXL-GPU's table: cores/threads 8/8")
LANES = stated(8, "CXL-GPU's table: cores/threads 8/8")
CLOCK = cited(
    "250MHz",
    "Vortex, README.md of 2021: 1024 threads at 250 MHz",
    sweep=[swept(f, f"gpu.sm[*].clock={f}") for f in ("125MHz", "1GHz")],
    name="clock of the cores",
)
WARPS = cited(4, "Vortex, hw/rtl/VX_config.vh: NUM_WARPS 4; CXL-GPU's table has cores and threads alone")
GROUPS = cited(
    "chunks",
    "Vortex, runtime/src/vx_spawn.c: a hardware thread runs a contiguous chunk of the work-groups",
    sweep=[swept("interleaved", "threads.order=interleaved")],
    name="work-groups of a hardware thread",
)
# How programs run: work-groups in hardware threads, or warps of 32 threads on 8 lanes, as CUDA maps them. Figures with
# UVM take the latter on all platforms: in chunks 256 threads use as many pages of each array at once, and GPU memory
# holds 128.
THREADS = "serial", "simt"
SIMT_WARPS = assumed(16, "warps of a core, so that a block of 512 threads fits")
MSHRS = assumed(
    2 * 8,
    "two misses for each thread of a warp",
    sweep=[swept(n, f"gpu.l1[*].mshrs={n}") for n in (8, 32, 64)],
    name="misses of a core at once",
)
# The system bus's map: local memory from 0, the host's, and the window in which firmware places endpoints.
LOCAL, HOST = 1 << 30, 15 << 30
WINDOW = LOCAL + HOST
MAPPED = "the system bus's map: local memory, the host's, and the window for endpoints"
# Chosen after runs of cxl-ds with vadd, stencil, cfd, gauss and bfs: a list of 4,096 lines fills, and stores wait.
RESERVE = inferred(
    1,
    "CXL-GPU: the store is shielded from variations in write latency, so the reserve does not fill; the program's "
    "data lie in the endpoint, so all of local memory is free",
    sweep=options("--reserve", "2", "8", platforms=("cxl-ds",)),
    name="local memory to the reserve of deterministic stores",
)
WIRES: Parameters = stated(dict(generation=5, lanes=8), "CXL-GPU's table: PCIe 5.0 x8 with sync-header bypass")


def _both_ends(parameter: str, value: object) -> Swept:
    """A Swept of both ends of a link."""
    return swept(value, f"port[*].root_port.{parameter}={value}", f"port[*].device.{parameter}={value}")


LINK: Parameters = dict(
    WIRES,
    credits=assumed(
        64,
        "places for messages received, of each class",
        sweep=[_both_ends("credits", n) for n in (16, 256)],
        name="credits of a class",
    ),
    retry_buffer=assumed(
        128,
        "flits kept until they are acknowledged",
        sweep=[_both_ends("retry_buffer", n) for n in (64, 255)],
        name="retry buffer",
    ),
    bit_errors=assumed(
        0, "PCIe allows 1000 of 10^15", sweep=[_both_ends("bit_errors", 1000)], name="bit errors of 10^15"
    ),
)
INGRESS = assumed(64, "places of the ingress queue", sweep=[32, 128], name="ingress queue")
SPECULATIVE = "cxl-naive", "cxl-dyn", "cxl-sr", "cxl-ds"


def _speculative(*values: object) -> list[Swept]:
    """A Swept for each value, on the platforms of speculative reads."""
    return [swept(value, platforms=SPECULATIVE) for value in values]


# A larger unit serves more lines: 75 % of the look-ups of a sequential program hit in units of 256 B, none in units of
# 64 B. Chosen after runs of vadd, sort and path with all three. Optane's own blocks have 256 B.
UNITS = {
    "z-nand": inferred(
        "128B",
        "cxl-22-seq: 47 % of sequential look-ups hit without speculative reads, one of the two lines of a unit",
        used=["cxl-22-seq"],
        sweep=options("--unit", "256B", "4KiB", platforms=LINKED),
        name="what a miss brings",
    ),
    "nand": assumed("256B", "mem.PageCache writes back at most 64 units together, and a page has 16 KiB"),
    "optane": derived(OPTANE["block"], from_=OPTANE["block"]),
}
QUEUES: Parameters = dict(
    # 4 x 64 B in the mean time of a load (50 % hits of 0.2 us, misses of 5.7 us), against 1.5 GB/s of the ideal GPU, is
    # 17 times its time; 8 would give 9, 2 35. The value was chosen after runs of vadd with 4 and 8.
    loads_at_once=inferred(
        4,
        "cxl-40: CXL on Z-NAND takes 12.5 times the ideal GPU's time; cxl-21: loads wait in the GPU's memory queue",
        sweep=[swept(n) for n in (2, 8, 32)],
        name="loads that the endpoint serves at once",
    ),
    ring=assumed(32, "as the queues", sweep=_speculative(8, 128), name="ring of ranges"),
    period=assumed("200ns", "between two steps", sweep=_speculative("50ns", "800ns"), name="period of the granularity"),
    step=assumed("256B", "the least granularity", sweep=_speculative("512B"), name="step of the granularity"),
    least_sr_queue=assumed(
        8, "the paper states only that it is adjusted", sweep=_speculative(32), name="least length of the SR queue"
    ),
)
# An endpoint of DRAM with the limit of one with a drive takes 1.2 to 1.5 times GPU memory's time, without it 1.0.
DRAM_QUEUES: Parameters = dict(
    loads_at_once=inferred(
        32,
        "cxl-07 to 09: an endpoint of DRAM takes 1.02 to 1.2 times GPU memory's time",
        used=["cxl-07", "cxl-08", "cxl-09"],
        sweep=[4, 8],
        name="loads that an endpoint of DRAM serves at once",
    )
)
STORE: Parameters = dict(
    # Chosen after runs of vadd, stencil, cfd, gauss and bfs: with 32, vadd and stencil take 13 and 17 % more time.
    flushes=assumed(
        8,
        "a quarter of the memory queue, as the stack is emptied in the background",
        sweep=[1, 32],
        name="outstanding flushes",
    ),
    suspend_at=inferred(
        "moderate",
        "CXL-GPU: if an increase in DevLoad is detected",
        sweep=["optimal", "severe"],
        name="suspending load",
    ),
)
PCIE: Parameters = dict(
    WIRES,
    **assumed(
        dict(payload="128B", overhead="40B"), "a usual payload; an acknowledgement and a credit update of 8 bytes"
    ),
)
FAULT = assumed(
    "500us",
    "CXL-GPU: 500; only microseconds fit",
    sweep=[swept("25us", arguments=("--fault", "25us"), platforms=("uvm", "gds"))],
    name="host's time for a fault",
)
TREE = "density(region=2MiB,block=64KiB)"  # as NVIDIA's driver prefetches
HOST_DRAM: Parameters = dict(
    latency=assumed("100ns", "a usual latency of host memory"),
    bandwidth=stated("44.8GB/s", "CXL-GPU's table 10a: DDR5-5600, two sub-channels of 32 bit"),
)
# Chunks of the hardware threads lie at powers of two. Linear sets map them to few sets, so that each line is fetched
# again for each of its words; 92 to 99 % of look-ups then hit in the endpoint's DRAM, where the paper has 47 to 10 %.
SETS = inferred(
    "polynomial",
    "cxl-22: lines are not fetched again for each word",
    sweep=[swept("linear", "gpu.l1[*].set_hash=linear", "gpu.l2[*].set_hash=linear")],
    name="sets of the caches",
)
