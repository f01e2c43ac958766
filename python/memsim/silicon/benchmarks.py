"""Microbenchmarks of a GPU: each builds a machine of a preset, runs one of our kernels and gives one figure."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from .. import Root, workload
from ..model.units import Bytes
from ..run.session import session
from ..run.simulation import Simulation
from ..systems import nvidia
from .host import put_behind

LINE = 128
WARM_HOPS = 900_000  # of a chase before it is measured, at most
CHASE_HOPS, CHASE_US = 100_000, 1000  # hops after them, more than are made in the window; the window
HOPS = 3000  # of bank_chase
THREADS = 2048  # of an SM, in two blocks
ELEMENTS = 32_000_000  # of a stream: more than are accessed until the window ends
WARM_US, WINDOW_US = 20, 30  # of a stream; with drains of 200 writes its rate varies by a fifth within 10 us
SLICES = {"least": 0, "most": -1}  # slice of a row, as seen from the first SM
SLICE_BYTES = 2048 * LINE  # that each of them reads
SLICE_HOPS = 2048  # of slice_chase
HOST_LINES = 2 << 20 >> 7  # nvbandwidth's 2 MiB
HOST_WARM_US, HOST_WINDOW_US = 20, 40
LOADS = 8  # of each thread that reads the L2
SHAPES = {  # program, and products of a warp
    "m16n8k16": ("mma", 2048),
    "m16n16k16": ("wmma", 4096),
    "m64n32k16": ("wgmma_n32", 8192),
    "m64n64k16": ("wgmma_n64", 16384),
    "m64n256k16": ("wgmma", 65536),
}
FORMS = {"loads": "read_loads", "cp.async": "read_copies", "TMA": "read_bulk"}
OF_THREAD = 8  # doubles that a thread of these reads
ATOMICS = 1000  # of one thread
WORDS = {"one-address": ("atomic_one", 64, 4), "many-addresses": ("atomic_many", THREADS, 4)}  # threads of an SM, each
OPERATIONS = 64  # of each warp on tensor cores
WARPS = 16  # of an SM that multiply
ADDITIONS = 1000  # of each warp


@dataclass(frozen=True)
class Benchmark:
    """A microbenchmark.

    what       is measured, for a reader
    unit       of the figure
    tolerance  a difference from the measured median that counts as agreement, as a share
    measure    the figure of a chip at a place: a footprint, a share of the threads that an SM can hold, a shape, ...
    """

    what: str
    unit: str
    tolerance: float
    measure: Callable[[str, str], float]


def chase(chip: str, at: str) -> float:
    """Cycles of a hop of one thread that follows pointers through so many bytes, after up to two rounds."""
    lines = Bytes.parse(at).value // LINE
    cold = lines * LINE > 2 * Bytes.parse(nvidia.chip(chip).l2).value  # every hop misses, those of the first round, too
    warm = 0 if cold else min(2 * lines, WARM_HOPS)
    launches: dict[str, Any] = dict(first_launch=1) if cold else dict(pause_at_launch=1)
    with _machine(chip, "chase", lines, warm + CHASE_HOPS, dispatcher=launches) as machine:
        if not cold:
            machine.simulate()
        l1 = machine.root.gpu.l1[0]  # of the SM that has the block
        first = float(l1.stats.accesses)
        while float(l1.stats.accesses) < first + warm:
            machine.simulate("100us")
        before = float(l1.stats.accesses)
        machine.simulate(f"{CHASE_US}us")
        return CHASE_US * nvidia.chip(chip).megahertz / (float(l1.stats.accesses) - before)


def read(chip: str, at: str) -> float:
    """GB/s of reads, 8 bytes a thread."""
    return _stream(chip, "stream_read", at)


def load_forms(chip: str, at: str) -> float:
    """GB/s of reads in blocks of 256 threads, each with 64 bytes in flight, to registers or to shared memory."""
    return _stream_of(chip, FORMS[at], 256, of_thread=OF_THREAD)


def scale(chip: str, at: str) -> float:
    """GB/s of b = 3 a, 8 bytes each of a thread."""
    return _stream(chip, "stream_scale", at)


def write(chip: str, at: str) -> float:
    """GB/s of writes, 8 bytes a thread."""
    return _stream(chip, "stream_write", at)


def copy_sms(chip: str, at: str) -> float:
    """GB/s of b = 3 a by so many SMs, with two blocks of 1024 threads each: reads and writes."""
    return _stream_of(chip, "stream_scale", 1024, sms=int(at), sm=dict(block_slots=2))


def l2_read(chip: str, at: str) -> float:
    """GB/s of reads of a buffer that the L2 holds, with eight outstanding loads per thread."""
    elements = Bytes.parse(at).value // 8
    cycles = _cycles(chip, "stream_read", elements, 1 + LOADS, dispatcher=dict(pause_at_launch=1))
    return elements * LOADS * 8 / cycles * nvidia.chip(chip).megahertz / 1e3


def slice_read(chip: str, at: str) -> float:
    """GB/s of reads of one slice of the L2 by one SM or by as many as a GPC has. Slices are larger than the chip's, so
    that reads of many lines, each once, hit."""
    of = nvidia.chip(chip)
    sms = {"one-SM": 1, "one-GPC": of.fabric.gpc}[at]
    changes: dict[str, Any] = dict(sms=sms, hash_rounds=0, l2=dict(capacity=Bytes(4 * Bytes.parse(of.l2).value)))
    cycles = _cycles(chip, "slice_read", of.slices, sms, dispatcher=dict(pause_at_launch=1), **changes)
    return sms * SLICE_BYTES / cycles * of.megahertz / 1e3


def slice_chase(chip: str, at: str) -> float:
    """Cycles of a hop of one thread that follows pointers through one slice of the L2, at an end of a row of slices."""
    slices = nvidia.chip(chip).slices
    changes: dict[str, Any] = dict(sms=1, hash_rounds=0, l1=dict(capacity="4KiB", ways=32))
    of_row = slices + range(slices // 2)[SLICES[at]]  # 0 iterations are a default
    return _cycles(chip, "slice_chase", slices, of_row, dispatcher=dict(pause_at_launch=1), **changes) / SLICE_HOPS


def bank_conflicts(chip: str, at: str) -> float:
    """Cycles of a load from shared memory that needs the one before, with so many conflicting words in each bank."""
    ways = int(at.split("-")[0])
    return (_cycles(chip, "bank_chase", ways, 2 * HOPS) - _cycles(chip, "bank_chase", ways, HOPS)) / HOPS


def host_chase(chip: str, at: str) -> float:
    """ns of a hop of one thread that follows pointers through memory of the host."""
    cycles = _cycles(chip, "chase", HOST_LINES, HOST_LINES // 2, dispatcher=dict(first_launch=1), host=at)
    return cycles / (HOST_LINES // 2) / nvidia.chip(chip).megahertz * 1e3


def host_read(chip: str, at: str) -> float:
    """GB/s of reads of the host's memory by all SMs."""
    return _of_host(chip, "stream_read", at)


