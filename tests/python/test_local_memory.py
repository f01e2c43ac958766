"""Local memory of Accel-Sim traces: how many sectors its accesses touch, in which launches."""
import pytest

import memsim
from memsim import workload
from memsim.systems import qv100

HEAD = """\
-kernel name = {name}
-grid dim = ({blocks},1,1)
-block dim = ({threads},1,1)
-shmem = 0
-nregs = 16
-shmem base_addr = 0x7fc867000000
-local mem base_addr = 0x7fc865000000
-accelsim tracer version = 3
#
"""
BLOCKS, VALUES = 16, 8  # one block an SM; variables of 8 bytes in each thread, just below the stack's begin


def instructions(split):
    """Each variable is written, then read, by one instruction or by one for each of its words."""
    lines = []
    for operation in ("0 STL{} 2 R1 R4", "1 R6 LDL{} 1 R1"):
        for i in range(VALUES):
            at = 0xFFFDC0 - 8 * VALUES + 8 * i
            if split:
                lines += [f"{operation.format('')} 4 1 0x{at + word:x} 0" for word in (0, 4)]
            else:
                lines.append(f"{operation.format('.64')} 8 1 0x{at:x} 0")
    lines.append("0 EXIT 0 0")
    return lines


@pytest.fixture
def counted(in_tmp):
    """The counts of Accel-Sim's QV100 over launches, for blocks with this number of warps."""

    def run(warps, split=False, **dispatch):
        for n, w in enumerate(warps):
            lines = instructions(split)
            body = "".join(f"{16 * i:04x} ffffffff {line}\n" for i, line in enumerate(lines))
            text = HEAD.format(name=f"k{w}", blocks=BLOCKS, threads=32 * w)
            for b in range(BLOCKS):
                text += f"#BEGIN_TB\nthread block = {b},0,0\n"
                text += "".join(f"warp = {i}\ninsts = {len(lines)}\n{body}" for i in range(w))
                text += "#END_TB\n"
            (in_tmp / f"kernel-{n}.traceg").write_text(text)
        (in_tmp / "list").write_text("".join(f"kernel-{n}.traceg\n" for n in range(len(warps))))
        root = qv100.qv100(workload.TraceProgram(trace="list"), sms=BLOCKS, **dispatch)
        with memsim.instantiate(root) as simulation:
            simulation.simulate()
        return qv100.counts(root)

    return run


# A row of 32 lanes is four sectors; each variable has two rows.
SECTORS = 2 * 4 * VALUES * BLOCKS  # of one warp a block


def test_a_wide_access_is_as_many_rows_as_words(counted):
    wide, split = counted([4]), counted([4], split=True)
    for name in ("L1D reads", "L1D writes", "L2 reads", "L2 writes", "L2 misses", "DRAM reads"):
        assert wide[name] == split[name], name
    assert wide["L1D writes"] == wide["L1D reads"] == wide["L2 writes"] == 4 * SECTORS
    assert wide["warp instructions"] < split["warp instructions"]


def test_a_later_launch_finds_local_memory_by_occupancy_or_always(counted):
    # Distances between words are those of all resident threads in Accel-Sim: 64 warps an SM and 60.
    assert counted([4, 5, 4])["L2 misses"] == (4 + 5) * SECTORS
    assert counted([4, 5, 4], local_pool="context")["L2 misses"] == 5 * SECTORS
    # 64 warps both: the same distance. Each warp slot has its place.
    assert counted([4, 8, 4])["L2 misses"] == 8 * SECTORS
