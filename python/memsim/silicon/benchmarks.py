"""Microbenchmarks of a GPU: each builds a machine of a preset, runs one of our kernels and gives one figure."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from .. import Root, workload
from ..model.units import Bytes
from ..run.session import session
from ..run.simulation import Simulation
from ..systems import nvidia

LINE = 128
HOPS = 3000
THREADS = 2048  # of an SM, in two blocks
ELEMENTS = 12_000_000  # of a stream: more than are accessed until the window ends
WARM_US, WINDOW_US = 8, 10  # simulated time before a stream is measured, and while it is
LOADS = 8  # of each thread that reads the L2
SHAPES = {"m16n8k16": ("mma", 2048), "m16n16k16": ("wmma", 4096), "m64n256k16": ("wgmma", 65536)}
OPERATIONS = 64  # of each warp on tensor cores
WARPS = 16  # of an SM that multiply


@dataclass(frozen=True)
class Benchmark:
    """A microbenchmark.

    what       is measured, for a reader
    unit       of the figure
    tolerance  a difference from the measured median that counts as agreement, as a share
    measure    the figure of a chip at a place: a footprint, a share of the threads that an SM can hold, or a shape
    """

    what: str
    unit: str
    tolerance: float
    measure: Callable[[str, str], float]


def chase(chip: str, at: str) -> float:
    """Cycles of a hop of one thread that follows pointers through so many bytes."""
    lines = Bytes.parse(at).value // LINE
    gpu = nvidia.chip(chip)
    beyond = lines * LINE > Bytes.parse(gpu.l2).value
    fits_l1 = lines * LINE <= Bytes.parse(gpu.l1).value
    # In memory the first launch, which warms the caches, is left out. In the L1 the first round is.
    when: dict[str, Any] = dict(first_launch=1) if beyond else dict(pause_at_launch=1)
    first = _cycles(chip, "chase", lines, HOPS, dispatcher=when)
    if not fits_l1:
        return first / HOPS
    return (_cycles(chip, "chase", lines, 2 * HOPS, dispatcher=when) - first) / HOPS


def read(chip: str, at: str) -> float:
    """GB/s of reads, 8 bytes a thread."""
    return _stream(chip, "stream_read", at, 8)


def scale(chip: str, at: str) -> float:
    """GB/s of b = 3 a, 8 bytes each of a thread."""
    return _stream(chip, "stream_scale", at, 16)


def write(chip: str, at: str) -> float:
    """GB/s of writes, 8 bytes a thread."""
    return _stream(chip, "stream_write", at, 8)


def l2_read(chip: str, at: str) -> float:
    """GB/s of reads of a buffer that the L2 holds, with eight outstanding loads per thread."""
    elements = Bytes.parse(at).value // 8
    cycles = _cycles(chip, "stream_read", elements, 1 + LOADS, dispatcher=dict(pause_at_launch=1))
    return elements * LOADS * 8 / cycles * nvidia.chip(chip).megahertz / 1e3


def matrix_latency(chip: str, at: str) -> float:
    """Cycles of a matrix operation that needs the sum of the one before."""
    program, _ = SHAPES[at]
    return _more_operations(chip, f"{program}_chain", 32) / OPERATIONS


def matrix_rate(chip: str, at: str) -> float:
    """Per cent of the tensor cores' peak, all SMs with 16 warps of several sums."""
    (program, products), of = SHAPES[at], nvidia.chip(chip)
    cycles = _more_operations(chip, program, of.sms * WARPS * 32)
    return 100 * WARPS * OPERATIONS * products / (cycles * of.tensor[0] * 4)


BENCHMARKS = {
    "chase": Benchmark("latency of a load that waits for the one before, over the footprint", "cycles", 0.10, chase),
    "read": Benchmark("reads of memory, over the share of threads", "GB/s", 0.05, read),
    "scale": Benchmark("b = 3 a in memory, over the share of threads", "GB/s", 0.05, scale),
    "write": Benchmark("writes of memory, over the share of threads", "GB/s", 0.05, write),
    "l2_read": Benchmark("reads of the L2, over the footprint", "GB/s", 0.05, l2_read),
    "matrix_latency": Benchmark(
        "latency of a matrix operation that needs the sum of the one before, by shape", "cycles", 0.10, matrix_latency
    ),
    "matrix_rate": Benchmark("matrix operations, by shape", "% of the vendor's peak", 0.05, matrix_rate),
}


def _stream(chip: str, program: str, at: str, element_bytes: int) -> float:
    """GB/s of memory with two blocks an SM that take this share of its threads together, in a window of a stream.

    A sixteenth of the L2 makes the time short until writes leave it as fast as they come: nothing in a stream is used
    twice."""
    block = round(THREADS / 2 * float(at.rstrip("%")) / 100)
    small = Bytes(Bytes.parse(nvidia.chip(chip).l2).value // 16)
    changes: dict[str, Any] = dict(sm=dict(block_slots=2), l2=dict(capacity=small))
    with _machine(chip, program, ELEMENTS, 1, block, **changes) as machine:
        dispatcher = machine.root.gpu.dispatcher
        machine.simulate(f"{WARM_US}us")
        before = block * float(dispatcher.stats.blocks)
        machine.stats.reset()
        machine.simulate(f"{WINDOW_US}us")
        elements = block * float(dispatcher.stats.blocks)
        # Blocks end before their writes arrive in memory, so the last block may end long before the run.
        assert before + elements < ELEMENTS, "the last block ended in the window: increase ELEMENTS"
    return elements * element_bytes / WINDOW_US / 1e3


def _cycles(chip: str, program: str, size: int, iterations: int, **changes: Any) -> float:
    """Cycles of the program's last launch."""
    with _machine(chip, program, size, iterations, **changes) as machine:
        machine.simulate()
        if "pause_at_launch" in changes.get("dispatcher", {}):
            machine.stats.reset()
            machine.simulate()
        return float(machine.root.gpu.dispatcher.stats.cycles)


def _more_operations(chip: str, program: str, threads: int) -> float:
    """Cycles that OPERATIONS more of each warp take."""
    return _cycles(chip, program, threads, 2 * OPERATIONS) - _cycles(chip, program, threads, OPERATIONS)


def _machine(chip: str, program: str, size: int, iterations: int, block: int = 0, **changes: Any) -> Simulation:
    """A GPU of the preset, with changes, that runs the program."""
    root = Root(seed=1)
    root.program = workload.Program(name=program, size=size, iterations=iterations, threads_per_block=block)
    root.gpu = nvidia.chip(chip).gpu(**changes)
    root.program.dispatcher = root.gpu.dispatcher.host
    arguments = dict(chip=chip, benchmark=program, size=size, iterations=iterations, block=block)
    return Simulation(root, replace(session.options, verbosity=-1), arguments)
