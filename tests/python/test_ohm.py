"""Ohm-GPU's platforms: their differences, workloads, energy, cost and lifetime."""
import contextlib
import sqlite3
from dataclasses import replace
from pathlib import Path

import memsim
import pytest
from memsim.model import build
from memsim import workload
from memsim.study import assumptions, paper
from memsim.systems import ohm
from memsim.systems.scale import footprint

ROOT = Path(__file__).parents[2]
MACHINES = {"planar": ohm.planar, "two-level": ohm.two_level}


def program():
    return ohm.workloads.program("FDTD", "tiny")[0]


def machine(mode, platform, **options):
    return MACHINES[mode](platform, program(), **{"max_instructions": 300_000, **options})


def run(root):
    simulation = memsim.Simulation(root)
    assert simulation.simulate().cause == "nothing left to do"
    return float(root.gpu.dispatcher.stats.ipc)


def test_origin_holds_a_quarter_and_faults_for_the_rest(in_tmp):
    root = machine("planar", "origin", max_instructions=0)
    run(root)
    table, host = root.gpu.mmu.stats, root.host.stats
    pages = footprint(program()) / ohm.dram.PAGE
    assert host.faults > pages and table.evictions > 0
    held = host.faults - table.evictions
    assert abs(held - pages / 4) <= 2
    assert not hasattr(root, "optics")


@pytest.mark.parametrize("name", ohm.workloads.TABLE_II)
def test_the_seed_changes_the_runs_of_all_workloads_but_those_named(name, in_tmp):
    def digest(seed):
        work, region = ohm.workloads.program(name, "tiny", seed)
        with memsim.Simulation(ohm.two_level("ohm-bw", work, seed=seed, **region)) as simulation:
            assert simulation.simulate().cause == "nothing left to do"
            simulation.stats.dump()  # which the digest covers
            return simulation.digest

    assert (digest(1) == digest(2)) == (name in paper.load("ohm").table.seedless)


def test_origin_is_slowest_and_the_oracle_fastest(in_tmp):
    for mode in MACHINES:
        ipc = {p: run(machine(mode, p, max_instructions=0)) for p in ("origin", "ohm-base", "oracle")}
        assert ipc["origin"] < ipc["ohm-base"] < ipc["oracle"], mode


def test_the_oracles_have_as_much_dram_as_the_others_have_dram_and_xpoint():
    for mode, ratio in (("planar", 9), ("two-level", 65)):
        whole = ohm.machine_scale(mode, "oracle", program())
        mixed = ohm.machine_scale(mode, "ohm-base", program())
        assert whole.xpoint == 0
        assert whole.dram == pytest.approx(mixed.dram * ratio, rel=0.3)  # small graphs have few whole pages
        assert "XPoint / DRAM" not in [i.name for i in whole.invariants]


def test_a_slice_has_its_share_of_the_host():
    one = machine("planar", "origin")
    assert one.pcie.share == "166666667ppb" and one.host.batch == 43
    assert one.host.page_cost == "6us"
    size = ohm.machine_scale("planar", "origin", program(), controllers=6)
    six = ohm.planar("origin", program(), size)
    assert six.pcie.share == "1" and six.host.batch == 256


@pytest.mark.parametrize("mode", MACHINES)
def test_a_platform_is_one_entry_of_a_mode(in_tmp, mode, monkeypatch):
    """Controllers, optics and energy of a platform follow from its entry."""
    table = ohm.modes.MODES[mode]
    monkeypatch.setitem(table, "wires", replace(table["ohm-base"], optics=None))
    monkeypatch.setitem(table, "light", table["ohm-bw"])
    assert ohm.platforms(mode)[-3:] == ["wires", "light", "oracle"]
    wires, light = machine(mode, "wires"), machine(mode, "light")
    assert not hasattr(wires, "optics") and light.optics.laser_factor == 4
    assert {cost.part for cost in ohm.energy.costs(mode, "wires", 6)} == {"DRAM static", "DRAM accesses", "wires"}


