"""Metrics of a run that Ohm-GPU's figures show."""

import math

from ...study.metric import Run, metric, share
from . import cost
from . import energy as memory_energy

CONTROLLER = "memory.controller"
PRICED = "origin", "ohm-base", "ohm-bw", "oracle"  # platforms of Fig. 21


def spent(run: Run) -> memory_energy.Energy:
    """Of the simulated slice."""
    return memory_energy.energy(run.values, run.mode, run.platform, run.seconds)


@metric("instructions/cycle", "IPC")
def ipc(run: Run) -> float:
    return run.value("gpu.dispatcher", "ipc")


@metric("s")
def seconds(run: Run) -> float:
    return run.seconds


@metric("instructions/cycle/$", "cost-performance")
def cost_performance(run: Run) -> float:
    """For each dollar of GPU and memory; NaN of a platform without prices."""
    return cost.performance_per_cost(ipc(run), run.platform, run.mode) if run.platform in PRICED else math.nan


@metric("ns", "memory latency")
def latency(run: Run) -> float:
    """From an L2's miss to the last of its sectors: the same place on every platform."""
    return share(run.total("gpu.l2", "miss_latency.sum"), run.total("gpu.l2", "miss_latency.count"))


@metric("1", "channel bandwidth used by migration")
def migration(run: Run) -> float:
    """Of the time in which the channel is used."""
    return share(run.total(CONTROLLER, "migration_time"), run.total(CONTROLLER, "channel_time"))


@metric("1")
def migration_of_time(run: Run) -> float:
    """Of all time."""
    controllers = sum(p.startswith(CONTROLLER) and n == "channel_time" for p, n in run.values)
    return share(run.total(CONTROLLER, "migration_time") * 1e-9, run.seconds * max(1, controllers))


@metric("count")
def requests(run: Run) -> float:
    return run.total("gpu.sm", "requests")


@metric("1")
def hit_rate(run: Run) -> float:
    """Hits of the DRAM, as a share of the requests that reach a controller."""
    return share(run.total(CONTROLLER, "dram_hits", "hits"), run.total(CONTROLLER, "requests"))


@metric("W", "DMA power")
def dma_power(run: Run) -> float:
    return spent(run).wires / run.seconds


@metric("J", "static DRAM energy")
def static_energy(run: Run) -> float:
    return spent(run).dram_static


@metric("J", "dynamic DRAM energy")
def dynamic_energy(run: Run) -> float:
    return spent(run).dram_dynamic


@metric("J", "XPoint energy")
def xpoint_energy(run: Run) -> float:
    return spent(run).xpoint


@metric("J", "energy of the wires")
def wires_energy(run: Run) -> float:
    return spent(run).wires


@metric("J", "total memory energy")
def energy(run: Run) -> float:
    return spent(run).total


@metric("J", "total memory energy, XPoint by its power")
def total_by_power(run: Run) -> float:
    of = spent(run)
    return of.total - of.xpoint + of.xpoint_by_power


@metric("J", "dynamic DRAM energy and XPoint energy")
def dynamic_and_xpoint(run: Run) -> float:
    of = spent(run)
    return of.dram_dynamic + of.xpoint
