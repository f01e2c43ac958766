"""NVIDIA's V100, A100, H100 and H200 as presets of systems.gpu(); `memsim silicon` compares them with measured chips.

    root.gpu = systems.h100(form="sxm")
    root.gpu = systems.a100(memory=lambda i, interleave: mem.SimpleMemory(latency="300ns"))

docs/models/gpu.md describes what is not modelled.
"""

from dataclasses import dataclass, replace
from typing import Any

from ..errors import check_known
from ..model.provenance import assumed, cited, derived, inferred
from ..model.units import Bytes, Time
from . import nvidia_parts
from .interleave import names_memory, with_queue
from .nvidia_parts import ACCEL_SIM, DRAM, GPU_BENCHES, L1, L2, MT4G, NETWORK, OF_A_PAIR, REGISTERS, SM
from .processor import Gpu, gpu

BURST = 32  # bytes of a burst of HBM


@dataclass(frozen=True, kw_only=True)
class Chip:
    """The parameters in which the chips differ.

    megahertz       of SMs, caches and crossbar
    l1, carve_outs  capacity of an L1 without shared memory, and the KiB of it that can be shared memory (CARVE_OUTS)
    l2, ways        capacity of all slices, lines of a set
    slices          of the L2; as many memory channels, each of so many pseudo-channels
    port            bytes that a port of the crossbar carries in a cycle, headers of 8 B included
    timing, peak    of the memory: preset, and GB/s of all channels
    refresh, drains, hash_rounds   of nvidia_parts.refreshed(), Drains and dealt()
    refresh_time    tRFC, if the channels' capacity is not that of the preset
    shared_cycles   latency of shared memory
    l1_cycles       of the L1, beside the SM's own
    network_cycles  of the crossbar, each way: requests take them from the crossbar to an L2 slice, responses from a
                    slice to the crossbar
    memory_cycles   from a miss of the L2 to its memory controller and back, beside the DRAM's own
    far_cycles      of the link between the two partitions of the L2, there and back; 0: there is one partition
    tensor          tensor_rate, tensor_interval and tensor_latency of gpu.Sm
    units           lanes and latencies of its arithmetic units
    fabric          levels of the crossbar
    dispatch        time from the end of a block to the start of the next in its place

    The times but that of shared memory, and the kind of refresh, are inferred from the points that `memsim silicon`
    marks as used.
    """

    sms: int
    megahertz: int
    l1: str
    carve_outs: tuple[int, ...]
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
    tensor: tuple[int, int, int]
    units: dict[str, Any]
    fabric: nvidia_parts.Fabric
    dispatch: str
    refresh: str = "single_banks"
    drains: nvidia_parts.Drains = nvidia_parts.Drains()
    hash_rounds: int = 256
    pseudo_channels: int = 1
    far_cycles: float = 0
    refresh_time: tuple[Any, ...] = ()

    def latency(self, cycles: float, used: str) -> Time:
        """So many cycles as a parameter."""
        return inferred(Time.cycles(cycles, self.megahertz * 1e6), f"{cycles} cycles of an SM", used=[used])

    def tensor_cores(self) -> dict[str, Any]:
        """Their parameters of an SM."""
        rate, interval, latency = self.tensor
        return dict(
            tensor_cores=cited(4, f"{ACCEL_SIM}: gpgpu_num_tensor_core_units 4"),
            tensor_rate=derived(rate, from_="the vendor's peak over SMs, clock, four tensor cores and two operations"),
            tensor_interval=inferred(interval, "rate of m16n8k16", used=["matrix_rate at m16n8k16 of the H100"]),
            tensor_latency=inferred(latency, "latency of an operation", used=["matrix_latency"]),
        )

    def memory(self) -> dict[str, Any]:
        """The parameters of a memory controller."""
        parts = self.slices * self.pseudo_channels
        clock = round(BURST / (self.peak * 1e9 / parts) / 2 * 1e12)  # in ps: a burst takes two clocks
        return dict(
            timing=self.timing,
            changes=derived(
                f"rate={BURST / 2 / clock * 1e6:.0f}MB/s tCK={clock}ps tCCD_S={2 * clock}ps tCCD_L={4 * clock}ps"
                + "".join(f" tRFC={time}" for time in self.refresh_time),
                from_=[f"the vendor's {self.peak} GB/s over {parts} pseudo-channels", *self.refresh_time],
            ),
            refresh=nvidia_parts.refreshed(self.refresh),
            pseudo_channels=derived(self.pseudo_channels, from_="channels of 64 bit: 64 of HBM2 or two of 32 of HBM3"),
            **self.drains.parameters(),
            **DRAM,
        )

    def partitions(self) -> dict[str, Any]:
        """The parameters of the L2 about its partitions, if it has two."""
        if not self.far_cycles:
            return {}
        return dict(
            partitions=cited(2, f"{MT4G}: two L2 segments"),
            replacement=nvidia_parts.REPLACEMENT,
            far_latency=self.latency(self.far_cycles, "near and far hits and misses of Luo et al., 2025"),
            far_width=nvidia_parts.FAR_WIDTH,
        )

    def of_a_pair(self, slices: int) -> Any:
        """Requests of an SM to each of so many slices: as many to all of them as in the whole chip."""
        if slices == self.slices:
            return OF_A_PAIR
        return derived(OF_A_PAIR * self.slices // slices, from_=[OF_A_PAIR, f"{slices} of {self.slices} slices"])

    def gpu(self, carve_out: Any = None, **changes: Any) -> Gpu:
        """The GPU.

        carve_out  the part of each L1 that is shared memory; None: both have their largest capacity at once
        changes    arguments of systems.gpu(); a dict of parameters is merged with the chip's, unless it has a `timing`,
                   and the size of a cache replaces its capacity alone
        """
        l1, shared = nvidia_parts.divided(self.l1, self.carve_outs, carve_out)
        given: dict[str, Any] = dict(
            sms=cited(self.sms, f"{MT4G}: multiProcessorCount; {GPU_BENCHES} of the H100 PCIe"),
            clock=cited(f"{self.megahertz}MHz", f"{GPU_BENCHES}: at this clock; {MT4G} of the H100 SXM: 1980 MHz"),
            slices=cited(self.slices, f"{ACCEL_SIM}: gpgpu_n_mem x gpgpu_n_sub_partition_per_mchannel"),
            channels=derived(
                self.slices, from_="a memory of 4096 bit (V100), 5120 bit or 6144 bit (H200) in channels of 64 bit"
            ),
            hash_rounds=nvidia_parts.dealt(self.hash_rounds),
            memory=self.memory(),
            sm={**SM, "shared_latency": self.shared_cycles, **self.tensor_cores(), **self.units},
            l1={**L1, "capacity": l1, "latency": self.latency(self.l1_cycles, "chase in the L1")},
            network=dict(
                NETWORK,
                width=self.port,
                of_a_pair=self.of_a_pair(changes.get("slices") or changes.get("channels") or self.slices),
                latency=self.latency(self.network_cycles, "chase in the L2"),
                response_latency=derived(Time.cycles(1, self.megahertz * 1e6), from_="an L2 slice has the rest"),
                pair_time=derived(
                    Time.cycles(2 * self.network_cycles, self.megahertz * 1e6),
                    from_=f"both ways of the network: one rate of all SMs and slices ({nvidia_parts.JIN24}, IV.A)",
                ),
                **self.fabric.parameters(self.megahertz),
            ),
            l2={
                **L2,
                "capacity": cited(self.l2, f"{MT4G}: L2 size"),
                "ways": cited(self.ways, f"{ACCEL_SIM}: gpgpu_cache:dl2, last number of the geometry"),
                "latency": self.latency(self.network_cycles, "chase in the L2"),
                "miss_latency": self.latency(self.memory_cycles, "chase in memory"),
                **self.partitions(),
            },
            dispatcher={
                **REGISTERS,
                "shared": shared,
                "dispatch_latency": inferred(
                    self.dispatch, "reads of the chip's PCIe form", used=["reads at the lowest occupancy"]
                ),
            },
        )
        if names_memory(memory := changes.get("memory")):
            changes["memory"] = given["memory"] = with_queue(memory, DRAM["queue"])
        for name, value in changes.items():
            value = dict(capacity=value) if name in ("l1", "l2") and isinstance(value, (str, Bytes)) else value
            merged = isinstance(value, dict) and isinstance(given.get(name), dict)
            given[name] = {**given[name], **value} if merged else value
        return gpu(**given)


V100_PCIE = Chip(
    sms=80,
    megahertz=1380,
    l1="128KiB",
    carve_outs=(0, 8, 16, 32, 64, 96),
    l2="6MiB",
    ways=24,
    slices=64,
    port=nvidia_parts.FLIT,
    timing=nvidia_parts.HBM2,
    peak=898,
    shared_cycles=assumed(19, f"as Jia et al., 2018, are quoted; {MT4G} has 23.5"),
    l1_cycles=29,
    network_cycles=91,
    memory_cycles=155,
    tensor=(128, 1, 3),
    units=nvidia_parts.UNITS_70,
    fabric=nvidia_parts.FABRIC_70,
    dispatch="235ns",
)
V100_SXM = replace(V100_PCIE, megahertz=1530)
A100_80 = Chip(
    sms=108,
    megahertz=1410,
    l1="192KiB",
    carve_outs=(0, 8, 16, 32, 64, 100, 132, 164),
    l2="40MiB",
    ways=16,
    slices=80,
    port=nvidia_parts.TWO_FLITS,
    timing=nvidia_parts.HBM2E,
    peak=1935,
    shared_cycles=assumed(23, f"as Abdelkhalik et al., HPEC 2022, are quoted; {MT4G} has 60"),
    l1_cycles=35,
    network_cycles=86.5,
    memory_cycles=222,
    far_cycles=148,
    tensor=(256, 1, 17),
    units=nvidia_parts.UNITS_80,
    fabric=nvidia_parts.FABRIC_80,
    dispatch="207ns",
)
A100_40 = replace(A100_80, timing=nvidia_parts.HBM2, peak=1555)
H100_PCIE = Chip(
    sms=114,
    megahertz=1755,
    l1="256KiB",
    carve_outs=(0, 8, 16, 32, 64, 100, 132, 164, 196, 228),
    l2="50MiB",
    ways=20,
    slices=80,
    port=nvidia_parts.TWO_FLITS,
    timing=nvidia_parts.HBM2E,
    peak=2039,
    shared_cycles=cited(29, f"{MT4G}, H100 80GB HBM3: 29.9, rounded down"),
    l1_cycles=33.4,
    network_cycles=114,
    memory_cycles=221,
    far_cycles=172,
    tensor=(512, 6, 18),
    units=nvidia_parts.UNITS_90,
    fabric=nvidia_parts.FABRIC_90,
    dispatch="190ns",
    drains=nvidia_parts.Drains(6),
)
H100_SXM = replace(
    H100_PCIE,
    sms=132,
    megahertz=1980,
    timing=nvidia_parts.HBM3,
    peak=3352,
    refresh="ranks_in_turn",
    refresh_time=(nvidia_parts.REFRESH_8GBIT,),
    drains=nvidia_parts.Drains(200, 256),
    hash_rounds=1,
    pseudo_channels=2,
    l1_cycles=39.2,
    network_cycles=107,
    memory_cycles=204,
    dispatch="205ns",
)
# Accel-Sim's SM90_H200 is its SM90_H100 with 48 controllers. The memory has the timing of HBM3 in ns at a higher rate,
# but for tRFC, and all latencies are those of the H100 SXM: both are assumptions.
H200 = replace(H100_SXM, slices=96, l2="60MiB", peak=4800, refresh_time=(nvidia_parts.REFRESH_12GBIT,))
CHIPS = {
    "v100-pcie": V100_PCIE,
    "v100-sxm": V100_SXM,
    "a100-40gb": A100_40,
    "a100-80gb": A100_80,
    "h100-pcie": H100_PCIE,
    "h100-sxm": H100_SXM,
    "h200": H200,
}


def v100(form: str = "pcie", **changes: Any) -> Gpu:
    """A V100, form 'pcie' or 'sxm'. `changes` are those of Chip.gpu()."""
    return chip(f"v100-{form}").gpu(**changes)


def a100(memory: Any = "80GB", **changes: Any) -> Gpu:
    """An A100. `memory` is '40GB' (HBM2), '80GB' (HBM2e) or a value for systems.gpu(); `changes` as of v100()."""
    if isinstance(memory, str) and memory.endswith("GB"):
        check_known("memory of an A100", memory, ("40GB", "80GB"))
        return chip(f"a100-{memory.lower()}").gpu(**changes)
    return A100_80.gpu(memory=memory, **changes)


def h100(form: str = "sxm", **changes: Any) -> Gpu:
    """An H100, form 'sxm' (HBM3) or 'pcie' (HBM2e); `changes` as of v100()."""
    return chip(f"h100-{form}").gpu(**changes)


def h200(**changes: Any) -> Gpu:
    """An H200 (HBM3e); `changes` as of v100()."""
    return H200.gpu(**changes)


def chip(name: str) -> Chip:
    """The chip of this name, such as 'h100-sxm'."""
    check_known("chip", name, CHIPS)
    return CHIPS[name]
