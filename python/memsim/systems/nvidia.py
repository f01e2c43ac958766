"""NVIDIA's V100, A100 and H100 as presets of systems.gpu(); `memsim silicon` compares them with measured chips.

    root.gpu = systems.h100(form="sxm")
    root.gpu = systems.a100(memory=lambda i, interleave: mem.SimpleMemory(latency="300ns"))

Not modelled: the two partitions of the L2 of A100 and H100 (each line is as near as those of the own partition), the
levels of the crossbar (TPC, CPC, GPC), the carve-out of the L1 (all of it is L1), tensor cores, and TLBs unless `mmu=`
asks for them.
"""

from dataclasses import dataclass, replace
from typing import Any

from ..errors import check_known
from ..model.provenance import assumed, cited, derived, inferred
from ..model.units import Bytes, Time
from .processor import Gpu, gpu

ACCEL_SIM = "Accel-Sim's tested configurations (SM7_QV100, SM80_A100, SM90_H100)"
GPU_BENCHES = "gpu-benches (RRZE Erlangen), measured"
MT4G = "mt4g (TU Munich), measured"
VENDOR = "NVIDIA's white paper of the chip"
STREAMS = "with queues of this size streams reach the wires' rate"

# What the chips have in common.
SM = dict(
    warp_slots=cited(64, VENDOR),
    block_slots=cited(32, VENDOR),
    schedulers=cited(4, VENDOR),
    scheduler=cited("loose_round_robin", ACCEL_SIM),
    arithmetic_latency=cited(4, "measured by many: 4 cycles of a dependent multiply-add"),
    accesses=assumed(256, "eight warps' accesses wait for the L1"),
    outstanding=cited(4096, "the L1's misses and their targets in Accel-Sim's configurations"),
)
L1 = dict(
    line=cited("128B", MT4G),
    sector=cited("32B", MT4G),
    ways=assumed(16, "hashed sets of 16 lines; 4 sets of up to 512 in Accel-Sim are slow to look up"),
    accesses_per_cycle=cited(4, f"{ACCEL_SIM}: 4 banks"),
    banks=cited(4, ACCEL_SIM),
    fill_port=assumed(True, "fills have a port of their own"),
    write_policy=cited("write_through", ACCEL_SIM),
    write_allocate=cited(True, ACCEL_SIM),
    fetch_on_write=cited(False, ACCEL_SIM),
    mshrs=cited(512, ACCEL_SIM),
    targets=cited(8, ACCEL_SIM),
    outstanding=cited(4096, f"{ACCEL_SIM}: 512 misses of 8 targets"),
    queue=assumed(64, STREAMS),
    mem_queue=assumed(64, STREAMS),
)
L2 = dict(
    line=cited("128B", MT4G),
    sector=cited("32B", MT4G),
    write_policy=cited("write_back", ACCEL_SIM),
    write_allocate=cited(True, ACCEL_SIM),
    fetch_on_write=cited(False, f"{ACCEL_SIM}: written sectors are not read"),
    fill_port=assumed(True, "fills have a port of their own"),
    mshrs=cited(192, ACCEL_SIM),
    targets=cited(4, ACCEL_SIM),
    outstanding=assumed(1024, STREAMS),
    queue=assumed(128, STREAMS),
    mem_queue=assumed(64, STREAMS),
)
NETWORK = dict(queue=assumed(64, STREAMS), buffer=assumed(64, STREAMS), outstanding=assumed(1024, STREAMS))
DRAM = dict(
    refresh=inferred(
        "ranks_in_turn",
        "all banks together; chosen after runs of all points with it and with single_banks, which JEDEC allows",
        used=["scales at full occupancy"],
        sweep=["single_banks"],
    ),
    map=assumed(
        "RoBaRaCoChCl",
        "rows of a channel alternate between pseudo-channels, then banks; chosen after runs with RoRaBa",
    ),
    queue=assumed(256, STREAMS),
    read_queue=cited(64, f"{ACCEL_SIM}: queue of 64"),
    write_queue=cited(64, f"{ACCEL_SIM}: queue of 64"),
    write_high=assumed(56, "a drain begins when the queue is nearly full"),
    write_low=assumed(16, "and takes most of it"),
)
REGISTERS = dict(
    registers=cited(65536, VENDOR),
    warp_unit=cited(4, ACCEL_SIM),
    register_unit=cited(256, ACCEL_SIM),
    shared_unit=cited("256B", ACCEL_SIM),
)

