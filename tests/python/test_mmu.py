"""Translation and page faults put into a machine: the wiring, and the example that shows them."""
import re
from pathlib import Path

import memsim
import pytest
from memsim import gpu, mem, workload
from memsim.systems import mmu, ohm, scale

CONFIG = Path(__file__).parents[2] / "configs" / "paged_gpu.py"


def run(command, *arguments):
    return command(CONFIG, "--scale", "10", *arguments).stdout


def ipc(text):
    return float(re.search(r"([\d.]+) thread instructions a cycle", text)[1])


def test_translation_costs_little_where_pages_are_resident(memsim_command):
    none = ipc(run(memsim_command, "--placement", "none"))
    for placement in ("identity", "first_touch", "interleaved", "random"):
        text = run(memsim_command, "--placement", placement)
        assert 0.85 * none < ipc(text) < 1.02 * none, placement
        walks, reads = map(int, re.search(r"; (\d+) walks, (\d+) reads", text).groups())
        assert 0 < walks < reads <= 2 * walks


def test_pages_from_a_host_and_from_drives(memsim_command):
    texts = {
        source: run(memsim_command, "--placement", "faults", "--resident", "40", "--source", source)
        for source in ("host_memory", "drive", "drive_direct")
    }
    found = {
        source: list(map(int, re.search(r"(\d+) page faults in (\d+) batches, (\d+) evictions", text).groups()))
        for source, text in texts.items()
    }
    for source, (faults, batches, evictions) in found.items():
        assert faults > evictions > 0 and 0 < batches <= faults, source
    assert ipc(texts["host_memory"]) > ipc(texts["drive"])
    everything = run(memsim_command, "--placement", "faults", "--resident", "100")
    assert " 0 evictions" in everything and ipc(everything) > ipc(texts["host_memory"])


def test_large_pages_walk_less(memsim_command):
    walks = [int(re.search(r"(\d+) walks", run(memsim_command, "--page", str(page)))[1]) for page in (4096, 65536)]
    assert walks[0] > 2 * walks[1]


def test_translation_goes_into_a_machine_of_the_library(in_tmp):
    program = workload.Program(name="bfs1", size=8)
    footprint = scale.footprint(program)
    size = ohm.scale.scale(
        ohm.scale.OHM_PLANAR, footprint + mmu.tables(footprint, 4096) + 8192, page=ohm.PAGE, modules=ohm.MODULES
    )
    root = ohm.planar("ohm-base", program, size)
    inputs = root.gpu.network.inputs
    needed = mmu.translate(root.gpu, footprint, walks=mmu.new_input(root.gpu.network))
    assert root.gpu.network.inputs == inputs + 1
    assert [t.mem_side.peer for t in root.gpu.tlb] == [c.cpu_side for c in root.gpu.l1]
    assert needed <= size.controllers * (size.dram + size.xpoint)
    simulation = memsim.Simulation(root)
    assert simulation.simulate().cause == "nothing left to do"
    assert root.gpu.mmu.stats.walks > 0


def test_applications_side_by_side_have_their_own_pages(in_tmp):
    root = memsim.Root()
    root.programs = [workload.Program(name="bfs1", size=8, seed=seed) for seed in (1, 2)]
    footprint = max(scale.footprint(p) for p in root.programs)
    root.dispatcher = gpu.Dispatcher(sms=2, applications=2)
    root.sm = [gpu.Sm() for _ in range(2)]
    root.network = mem.Crossbar(inputs=2, outputs=1)
    root.memory = mem.SimpleMemory()
    root.network.mem_side[0] = root.memory.cpu_side
    for i in range(2):
        root.programs[i].dispatcher = root.dispatcher.host[i]
        root.dispatcher.sm_side[i] = root.sm[i].blocks
        root.sm[i].mem_side = root.network.cpu_side[i]
    mmu.translate(root, footprint, walks=mmu.new_input(root.network), applications=2, placement="first_touch")
    simulation = memsim.Simulation(root)
    assert simulation.simulate().cause == "nothing left to do"
    pages = -(-footprint // 4096)
    assert pages < root.mmu.stats.first_touches <= 2 * pages  # more pages than one application has


def test_a_missing_connection_cannot_be_removed():
    root = memsim.Root()
    root.sm = [gpu.Sm()]
    root.network = mem.Crossbar()
    with pytest.raises(memsim.Error, match=r"sm\[0\].mem_side is not bound"):
        mmu.translate(root, 4096, walks=mmu.new_input(root.network))


def test_the_size_of_page_tables():
    assert mmu.tables(2 << 20, 4096) == (1 + 512) * 8
    assert mmu.tables((2 << 20) + 1, 4096, applications=3) == 3 * (2 + 1024) * 8