@pytest.mark.parametrize("mode", MACHINES)
def test_every_platform_has_the_light_that_it_needs(in_tmp, mode):
    """A design with insufficient light is refused when it is built."""
    for platform in ohm.platforms(mode):
        root = machine(mode, platform)
        assert hasattr(root, "optics") == (platform not in ("origin", "hetero"))
        memsim.Simulation(root)
        if hasattr(root, "optics") and platform != "oracle":  # the light and the controllers state one rate
            controller = root.memory.controller[0]
            assert controller.width * int(controller.lane_rate.removesuffix("GHz")) * 1e9 / 8 == root.optics.stats.rate


def test_waveguides_widen_the_channel_and_the_dram_follows(in_tmp):
    ipc = []
    for n in 1, 4:
        root = machine("planar", "oracle", waveguides=n)
        ipc.append(run(root))
        assert root.optics.stats.rate == 60e9 * n
    assert ipc[1] > 1.02 * ipc[0]
    assert machine("two-level", "ohm-base", waveguides=8).memory.controller[0].width == 128


def test_a_swap_ordered_before_the_confirmation_of_the_last_one_ends(in_tmp):
    """A machine with the same id; four waveguides are fast enough for it."""
    run(machine("planar", "ohm-bw", waveguides=4, max_instructions=0))


def test_tuning_a_ring_takes_time(in_tmp):
    """In runs that the channel limits."""

    def ipc(**options):
        return run(ohm.two_level("ohm-base", workload.Program(name="pr", size=9), max_instructions=300_000, **options))

    assert ipc(rings="single") < 0.98 * ipc()


@pytest.mark.parametrize(
    "mode, platform, options, sentence",
    [
        ("planar", "hetero", dict(waveguides=2), "hetero has no waveguides"),
        ("two-level", "origin", dict(rings="single"), "origin has no waveguides and no rings"),
        ("planar", "oracle", dict(migration_channel="dedicated"), "oracle migrates nothing"),
        ("planar", "ohm-bass", {}, "did you mean 'ohm-base'"),
    ],
)
def test_options_that_a_platform_does_not_have_give_an_error_message(mode, platform, options, sentence):
    with pytest.raises(memsim.Error, match=sentence):
        machine(mode, platform, **options)


@pytest.mark.parametrize("name", ohm.workloads.TABLE_II)
def test_each_workload_of_table_ii_has_its_sizes(name):
    for scale, least, most in (("tiny", 0.05, 0.4), ("small", 0.4, 2)):
        made, _ = ohm.workloads.program(name, scale)
        assert least * 2**20 <= footprint(made) <= most * 2**20, scale
    sizes = ohm.workloads.TABLE_II[name]["size"]
    assert sorted(sizes) == list(sizes)


def test_a_workload_takes_a_named_scale_and_no_graph(memsim_command):
    config = ROOT / "configs/ohm_planar.py"
    for wrong in (["--scale", "1/512"], ["--graph", "x.csr"], ["--kernel", "bfs1"]):
        memsim_command(config, "--workload", "lud", *wrong, expect=2)
    printed = memsim_command(config, "--workload", "lud", "--scale", "tiny", "--platform", "oracle").stdout
    assert "oracle, lud: nothing left to do" in printed


def values(**more):
    """The values of a run with one controller that took 6 ms."""
    found = {
        ("gpu.dispatcher", "cycles"): 7.2e6,
        ("memory.controller[0]", "activates"): 1,
        ("memory.controller[0]", "demand_bytes"): 6e6,
        ("memory.controller[0]", "dram_bytes"): 4e6,
        ("memory.controller[0]", "migration_bytes"): 2e6,
        ("memory.xpoint[0]", "media_energy"): 5120,
        ("memory.xpoint[1]", "media_energy"): 3440,
    }
    return {**found, **more}


