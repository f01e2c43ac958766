"""The values of the papers on High Bandwidth Flash (HBF), of the machines that model them.

Values of HBF-Sim are those of its public repository (jager197/accel-sim-hbf). The other papers were read in public
notes that quote their tables.
"""

from typing import Any

from ...model.provenance import assumed, cited, derived, stated, wired
from ...systems import hbf
from ...systems.parameters import Parameters

PAGE, LINE = hbf.PAGE, 128

# ---- HBF-Sim (arXiv 2609.29246) ------------------------------------------------------------------

SCALING = "HBF-Sim, artifact/configs/scaling.config"
LOAD = "HBF-Sim, experiments/03_weight_load/limited_hbf.config"
PRODUCER_BLOCK = 128  # threads: experiments/19_media_saturation/page_supply.cu
WEIGHT_WARPS, WEIGHT_BLOCK, LOADS = 1024, 256, 8  # experiments/workloads/weight_load.cu
NO_RETRY = stated("0%", "HBF-Sim: ECC and read retry are not modelled")
HBF_SIM: dict[str, Any] = dict(
    t_read=stated("15us", f"{SCALING}: gpgpu_hbf_tR 12750 of 850 MHz"),
    t_program=stated("200us", f"{SCALING}: gpgpu_hbf_tPROG 170000 of 850 MHz"),
    t_erase=stated("2ms", f"{SCALING}: gpgpu_hbf_tBERS 1700000 of 850 MHz"),
    rate=stated("192GB/s", f"{SCALING}: gpgpu_hbf_channel_bw_gbps 192"),
    retry_chance=NO_RETRY,
)
SLOTS = stated(32, "HBF-Sim: active operations of a channel")
WEIGHT_LOAD: dict[str, Any] = dict(
    HBF_SIM,
    t_read=stated("17647ns", f"{LOAD}: gpgpu_hbf_tR 15000 of 850 MHz; its text has 15 us"),
    dies=derived(8, from_="64 operations at once of a partition"),
    banks=derived(8, from_="64 operations at once of a partition"),
    channels=stated(1, f"{LOAD}: a controller of each partition"),
)
CORES = stated("1132MHz", f"{SCALING}: gpgpu_clock_domains 1132:1132:1132:850")
SCALING_GPU: dict[str, Any] = dict(clock=CORES, **stated(dict(sms=80), f"{SCALING}: gpgpu_n_clusters 80"))
LOAD_GPU: dict[str, Any] = dict(
    clock=CORES,
    **stated(
        dict(sms=8, channels=8, slices=16, l2="1536KiB"),
        f"{LOAD}: gpgpu_n_clusters 8, gpgpu_n_mem 8, two slices of 96 KB of each",
    ),
    hash_rounds=assumed(0, "two slices share a partition"),
)
LOAD_L2 = dict(mshrs=stated(192, f"{LOAD}: gpgpu_cache:dl2 A:192:4", sweep=[96], name="misses of a slice"))
LOAD_DRAM = stated(
    "rate=27200MB/s tCK=1177ps tCCD_S=1177ps tCCD_L=2354ps", f"{LOAD}: 16 B a partition at 850 MHz, two data a clock"
)

# ---- TileLens (arXiv 2607.04031) -----------------------------------------------------------------

