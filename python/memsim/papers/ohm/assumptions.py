"""The assumptions of Ohm-GPU's machines and the values that they are swept over (docs/models/ohm.md)."""

from functools import partial

from ...systems import assumptions
from . import dram, machines

PLANAR, TWO_LEVEL = ("planar",), ("two-level",)
MODES = (*PLANAR, *TWO_LEVEL)

XPOINT = "hetero", "ohm-base", "auto-rw", "ohm-wom", "ohm-bw"
COPYING, DUAL = ("hetero", "ohm-base", "auto-rw"), ("ohm-wom", "ohm-bw")
ALL_OF_THEM = "origin", *XPOINT, "oracle"
OPTICAL = "ohm-base", "auto-rw", "ohm-wom", "ohm-bw"
CONTROLLER, MODULE = "memory.controller[*]", "memory.xpoint[*]"

Assumption = partial(assumptions.Assumption, platforms=XPOINT)


def _each(name, values, *paths, **more):
    return [
        Assumption(
            name, str(v), tuple(f"{p}.{name}" if not p.count("=") and p[-1] == "]" else p for p in paths), **more
        )
        for v in values
    ]


def _drams(mode):
    """The parameters of each platform's DRAM table and figures, its ranks, the platforms."""
    ranks, memory = dram.RANKS, ("memory.dram[*].timing", "memory.dram[*].changes")
    return (
        ((f"{CONTROLLER}.dram_timing", f"{CONTROLLER}.dram_changes"), ranks[mode], XPOINT),
        (memory, ranks[mode] + machines.MODULES, ("oracle",)),
        *([(memory, ranks["origin"], ("origin",))] if mode == "planar" else []),
    )


def _figures(name, value, figures, modes=MODES):
    """An assumption on figures of every platform's DRAM."""
    return [
        Assumption(name, value, (f"{changes}=ranks={ranks} {figures}",), platforms=platforms, modes=(mode,))
        for mode in modes
        for (_, changes), ranks, platforms in _drams(mode)
    ]


def _sm(name, values):
    return [Assumption(name, str(v), (f"gpu.sm[*].{name}={v}",), platforms=ALL_OF_THEM) for v in values]


