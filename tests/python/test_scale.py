"""The scale of a machine: slices, minimum sizes, changed ratios, sizes that are not divisible."""
import random

import memsim
import pytest
from memsim import workload
from memsim.systems import ohm
from memsim.systems.ohm.scale import KRONECKER, OHM_PLANAR, kronecker_scale, scale, slices
from memsim.systems.scale import GIB, KIB, MIB


def scaled(footprint, **more):
    return scale(OHM_PLANAR, footprint, page=ohm.PAGE, modules=ohm.MODULES, **more)


def invariants(size):
    return {i.name: i for i in size.invariants}


def test_at_full_scale_it_is_the_paper_s_machine():
    size = scaled(8 * GIB)
    assert (size.sms, size.controllers) == (16, 6)
    assert 48 * KIB <= size.l1 < 48 * KIB + 6 * 128
    assert 6 * size.l2_slice == 6 * MIB
    groups = 6 * size.dram // ohm.PAGE
    assert 0 <= 6 * size.dram - GIB < 6 * ohm.PAGE * ohm.MODULES
    assert size.xpoint == 8 * size.dram
    assert groups > 4000 and not [str(i) for i in size.invariants if i.broken]


@pytest.mark.parametrize(
    "divided_by, count", [(1, 6), (1.99, 6), (2, 3), (2.99, 3), (3, 2), (5.99, 2), (6, 1), (512, 1), (0.5, 6)]
)
def test_a_slice_shrinks_no_more_than_the_footprint(divided_by, count):
    footprint = int(8 * GIB / divided_by)
    assert OHM_PLANAR.controllers // slices(OHM_PLANAR, footprint) == count
    size = scaled(footprint)
    assert size.controllers == count
    assert size.sms == {6: 16, 3: 8, 2: 5, 1: 3}[count]
    assert scaled(footprint, controllers=4).controllers == 4


def test_ratios_that_cannot_be_kept_are_reported():
    size = scaled(16 * MIB)
    assert size.l1 >= OHM_PLANAR.l1_floor and size.l1 % (6 * 128) == 0
    found = invariants(size)
    broken = {name for name, i in found.items() if i.broken}
    assert broken == {"SMs a controller", "L2 / all L1", "groups, of the 4000 that a verdict needs"}
    assert str(found["SMs a controller"]) == "SMs a controller: paper 2.667, here 3 (off)"
    assert str(found["XPoint / DRAM"]) == "XPoint / DRAM: paper 8, here 8 (kept)"
    # The last proportion applies only below its limit: 4000 groups of 9 pages are about 64 MB.
    assert "groups, of the 4000 that a verdict needs" not in invariants(scaled(64 * MIB))


def test_any_size_is_whole_pages_modules_and_sets_and_holds_the_footprint():
    some = random.Random(1)
    sizes = [*range(1, 5000), *(some.randrange(1, 1 << some.randrange(10, 37)) for _ in range(5000))]
    for footprint in sizes:
        size = scaled(footprint)
        assert size.dram % (ohm.PAGE * ohm.MODULES) == 0 and size.xpoint == 8 * size.dram, footprint
        assert size.l1 % (6 * 128) == 0 and size.l2_slice % (8 * 128) == 0, footprint
        assert size.controllers * (size.dram + size.xpoint) >= footprint


def test_scale_by_name_and_ratio():
    assert [kronecker_scale(name) for name in KRONECKER] == list(KRONECKER.values())
    # 136 bytes for a vertex with 32 arcs of 4 bytes and two words.
    assert kronecker_scale("1/512") == 16  # 2^16 x 136 B = 8.5 MiB of 16 MiB; 2^17 would be 17 MiB
    assert kronecker_scale("1/482") == 16 and kronecker_scale("1/481") == 17
    assert kronecker_scale("0.5") == kronecker_scale("1/2") == 24
    assert kronecker_scale("1") == 25
    assert kronecker_scale("1/999999999999") == 1


@pytest.mark.parametrize("text", ["", "huge", "0", "2", "-1/2", "1/0", "1/", "nan", "inf", "1e-999999999", " 1/2"])
def test_any_other_scale_gives_an_error_message(text):
    with pytest.raises(ValueError, match="write one of tiny, small, .*, or a ratio such as 1/512"):
        kronecker_scale(text)


def write_graph(path, vertices):
    """A path through all vertices with a chord at every seventh; as CSR, so that vertices are not renumbered."""
    rows, columns = [0], []
    for v in range(vertices):
        columns += [v + 1] if v + 1 < vertices else []
        columns += [v // 2] if v % 7 == 3 else []
        rows.append(len(columns))
    words = [vertices, len(columns), *rows, *columns]
    path.write_bytes(b"CSR1" + b"".join(w.to_bytes(4, "little") for w in words))
    return len(columns)


def test_the_footprint_follows_from_the_graph_s_file(tmp_path):
    vertices = 5000
    arcs = write_graph(tmp_path / "g.csr", vertices)
    program = workload.Program(input=str(tmp_path / "g.csr"))
    size = ohm.machine_scale("planar", "ohm-base", program)
    words = (vertices + 1) + arcs + vertices + 1  # row offsets, arcs, levels, the flag
    assert 4 * words <= size.footprint <= 4 * words + 4 * 256
    assert size == scaled(size.footprint)
    with pytest.raises(memsim.Error, match="gone.csr"):
        ohm.machine_scale("planar", "ohm-base", workload.Program(input=str(tmp_path / "gone.csr")))


@pytest.mark.parametrize("vertices", [1, 2, 3, 31, 33, 255, 257, 1023, 3255, 9973])
@pytest.mark.parametrize("kernel", ["bfs_topology", "bfs_data", "pagerank"])
def test_a_graph_of_any_size_gives_a_machine_that_runs(in_tmp, kernel, vertices):
    write_graph(in_tmp / "g.csr", vertices)
    program = workload.Program(name=kernel, input="g.csr", iterations=1)
    with memsim.Simulation(ohm.planar("ohm-base", program, max_instructions=300_000)) as sim:
        assert sim.simulate().cause == "nothing left to do"
        assert sim.root.gpu.dispatcher.stats.thread_instructions > 0
        assert len(sim.root.memory.controller) == 1
        assert [i.name for i in sim.root.scale]
