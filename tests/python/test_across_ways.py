"""Each way of `memsim across` on a tiny model: contents, and that data come from where the way puts them."""

from dataclasses import replace

import pytest

import memsim
from memsim import llm
from memsim.across import light, network, runs
from memsim.across.endpoint import lanes
from memsim.across.machine import Assumed, Machine
from memsim.across.points import Point, Row
from memsim.across.ways import KNOWN, WAYS
from memsim.systems.scale import footprint


def ran(name: str, ratio: int = 4):
    """A machine of two SMs with caches much smaller than the model, after two tokens; its contents are compared."""
    root = memsim.Root(seed=1, contents=True)
    root.model = llm.decoder("tiny", context=40)
    root.model.tokens = 2
    KNOWN[name].build(root, Machine(1 / 40, 2, 2, ratio, footprint(root.model), 0))
    for l2 in root.gpu.l2:
        l2.capacity = "20KiB"
    root.model.dispatcher = root.gpu.dispatcher.host
    with memsim.Simulation(root) as machine:
        machine.simulate()  # its end checks that nothing was lost or is left over
        assert machine.check_contents()["bytes"] > 150_000
        yield root


@pytest.fixture
def run(in_tmp, request):
    yield from ran(request.param)


def way(*names: str):
    return pytest.mark.parametrize("run", names, indirect=True, ids=names)


def total(parts, name: str) -> float:
    return sum(float(getattr(one.stats, name)) for one in parts)


@way("cxl-ssd", "cxl-ssd+cmd")
def test_the_far_part_is_read_from_the_endpoint_alone(run) -> None:
    asked = sum(float(router.stats.requests[1]) for router in run.gpu.memory)
    assert run.port[0].endpoint.stats.reads >= asked > 0  # lines of 128 B are two messages
    assert run.port[0].endpoint.stats.writes == 0
    assert run.port[0].medium.cache.stats.misses > 0
    assert run.port[0].root_port.stats.speculative_reads == 0


@way("cxl-ssd-sr")
def test_speculative_reads_bring_units_before_their_loads(run) -> None:
    assert run.port[0].root_port.stats.speculative_reads > 0
    assert run.port[0].queues.stats.lead.count > 0


@way("cxl-ssd-behind", "cxl-ssd-behind+cmd")
def test_pages_of_the_hbm_come_from_the_endpoint_in_parts(run) -> None:
    cache, adapter, port = run.gpu.cache, run.gpu.drive, run.port[0]
    assert adapter.stats.read_bytes == 4096 * cache.stats.units_in > 0
    assert adapter.stats.write_bytes == 4096 * cache.stats.units_out
    assert adapter.stats.parts == (adapter.stats.read_bytes + adapter.stats.write_bytes) / 128
    assert port.endpoint.stats.reads == adapter.stats.read_bytes / 64  # a message of CXL.mem has 64 B
    assert port.medium.cache.stats.misses > 0
    assert port.root_port.stats.speculative_reads > 0


@way("ohm-planar", "ohm-planar+cmd")
def test_planar_memory_serves_from_dram_and_xpoint(run) -> None:
    assert total(run.memory.controller, "requests") > total(run.memory.controller, "dram_hits") > 0
    assert total(run.memory.xpoint, "media_reads") > 0
    assert [one.ratio for one in run.memory.controller] == [3]


@way("ohm-2level", "ohm-2level+cmd")
def test_two_level_memory_fills_its_dram_from_xpoint(run) -> None:
    assert total(run.memory.controller, "fills") > 0
    assert total(run.memory.controller, "requests") > total(run.memory.controller, "hits") > 0
    assert total(run.memory.controller, "xpoint_reads") > 0


@way("ohm-2level-behind", "ohm-2level-behind+cmd")
def test_pages_of_the_hbm_come_from_xpoint(run) -> None:
    cache, adapter = run.gpu.cache, run.gpu.drive
    assert adapter.stats.read_bytes == 4096 * cache.stats.units_in > 0
    assert total(run.memory.controller, "requests") == adapter.stats.parts
    assert total(run.memory.controller, "xpoint_reads") > 0
    assert [one.ratio for one in run.memory.controller] == [64]
    assert total(run.gpu.memory, "reads") > 0


@pytest.mark.parametrize("name", ["ohm-planar", "ohm-2level"])
def test_where_all_data_fit_ohms_memory_is_dram(name, in_tmp) -> None:
    for root in ran(name, ratio=1):
        assert total(root.memory.dram, "reads") > 0 and not hasattr(root.memory, "xpoint")


@way("zng")
def test_flash_behind_the_l2_serves_all_misses(run) -> None:
    assert total(run.flash.package, "senses") > 0
    assert total(run.flash.controller, "writes") > 0
    assert run.gpu.prefetcher.stats.hints > 0
    assert not hasattr(run.gpu, "memory")