BURST = 32  # bytes of a burst of HBM
FLIT = cited("40B", f"{ACCEL_SIM}: flits of a sector and its header")
TWO_FLITS = derived("80B", from_="64 B a cycle and slice (measured peak), each sector with a header of 8 B")
HBM2 = cited("hbm2", "JESD235: pseudo-channels of 64 bit")
HBM2E = cited("hbm2e", "JESD235D: pseudo-channels of 64 bit")
HBM3 = cited("hbm3", "JESD238: pseudo-channels of 32 bit")


@dataclass(frozen=True, kw_only=True)
class Chip:
    """The figures in which chips differ.

    megahertz       of SMs, caches and crossbar
    l1, shared      capacities of an L1 with nothing carved out of it, and of shared memory at most
    l2, ways        capacity of all slices, lines of a set
    slices          of the L2; as many memory channels, each of so many pseudo-channels
    port            bytes that a port of the crossbar carries in a cycle, headers of 8 B included
    timing, peak    of the memory: preset, and GB/s of all channels
    shared_cycles   latency of shared memory
    l1_cycles       of the L1, beside the SM's own
    network_cycles  of the crossbar, each way
    memory_cycles   from a miss of the L2 to its memory controller and back, beside the DRAM's own
    dispatch        time from the end of a block to the start of the next in its place

    The last four and the kind of refresh are inferred from the points that `memsim silicon` marks as used.
    """

    sms: int
    megahertz: int
    l1: str
    shared: str
    l2: str
    ways: int
    slices: int
    port: str
    timing: str
    peak: float
    shared_cycles: int
    l1_cycles: float
    network_cycles: float
    memory_cycles: float
    dispatch: str
    pseudo_channels: int = 1

    def latency(self, cycles: float, used: str) -> Time:
        """So many cycles as a parameter."""
        return inferred(Time.cycles(cycles, self.megahertz * 1e6), f"{cycles} cycles of an SM", used=[used])

    def memory(self) -> dict[str, Any]:
        """The parameters of a memory controller."""
        parts = self.slices * self.pseudo_channels
        clock = round(BURST / (self.peak * 1e9 / parts) / 2 * 1e12)  # in ps: a burst takes two clocks
        return dict(
            timing=self.timing,
            changes=derived(
                f"rate={BURST / 2 / clock * 1e6:.0f}MB/s tCK={clock}ps tCCD_S={2 * clock}ps tCCD_L={4 * clock}ps",
                from_=f"{VENDOR}: {self.peak} GB/s over {parts} pseudo-channels",
            ),
            pseudo_channels=cited(self.pseudo_channels, "JEDEC"),
            **DRAM,
        )

    def gpu(self, **changes: Any) -> Gpu:
        """The GPU.

        changes  arguments of systems.gpu(); a dict of parameters is merged with the chip's, and the size of a cache
                 replaces its capacity alone
        """
        given: dict[str, Any] = dict(
            sms=cited(self.sms, MT4G),
            clock=cited(f"{self.megahertz}MHz", f"{GPU_BENCHES} at this clock"),
            slices=cited(self.slices, ACCEL_SIM),
            channels=cited(self.slices, VENDOR),
            memory=self.memory(),
            sm={**SM, "shared_latency": cited(self.shared_cycles, MT4G)},
            l1={
                **L1,
                "capacity": cited(self.l1, VENDOR),
                "latency": self.latency(self.l1_cycles, "chase in the L1"),
            },
            network={
                **NETWORK,
                "width": self.port,
                "latency": self.latency(self.network_cycles, "chase in the L2"),
            },
            l2={
                **L2,
                "capacity": cited(self.l2, MT4G),
                "ways": cited(self.ways, ACCEL_SIM),
                "latency": derived(Time.cycles(1, self.megahertz * 1e6), from_="the crossbar has the rest"),
                "miss_latency": self.latency(self.memory_cycles, "chase in memory"),
            },
            dispatcher={
                **REGISTERS,
                "shared": cited(self.shared, VENDOR),
                "dispatch_latency": inferred(
                    self.dispatch, "reads of the chip's PCIe form", used=["reads at the lowest occupancy"]
                ),
            },
        )
        for name, value in changes.items():
            if name in ("l1", "l2") and isinstance(value, (str, Bytes)):
                value = dict(capacity=value)
            merged = isinstance(value, dict) and isinstance(given.get(name), dict)
            given[name] = {**given[name], **value} if merged else value
        return gpu(**given)


