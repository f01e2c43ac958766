"""The sixteen workloads of ZnG's Table II, and how they are run together: 'betw', 'betw-back', 'betw*8'."""

import re
from typing import Any

from ... import workload
from ...errors import check_known, did_you_mean, user_error
from ...model.provenance import assumed, options

SCALES = ("tiny", "small", "default", "judge")
# As Ohm-GPU's: GraphBIG uses graphs of LDBC, with the degree distribution of Facebook. In a Graph500 graph (kronecker)
# one thread would process a hub for most of a search's time, and the memory would be idle.
GRAPHS = assumed(
    "social", "GraphBIG's graphs are LDBC's", sweep=options("--graphs", "communities", "kronecker"), name="graphs"
)

# Thread instructions of all applications together. Each starts no block after its equal part, so that it does
# the same work on every platform. 200 million: what the authors' other work simulates (assumption).
REGION = {"tiny": 400_000, "small": 4_000_000, "default": 20_000_000, "judge": 200_000_000}

GRAPH, SSSP = (10, 13, 16, 20), (9, 12, 15, 19)  # vertices as a power of two
GRID = (112, 300, 830, 2400)

# Of each scale the size. `read_ratio` is the paper's. Which of GraphBIG's kernels bfs1 to bfs6, gc1, gc2
# and sssp3 are is an assumption (docs/models/workloads.md).
TABLE_II: dict[str, dict[str, Any]] = {
    **{
        name: dict(size=GRAPH, read_ratio=ratio)
        for name, ratio in (
            ("betw", 0.98),
            ("bfs1", 0.95),
            ("bfs2", 0.99),
            ("bfs3", 0.88),
            ("bfs4", 0.97),
            ("bfs5", 0.99),
            ("bfs6", 0.97),
            ("gc1", 0.98),
            ("gc2", 0.99),
        )
    },
    "sssp3": dict(size=SSSP, read_ratio=0.98),
    "deg": dict(size=GRAPH, read_ratio=1.0),
    "pr": dict(size=GRAPH, read_ratio=0.99, iterations=3),
    "back": dict(size=(64, 512, 4096, 32768), read_ratio=0.57),
    "gaus": dict(size=(48, 200, 700, 2400), read_ratio=0.66),
    "FDT": dict(size=GRID, read_ratio=0.73, name="FDTD"),
    "gram": dict(size=GRID, read_ratio=0.75),
}
# A read-intensive one beside a write-intensive one. The text names the first four; the full list of
# Fig. 10 is not in it: the others are an assumption.
PAIRS = (
    "betw-back",
    "bfs1-gaus",
    "bfs2-gaus",
    "bfs6-gaus",
    "bfs3-FDT",
    "bfs4-back",
    "bfs5-back",
    "gc1-FDT",
    "gc2-FDT",
    "sssp3-gram",
    "deg-gram",
    "pr-gaus",
)
# Names that tables give to groups of workloads.
GROUPS = {
    "pairs": PAIRS,
    "table II": tuple(TABLE_II),
    "betw pairs": ("betw-back", "bfs1-gaus", "bfs2-gaus", "bfs6-gaus"),
}
MOST = 64  # applications that a cache can distinguish


def names(text: str) -> list[str]:
    """The workloads that 'betw', 'betw-back' or 'betw*8' names, one for each application."""
    several = re.fullmatch(r"([^*]*)\*(\d+)", text)
    parts = [several[1]] * min(int(several[2]), MOST + 1) if several else text.split("-")
    for name in parts or [text.partition("*")[0]]:
        if name not in TABLE_II:
            raise user_error(
                f"there is no workload '{name}' in '{text}'{did_you_mean(name, TABLE_II)}: "
                f"write one of {', '.join(TABLE_II)}, a pair such as betw-back, or a "
                "multiple such as betw*8"
            )
    if not 1 <= len(parts) <= MOST:
        raise user_error(
            f"'{text}' runs {several[2] if several else len(parts)} applications at once: give it 1 to {MOST}"
        )
    return parts


def check(text: str) -> None:
    """Refuses what names no workloads."""
    names(text)


def programs(text: str, scale: str, seed: int = 1, graphs: str = GRAPHS) -> list[Any]:
    """A workload.Program for each application. Copies of one workload have the same input, each in
    memory of its own. `graphs` is the generator of graphs: social, communities or kronecker."""
    check_known("scale", scale, SCALES)
    made = []
    for name in names(text):
        entry = TABLE_II[name]
        made.append(
            workload.Program(
                name=entry.get("name", name),
                seed=seed,
                size=entry["size"][SCALES.index(scale)],
                iterations=entry.get("iterations", 0),
                generator=graphs,
            )
        )
    return made