@way("sap-behind", "sap-hbf", "sap-behind+cmd")
def test_the_memory_manager_brings_pages_beside_misses(run) -> None:
    assert run.manager.stats.misses > 0
    assert run.manager.stats.hints > 0
    assert run.gpu.cache.stats.units_in > 0


@way("sap-cxl-ssd")
def test_hints_of_the_memory_manager_become_speculative_reads(run) -> None:
    assert run.manager.stats.hints > 0
    assert run.port[0].queues.stats.hints > 0


@way("cxl+cmd", "hbf-beside+cmd", "hbm+cmd", "hbf-behind+cmd", "ssd-behind+cmd", "hbf+cxl+cmd")
def test_deduplication_looks_at_all_that_misses_the_l2(run) -> None:
    assert total(run.front, "reads") > 0 and total(run.front, "writes") > 0
    assert total(run.front, "reads") == pytest.approx(total(run.fifo, "reads") - total(run.fifo, "hits"))


@way("hbf+cxl")
def test_a_hybrid_reads_both_far_memories(run) -> None:
    near, far = (sum(float(router.stats.requests[i]) for router in run.gpu.memory) for i in (1, 2))
    assert near > 5 * far > 0
    assert sum(float(router.far[0].stats.reads) for router in run.gpu.memory) == near
    assert sum(float(router.far[1].stats.reads) for router in run.gpu.memory) == far


def test_the_papers_machines_keep_their_proportion_to_sms() -> None:
    # Ohm-GPU: 6 controllers for 16 SMs; ZnG: 16 channels for 16 SMs.
    quick, default = (Machine(1, sms, slices, 4, 1 << 20, 0) for sms, slices in ((6, 4), (13, 8)))
    assert [light.controllers(one) for one in (quick, default)] == [2, 4]
    twice = [replace(quick, assumed=Assumed(optics=n, packages=n)) for n in (0.5, 2)]
    assert [light.controllers(one) for one in twice] == [1, 4]
    assert [network.size(one).channels for one in twice] == [4, 16]
    assert [network.size(one).channels for one in (quick, default)] == [8, 16]


def test_the_l2_fills_its_wires_over_any_memory() -> None:
    for name in KNOWN:
        root = memsim.Root(seed=1, contents=True)
        root.model = llm.decoder("tiny", context=40)
        KNOWN[name].build(root, Machine(1 / 40, 2, 2, 4, footprint(root.model), 0))
        for l2 in root.gpu.l2:
            below = l2.mem_side.peer.owner
            # The crossbar before a page cache passes on what comes at once.
            assert int(below.queue) >= 256 or below is getattr(root.gpu, "join", None), (name, below.path)


def test_every_way_is_tested_or_older_than_this_file() -> None:
    older = {"hbm", "hbf-beside", "hbf-behind", "c2c", "cxl", "pcie", "ssd-behind"}
    new = {"cxl-ssd", "cxl-ssd-sr", "cxl-ssd-behind", "ohm-planar", "ohm-2level", "ohm-2level-behind", "zng"} | {
        "sap-behind",
        "sap-hbf",
        "sap-cxl-ssd",
        "hbf+cxl",
    }
    assert set(WAYS) == older | new
    assert set(KNOWN) - set(WAYS) == {f"{name}+cmd" for name in WAYS if name != "zng"}


def test_deduplication_before_flash_behind_the_l2_is_refused(in_tmp) -> None:
    from memsim.across.deduplicated import deduplicated

    root = memsim.Root(seed=1, contents=True)
    root.model = llm.decoder("tiny", context=40)
    deduplicated(WAYS["zng"].build)(root, Machine(1 / 40, 2, 2, 4, footprint(root.model), 0))
    root.model.dispatcher = root.gpu.dispatcher.host
    with pytest.raises(memsim.Error, match="the tables of deduplication.*place one of them elsewhere"):
        memsim.Simulation(root)


def test_lanes_are_a_power_of_two_near_the_share() -> None:
    assert [lanes(share) for share in (1 / 40, 1 / 20, 1 / 10, 1 / 4, 1)] == [1, 1, 2, 4, 16]


def test_a_way_that_is_the_same_at_all_ratios_runs_once(monkeypatch) -> None:
    asked: list[Point] = []

    def run(points, name, folder, processes):
        asked.extend(points)
        return [Row(one.way, one.ratio, 1.0, 1.0, float("inf"), 0.0) for one in points]

    monkeypatch.setattr(runs, "run", run)
    rows = runs.rows("quick", ["zng", "cxl"], [2, 4], "out", 1)
    zng = Point("zng", 2, "quick")  # equal points of a study run once
    assert asked == [zng, zng, Point("cxl", 2, "quick"), Point("cxl", 4, "quick")]
    assert [(row.way, row.ratio) for row in rows] == [("zng", 2), ("zng", 4), ("cxl", 2), ("cxl", 4)]
    assert rows[3].dollars == WAYS["cxl"].dollars(4)