def test_energy_of_electrical_and_optical_channels():
    spent = ohm.energy.energy(values(), "planar", "hetero", 6e-3)
    assert spent.dram_static == pytest.approx(0.11 * 12 / 6 * 6e-3)
    assert spent.dram_dynamic == pytest.approx(9e-12 * 8 * 4e6)
    assert spent.xpoint == pytest.approx(8560e-9)
    assert spent.wires == pytest.approx(5e-12 * 8 * 8e6)
    assert spent.xpoint_by_power == pytest.approx(15 * 12 / 6 * 6e-3)
    assert spent.total == pytest.approx(spent.dram_static + spent.dram_dynamic + spent.xpoint + spent.wires)
    light = ohm.energy.energy({**values(), ("optics", "laser_power"): 700.8}, "planar", "ohm-base", 6e-3)
    assert light.laser == pytest.approx(0.7008 / 6 * 6e-3)
    assert light.tuning == pytest.approx(200e-15 * 8 * 8e6)
    assert light.total - light.wires == pytest.approx(spent.total - spent.wires)


def test_energy_counts_the_memory_route_and_the_fills_of_reverse_writes():
    side = {("memory.controller[0]", "side_bytes"): 1e6}
    filled = {("memory.controller[0]", "reverse_writes"): 1000}
    swapped = ohm.energy.energy({**values(), **side}, "planar", "ohm-wom", 6e-3)
    assert swapped.dram_dynamic == pytest.approx(9e-12 * 8 * 5e6)
    assert swapped.wires == pytest.approx(200e-15 * 8 * 9e6)
    filled = ohm.energy.energy({**values(), **filled}, "two-level", "ohm-wom", 6e-3)
    assert filled.dram_dynamic == pytest.approx(9e-12 * 8 * (4e6 + 128e3))


def test_energy_of_memories_without_xpoint():
    found = {
        ("gpu.dispatcher", "cycles"): 7.2e6,
        ("memory.dram[0]", "activates"): 1,
        ("memory.dram[0]", "bus_bytes"): 4e6,
    }
    for platform, mode, gib in (("origin", "planar", 24), ("oracle", "planar", 108), ("oracle", "two-level", 390)):
        spent = ohm.energy.energy(found, mode, platform, 6e-3)
        assert spent.dram_static == pytest.approx(0.11 * gib / 6 * 6e-3)
        assert spent.xpoint == spent.xpoint_by_power == 0


def test_cost_is_the_paper_s_table():
    """Ohm-BW costs 7.6 and 13.5 % of a GPU; an oracle costs more than it gains."""
    assert ohm.cost.share_of_gpu("ohm-bw", "planar") == pytest.approx(7.6, rel=0.03)
    assert ohm.cost.share_of_gpu("ohm-bw", "two-level") == pytest.approx(13.5, rel=0.03)
    assert ohm.cost.memory("origin", "planar") == 0
    for mode in MACHINES:
        assert ohm.cost.performance_per_cost(0.88, "ohm-bw", mode) > ohm.cost.performance_per_cost(1, "oracle", mode)


def test_wear_is_of_the_paper_s_capacity():
    found = {
        ("gpu.dispatcher", "cycles"): 1.2e9,
        ("memory.controller[0]", "activates"): 1,
        ("memory.xpoint[0]", "media_writes"): 1e6,
        ("memory.xpoint[0]", "lines_written.peak"): 1e5,
        ("memory.xpoint[0]", "most_writes.peak"): 40,
        ("memory.xpoint[0]", "gap_moves"): 9,
    }
    wear = ohm.wear.wear(found, "planar", 1.0)
    assert (wear.writes, wear.gap_moves, wear.most, wear.mean) == (1e6, 9, 40, 10)
    lines = 96 * 2**30 / 256
    assert wear.years == pytest.approx(1e8 * lines / 6e6 / (365.25 * 86400))


@pytest.mark.parametrize("mode", MACHINES)
@pytest.mark.parametrize("assumption", assumptions.of("ohm"), ids=lambda a: a.variant.strip())
def test_every_assumption_can_be_set_where_it_applies(assumption, mode):
    changes = [word for word in assumption.options if word != "--set"]
    for platform in ("origin", "ohm-base", "ohm-wom", "oracle"):
        if assumption.applies(mode, platform):
            assert build.build(machine(mode, platform), changes=changes)


