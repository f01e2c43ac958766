"""The thirteen workloads of CMD's Table I, each with a size for every scale."""

from ... import workload
from ...errors import check_known

SCALES = ("tiny", "small", "default", "half", "judge", "twice")  # half of judge and twice: whether its figures hold
COMPUTE = "darknet", "tiny", "yolo2", "yolo3"  # compute-intensive; the others are memory-intensive
MEMORY = "bfs", "mis", "pagerank", "color", "bp", "dwt2d", "kmeans", "cfd", "sssp"
# What tables call some of them.
GROUPS = {"all": (*COMPUTE, *MEMORY), "compute-intensive": COMPUTE, "memory-intensive": MEMORY}

# The size of a network's image hardly moves its footprint, which is its weights: `half` and `twice` change the region.
# Of each scale the size, and the thread instructions in millions after which no block starts (0: to the end): the same
# work on every platform. Which of Pannotia's colourings and searches it is, is an assumption.
GRAPH = (10, 12, 14, 16, 17, 18)
TABLE_I = {
    "darknet": dict(size=(8, 16, 32, 48, 64, 88), region=(0, 2, 100, 200, 400, 800)),
    "tiny": dict(size=(8, 8, 16, 32, 32, 32), region=(0, 2, 60, 200, 400, 800)),
    "yolo2": dict(size=(8, 8, 16, 32, 32, 32), region=(0, 2, 100, 200, 400, 800)),
    "yolo3": dict(size=(8, 8, 16, 32, 32, 32), region=(0, 2, 100, 200, 400, 800)),
    "bfs": dict(name="bfs_rodinia", size=GRAPH, region=(0, 0, 0, 0, 0, 0)),
    "mis": dict(size=GRAPH, region=(0, 0, 0, 0, 0, 0)),
    "pagerank": dict(name="pr", size=GRAPH, region=(0, 0, 30, 100, 200, 400), iterations=3),
    "color": dict(name="color_max", size=GRAPH, region=(0, 4, 20, 100, 200, 400)),
    "bp": dict(name="back", size=(64, 256, 2048, 8192, 16384, 32768), region=(0, 0, 0, 100, 200, 400)),
    "dwt2d": dict(size=(64, 128, 384, 720, 1024, 1448), region=(0, 0, 0, 100, 200, 400)),
    "kmeans": dict(size=(1024, 2048, 8192, 32768, 65536, 131072), region=(2, 8, 30, 100, 200, 400)),
    "cfd": dict(size=(4, 6, 12, 19, 24, 30), region=(2, 8, 30, 100, 200, 400)),
    "sssp": dict(name="sssp3", size=GRAPH, region=(0, 0, 20, 100, 200, 400)),
}
GRAPHS = "social"  # as Ohm-GPU's and ZnG's


def names():
    """All of Table I, in its order."""
    return [*COMPUTE, *MEMORY]


def program(name, scale, seed=1):
    """The workload.Program, and the thread instructions after which no block starts (0: none)."""
    check_known("workload", name, TABLE_I)
    check_known("scale", scale, SCALES)
    entry, at = TABLE_I[name], SCALES.index(scale)
    kind = {} if name in COMPUTE else dict(generator=GRAPHS)
    made = workload.Program(
        name=entry.get("name", name), size=entry["size"][at], seed=seed, iterations=entry.get("iterations", 0), **kind
    )
    return made, entry["region"][at] * 1_000_000
