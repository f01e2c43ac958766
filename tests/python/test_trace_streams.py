"""Accel-Sim traces of several CUDA streams, and of accesses that cross a sector boundary, run on SMs."""

import subprocess
from pathlib import Path

import memsim
import pytest
from memsim import workload
from memsim.systems import qv100

MEMSIM = Path(__file__).parents[2] / "build/memsim"
HEAD = """\
-kernel name = {name}
-grid dim = ({blocks},1,1)
-block dim = (32,1,1)
-shmem = 0
-nregs = 16
-cuda stream id = {stream}
-shmem base_addr = 0x7fc867000000
-local mem base_addr = 0x7fc865000000
-accelsim tracer version = 3
#
"""


def kernel(name, stream, lines, blocks=1):
    """A kernel whose blocks have one warp each, all with the same instructions."""
    body = "".join(f"{16 * i:04x} {line}\n" for i, line in enumerate([*lines, "ffffffff 0 EXIT 0 0"]))
    text = HEAD.format(name=name, stream=stream, blocks=blocks)
    for block in range(blocks):
        text += f"#BEGIN_TB\nthread block = {block},0,0\nwarp = 0\ninsts = {len(lines) + 1}\n{body}#END_TB\n"
    return text


def loads(first, n):
    """Loads that depend on each other, each of another line."""
    return [f"ffffffff 1 R2 LDG.E 1 R2 4 1 {first + 128 * i:#x} 4" for i in range(n)]


@pytest.fixture
def counted(in_tmp):
    """(launches of the run, counts) of a list of kernels."""

    def run(kernels, sms=2, **program):
        for i, text in enumerate(kernels):
            (in_tmp / f"kernel-{i}.traceg").write_text(text)
        (in_tmp / "kernelslist.g").write_text("".join(f"kernel-{i}.traceg\n" for i in range(len(kernels))))
        root = qv100.qv100(workload.TraceProgram(trace="kernelslist.g", **program), sms=sms)
        with memsim.instantiate(root) as simulation:
            simulation.simulate()
        launches = memsim.results("memsim-out").launches().sort_values("number")
        return launches, qv100.counts(root)

    return run


def test_streams_of_one_list_run_concurrently_and_one_stream_in_order(counted):
    first, second = 0x7F0000200000, 0x7F0000200000 + 128 * 100
    kernels = [
        kernel("a", 7, loads(first, 50)),
        kernel("b", 8, loads(second, 50)),
        kernel("c", 7, loads(first, 50)),
    ]
    launches, counts = counted(kernels)
    began, ended = launches.set_index("kernel")["started"], launches.set_index("kernel")["ended"]
    assert began["b"] < ended["a"] and began["a"] < ended["b"], "streams run beside each other"
    assert began["c"] >= ended["a"], "launches of one stream run in order"
    assert counts["L2 misses"] == 100 * 4, "c finds what a has brought"

    in_order, same = counted(kernels, stream="in_order")
    began, ended = in_order.set_index("kernel")["started"], in_order.set_index("kernel")["ended"]
    assert began["b"] >= ended["a"] and began["c"] >= ended["b"]
    assert {name: same[name] for name in ("warp instructions", "L2 misses")} == {
        name: counts[name] for name in ("warp instructions", "L2 misses")
    }
    assert in_order["ended"].max() > 1.2 * launches["ended"].max()


def test_streams_share_one_memory(counted):
    """One stream stores to the line that the other loads: one line of the L2 serves both."""
    shared = 0x7F0000200000
    _, counts = counted([kernel("a", 0, loads(shared, 50)), kernel("b", 1, loads(shared, 50))])
    assert counts["L2 reads"] == 2 * 50 * 4
    assert counts["DRAM reads"] == 50 * 4


def test_an_access_across_two_sectors_counts_as_two_in_the_sm_and_in_convert(counted, in_tmp):
    across = "00000001 1 R1 LDG.E 1 R4 4 1 0x7f700000101e 0"
    _, counts = counted([kernel("odd", 0, [across])], sms=1)
    assert counts["L1D reads"] == 2
    subprocess.run(
        [MEMSIM, "trace", "convert", "kernel-0.traceg", "odd.trc"], cwd=in_tmp, check=True, capture_output=True
    )
    info = subprocess.run(
        [MEMSIM, "trace", "info", "odd.trc"], cwd=in_tmp, check=True, capture_output=True, text=True
    ).stdout
    assert ["records", "2"] in [line.split() for line in info.splitlines()]
