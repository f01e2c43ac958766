"""Metrics of a run that CXL-GPU's figures show."""

import functools
import math

from ...study.metric import Run, metric, rate
from . import series

CORES, PORTS = "gpu.sm[", "port["
CACHE, QUEUES, DEVICE, STORE = ".medium.cache", ".queues", ".device", ".store"
DRIVE = ".medium.ssd.drive"


@metric("cycles", "execution time")
def time(run: Run) -> float:
    return run.cycles


@metric("instructions/cycle", "IPC")
def ipc(run: Run) -> float:
    return run.value("gpu.dispatcher", "ipc")


@metric("%", "compute ratio of the instructions")
def compute_ratio(run: Run) -> float:
    return 100 * (1 - rate(run.total(CORES, "memory_instructions"), run.total(CORES, "warp_instructions")))


@metric("%", "load ratio of the memory instructions")
def load_ratio(run: Run) -> float:
    return 100 * rate(run.total(CORES, "read_requests"), run.total(CORES, "requests"))


@metric("1", "memory accesses")
def access_rate(run: Run) -> float:
    """An instruction of a warp."""
    return rate(run.total(CORES, "requests"), run.total(CORES, "warp_instructions"))


@metric("%", "EP DRAM hit rate")
def hits(run: Run) -> float:
    lookups = run.total(PORTS, "hits", "merged", "misses", end=CACHE)
    return 100 * rate(run.total(PORTS, "hits", end=CACHE), lookups)


@metric("ns")
def read_latency(run: Run) -> float:
    return rate(run.total(PORTS, "read_latency.sum", end=QUEUES), run.total(PORTS, "read_latency.count", end=QUEUES))


@metric("ns")
def write_latency(run: Run) -> float:
    return rate(run.total(PORTS, "write_latency.sum", end=QUEUES), run.total(PORTS, "write_latency.count", end=QUEUES))


@metric("requests")
def speculative_reads(run: Run) -> float:
    return sum(v for (p, n), v in run.values.items() if p.endswith(QUEUES) and n.startswith("speculative_reads["))


@metric("messages")
def ingress(run: Run) -> float:
    return run.total(PORTS, "ingress.mean", end=DEVICE)


@metric("messages")
def ingress_most(run: Run) -> float:
    return run.total(PORTS, "ingress.peak", end=DEVICE)


@metric("x", "write amplification")
def amplification(run: Run) -> float:
    """Bytes that flash drives program for a byte that leaves the DRAM of their endpoints."""
    programmed = written = 0.0
    for path in run.paths(PORTS):
        for end, count, size, add in (DRIVE, "programs", "page", True), (CACHE, "units_out", "unit", False):
            if path.endswith(end) and (path, size) in run.parameters:
                total = run.values.get((path, count), 0.0) * run.parameters[path, size]
                programmed, written = programmed + total * add, written + total * (not add)
    return rate(programmed, written) if programmed else math.nan


@metric("GB/s", "bandwidth of the program's memory")
def demand(run: Run) -> float:
    """Bytes that the last-level cache reads from and writes to memory."""
    return 1e-9 * rate(run.total("gpu.l2", "fetched_bytes", "written_back_bytes"), run.seconds)


@metric("count", "number of garbage collections")
def collections(run: Run) -> float:
    return run.total("", "collections", end=".drive")


@metric("B")
def reserve(run: Run) -> float:
    return run.total(PORTS, "reserve.peak", end=STORE)


@metric("count")
def suspensions(run: Run) -> float:
    return run.total(PORTS, "suspensions", end=STORE)


# ---- from the first collection on (Fig. 9e) ------------------------------------------------------


@functools.lru_cache(maxsize=1)  # several metrics of a run ask for it, one after the other
def over_time(run: Run) -> series.Table:
    """series.by_interval() of a run that was sampled; None of one that was not."""
    samples = run.query("SELECT tick, name, value FROM samples WHERE run = ?", run.run)
    return series.by_interval(samples) if samples else None


@metric("ns", "load and store latency during GC")
def gc_latency(run: Run) -> float:
    """The mean of loads and stores together."""
    if (steps := over_time(run)) is None:
        return math.nan
    steps = series.collecting(steps)
    answered = (steps.loads + steps.stores).sum()
    return float((steps.load_time + steps.store_time).sum() / answered) if answered else math.nan


@metric("messages", "EP ingress queue occupancy after a GC starts")
def gc_ingress(run: Run) -> float:
    steps = over_time(run)
    return math.nan if steps is None else float(series.collecting(steps).ingress.mean())
