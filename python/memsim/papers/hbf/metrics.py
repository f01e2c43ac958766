"""Metrics of runs of the papers on HBF. A metric of parts that a machine has not is not modelled (NaN)."""

import math

from ...study.metric import Run, metric, rate
from ...systems import hbf
from .arithmetic import DAY, FLINT_PAGES, PAGE

FLINT = hbf.PAPERS["flint"]
STEPS = 50  # decode steps a second (FLINT)


def senses(run: Run) -> float:
    """Pages that all stacks have sensed."""
    return run.total("", "senses")


def read(run: Run) -> float:
    """Bytes that the L2 has fetched, which the machines of this folder read from flash."""
    return run.total("gpu.l2", "fetched_bytes")


def seconds(run: Run) -> float:
    """Of the program; NaN if there is no GPU."""
    return run.seconds if ("gpu.dispatcher", "cycles") in run.values else math.nan


@metric("us")
def time(run: Run) -> float:
    return 1e6 * seconds(run)


@metric("GB/s", "array bandwidth")
def array_bandwidth(run: Run) -> float:
    """Whole pages that were sensed."""
    return 1e-9 * rate(senses(run) * PAGE, seconds(run))


@metric("GB/s", "bandwidth of reads")
def read_bandwidth(run: Run) -> float:
    return 1e-9 * rate(read(run), seconds(run))


@metric("x", "read amplification")
def amplification(run: Run) -> float:
    """Bytes that were sensed for a byte that was read; NaN without flash."""
    return rate(senses(run) * PAGE, read(run)) if senses(run) else math.nan


@metric("%", "flash traffic that is used")
def useful(run: Run) -> float:
    """Bytes that were read of those that were sensed, each counted once."""
    return 100 * rate(run.total("gpu.memory", "bytes", end=".far"), senses(run) * PAGE)


@metric("s", "time until an always-read block loses data")
def disturbed(run: Run) -> float:
    """A decode step senses each page of a block as often as this run has, on average."""
    again = 100 / useful(run) if useful(run) else math.nan
    return rate(float(FLINT["disturb_limit"]), again * FLINT_PAGES * STEPS)


@metric("days", "life of an always-read block with refresh")
def refreshed(run: Run) -> float:
    return disturbed(run) * float(FLINT["endurance"]) / DAY


@metric("GB/s", "bandwidth of a sequential stream")
def stream_bandwidth(run: Run) -> float:
    return 1e-9 * run.values.get(("generator", "bandwidth"), math.nan)


@metric("GB/s", "limit of the array")
def array_limit(run: Run) -> float:
    return 1e-9 * run.values.get(("hbf", "array_bandwidth"), math.nan)


@metric("GB/s", "limit of the wires")
def link_limit(run: Run) -> float:
    return 1e-9 * run.values.get(("hbf", "wire_bandwidth"), math.nan)
