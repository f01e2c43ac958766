"""Parameters that NVIDIA's V100, A100 and H100 have in common, and the names of their sources."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..errors import check_known
from ..model.provenance import assumed, cited, derived, inferred
from ..model.units import Bytes, Time

ACCEL_SIM = "Accel-Sim, configs/tested-cfgs (SM7_QV100, SM80_A100, SM90_H100)"
OCCUPANCY = "CUDA occupancy calculator, GPU data of compute capability 7.0"
THROUGHPUT = "CUDA C++ Programming Guide, throughput of native arithmetic instructions, results per cycle and SM"
GPU_BENCHES = "gpu-benches (RRZE Erlangen), gpu-latency"
JIN24 = "Jin et al., Uncovering Real GPU NoC Characteristics, MICRO 2024"
MT4G = "mt4g (TU Munich), sample_results"
CARVE_OUTS = "CUDA C++ Programming Guide, shared memory of compute capabilities 7.0, 8.0 and 9.0"
FLIT = cited("40B", f"{ACCEL_SIM}: icnt_flit_size 40, a sector and its header")
TWO_FLITS = derived("80B", from_="64 B a cycle and slice (measured peak), each sector with a header of 8 B")
FAR_WIDTH = inferred(
    "16B",
    "13 to 15 B a cycle and slice, and headers, when copies replaced no lines",
    used=["reads of the L2 at 37 MB of the A100, 44 MB of the H100"],
)
REPLACEMENT = inferred(
    "lru_random(among=4)",
    "some hops of a chase through slightly more than a partition hit, as if the oldest line did not always leave; "
    "models of a set with lru, random, pseudo-LRU and the oldest 2 to 16 lines were compared with the chips",
    used=["chase of the A100 40 GB and the H100 PCIe from half of the L2 to the whole"],
    sweep=["lru", "random"],
)
HBM2 = cited("hbm2", "JESD235D, pseudo-channels of 64 bit, as quoted by Ramulator 2.1: HBM2_2000Mbps")
HBM2E = cited("hbm2e", "JESD235D, pseudo-channels of 64 bit, as quoted by Ramulator 2.1: HBM2_2400Mbps")
HBM3 = cited("hbm3", "JESD238, pseudo-channels of 32 bit, as quoted by Ramulator 2.1: HBM3_6400Mbps")
REFRESH_8GBIT = cited("350ns", "Ramulator 2, HBM3.cpp, tRFC of 8 Gbit: the H100 has 80 GB in 80 channels")
REFRESH_12GBIT = assumed("400ns", "144 GB in 96 channels are 12 Gbit each; Ramulator 2: 350 ns for 8 Gbit, 450 for 16")
STREAMS = "with queues of this size streams reach the wires' rate"

SM = dict(
    warp_slots=cited(64, f"{MT4G}: maxThreadsPerMultiProcessor 2048"),
    block_slots=cited(32, f"{MT4G}: maxBlocksPerMultiProcessor 32"),
    schedulers=cited(4, f"{ACCEL_SIM}: gpgpu_num_sched_per_core 4"),
    scheduler=cited("loose_round_robin", f"{ACCEL_SIM}: gpgpu_scheduler lrr"),
    arithmetic_latency=cited(4, f"{ACCEL_SIM}: ptx_opcode_latency_fp 4"),
    accesses=assumed(256, "eight warps' accesses wait for the L1"),
    outstanding=derived(4096, from_=f"{ACCEL_SIM}: 512 misses of the L1, of 8 targets each"),
    atomics=cited("split", "GPGPU-Sim, memory_coalescing_arch_atomic(): an access for each lane of a word"),
)
L1 = dict(
    line=cited("128B", f"{MT4G}: line size 128"),
    sector=cited("32B", f"{MT4G}: fetch granularity 32"),
    ways=assumed(16, "hashed sets of 16 lines; 4 sets of up to 512 in Accel-Sim are slow to look up"),
    accesses_per_cycle=cited(4, f"{ACCEL_SIM}: gpgpu_l1_banks 4"),
    banks=cited(4, f"{ACCEL_SIM}: gpgpu_l1_banks 4"),
    fill_port=assumed(True, "fills have a port of their own"),
    write_policy=cited("write_through", f"{ACCEL_SIM}: gpgpu_cache:dl1 L:T:m:L"),
    write_allocate=cited(True, f"{ACCEL_SIM}: gpgpu_cache:dl1 L:T:m:L"),
    fetch_on_write=cited(False, f"{ACCEL_SIM}: gpgpu_cache:dl1 L:T:m:L, fetched when read"),
    mshrs=cited(512, f"{ACCEL_SIM}: gpgpu_cache:dl1 A:512:8"),
    targets=cited(8, f"{ACCEL_SIM}: gpgpu_cache:dl1 A:512:8"),
    outstanding=derived(4096, from_=f"{ACCEL_SIM}: 512 misses of 8 targets"),
    queue=assumed(64, STREAMS),
    mem_queue=assumed(64, STREAMS),
)
L2 = dict(
    line=cited("128B", f"{MT4G}: line size 128"),
    sector=cited("32B", f"{MT4G}: fetch granularity 32"),
    write_policy=cited("write_back", f"{ACCEL_SIM}: gpgpu_cache:dl2 L:B:m:L"),
    write_allocate=cited(True, f"{ACCEL_SIM}: gpgpu_cache:dl2 L:B:m:L"),
    fetch_on_write=cited(False, f"{ACCEL_SIM}: gpgpu_cache:dl2 L:B:m:L, fetched when read"),
    fill_port=assumed(True, "fills have a port of their own"),
    atomic_interval=inferred(
        9,
        "0.46 B a cycle of additions to a word of 4 B; no figure of A100 and H100 was found",
        used=["atomic_rate of the V100 to one address"],
    ),
    atomic_latency=inferred(
        28,
        "the rest is the latency of a read; no figure of A100 and H100 was found",
        used=["atomic_latency of the V100"],
    ),
    mshrs=cited(192, f"{ACCEL_SIM}: gpgpu_cache:dl2 A:192:4 of SM7_QV100; SM90_H100 has 384"),
    targets=cited(4, f"{ACCEL_SIM}: gpgpu_cache:dl2 A:192:4"),
    outstanding=assumed(1024, STREAMS),
    queue=assumed(128, STREAMS),
    mem_queue=assumed(64, STREAMS),
)
NETWORK = dict(queue=assumed(64, STREAMS), buffer=assumed(64, STREAMS), outstanding=assumed(1024, STREAMS))
OF_A_PAIR = inferred(
    38,
    "34 GB/s of one SM to one slice, in lines, times the time behind the crossbar's input",
    used=["slice_read of one SM of the V100"],
)
DRAM: dict[str, Any] = dict(
    map=assumed("RoBaRaCoChCl", "rows alternate between pseudo-channels, then banks; chosen after runs with RoRaBa"),
    queue=assumed(256, STREAMS),
    read_queue=cited(64, f"{ACCEL_SIM}: gpgpu_frfcfs_dram_sched_queue_size 64"),
)


def refreshed(policy: str) -> Any:
    """The policy by which a chip's memory is refreshed."""
    return inferred(
        policy,
        "writes reach 97 to 99 % of the wires' rate of HBM2 and HBM2e, which leaves no time to refresh all banks at "
        "once, and 81 to 90 % of HBM3's",
        used=["writes at full occupancy"],
        sweep=["ranks_in_turn" if policy == "single_banks" else "single_banks"],
    )


