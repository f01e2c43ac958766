"""Metrics of a run that CMD's figures show."""

import contextlib
import math
from collections.abc import Callable

from ...model.energy import spent
from ...results.database import connect
from ...study.metric import Run, metric, share
from . import cost
from . import energy as costs

L2 = "gpu.l2"
Count = Callable[[Run], float]


def percent(part: float, whole: float) -> float:
    """A share in per cent; NaN if the whole is 0."""
    return 100 * part / whole if whole else math.nan


def front(run: Run, *names: str) -> float:
    """The sum of these counts of the deduplicator."""
    return sum(run.value("front", name) for name in names)


# ---- blocks that are written, and looks into tables ----------------------------------------------
# An inter-duplicate is mapped to the data of another address; a silent block equals the data that it is mapped to
# already, which may be another's data, too. The hash store finds both, and neither is written. `dedup` hashes
# intra-duplicates, too, so that its inter-duplicates contain them.


def counted(name: str, unit: str, *statistics: str) -> Count:
    """A metric: the sum of these counts of the deduplicator."""

    def of(run: Run) -> float:
        return front(run, *statistics)

    of.__name__ = name
    return metric(unit)(of)


written_blocks = counted("written_blocks", "blocks", "writes")
intra_blocks = counted("intra_blocks", "blocks", "intra")
inter_blocks = counted("inter_blocks", "blocks", "inter")
silent_blocks = counted("silent_blocks", "blocks", "silent")
# Written blocks that equal another block: mapped to it now, or by an earlier write.
overlapping_blocks = counted("overlapping_blocks", "blocks", "inter", "silent_shared")
map_looks, map_found = counted("map_looks", "looks", "map_reads"), counted("map_found", "looks", "map_hits")
type_looks, type_found = counted("type_looks", "looks", "type_reads"), counted("type_found", "looks", "type_hits")
mask_looks, mask_found = counted("mask_looks", "looks", "mask_reads"), counted("mask_found", "looks", "mask_hits")


@metric("blocks", "duplicate writes found")
def found_blocks(run: Run) -> float:
    """Of all kinds, on a platform that keeps intra-duplicates in the map: none is counted twice."""
    return front(run, "intra", "inter", "silent")


SHARES: dict[str, tuple[str, str]] = {}  # of each share the metrics of its part and its whole


def share_of(name: str, part: Count, whole: Count, title: str = "") -> Count:
    """A metric: the share of one count in another, of which the sums over workloads are shown, too."""

    def of(run: Run) -> float:
        return percent(part(run), whole(run))

    of.__name__ = name
    SHARES[name] = part.__name__, whole.__name__
    return metric("%", title)(of)


intra_share = share_of("intra_share", intra_blocks, written_blocks, "written blocks that are intra-duplicate")
inter_share = share_of("inter_share", inter_blocks, written_blocks)
overlapping_share = share_of(
    "overlapping_share", overlapping_blocks, written_blocks, "written blocks that are inter-duplicate"
)
silent_share = share_of("silent_share", silent_blocks, written_blocks)
found_share = share_of(
    "found_share", found_blocks, written_blocks, "inter-duplicate writes removed over all written blocks"
)
map_hits = share_of("map_hits", map_found, map_looks, "address cache hit rate")
mask_hits = share_of("mask_hits", mask_found, mask_looks, "mask cache hit rate")
type_hits = share_of("type_hits", type_found, type_looks)


# ---- speed and requests --------------------------------------------------------------------------
# A read is one of 32 bytes, of the L2 and of memory (CMD, section II), a write one of 32 to 128 bytes.


@metric("instructions/cycle", "IPC")
def ipc(run: Run) -> float:
    return run.value("gpu.dispatcher", "ipc")


@metric("s")
def seconds(run: Run) -> float:
    return run.seconds


def of_data(run: Run) -> float:
    """Requests that the program's accesses cause."""
    return front(run, "write_requests", "data_reads", "read_only_reads")


@metric("requests", "off-chip accesses")
def off_chip(run: Run) -> float:
    return of_data(run) + metadata(run) + dedup_reads(run)


@metric("requests", "Write requests")
def write_requests(run: Run) -> float:
    return front(run, "write_requests")


@metric("requests", "Data-Read requests")
def data_reads(run: Run) -> float:
    return front(run, "data_reads")


@metric("requests", "Read-Only requests")
def read_only_reads(run: Run) -> float:
    return front(run, "read_only_reads")


@metric("requests")
def metadata(run: Run) -> float:
    return front(run, "metadata_fetches", "metadata_writebacks")