def test_the_busiest_part_is_the_limit_or_else_the_latency():
    def use(**busy):
        return ohm.limits.uses(
            {
                ("gpu.dispatcher", "cycles"): 1200,
                ("gpu.sm[0]", "warp_instructions"): busy.get("issue", 0),
                ("gpu.sm[1]", "warp_instructions"): 0,
                ("gpu.l2[0]", "bank_busy"): busy.get("l2", 0),
                ("memory.controller[0]", "channel_time"): busy.get("channel", 0),
                ("memory.xpoint[0]", "media_time"): busy.get("media", 0),
            },
            1e-6,
        )

    assert use(issue=600)["issue"] == 0.25 and use(l2=600)["l2"] == 0.5  # of 1000 ns
    assert use(channel=500)["channel"] == 0.5 and use(media=8000)["media"] == 0.5
    assert ohm.limits.limit(use(channel=700)) == "channel" and ohm.limits.limit(use(channel=699)) == "latency"
    assert ohm.limits.limit(use(channel=700, media=16 * 701)) == "media" and ohm.limits.limit(use(l2=841)) == "l2"


def test_accesses_are_counted_as_table_ii_can_be_meant():
    found = {
        ("gpu.dispatcher", "lane_accesses"): 9000,
        ("gpu.dispatcher", "thread_instructions"): 90000,
        ("gpu.sm[0]", "warp_instructions"): 2000,
        ("gpu.sm[0]", "thread_instructions"): 40000,
        ("gpu.sm[0]", "memory_instructions"): 300,
        ("gpu.sm[0]", "requests"): 400,
        ("gpu.sm[0]", "read_requests"): 300,
        ("gpu.l2[0]", "accesses"): 100,
        ("gpu.l2[0]", "fetches"): 60,
        ("gpu.l2[0]", "writebacks"): 15,
        ("gpu.l2[1]", "passed_on"): 5,
    }
    assert ohm.limits.countings(found) == {
        "lane/thread": 100,
        "instruction/warp": 150,
        "L1/warp": 200,
        "L2/warp": 50,
        "memory/warp": 40,
        "L1/thread": 10,
        "L2/thread": 2.5,
        "memory/thread": 2,
    }
    assert ohm.limits.COUNTING in ohm.limits.countings(found)
    assert ohm.limits.reads(found) == {"L1": 0.75, "memory": 0.75}
    assert ohm.limits.agree(10, 20) and ohm.limits.agree(40, 20)
    assert not ohm.limits.agree(9.9, 20) and not ohm.limits.agree(40.1, 20)


def test_the_wires_of_a_memory_take_the_share_of_their_transfers():
    found = {
        ("memory.dram[0]", "activates"): 21,
        ("memory.dram[0]", "precharges"): 21,
        ("memory.dram[0]", "row_misses"): 15,
        ("memory.dram[0]", "row_hits"): 6,
        ("memory.dram[0]", "bus_bytes"): 9200,
    }
    # 21 x (25 + 10 + 11) cycles of 2.1 GHz are 460 ns, 9200 bytes at 60 GB/s a third of that.
    assert ohm.energy.wires_of_time(found) == pytest.approx(0.25)
    assert ohm.energy.wires_of_energy(found, 0.0) == pytest.approx(5 / 14)
    assert ohm.energy.wires_of_time({}) == 0


@pytest.mark.parametrize("options, measured", [([], 200_000), (["--first-touch"], 400_000)])
def test_statistics_begin_in_the_middle_of_the_region(memsim_command, tmp_path, options, measured):
    job = (ROOT / "configs/ohm_planar.py", "--workload", "FDTD", "--scale", "tiny", "--max-instructions", "400000")
    memsim_command("-d", tmp_path / "out", *job, *options)
    query = "SELECT value FROM result WHERE path = 'gpu.dispatcher' AND name = 'executed'"
    with contextlib.closing(sqlite3.connect(tmp_path / "out/stats.db")) as database:
        ((executed,),) = database.execute(query)
    assert measured - 5000 < executed < measured + 10_000
