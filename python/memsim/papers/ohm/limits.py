"""The resource that limits a run of an Ohm-GPU machine, and the accesses that reach its memory, from its statistics.

    uses = limits.uses(values, seconds)          # of each resource, the share of the time in which it was busy
    limits.limit(uses)                           # 'channel'
"""

from ...study.metric import rate
from .energy import Values

# A resource limits a run if it is busy for at least this share of the time. If none is, the latency of memory limits it
# (assumption).
BUSY = 0.7
LIMITS = "issue", "l2", "channel", "held", "media"
# Accesses per kilo-instruction and read ratio (Table II).
TABLE_II = {
    "backp": (30, 0.53),
    "lud": (20, 0.52),
    "GRAMS": (266, 0.7),
    "FDTD": (86, 0.7),
    "betw": (193, 0.99),
    "bfsdata": (84, 0.95),
    "bfstopo": (25, 0.97),
    "gctopo": (93, 0.99),
    "pagerank": (599, 0.99),
    "sssp": (103, 0.98),
}


def _over(values: Values, path: str, name: str) -> list[float]:
    """A statistic's values over the components with paths that begin with `path`."""
    return [v for (p, n), v in values.items() if n == name and p.startswith(path)]


def _mean(values: Values, path: str, name: str) -> float:
    found = _over(values, path, name)
    return sum(found) / len(found) if found else 0.0


def uses(values: Values, seconds: float, banks: int = 16) -> dict[str, float]:
    """Shares of the run's time, means over the components of a kind: `issue` of the SMs' schedulers, `l2` of the
    slices' banks, `channel` and, in planar mode, `held` (a page is copied: `swap_hold`) of the controllers, `media` of
    the `banks` of each XPoint module."""
    cycles = values["gpu.dispatcher", "cycles"]
    time = seconds * 1e9
    return dict(
        issue=_mean(values, "gpu.sm", "warp_instructions") / cycles,
        l2=_mean(values, "gpu.l2", "bank_busy") / cycles,
        channel=_mean(values, "memory.controller", "channel_time") / time,
        held=_mean(values, "memory.controller", "hold_time") / time,
        media=_mean(values, "memory.xpoint", "media_time") / banks / time,
    )


def limit(uses: dict[str, float]) -> str:
    """The resource of LIMITS that is busiest, if it is busy for the share BUSY; else 'latency'."""
    most = max(LIMITS, key=lambda name: uses[name])
    return most if uses[most] >= BUSY else "latency"


# Table II defines neither an access nor an instruction. COUNTING is the one of countings() under which most of the ten
# programs are within a factor of AGREES of the table: inferred, the table is used.
AGREES = 2.0
COUNTING = "lane/thread"


def countings(values: Values) -> dict[str, float]:
    """Accesses per 1000 instructions, counted as Table II can be meant: single threads' accesses per thread
    instruction; per instruction of a warp its memory instructions, their coalesced accesses of the L1s, those of the
    L2, and those of the memory; the last three per instruction of a thread, too."""

    def of(path: str, *names: str) -> float:
        return sum(v for name in names for v in _over(values, path, name))

    warp, thread = of("gpu.sm", "warp_instructions") / 1000, of("gpu.sm", "thread_instructions") / 1000
    places = {
        "L1": of("gpu.sm", "requests"),
        "L2": of("gpu.l2", "accesses"),
        "memory": of("gpu.l2", "fetches", "writebacks", "passed_on"),
    }
    blocks = values["gpu.dispatcher", "thread_instructions"]  # 0: all were handed out during the warm-up
    lanes = 1000 * rate(values["gpu.dispatcher", "lane_accesses"], blocks)
    return (
        {"lane/thread": lanes, "instruction/warp": of("gpu.sm", "memory_instructions") / warp}
        | {f"{place}/warp": n / warp for place, n in places.items()}
        | {f"{place}/thread": n / thread for place, n in places.items()}
    )


def agree(ours: float, paper: float) -> bool:
    """Within a factor of AGREES."""
    return paper / AGREES <= ours <= paper * AGREES


def reads(values: Values) -> dict[str, float]:
    """The share of reads behind the coalescer and at the memory."""
    asked, found = (sum(_over(values, "gpu.sm", name)) for name in ("requests", "read_requests"))
    fetched = sum(_over(values, "gpu.l2", "fetches"))
    written = sum(sum(_over(values, "gpu.l2", name)) for name in ("writebacks", "passed_on"))
    return {"L1": found / asked, "memory": fetched / max(1, fetched + written)}