TILELENS = "TileLens 6.1"
STACKS = 6  # of HBM3e and of HBF
TILE_SMS = derived(22, from_=f"{TILELENS}: 132 SMs of 6 stacks")
TILE_CHANNELS = stated(16, f"{TILELENS}: 16 channels of a stack")
TILE_CLOCK = stated("2000MHz", f"{TILELENS}: 2.0 GHz")
TILE_PEAK = 4915  # GB/s of 6 stacks
TILE_RATE = stated("51200MB/s", f"{TILELENS}: 6.4 Gbit/s of 64 pins a channel")
TILE_DIES = assumed(16, "as other papers' stacks")
TILE_BANKS_OF_US = derived(2, from_=f"{TILELENS}: inside 2.5 times the wires' rate, in 16 dies")
TILE_LATENCIES = (1, 2, 5, 10, 20)  # us
MEMORY_TILE = 64, 32  # elements of bf16 of a page of the layout `tile`, down and across
STAGES = 3  # tiles of 64 KiB in 227 KiB of shared memory
TILE_SM = dict(
    accesses=assumed(1024, "copies into shared memory (TMA) do not wait for the L1", sweep=[256], name="waiting copies")
)
TILE_L1 = dict(
    mshrs=assumed(4096, "copies into shared memory (TMA) are not bounded by the L1's misses", sweep=[512, 2048]),
    outstanding=assumed(8192, "copies into shared memory (TMA) are not bounded by the L1's misses"),
)
TILE_L2: dict[str, Any] = dict(
    capacity=derived("8000KiB", from_=f"{TILELENS}: an L2 of 50 MB of 6 stacks"),
    outstanding=assumed(16384, "lines of a page for each miss"),
    mem_queue=assumed(256, "lines of several pages"),
    queue=assumed(256, "lines of several pages"),
)
TILE_PAGES = dict(  # of the L2 in front of flash
    mshrs=cited(
        384, "Accel-Sim, SM90_H100/gpgpusim.config: gpgpu_cache:dl2 A:384", sweep=[96, 192], name="missing pages"
    ),
    mshr_lines=stated(32, f"{TILELENS}: MSHRs of HBF of 4 KB"),
)
TILE_LINES = dict(mshrs=cited(384, "Accel-Sim, SM90_H100/gpgpusim.config: gpgpu_cache:dl2 A:384"))
TILE_NETWORK = dict(outstanding=assumed(8192, "as the L1's misses"))
ROUTER: dict[str, Any] = assumed(dict(queue=1024, buffer=1024, outstanding=16384), "as the L2's misses")
CHUNK = assumed("4KiB", "a page lies behind one slice")
FLINT_CHUNK = stated("4KiB", "FLINT V: consecutive pages of 4 KB lie in consecutive planes")
HBM_CHUNK = assumed("256B", "as GPGPU-Sim's configurations: dramid@8")
STACK = dict(  # of a channel behind a slice
    requests=assumed(32768, "as the L2's misses", sweep=[1024, 4096], name="reads that wait in a stack"),
    queue=assumed(1024, "as the L2's misses"),
)
WHOLE: Parameters = wired(
    dict(interleave_ways=0, interleave_index=0, interleave_granularity="0B")
)  # a stack of all addresses
READ_ONLY: Parameters = dict(
    written=derived(True, from_="weights, written before the run"), commands=derived(64, from_="no host sends any")
)
NO_RETRY_KNOWN = assumed("0%", "the paper names no retries", sweep=["1000ppm", "1%"], name="retries")
PAGE_STORE = assumed("8MiB", "pages that the L2 holds: a sixth of 50 MB")
SMALL_PAGE_STORE = assumed("1MiB", "a share of the L2, as the program is smaller")
# Memory of activations and results, which the programs hardly use.
LOCAL = assumed(dict(latency="100ns", bandwidth="51200MB/s", queue=1024), "HBM, which holds results alone")
PAGE_LOCAL = assumed(dict(latency="20ns", bandwidth="400GB/s", queue=1024), "an SRAM as fast as the L2")

# ---- streams and a decode step -------------------------------------------------------------------

STREAMS = "flint", "flashaccel", "hbflex", "dash", "hbf_sim"  # of systems.hbf.PAPERS
STREAM = assumed(
    dict(pattern="sequential", size=128, outstanding=65536, base="0B", period="0fs", read_share=1),
    "a stream with enough outstanding to fill a stack",
)
DECODE: Parameters = assumed(dict(tokens=1, weight_bits=16, kv_bits=16, seed=1), "a step of a model in bf16")

NO_RETRY_OF_STREAM = assumed("0%", "the paper names no retries")
UNBOUND = "hbflex", "flashaccel"  # whose printed bandwidth is that of the array
WIDE = assumed("1000GB/s", "wires that are no limit: the printed bandwidth is the array's")
STREAM_STACK = assumed(dict(requests=65536, queue=4096), "as many as the stream has")
DECODE_SMS = derived(22, from_="a sixth of the SMs of an H100: a GPU of six stacks")