ALL = [
    *_each("partitions", (4, 64), MODULE),
    *_each("row", ("256B", "8KiB"), MODULE),
    *_each("t_column", ("1ps",), MODULE),
    *_each("loads", (16,), MODULE),
    *_each("read_buffer", (16,), MODULE),
    Assumption("write_buffer", "16", (f"{MODULE}.write_buffer", f"{MODULE}.drain_high=12", f"{MODULE}.drain_low=4")),
    *_each("drain_low", (1, 40), MODULE),
    *_each("psi", (10, 1000), MODULE),
    *[
        Assumption("handshake", whole, (f"{MODULE}.ready_latency={half}", f"{CONTROLLER}.grant_latency={half}"))
        for whole, half in (("0ns", "1fs"), ("75ns", "37500ps"))
    ],
    *_each("page", ("1KiB",), CONTROLLER, modes=PLANAR),
    *_each("line", ("256B",), CONTROLLER, modes=TWO_LEVEL),
    *_each("hot_threshold", (1, 18, 48), CONTROLLER, modes=PLANAR),
    *[
        Assumption(
            "swaps",
            str(n),
            (
                f"{CONTROLLER}.swaps",
                f"{CONTROLLER}.swap_buffer={4 * n}KiB",
                *([f"{MODULE}.swaps={n}"] if platforms == DUAL else []),
            ),
            modes=PLANAR,
            platforms=platforms,
        )
        for n in (1, 8)
        for platforms in (COPYING, DUAL)
    ],
    *_each("buffer_reads", ("true",), CONTROLLER, modes=PLANAR, platforms=COPYING),
    *_each("swap_command", ("8B", "64B"), CONTROLLER, modes=PLANAR, platforms=DUAL),
    *_each("swap_patience", ("1us", "10us"), CONTROLLER, modes=PLANAR, platforms=COPYING),
    *_each("swap_patience", ("0ns", "10us"), CONTROLLER, modes=PLANAR, platforms=DUAL),
    *_each("patience", ("0ns", "10us"), CONTROLLER, modes=TWO_LEVEL),
    *_each("postponed", (8, 128), CONTROLLER, modes=PLANAR),
    *_each("evictions", (4, 16, 128), CONTROLLER, modes=TWO_LEVEL),
    *_each("reverse_hold", ("false",), CONTROLLER, modes=TWO_LEVEL, platforms=DUAL),
    *_each("reverse_batch", (1, 32), CONTROLLER, modes=TWO_LEVEL, platforms=DUAL),
    *_each("reverse_patience", ("0ns", "100ns"), CONTROLLER, modes=TWO_LEVEL, platforms=DUAL),
    *_each("requests", (64, 512), CONTROLLER),
    *_each("dram_queue", (32,), CONTROLLER),
    *_each("turnaround", ("500ps", "2ns"), CONTROLLER),
    *_each("command_bits", (0, 32), CONTROLLER, platforms=OPTICAL),
    *_each("swap_hold", ("nothing", "controller"), CONTROLLER, modes=PLANAR, platforms=COPYING),
    *_each("held_reads", (0, 8), CONTROLLER, modes=PLANAR, platforms=COPYING),
    *[Assumption("Hetero's map", "none", (f"{MODULE}.ready_latency=5ns",), platforms=("hetero",))],
    Assumption("rings", "single", platforms=OPTICAL, arguments=("--rings", "single")),
    *_each("lookup", ("3333ps",), CONTROLLER),
    *[
        Assumption("serdes", serdes, (f"{CONTROLLER}.serdes", f"{MODULE}.channel_latency={one_way}"), platforms=OPTICAL)
        for serdes, one_way in (("0ns", "1300ps"), ("2ns", "5300ps"))
    ],
    *[
        Assumption("DRAM times", "printed", (f"{timing}=ohm_table1",), platforms=platforms, modes=(mode,))
        for mode in MODES
        for (timing, _), _, platforms in _drams(mode)
    ],
    *_figures("tFAW", "11ns", "tFAW=11ns"),
    *[
        Assumption("ranks", str(ranks), (f"{changes}=ranks={ranks}",), platforms=platforms, modes=(mode,))
        for mode in MODES
        for (_, changes), usual, platforms in _drams(mode)
        for ranks in (1, 2)
        if ranks != usual and (ranks == 1 or platforms is XPOINT)
    ],
    *_sm("arithmetic_latency", (1, 25)),
    *_sm("atomics", ("performed",)),
    Assumption(
        "warps",
        "48",
        (
            "gpu.sm[*].warp_slots=48",
            "gpu.sm[*].block_slots=8",
            "gpu.dispatcher.warp_slots=48",
            "gpu.dispatcher.block_slots=8",
        ),
        platforms=ALL_OF_THEM,
    ),
    Assumption("sectors", "32B", ("gpu.l1[*].sector=32B", "gpu.l2[*].sector=32B"), platforms=ALL_OF_THEM),
    Assumption(
        "caches' latency", "20 and 80 ns", ("gpu.l1[*].latency=20ns", "gpu.l2[*].latency=80ns"), platforms=ALL_OF_THEM
    ),
    Assumption("L2's queue below", "16", ("gpu.l2[*].mem_queue=16",), platforms=ALL_OF_THEM),
    Assumption("L1 MSHRs", "32", ("gpu.l1[*].mshrs=32",), platforms=ALL_OF_THEM),
    Assumption("graphs", "kronecker", ("program.generator=kronecker",), platforms=ALL_OF_THEM),
    *_each("page_cost", ("0ns", "12us"), "host.page_cost", platforms=("origin",)),
    *_each("fault_latency", ("50us",), "host.fault_latency", platforms=("origin",)),
    *[
        Assumption("host page", shown, platforms=("origin",), arguments=("--host-page", size))
        for shown, size in (("4KiB", 4096), ("256KiB", 262144))
    ],
    *_each("share of PCIe", ("100%",), "pcie.share", platforms=("origin",)),
]