def host_write(chip: str, at: str) -> float:
    """GB/s of writes of the host's memory by all SMs."""
    return _of_host(chip, "stream_write", at)


def atomic_latency(chip: str, at: str) -> float:
    """Cycles of an atomic addition of one thread that needs the result of the one before, at the mean distance of a
    slice: sources do not state the place of their word."""
    mean: dict[str, Any] = dict(network=dict(spread="0ns"))
    longer = _cycles(chip, "atomic_chain", 1, 2 * ATOMICS, **mean)
    return (longer - _cycles(chip, "atomic_chain", 1, ATOMICS, **mean)) / ATOMICS


def atomic_rate(chip: str, at: str) -> float:
    """Bytes a cycle of additions to words of 4 bytes, by threads of all SMs."""
    program, of_an_sm, times = WORDS[at]
    threads = nvidia.chip(chip).sms * of_an_sm
    cycles = _cycles(chip, program, threads, 2 * times) - _cycles(chip, program, threads, times)
    return 4 * threads * times / cycles


def matrix_latency(chip: str, at: str) -> float:
    """Cycles of a matrix operation that needs the sum of the one before."""
    program, _ = SHAPES[at]
    return _more_operations(chip, f"{program}_chain", 32) / OPERATIONS


def matrix_rate(chip: str, at: str) -> float:
    """Per cent of the tensor cores' peak, all SMs with 16 warps of several sums."""
    (program, products), of = SHAPES[at], nvidia.chip(chip)
    cycles = _more_operations(chip, program, of.sms * WARPS * 32)
    return 100 * WARPS * OPERATIONS * products / (cycles * of.tensor[0] * 4)


def arithmetic_latency(chip: str, at: str) -> float:
    """Cycles of an instruction of an arithmetic unit that needs the result of the one before."""
    return _more_additions(chip, f"arithmetic_{at}_chain", 32) / ADDITIONS


def arithmetic_rate(chip: str, at: str) -> float:
    """Results of a kind of arithmetic unit in a cycle of an SM with 16 warps of independent instructions."""
    cycles = _more_additions(chip, f"arithmetic_{at}", WARPS * 32)
    return WARPS * 32 * ADDITIONS / cycles


