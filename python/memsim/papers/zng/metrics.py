"""Metrics of a run that ZnG's figures show."""

from ...study.metric import Run, metric, share
from . import scale

PACKAGES, BUFFER, PREFETCHER = "flash.package[", "memory.buffer", "gpu.prefetcher"


def slices(run: Run) -> float:
    """The paper's machine as a multiple of this one."""
    return scale.SMS / len(run.paths("gpu.sm["))


def bandwidth(run: Run, size: float) -> float:
    """GB/s of the paper's whole machine, from the bytes that this machine transferred."""
    return slices(run) * 1e-9 * share(size, run.seconds)


@metric("instructions/cycle", "IPC")
def ipc(run: Run) -> float:
    return run.value("gpu.dispatcher", "ipc")


@metric("s")
def seconds(run: Run) -> float:
    return run.seconds


@metric("ns")
def latency(run: Run) -> float:
    """From an L2's miss to its data."""
    return share(run.total("gpu.l2", "miss_latency.sum"), run.total("gpu.l2", "miss_latency.count"))


@metric("GB/s", "flash array bandwidth")
def array_bandwidth(run: Run) -> float:
    """Requested bytes that the arrays serve: HybridGPU's buffer reads and writes pages, the other platforms read lines
    of sensed pages and write lines of programmed ones."""
    pages = run.total("ssd.channel", "reads") + run.total("ssd.channel", "programs")
    return bandwidth(run, 4096 * pages + run.total(PACKAGES, "useful_bytes") + run.total(PACKAGES, "programmed_bytes"))


@metric("GB/s", "memory bandwidth")
def memory_bandwidth(run: Run) -> float:
    """Of the memory behind the L2. Writes that pass a read-only L2 count."""
    if run.paths(PACKAGES + "0]"):
        read, written = (run.total("flash.controller[", name) for name in ("read_bytes", "write_bytes"))
    else:
        read, written = (run.total("gpu.l2", name) for name in ("fetched_bytes", "written_back_bytes"))
    return bandwidth(run, read + written)


@metric("%")
def useful_share(run: Run) -> float:
    """Of sensed bytes."""
    return 100 * share(run.total(PACKAGES, "useful_bytes"), run.total(PACKAGES, "sensed_bytes"))


@metric("GB/s")
def sensed_bandwidth(run: Run) -> float:
    return bandwidth(run, run.total(PACKAGES, "sensed_bytes"))


@metric("GB/s")
def useful_bandwidth(run: Run) -> float:
    return bandwidth(run, run.total(PACKAGES, "useful_bytes"))


@metric("%")
def programming(run: Run) -> float:
    """Of the time of all planes."""
    planes = scale.PLANES * len(run.paths(PACKAGES))
    return 100 * share(run.total(PACKAGES, "program_time"), 1e9 * run.seconds * planes)


@metric("1", "read re-accesses")
def re_accesses(run: Run) -> float:
    """Readings of a page after its first."""
    pages = run.total(PACKAGES, "pages_read")
    return share(run.total(PACKAGES, "page_reads") - pages, pages)


@metric("count", "writes per flash page")
def writes_per_page(run: Run) -> float:
    return share(run.total(PACKAGES, "log_programs"), run.total(PACKAGES, "log_pages"))


@metric("%")
def held(run: Run) -> float:
    """Of the time: the helper thread holds an application; the sum over applications."""
    return 100 * share(sum(v for (p, n), v in run.values.items() if n.startswith("held_time[")), 1e9 * run.seconds)


@metric("%", "share of memory latency spent in the SSD engine")
def engine_share(run: Run) -> float:
    """Time that is neither the flash's (arrays, bus) nor the buffer's (DRAM): the cores' and waiting for them."""
    waited, flash = run.total(BUFFER, "drive_time.sum"), run.total("ssd.channel", "read_latency.sum")
    return 100 * share(waited - flash, run.total(BUFFER, "fetch_time.sum"))


@metric("%", "predictor accuracy")
def accuracy(run: Run) -> float:
    return 100 * share(run.total(PREFETCHER, "predictions_right"), run.total(PREFETCHER, "predictions"))


@metric("1")
def l2_miss_rate(run: Run) -> float:
    return share(run.total("gpu.l2", "misses"), run.total("gpu.l2", "accesses"))
