"""The GPU and the DRAM that Ohm-GPU (MICRO 2021) and ZnG (ISCA 2020) share: they have the same authors, the same
simulator (MacSim with its file of a GTX 580, `params_gtx580`) and the same tables.

A value is from the table of either paper, else from that file; docs/models/ohm-readings.md has the text of each.
"""

from ..model.provenance import assumed, cited, inferred, stated, swept

MACSIM = "MacSim, params/params_gtx580"
MACSIM_DEFAULTS = "MacSim, def/memory.param.def"
DRAM_KNOBS = "dram_activate 25, dram_precharge 10, dram_column 11, clock_mc 2.1"
CLOCK = stated("1200MHz", "Ohm-GPU table I, ZnG table I")
CYCLE = stated(
    "833334fs",
    "ZnG table I: L1 and L2 of one cycle, of 1.2 GHz",
    sweep=[swept("20 and 80 ns", "gpu.l1[*].latency=20ns", "gpu.l2[*].latency=80ns")],
    name="caches' latency",
)
# ZnG's Table I: 80 warps, and blocks enough to fill them. Two schedulers, each every second cycle (MacSim), issue as
# many instructions as one every cycle. Atomics count as loads in Table II of both papers.
SM = dict(
    warp_slots=stated(80, "ZnG table I: max warps 80 per core"),
    block_slots=assumed(16, "blocks enough to fill the warps of an SM"),
    schedulers=cited(1, f"{MACSIM}: num_warp_scheduler 2, schedule_ratio 2; one every cycle stands for them"),
    atomics=inferred(
        "loads",
        "read ratios of table II of both papers, where a third of betw's accesses are atomics",
        sweep=["performed"],
    ),
    arithmetic_latency=cited(
        22,
        "CUDA C Programming Guide 4.2, section 5.2.3: about 22; MacSim, uoplatency_ptx580.def: 25, out of order",
        sweep=[1, 25],
    ),
)
# ZnG's Table I: L1 and L2 of one cycle; "memory access size in GPU is 128B" (ZnG, III-A): no sectors. 128 misses of
# an SM are MacSim's. No text states a hash of sets.
CACHES = dict(
    sector=stated(
        "128B",
        "ZnG III-A: memory access size in GPU is 128B",
        sweep=[swept("32B", "gpu.l1[*].sector=32B", "gpu.l2[*].sector=32B")],
        name="sectors",
    ),
    mshrs=cited(
        128,
        f"{MACSIM_DEFAULTS}: mem_mshr_size 128 for each core",
        sweep=[swept(32, "gpu.l1[*].mshrs=32")],
        name="L1 MSHRs",
    ),
    latency=CYCLE,
    set_hash=assumed("linear", "no text states a hash of sets"),
)
L2 = dict(mem_queue=assumed(64, "half of the misses", sweep=[16], name="L2's queue below"))  # places towards the memory

# MacSim's DRAM: 16 banks of 2 KiB rows, 25 cycles of 2.1 GHz to open one, 10 to close it, 11 for a column (a table of
# mem.DramController), and a queue of 128 (dram_buffer_size).
DRAM = cited("ohm_cycles", f"{MACSIM}: {DRAM_KNOBS}")
DRAM_QUEUES = dict(
    **cited(dict(read_queue=128, write_queue=128), f"{MACSIM_DEFAULTS}: dram_buffer_size 128"),
    **assumed(dict(write_high=112, write_low=64), "room for bursts of writes; drained to half"),
)