V100_PCIE = Chip(
    sms=80,
    megahertz=1380,
    l1="128KiB",
    shared="96KiB",
    l2="6MiB",
    ways=24,
    slices=64,
    port=FLIT,
    timing=HBM2,
    peak=898,
    shared_cycles=19,
    l1_cycles=29,
    network_cycles=91,
    memory_cycles=146,
    dispatch="275ns",
)
V100_SXM = replace(V100_PCIE, megahertz=1530)
A100_80 = Chip(
    sms=108,
    megahertz=1410,
    l1="192KiB",
    shared="164KiB",
    l2="40MiB",
    ways=16,
    slices=80,
    port=TWO_FLITS,
    timing=HBM2E,
    peak=1935,
    shared_cycles=23,
    l1_cycles=35,
    network_cycles=86.5,
    memory_cycles=280,
    dispatch="222ns",
)
A100_40 = replace(A100_80, timing=HBM2, peak=1555)
H100_PCIE = Chip(
    sms=114,
    megahertz=1755,
    l1="256KiB",
    shared="228KiB",
    l2="50MiB",
    ways=20,
    slices=80,
    port=TWO_FLITS,
    timing=HBM2E,
    peak=2039,
    shared_cycles=29,
    l1_cycles=33.4,
    network_cycles=114,
    memory_cycles=288,
    dispatch="205ns",
)
H100_SXM = replace(
    H100_PCIE,
    sms=132,
    megahertz=1980,
    timing=HBM3,
    peak=3352,
    pseudo_channels=2,
    l1_cycles=39.2,
    network_cycles=107,
    memory_cycles=290,
)
CHIPS = {
    "v100-pcie": V100_PCIE,
    "v100-sxm": V100_SXM,
    "a100-40gb": A100_40,
    "a100-80gb": A100_80,
    "h100-pcie": H100_PCIE,
    "h100-sxm": H100_SXM,
}


def v100(form: str = "pcie", **changes: Any) -> Gpu:
    """A V100, form 'pcie' or 'sxm'. `changes` are arguments of systems.gpu(); dicts are merged with the preset's."""
    return chip(f"v100-{form}").gpu(**changes)


def a100(memory: Any = "80GB", **changes: Any) -> Gpu:
    """An A100. `memory` is '40GB' (HBM2), '80GB' (HBM2e) or what systems.gpu() takes; `changes` as of v100()."""
    if memory in ("40GB", "80GB"):
        return chip(f"a100-{memory.lower()}").gpu(**changes)
    return A100_80.gpu(memory=memory, **changes)


def h100(form: str = "sxm", **changes: Any) -> Gpu:
    """An H100, form 'sxm' (HBM3) or 'pcie' (HBM2e); `changes` as of v100()."""
    return chip(f"h100-{form}").gpu(**changes)


def chip(name: str) -> Chip:
    """The chip of this name, such as 'h100-sxm'."""
    check_known("chip", name, CHIPS)
    return CHIPS[name]
