"""The assumptions of ZnG's machines and the values that they are swept over (docs/models/zng.md)."""

from ...model import dram
from ...systems.assumptions import Assumption
from ...systems.scale import GIB, MIB
from . import flash

OWN = tuple(flash.PLATFORMS)  # on ZnG's flash
WRITES = "zng-wropt", "zng"  # those with eight registers
READS = "zng-rdopt", "zng"  # those with a prefetcher
SENSES_EACH = "zng-base", "zng-wropt"  # a page for each read
DRAMS = "hetero", "optane", "ideal"
TIMES = (
    "tCL",
    "tCWL",
    "tRCDRD",
    "tRCDWR",
    "tRP",
    "tRAS",
    "tRC",
    "tRRD_S",
    "tRRD_L",
    "tFAW",
    "tWTR_S",
    "tWTR_L",
    "tRTP",
    "tWR",
    "tRTRS",
)
GDDR5 = " ".join(f"{name}={dram.presets()['gddr5'].figures[name]}" for name in TIMES)
EVERY = "hetero", "hybridgpu", "optane", "ideal", *OWN
MESH, PACKAGE, CONTROLLER = "flash.mesh", "flash.package[*]", "flash.controller[*]"
COLLECTS = "gpu.collector.when=low"
FILLED = f"{PACKAGE}.log_filled=100%", COLLECTS
PREFETCHER, BUFFER = "gpu.prefetcher", "memory.buffer"
# Cores of a slice of 1/8: one, of 8 us a page for the paper's five of 5 us.
FIRMWARE = {"1us": "1600ns", "10us": "16us", "5us, 2 cores": "20us", "5us, 8 cores": "5us"}


def each(part, parameter, values, platforms=OWN, name=""):
    """One assumption for each value of one parameter."""
    return [Assumption(name or parameter, str(v), (f"{part}.{parameter}",), platforms) for v in values]


def told(name, option, values, platforms):
    """One for each value of an option of configs/zng.py: what is shown, and what is said."""
    return [Assumption(name, shown, platforms=platforms, arguments=(option, said)) for shown, said in values.items()]


