"""The thirteen workloads of CMD's Table I, each with a size for every scale."""

from typing import Any

from ... import SimObject, workload
from ...errors import check_known

SCALES = ("tiny", "small", "default", "half", "judge", "twice")  # half of judge and twice: whether its figures hold
COMPUTE = "darknet", "tiny", "yolo2", "yolo3"  # compute-intensive; the others are memory-intensive
MEMORY = "bfs", "mis", "pagerank", "color", "bp", "dwt2d", "kmeans", "cfd", "sssp"
# Names that tables give to groups of workloads.
GROUPS = {"all": (*COMPUTE, *MEMORY), "compute-intensive": COMPUTE, "memory-intensive": MEMORY}

# Of each scale the size; of tiny to default the thread instructions in millions after which no block starts (0: to the
# end). From half on, whole programs run. At judge most have 1.7 to 2.5 MB, 3 to 5 times the L2 of one controller's
# share of the GPU; half and twice have about half and twice as much. A smaller program has a smaller machine
# (scale.py).
#
# bp at judge is an eighth of Rodinia's 65,536 inputs, an image of darknet and tiny an eighth of 224 x 224 pixels.
# `layers` ends a network between two layers, which bounds the time. Graphs are like Pannotia's and Rodinia's own: the
# matrix ecology1 is a five-point mesh, sssp's inputs are road networks, bfs's are uniform. sssp is small since its
# rounds grow with the sides of the grid. Which of Pannotia's colourings and searches it is, is an assumption.
GRAPH = (10, 12, 14, 15, 16, 17)
TABLE_I: dict[str, dict[str, Any]] = {
    "darknet": dict(size=(8, 16, 32, 56, 80, 112), region=(0, 2, 100), layers=6),
    "tiny": dict(size=(8, 8, 16, 56, 80, 112), region=(0, 2, 60), layers=6),
    "yolo2": dict(size=(8, 8, 16, 48, 64, 96), region=(0, 2, 100), layers=4),
    "yolo3": dict(size=(8, 8, 16, 48, 64, 96), region=(0, 2, 100), layers=4),
    "bfs": dict(name="bfs_rodinia", size=GRAPH, region=(0, 0, 0), generator="uniform"),
    "mis": dict(size=GRAPH, region=(0, 0, 0), generator="mesh"),
    "pagerank": dict(name="pr", size=GRAPH, region=(0, 0, 30), iterations=20, generator="mesh"),
    "color": dict(name="color_max", size=GRAPH, region=(0, 4, 20), generator="mesh"),
    "bp": dict(name="bp_train", size=(64, 128, 256, 256, 512, 1024), region=(0, 0, 0)),
    "dwt2d": dict(size=(64, 128, 256, 208, 288, 416), region=(0, 0, 0)),
    "kmeans": dict(size=(1024, 2048, 4096, 4096, 8192, 16384), region=(2, 8, 30)),
    "cfd": dict(size=(4, 6, 8, 10, 13, 17), region=(2, 8, 30)),
    "sssp": dict(name="sssp_vector", size=(8, 9, 10, 12, 13, 14), region=(0, 0, 20), generator="grid"),
}


def names() -> list[str]:
    """All of Table I, in its order."""
    return [*COMPUTE, *MEMORY]


def program(name: str, scale: str, seed: int = 1) -> tuple[SimObject, int]:
    """The workload.Program, and the thread instructions after which no block starts (0: none)."""
    check_known("workload", name, TABLE_I)
    check_known("scale", scale, SCALES)
    entry, at = TABLE_I[name], SCALES.index(scale)
    region = entry["region"][at] if at < len(entry["region"]) else 0
    layers = entry.get("layers", 0) if at >= len(entry["region"]) else 0
    kind = dict(generator=entry["generator"]) if "generator" in entry else {}
    made = workload.Program(
        name=entry.get("name", name),
        size=entry["size"][at],
        seed=seed,
        iterations=entry.get("iterations", layers),
        **kind,
    )
    return made, region * 1_000_000
