"""SASS traces with local memory of many warps, on the QV100 and in a model of Accel-Sim's counts
(accelsim_model.py).

A stack frame's words of one warp lie 5,120 lines apart, a multiple of any power of two of sets up to 1,024. The public
trace of Rodinia's b+tree with local accesses (sarchlab/mgpusim, `rodinia-b+tree-128-1000`) has the same counts in both
as well: 8,914 and 16,750 misses of L1s, 9,862 of the L2, 1,487 DRAM reads; without a hash 21,992, 62,870, 61,847 and
8,336.
"""
import random

import pytest
from validation.accelsim_model import counts

import memsim
from memsim import workload
from memsim.systems import qv100

HEAD = """\
-kernel name = k
-grid dim = ({blocks},1,1)
-block dim = ({threads},1,1)
-shmem = 0
-nregs = 32
-shmem base_addr = 0x00007f1300000000
-local mem base_addr = 0x00007f12a5000000
-accelsim tracer version = 5
#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses] immediate
"""
FRAME = 0xFFFDC0  # for all threads: a trace has the addresses of local memory within a thread
DATA = 0x7F1269C00000


def trace(blocks, warps, operations):
    """A launch; `operations(block, warp)` yields (operation, bytes of a lane, first lane's address, step from lane to
    lane)."""
    text = HEAD.format(blocks=blocks, threads=32 * warps)
    for b in range(blocks):
        text += f"#BEGIN_TB\nthread block = {b},0,0\n"
        for w in range(warps):
            lines = [
                f"{16 * i:04x} ffffffff "
                + (f"0 {name} 2 R1 R4" if name.startswith("ST") else f"1 R6 {name} 1 R1")
                + f" {size} 1 0x{address:x} {step} 0"
                for i, (name, size, address, step) in enumerate(operations(b, w))
            ]
            lines.append(f"{16 * len(lines):04x} ffffffff 0 EXIT 0 0 0")
            text += f"warp = {w}\ninsts = {len(lines)}\n" + "\n".join(lines) + "\n"
        text += "#END_TB\n"
    return text


def frame(words):
    """A frame of 264 bytes is written in pairs of words; then each warp reads some of them, between loads of shared
    data."""

    def operations(block, warp):
        chosen = random.Random(f"{block} {warp}")
        for i in range(0, words, 2):
            yield "STL.64", 8, FRAME + 4 * i, 0
        for _ in range(3 * words):
            yield "LDL", 4, FRAME + 4 * chosen.randrange(words), 0
            yield "LDG.E", 4, DATA + 4 * chosen.randrange(8192), 4 * chosen.randrange(2)

    return operations


def spills(words):
    """Spilled registers are loaded twice, in the order of their stores; the last loads have 16 bytes."""

    def operations(block, warp):
        for i in range(words):
            yield "STL", 4, FRAME + 4 * i, 0
        for _ in range(2):
            for i in range(words):
                yield "LDL", 4, FRAME + 4 * i, 0
        for i in range(0, words, 4):
            yield "LDL.128", 16, FRAME + 4 * i, 0

    return operations


def unwritten(words):
    """Arrays of threads that are read before anything is written, then written in half, then read again."""

    def operations(block, warp):
        for i in range(words):
            yield "LDL", 4, FRAME + 4 * i, 0
        for i in range(0, words, 2):
            yield "STL", 4, FRAME + 4 * i, 0
        for i in range(words):
            yield "LDL", 4, FRAME + 4 * i, 0
        yield "STG.E", 4, DATA + 4 * 32 * (warp + 16 * block), 4

    return operations


# Blocks, warps of a block, blocks that may be resident in an SM (registers: 32 a thread of 65,536; 2,048 threads),
# operations; then the model's counts.
NAMES = (
    "L1D reads",
    "L1D writes",
    "L1D read misses",
    "L1D write misses",
    "L2 reads",
    "L2 writes",
    "L2 misses",
    "DRAM reads",
)
TRACES = {
    "b+tree's frames": (8, 4, 16, frame(66), (44360, 8448, 7417, 8448, 7417, 8448, 9476, 1028)),
    "spills of full SMs": (8, 16, 4, spills(24), (36864, 12288, 0, 12288, 0, 12288, 12288, 0)),
    "two blocks an SM": (160, 2, 32, spills(24), (92160, 30720, 0, 30720, 0, 30720, 30720, 0)),
    "read before written": (16, 8, 8, unwritten(48), (49152, 12800, 24576, 512, 24576, 12800, 25088, 24576)),
}


@pytest.mark.parametrize("name", TRACES)
def test_counts_of_local_memory_are_those_of_the_model(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks, warps, resident, operations, golden = TRACES[name]
    text = trace(blocks, warps, operations)
    (tmp_path / "kernel-1.traceg").write_text(text)
    expected = counts([(text, 32 * warps, resident)])
    assert tuple(expected.get(n, 0) for n in NAMES) == golden

    def found(**l1):
        root = qv100.qv100(workload.TraceProgram(trace="kernel-1.traceg"))
        for cache in [*root.gpu.l1, *root.gpu.l2]:
            for parameter, value in l1.items():
                setattr(cache, parameter, value)
        with memsim.Simulation(root) as simulation:
            assert simulation.simulate().cause == "nothing left to do"
            return qv100.counts(root)

    hashed = found()
    for n, value in zip(NAMES, golden):
        assert hashed[n] == pytest.approx(value, rel=0.01), n
    linear = found(set_hash="linear")
    assert (
        linear["L2 misses"] > 1.5 * hashed["L2 misses"] or linear["L1D read misses"] > 1.5 * hashed["L1D read misses"]
    )