ALL = [
    *each(MESH, "stages", (1, 2)),
    *each(MESH, "channels", (2, 8), name="virtual channels"),
    *each(MESH, "buffer", (18, 144), name="flits of a buffer"),
    *each(MESH, "clock", ("1600MHz",), name="network clock"),
    *each(PACKAGE, "independent_planes", ("false",)),
    # Collection as in the long run, and what hangs on it.
    Assumption("collection", "low", (COLLECTS,), OWN),
    Assumption("log blocks filled", "100%", FILLED, OWN),
    *[
        Assumption("erase, log blocks filled", t, (f"{PACKAGE}.timing_changes=tBERS={t}", *FILLED), OWN)
        for t in ("2ms", "5ms")
    ],
    *[
        Assumption("log_reserve, log blocks filled", n, (f"{PACKAGE}.log_reserve={n}", *FILLED), OWN)
        for n in ("0", "128")
    ],
    *[
        Assumption("helper's instructions, log blocks filled", n, (f"gpu.collector.instructions={n}", *FILLED), OWN)
        for n in ("8", "256")
    ],
    *each("gpu.dbmt", "latency", ("1ns", "10ns"), name="DBMT's latency"),
    *each(PACKAGE, "spare", (0, 128), WRITES),
    *each(PACKAGE, "patience", ("0ns", "2ms")),
    *each(PACKAGE, "data_registers", (1,), ("zng-base", "zng-rdopt")),
    *each(PACKAGE, "data_registers", (0,), WRITES),
    *each(PACKAGE, "data_path", ("false",), WRITES),
    *each(PACKAGE, "io_path", ("false",), WRITES),
    *each(PACKAGE, "search", ("10ns", "100ns", "1us"), name="search of the LPMT"),
    *each(PACKAGE, "reuse", ("none",), READS),
    *each(PACKAGE, "reuse", ("waiting",), SENSES_EACH),
    *each(PACKAGE, "transfer", ("line",)),
    *each(PACKAGE, "latency", ("1ns", "50ns"), name="package's latency"),
    *each(PACKAGE, "net_width", ("1B",), WRITES, name="width of NiF"),
    *each(CONTROLLER, "combine", ("false",)),
    *told("stripe", "--stripe", {"64": 64, "128, all planes of a slice of 1/8": 128}, OWN),
    *each(CONTROLLER, "decode", ("1ns", "50ns")),
    *each(CONTROLLER, "latency", ("1ns", "50ns"), name="controller's latency"),
    *each(CONTROLLER, "thrash_window", (256, 4096), ("zng",)),
    *[
        Assumption("thrash_high", high, (f"{CONTROLLER}.thrash_high", f"{CONTROLLER}.thrash_low={low}"), ("zng",))
        for high, low in (("30%", "15%"), ("70%", "35%"))
    ],
    *each(CONTROLLER, "pin_ways", (2, 4), ("zng",)),
    *each(PREFETCHER, "initial", ("128B", "1KiB"), READS),
    *each(PREFETCHER, "window", (256, 4096), READS),
    *each(PREFETCHER, "warps", (1, 16), READS, name="representative warps"),
    *each(PREFETCHER, "latency", ("1fs", "10ns"), READS, name="hint's latency"),
    *[
        Assumption("firmware", shown, (f"ssd.drive.firmware={said}",), ("hybridgpu",))
        for shown, said in FIRMWARE.items()
    ],
    *each(BUFFER, "dispatch", ("0ns", "20ns"), ("hybridgpu",), name="dispatcher"),
    *told("HybridGPU's buffer", "--buffer", {"8MiB": 8 * MIB, "128MiB": 128 * MIB}, ("hybridgpu",)),
    *told("footprint of the paper", "--whole", {"1GiB": GIB, "8GiB": 8 * GIB}, EVERY),
    *told(
        "Optane's times and rows",
        "--optane",
        {"measured": "measured", "rows of 8 KiB": "dimm", "763 ns to close any row": "printed"},
        ("optane",),
    ),
    *told("graphs", "--graphs", {"communities": "communities", "kronecker": "kronecker"}, EVERY),
    Assumption("sectors", "32B", ("gpu.l1[*].sector=32B", "gpu.l2[*].sector=32B"), EVERY),
    Assumption("atomics", "performed", ("gpu.sm[*].atomics=performed",), EVERY),
    Assumption("warps", "64", ("gpu.sm[*].warp_slots=64", "gpu.dispatcher.warp_slots=64"), EVERY),
    Assumption("schedulers", "2", ("gpu.sm[*].schedulers=2",), EVERY),
    *told("HybridGPU's predictor", "--prefetch", {"none": "nopref"}, ("hybridgpu",)),
    *[Assumption("arithmetic_latency", n, (f"gpu.sm[*].arithmetic_latency={n}",), EVERY) for n in ("1", "25")],
    Assumption("caches' latency", "20 and 80 ns", ("gpu.l1[*].latency=20ns", "gpu.l2[*].latency=80ns"), EVERY),
    Assumption("L2's queue below", "16", ("gpu.l2[*].mem_queue=16",), EVERY),
    Assumption("GDDR5's times", "a part's", (f"memory.dram[*].changes={GDDR5}",), ("hetero", "ideal")),
    Assumption(
        "DRAM queues",
        "32",
        (
            "memory.dram[*].write_low=16",
            "memory.dram[*].write_high=28",
            "memory.dram[*].read_queue=32",
            "memory.dram[*].write_queue=32",
        ),
        DRAMS,
    ),
    Assumption("L1 MSHRs", "32", ("gpu.l1[*].mshrs=32",), EVERY),
    Assumption("L2 MSHRs", "1024", ("gpu.l2[*].mshrs=1024",), EVERY),
    Assumption("L2 MSHRs for demand", "1", ("gpu.l2[*].demand_mshrs=1",), EVERY),
    *each("host", "page_cost", ("8us", "160us"), ("hetero",)),  # 1 and 20 us of the whole host
    *each("host", "fault_latency", ("50us",), ("hetero",)),
]