@dataclass(frozen=True)
class Drains:
    """How a memory controller collects writes: the writes of a drain, and the places of its queue."""

    writes: int = 10
    places: int = 64

    def parameters(self) -> dict[str, Any]:
        low, used = 16, ["scales at 12.5, 25, 50 and 100 %"]
        given: dict[str, Any] = dict(
            write_low=assumed(low, "a drain leaves a quarter of 64 writes"),
            write_high=inferred(
                low + self.writes,
                f"drains of {self.writes} writes; runs with 6, 10, 16, 20 and 40 of 64, 104 of 128 and 200 of 256",
                used=used,
            ),
            write_queue=cited(64, f"{ACCEL_SIM}: gpgpu_frfcfs_dram_sched_queue_size 64"),
            write_idle=inferred(
                "1us", "loads wait for drains at low occupancy, too; runs of five chips with and without it", used=used
            ),
        )
        if self.places != 64:
            given["write_queue"] = inferred(self.places, "runs with 64, 128 and 256", used=used)
        return given


def dealt(rounds: int) -> Any:
    """The rounds over the slices that a hash deals at a time."""
    return inferred(
        rounds,
        "HBM2 and HBM2e: reads approach the memory's rate slowly with the occupancy, as if the loads of channels "
        "differed; runs with 0 and 16 to 512. HBM3: reads agree without such a difference",
        used=["reads of the H100 PCIe and the A100 80 GB from 62.5 to 100 % occupancy, of the H200 to 50 %"],
    )


REGISTERS = dict(
    registers=cited(65536, f"{MT4G}: regsPerMultiProcessor 65536"),
    warp_unit=cited(4, f"{OCCUPANCY}: 4"),
    register_unit=cited(256, f"{OCCUPANCY}: 256"),
    shared_unit=cited("256B", f"{OCCUPANCY}: 256; 8.0 has 128"),
)


