"""SAP's workloads, each with a size for every scale: programs of ISPASS-2009's set, and one beside it.

`default` and `judge` have that set's own inputs, with footprints of 0.1 to 8.1 MiB: the paper's hit ratios do not
change above 8 MB. `large` has generated ones whose footprint is 64 MB or more, by which no claim is judged.
"""

from typing import Any

from ... import workload
from ...errors import check_known

SCALES = ("tiny", "small", "default", "judge", "large")
# The paper names AES, BFS, CP, MUM and NN; that the sixth is LPS is an assumption. STO is of the same set, BP is not.
PAPER = "AES", "BFS", "CP", "LPS", "MUM", "NN"
# size of each scale; `region`: thread instructions in millions after which no block starts (0: to the end).
TABLE: dict[str, dict[str, Any]] = {
    "AES": dict(name="aes", size=(256, 4096, 16448, 16448, 1 << 21)),
    "BFS": dict(name="bfs_rodinia", size=(9, 12, 16, 16, 21), generator="uniform"),  # like Rodinia's graph65536
    "CP": dict(name="cp", size=(16, 64, 256, 256, 2900), iterations=(0, 64, 0, 0, 8), region=(0, 0, 400, 400, 0)),
    "LPS": dict(name="lps", size=(16, 40, 100, 100, 204)),
    "MUM": dict(name="mum", size=(500, 4096, 50_000, 50_000, 450_000)),
    "NN": dict(name="nn", size=(1, 4, 28, 28, 5200)),
    "STO": dict(name="sto", size=(300, 4096, 49152, 49152, 7 << 19)),
    "BP": dict(name="back", size=(64, 512, 4096, 4096, 1 << 15)),
}


def names() -> list[str]:
    """All of them; the paper's six first."""
    return list(dict.fromkeys([*PAPER, *TABLE]))


GROUPS = {"paper": PAPER, "all": tuple(names())}  # as figures.toml names them


def program(name: str, scale: str, seed: int = 1) -> tuple[Any, int]:
    """The workload.Program, and the thread instructions after which no block starts (0: none)."""
    check_known("workload", name, TABLE)
    check_known("scale", scale, SCALES)
    at = SCALES.index(scale)
    entry = {key: value[at] if isinstance(value, tuple) else value for key, value in TABLE[name].items()}
    region = entry.pop("region", 0)
    return workload.Program(seed=seed, **entry), region * 1_000_000
