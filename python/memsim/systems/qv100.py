"""A machine shaped like Accel-Sim's Quadro V100, to be compared with it on the same traces.

Values are those of Accel-Sim's tested configuration SM7_QV100 (gpgpusim.config of gpgpu-sim_distribution,
commit 0874995), given behind each; cycles are of 1132 MHz. docs/validation.md lists the
differences.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from .. import Root, SimObject, mem
from ..model import dram
from ..model.units import Time
from .interleave import connect, join
from .nvidia_parts import UNITS_70
from .processor import gpu

CLOCK = "1132MHz"  # gpgpu_clock_domains 1132:1132:1132:850
SLICES = 64  # gpgpu_n_mem 32 x gpgpu_n_sub_partition_per_mchannel 2
CHANNELS = 32
INTERLEAVE = "256B"  # dramid@8
# gpgpu_smem_latency. A latency of 2 in trace.config begins behind the operand collectors: ptx_opcode_latency 4 here.
SM = dict(UNITS_70, shared_latency=20)


def cycles(n: float, hertz: float = 1132e6) -> Time:
    """The time of n cycles of a clock, by default the core's."""
    return Time.cycles(n, hertz)


def _hbm() -> dram.Preset:
    """gpgpu_dram_timing_opt, in cycles of 850 MHz; 16 B wide, bursts of 2 at double rate; rows of 64
    columns of 32 B (gpgpu_mem_addr_mapping). No refresh, no four-activate window there."""
    timing: dict[str, int] = dict(
        tCL=12,
        tCWL=2,
        tRCDRD=12,
        tRCDWR=12,
        tRP=12,
        tRAS=28,
        tRC=40,
        tRRD_S=3,
        tRRD_L=3,
        tFAW=0,
        tCCD_S=1,
        tCCD_L=2,
        tWTR_S=3,
        tWTR_L=3,
        tRTP=3,
        tWR=10,
        tRTRS=0,
    )
    figures: dict[str, Any] = {name: cycles(n, 850e6) for name, n in timing.items()}
    return dram.Preset(
        "qv100_hbm",
        source="Accel-Sim's SM7_QV100",
        rate="27.2GB/s",
        burst=32,
        ranks=1,
        groups=4,
        banks_per_group=4,
        row="2KiB",
        tCK=cycles(1, 850e6),
        tRFC="0fs",
        tREFI="0fs",
        **figures,
    )


def qv100(program: SimObject, sms: int = 80, seed: int = 1, **dispatch: Any) -> Root:
    """The machine, running `program` (a workload.TraceProgram or another application).

    sms       SMs (80), for smaller ones of the same kind
    dispatch  parameters of gpu.Dispatcher, such as launches

    Returns a Root with `program`, `gpu` (dispatcher, sm, l1, network, l2) and `channel`. Caches are
    cold at the start.
    """
    root = Root(seed=seed)
    root.program = program
    part = root.gpu = gpu(
        sms=sms,
        slices=SLICES,
        interleave=INTERLEAVE,
        memory=None,
        clock=CLOCK,
        dispatcher=dict(
            registers=65536,
            shared="96KiB",
            warp_unit=4,
            register_unit=256,
            shared_unit="256B",
            **{"local_pool": "occupancy", **dispatch},
        ),  # gpgpu_local_mem_map 1, its default
        sm=dict(
            warp_slots=64,
            block_slots=32,  # gpgpu_shader_core_pipeline 2048:32, gpgpu_shader_cta 32
            schedulers=4,  # gpgpu_num_sched_per_core
            scheduler="loose_round_robin",  # gpgpu_scheduler lrr
            arithmetic_latency=4,  # ptx_opcode_latency_int, _fp
            **SM,
        ),
        # S:4:128:64,L:T:m:L:L,A:512:8, unified 128 KB: 4 sets of 256 ways there. 64 hashed sets of 16 here: a
        # host looks 256 tags up slowly, and the pages that one SM accesses in these traces fit either way.
        l1=dict(
            capacity="128KiB",
            ways=16,
            accesses_per_cycle=4,
            banks=4,
            fill_port=True,  # gpgpu_l1_banks 4
            latency=cycles(20),  # gpgpu_l1_latency
            write_policy="write_through",
            write_allocate=True,
            fetch_on_write=False,
            mshrs=512,
            targets=8,
            outstanding=1024,
        ),
        # Flits of 40 B; gpgpu_l2_rop_latency 160, half of it each way here.
        network=dict(width="40B", latency=cycles(80), queue=64, buffer=64),
        # S:32:128:24,L:B:m:L:P,A:192:4; 96 KiB a slice
        l2=dict(
            capacity="6MiB",
            ways=24,
            latency=cycles(1),
            miss_latency=cycles(100),  # dram_latency
            fetch_on_write=False,
            mshrs=192,
            targets=4,
            queue=64,
            fill_port=True,
        ),
    )
    # Two slices share a channel.
    root.join = join(SLICES, CHANNELS, part.interleave, width="64B", clock=CLOCK, latency="1fs")
    timing, share = _hbm(), part.interleave.over(CHANNELS)
    root.channel = [
        mem.DramController(
            timing=timing,
            capacity="1GiB",
            map="RoBaCoChCl",
            read_queue=64,  # gpgpu_frfcfs_dram_sched_queue_size
            **share.channel(i),
        )
        for i in range(CHANNELS)
    ]
    connect(part.l2, root.channel, root.join)
    program.dispatcher = part.dispatcher.host
    return root


def counts(root: Root) -> dict[str, int]:
    """Counts as Accel-Sim defines them, in its unit: sectors of 32 bytes."""

    def total(components: Iterable[SimObject], *names: str) -> int:
        return sum(int(getattr(c.stats, name)) for c in components for name in names)

    def accesses(caches: Sequence[SimObject]) -> tuple[int, int]:
        reads = total(caches, "read_sectors")
        return reads, total(caches, "sectors") - reads

    sm, l1, l2 = root.gpu.sm, root.gpu.l1, root.gpu.l2
    l1_reads, l1_writes = accesses(l1)
    l2_reads, l2_writes = accesses(l2)
    return {
        "warp instructions": total(sm, "warp_instructions"),
        "thread instructions": total(sm, "thread_instructions"),
        "L1D reads": l1_reads,
        "L1D writes": l1_writes,
        "L1D read misses": total(l1, "missed_read_sectors"),
        "L1D reads merged": total(l1, "pending_read_sectors"),
        "L1D write misses": total(l1, "missed_sectors") - total(l1, "missed_read_sectors"),
        "L2 reads": l2_reads,
        "L2 writes": l2_writes,
        "L2 misses": total(l2, "missed_sectors"),
        "DRAM reads": total(l2, "fetched_bytes") // 32,
        "DRAM writes": total(root.channel, "writes"),
    }