def divided(l1: str, carve_outs: tuple[int, ...], chosen: str | Bytes | None) -> tuple[Any, Any]:
    """The capacities of an L1 and of its shared memory. `chosen` is the part of the L1 that is shared memory."""
    if chosen is None:
        return (
            cited(l1, f"{ACCEL_SIM}: gpgpu_unified_l1d_size"),
            cited(f"{carve_outs[-1]}KiB", f"{MT4G}: shared memory of an SM"),
        )
    sizes = [f"{size}KiB" for size in carve_outs]
    shared = next((size for size in sizes if chosen in (size, Bytes.parse(size))), str(chosen))
    check_known("carve-out", shared, sizes)
    rest = str(Bytes.parse(l1) - Bytes.parse(shared))
    return derived(rest, from_=f"{l1} without {shared} of shared memory"), derived(shared, from_=CARVE_OUTS)


def _units(fp32: int, int32: int, fp64: int, special: int, **latencies: Any) -> dict[str, Any]:
    """The arithmetic units of an SM: results in a cycle of each kind, and the latencies of the last two kinds."""
    rates = dict(fp32=fp32, int32=int32, fp64=fp64, special=special)
    return dict(
        {f"{unit}_lanes": derived(n // 4, from_=f"{THROUGHPUT}: {n}") for unit, n in rates.items()},
        fp32_latency=cited(4, f"{ACCEL_SIM}: ptx_opcode_latency_fp 4"),
        int32_latency=cited(4, f"{ACCEL_SIM}: ptx_opcode_latency_int 4"),
        **latencies,
    )


# By compute capability.
UNITS_70 = _units(
    64,
    64,
    32,
    16,
    fp64_latency=cited(8, f"{ACCEL_SIM}: ptx_opcode_latency_dp 8; gpu-benches (RRZE Erlangen), cuda-incore: DFMA 8"),
    special_latency=cited(20, f"{ACCEL_SIM}: trace_opcode_latency_initiation_sfu 20,8"),
)
UNITS_80 = _units(
    64,
    64,
    32,
    16,
    fp64_latency=cited(6, f"{ACCEL_SIM}: trace_opcode_latency_initiation_dp 6,4"),
    special_latency=cited(23, f"{ACCEL_SIM}: trace_opcode_latency_initiation_sfu 23,8"),
)
UNITS_90 = _units(
    128,
    64,
    64,
    16,
    fp64_latency=cited(8, f"{ACCEL_SIM}: trace_opcode_latency_initiation_dp 8,2"),
    special_latency=cited(23, f"{ACCEL_SIM}: trace_opcode_latency_initiation_sfu 23,8"),
)


@dataclass(frozen=True)
class Fabric:
    """The levels of a chip's crossbar.

    gpc      SMs of the largest GPC
    within   mem.Crossbar.groups of the levels below the GPC
    source   of these
    spread   cycles by which requests between a GPC and a slice take more or less than the mean, at most
    origin   makes the spread a parameter
    """

    gpc: int
    within: str
    source: str
    spread: float
    origin: Callable[[Time], Any]

    def parameters(self, megahertz: int) -> dict[str, Any]:
        """The parameters of mem.Crossbar at this clock of the SMs."""
        full = "links as wide as all of their ports where no source has a width"
        return dict(
            groups=cited(
                f"{self.within}, {self.gpc} {self.gpc} {self.gpc}", f"{JIN24}, table I and IV.A: {self.source}; {full}"
            ),
            spread=self.origin(Time.cycles(self.spread, megahertz * 1e6)),
        )


FABRIC_70 = Fabric(
    14,
    "2 1.09 2",
    "GPCs of at most 14 SMs; two SMs of a TPC write 1.09 times as fast as one and read twice as fast",
    36.5,
    lambda time: cited(time, f"{JIN24}, III.A: hits of 175 to 248 cycles, on average 212; the map is an assumption"),
)
FABRIC_80 = Fabric(
    16,
    "2 2 2",
    "GPCs of at most 16 SMs; two SMs of a TPC read and write twice as fast as one",
    36.5,
    lambda time: assumed(time, f"as the V100: {JIN24}, III.C, has no figure of this chip", sweep=["0ns"]),
)
FABRIC_90 = Fabric(
    18,
    "2 2 2, 6 4.6 6",
    "GPCs of at most 18 SMs; two SMs of a TPC read and write twice as fast as one, six of a CPC read six and write "
    "4.6 times as fast",
    13,
    lambda time: inferred(
        time,
        "0.9 of it is the distance of the 95th percentile of one SM's hits, 231 cycles, from their mean of 219",
        used=["mt4g's distribution of L2 hits of the H100 SXM"],
    ),
)