@metric("requests")
def dedup_reads(run: Run) -> float:
    return front(run, "dedup_reads", "verify_reads")


def of_accesses(run: Run, requests: float) -> float:
    """Requests in per cent of the L2's accesses, which are of 32 bytes."""
    return 100 * share(requests, run.total(L2, "sectors"))


@metric("%", "off-chip requests over L2 accesses")
def off_chip_share(run: Run) -> float:
    return of_accesses(run, of_data(run))


@metric("%", "Write requests over L2 accesses")
def write_share(run: Run) -> float:
    return of_accesses(run, write_requests(run))


@metric("%", "Data-Read requests over L2 accesses")
def data_read_share(run: Run) -> float:
    return of_accesses(run, data_reads(run))


@metric("%", "Read-Only requests over L2 accesses")
def read_only_share(run: Run) -> float:
    return of_accesses(run, read_only_reads(run))


@metric("B")
def fetched_bytes(run: Run) -> float:
    return run.total(L2, "fetched_bytes")


@metric("%", "extra read requests over write requests")
def extra_reads(run: Run) -> float:
    return 100 * share(dedup_reads(run), written_blocks(run))


@metric("%")
def uncovered_extra_reads(run: Run) -> float:
    """The extra reads that equation 1 asks for by sectors alone."""
    return 100 * share(front(run, "uncovered_reads"), written_blocks(run))


# ---- reads by the type of their block ------------------------------------------------------------


def reads_of_type(name: str, statistic: str) -> Count:
    """A metric: the share of the reads below the L2 that are of blocks of a type."""

    def of(run: Run) -> float:
        return percent(front(run, statistic), front(run, "reads"))

    of.__name__ = name
    return metric("%")(of)


reads_of_00 = reads_of_type("reads_of_00", "reads_never_written")
reads_of_01 = reads_of_type("reads_of_01", "reads_of_intra")
reads_of_10 = reads_of_type("reads_of_10", "reads_of_inter")
reads_of_11 = reads_of_type("reads_of_11", "reads_of_own")


# ---- read-only blocks ----------------------------------------------------------------------------


@metric("%", "read-only blocks read from DRAM more than 20 times")
def read_often(run: Run) -> float:
    return 100 * share(front(run, "reached_21"), front(run, "reached_1"))


def reached(least: int) -> Count:
    """A metric: the share of the read-only blocks that are read, in those that are read so often."""

    def of(run: Run) -> float:
        return share(front(run, f"reached_{least}"), front(run, "reached_1"))

    of.__name__ = f"reached_{least}"
    return metric("1")(of)


reached_2, reached_3, reached_6, reached_11, reached_21 = map(reached, (2, 3, 6, 11, 21))


@metric("sectors")
def reuse_distance(run: Run) -> float:
    """Sectors that leave a slice of the L2 between one that leaves it and its next read: the median of those that the
    FIFO still holds, a mean over the slices."""
    medians = [v for (path, name), v in run.values.items() if path.startswith("fifo") and name == "hit_distance.p50"]
    return sum(medians) / len(medians) if medians else math.nan


@metric("%")
def found_in_fifo(run: Run) -> float:
    """Of the sectors that the L2 misses."""
    return percent(run.total("fifo", "hit_sectors"), run.total("fifo", "read_sectors"))


# ---- energy --------------------------------------------------------------------------------------


@metric("J")
def energy(run: Run) -> float:
    """By the costs that the machine of the run has."""
    with contextlib.closing(connect(run.database)) as database:
        of_machine = costs.recorded(database, run.run)
    return float(sum(spent(of_machine, run.values, run.seconds).values()))


# ---- what a run's inputs reach -------------------------------------------------------------------
# Written and hashed blocks are upper bounds: a block that is written back twice counts twice.


def parameter(run: Run, name: str) -> float:
    """Of the deduplicator."""
    return run.parameters["front", name]


@metric("1")
def written_over_reach(run: Run) -> float:
    """Written-back data over what the map's cache reaches."""
    written = min(written_blocks(run) * cost.BLOCK, parameter(run, "capacity"))
    entry = cost.MAP_BITS // 8
    return written / (parameter(run, "map_cache") / entry * cost.BLOCK)


@metric("1")
def hashed_over_entries(run: Run) -> float:
    """Hashed blocks over entries of the hash store."""
    return front(run, "hashed") / parameter(run, "hash_entries")


@metric("1")
def footprint_over_l2(run: Run) -> float:
    capacity = sum(v for (path, name), v in run.parameters.items() if path.startswith("gpu.l2[") and name == "capacity")
    return parameter(run, "capacity") / capacity
