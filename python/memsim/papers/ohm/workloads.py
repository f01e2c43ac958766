"""The ten workloads of Ohm-GPU's Table II, each with a size and a region for every scale."""

from typing import Any

from ... import workload
from ...errors import check_known
from ...model.provenance import assumed, inferred, swept

# An L2 slice of less than 32 KiB has too few lines for its 64 MSHRs (8 ways: 32 sets), and then limits the requests
# that reach the memory. Of the scales, only judge has larger slices.
L2_FLOOR = 32 << 10

# GraphBIG uses graphs of LDBC, with the degree distribution of Facebook: no hub keeps one thread busy for most of a
# run.
GRAPHS = dict(
    generator=assumed(
        "social",
        "GraphBIG's graphs are LDBC's",
        sweep=[swept("kronecker", "program.generator=kronecker")],
        name="graphs",
    )
)

SCALES = ("tiny", "small", "default", "judge")

# Of each scale the size (graphs: vertices as a power of two) and the thread instructions after which no
# block starts, in millions. The sizes put about 0.1, 1, 8 and 70 MB or more into memory: 64 MB are 4000
# groups of a planar DRAM. Regions are chosen by the time that a run takes: at default at most 5 million
# requests behind the coalescer. `skip`: launches before the region. A search's first two launches are its
# initialization and its source, the vertex with the most arcs, which one thread processes alone. They take more than a
# tenth of the time; with them a run would measure the latency of one warp instead of the throughput of the memory.
TABLE_II: dict[str, dict[str, Any]] = {
    "backp": dict(size=(64, 512, 4096, 32768), region=(0, 0, 0, 300)),
    "lud": dict(size=(12, 32, 90, 260), region=(20, 100, 600, 600)),
    "GRAMS": dict(size=(112, 300, 830, 2400), region=(4, 30, 250, 250)),
    "FDTD": dict(size=(112, 300, 830, 2400), region=(0, 0, 0, 300)),
    "betw": dict(size=(10, 13, 16, 20), region=(0, 0, 26, 40), skip=2),
    "bfsdata": dict(size=(10, 13, 16, 20), region=(0, 0, 0, 40), skip=2),
    "bfstopo": dict(size=(10, 13, 16, 20), region=(0, 0, 0, 40), skip=2),
    "gctopo": dict(size=(10, 13, 16, 20), region=(1, 5, 35, 40)),
    "pagerank": dict(size=(10, 13, 16, 20), region=(0, 0, 12, 30), iterations=3),
    "sssp": dict(size=(9, 12, 15, 19), region=(0, 0, 20, 30), skip=2),
}


def warm_up(instructions: int) -> int:
    """Thread instructions, of a region of so many, after which statistics begin: half of them. 0: from the start."""
    return inferred(
        instructions // 2,
        "Origin at 0.58 of Hetero: programs compute on data that was copied long before; half of the region",
        used=["ohm-03"],
        sweep=[swept("none", arguments=("--first-touch",))],
        name="warm-up",
    )


GROUPS = {"table II": tuple(TABLE_II)}  # as figures.toml names them


def program(name: str, scale: str, seed: int = 1) -> tuple[Any, dict[str, int]]:
    """The workload.Program, and its region as parameters of gpu.Dispatcher."""
    check_known("workload", name, TABLE_II)
    check_known("scale", scale, SCALES)
    entry, at = TABLE_II[name], SCALES.index(scale)
    made = workload.Program(
        name=name, size=entry["size"][at], seed=seed, iterations=entry.get("iterations", 0), **GRAPHS
    )
    return made, dict(max_instructions=entry["region"][at] * 1_000_000, first_launch=entry.get("skip", 0))