BENCHMARKS = {
    "chase": Benchmark("latency of a load that waits for the one before, over the footprint", "cycles", 0.10, chase),
    "read": Benchmark("reads of memory, over the share of threads", "GB/s", 0.05, read),
    "load_forms": Benchmark("reads of memory, over the form of the loads", "GB/s", 0.05, load_forms),
    "scale": Benchmark("b = 3 a in memory, over the share of threads", "GB/s", 0.05, scale),
    "write": Benchmark("writes of memory, over the share of threads", "GB/s", 0.05, write),
    "copy_sms": Benchmark("b = 3 a in memory, over the SMs", "GB/s", 0.05, copy_sms),
    "l2_read": Benchmark("reads of the L2, over the footprint", "GB/s", 0.05, l2_read),
    "slice_read": Benchmark("reads of one slice of the L2, over the SMs that read", "GB/s", 0.05, slice_read),
    "slice_chase": Benchmark(
        "latency of a load from one slice of the L2 that waits for the one before, over the slices",
        "cycles",
        0.10,
        slice_chase,
    ),
    "bank_conflicts": Benchmark(
        "latency of a load from shared memory that waits for the one before, over the words that conflict in a bank",
        "cycles",
        0.10,
        bank_conflicts,
    ),
    "host_chase": Benchmark(
        "latency of a load of the host's memory that waits for the one before, over the link", "ns", 0.10, host_chase
    ),
    "host_read": Benchmark("reads of the host's memory by SMs, over the link", "GB/s", 0.05, host_read),
    "host_write": Benchmark("writes of the host's memory by SMs, over the link", "GB/s", 0.05, host_write),
    "atomic_latency": Benchmark(
        "latency of an atomic addition that needs the result of the one before", "cycles", 0.10, atomic_latency
    ),
    "atomic_rate": Benchmark("atomic additions of all SMs to words of 4 B", "B a cycle", 0.05, atomic_rate),
    "matrix_latency": Benchmark(
        "latency of a matrix operation that needs the sum of the one before, by shape", "cycles", 0.10, matrix_latency
    ),
    "matrix_rate": Benchmark("matrix operations, by shape", "% of the vendor's peak", 0.05, matrix_rate),
    "arithmetic_latency": Benchmark(
        "latency of an instruction that needs the result of the one before, by unit", "cycles", 0.10, arithmetic_latency
    ),
    "arithmetic_rate": Benchmark(
        "independent instructions, by unit", "results in a cycle of an SM", 0.05, arithmetic_rate
    ),
}


def _stream(chip: str, program: str, at: str) -> float:
    """GB/s of memory with two blocks an SM that take this share of its threads together."""
    block = round(THREADS / 2 * float(at.rstrip("%")) / 100)
    return _stream_of(chip, program, block, sm=dict(block_slots=2))


def _of_host(chip: str, program: str, at: str) -> float:
    """GB/s of the host's memory with a block of 1024 threads an SM, in a window of a stream."""
    changes: dict[str, Any] = dict(sm=dict(block_slots=1), l2=dict(capacity=_small_l2(chip)), host=at)
    with _machine(chip, program, ELEMENTS, 1, 1024, **changes) as machine:
        machine.simulate(f"{HOST_WARM_US}us")
        machine.stats.reset()
        machine.simulate(f"{HOST_WINDOW_US}us")
        return float(machine.root.host.stats.bytes) / HOST_WINDOW_US / 1e3


def _small_l2(chip: str) -> Bytes:
    """A sixteenth of the L2 makes the time short until writes leave it as fast as they come: nothing in a stream is
    used twice."""
    return Bytes(Bytes.parse(nvidia.chip(chip).l2).value // 16)


def _stream_of(chip: str, program: str, block: int, of_thread: int = 1, **changes: Any) -> float:
    """GB/s in a window of a stream in blocks of so many threads. Bytes requested of the L2 are counted: blocks end in
    groups, and the memory receives writes later."""
    with _machine(chip, program, ELEMENTS, 1, block, l2=dict(capacity=_small_l2(chip)), **changes) as machine:
        slices = machine.root.gpu.l2
        machine.simulate(f"{WARM_US}us")
        before = sum(float(part.stats.bytes) for part in slices)
        machine.simulate(f"{WINDOW_US}us")
        # Blocks end before their writes arrive in memory, so the last block may end long before the run.
        elements = block * of_thread * float(machine.root.gpu.dispatcher.stats.blocks)
        assert elements < ELEMENTS, "the last block ended in the window: increase ELEMENTS"
        return (sum(float(part.stats.bytes) for part in slices) - before) / WINDOW_US / 1e3


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


def _more_additions(chip: str, program: str, threads: int) -> float:
    """Cycles that ADDITIONS more of each warp of one SM take."""
    return _cycles(chip, program, threads, 2 * ADDITIONS, sms=1) - _cycles(chip, program, threads, ADDITIONS, sms=1)


def _machine(
    chip: str, program: str, size: int, iterations: int, block: int = 0, host: str = "", **changes: Any
) -> Simulation:
    """A GPU of the preset, with changes, that runs the program, with all memory in the host behind this link if any."""
    root = Root(seed=1)
    root.program = workload.Program(name=program, size=size, iterations=iterations, threads_per_block=block)
    root.gpu = nvidia.chip(chip).gpu(**{**changes, "memory": None} if host else changes)
    if host:
        put_behind(root, host)
    root.program.dispatcher = root.gpu.dispatcher.host
    arguments = dict(chip=chip, benchmark=program, size=size, iterations=iterations, block=block)
    return Simulation(root, replace(session.options, verbosity=-1), arguments)
