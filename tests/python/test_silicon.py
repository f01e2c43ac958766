"""Presets of NVIDIA's chips and `memsim silicon`: the figures, their references, and the machines."""

import dataclasses
from pathlib import Path

import pytest

import memsim
from memsim import systems
from memsim.silicon import benchmarks
from memsim.silicon.benchmarks import BENCHMARKS
from memsim.silicon.comparison import Row, line, measure, page, summary, write
from memsim.silicon.points import Point, chips, points_of
from memsim.systems import nvidia
from memsim.units import Bytes


def point(benchmark: str = "read", at: str = "50%", value: float = 100, low: float = 100, high: float = 100) -> Point:
    return Point("a100-80gb", benchmark, at, value, low, high, "a source", False)


@pytest.mark.parametrize("chip", chips())
def test_every_chip_with_figures_is_a_preset(chip: str) -> None:
    assert chip in nvidia.CHIPS
    points = list(points_of(chip))
    assert {p.benchmark for p in points} <= set(BENCHMARKS)
    assert any(p.value is not None and not p.used for p in points), "nothing judges the preset"
    for p in points:
        assert p.source and (p.value is None or p.low <= p.value <= p.high)


def test_a_figure_agrees_up_to_its_tolerance_or_in_the_range_of_its_sources() -> None:
    assert point().agrees(105) and not point().agrees(105.1)
    assert point().agrees(95) and not point().agrees(94.9)
    assert point(low=70, high=130).agrees(130) and not point(low=70, high=130).agrees(130.1)
    assert point("chase", "32KiB").agrees(110) and not point("chase", "32KiB").agrees(110.2)


def test_a_row_shows_used_and_agreeing_figures() -> None:
    rows = [Row(point(), 104), Row(point(), 120)]
    assert line(rows[0]).endswith("+4.0%  agrees") and line(rows[1]).endswith("+20.0%  differs")
    assert summary(rows) == "1 of 2 judged figures agree; 0 were used to infer the preset"
    assert "| read | 50% | GB/s | 100 |  | 120 | +20.0 % | differs |" in page("a100-80gb", rows)


def test_a_place_without_a_measured_figure_shows_ours_alone() -> None:
    row = Row(Point("a100-80gb", "bank_conflicts", "2-way", None, 0, 0, "no source", False), 25)
    assert row.verdict == "no measurement"
    assert line(row).split() == ["bank_conflicts", "2-way", "25", *row.verdict.split()]
    assert summary([row]) == "0 of 0 judged figures agree; 0 were used to infer the preset"
    assert "| bank_conflicts | 2-way | cycles |  |  | 25 |  | no measurement |" in page("a100-80gb", [row])


def test_a_conflict_of_n_words_costs_n_cycles() -> None:
    cycles = {at: BENCHMARKS["bank_conflicts"].measure("a100-80gb", at) for at in ("1-way", "2-way", "32-way")}
    assert cycles == {"1-way": 24, "2-way": 25, "32-way": 55}


def test_atomics_of_a_v100_to_one_address_are_those_of_the_chip() -> None:
    for p in points_of("v100-pcie"):
        if p.benchmark in ("atomic_latency", "atomic_rate") and p.value is not None:
            assert abs(p.error(measure(p).ours)) < 0.05


def test_a_note_stands_with_the_source() -> None:
    row = Row(Point("a100-80gb", "slice_read", "one-SM", 34, 34, 34, "a source", False, "A note."), 80)
    assert "- Source of slice_read: a source. A note.\n" in page("a100-80gb", [row])


def test_reads_of_a_slice_are_of_one_slice_and_not_of_an_l1() -> None:
    root = memsim.Root(seed=1)
    root.program = memsim.workload.Program(name="slice_read", size=80, iterations=2)
    root.gpu = systems.a100(sms=2, hash_rounds=0, dispatcher=dict(pause_at_launch=1))
    root.program.dispatcher = root.gpu.dispatcher.host
    with memsim.Simulation(root) as machine:
        machine.simulate()
        machine.stats.reset()
        machine.simulate()
        assert [float(l2.stats.accesses) for l2 in root.gpu.l2] == [2 * 2048] + 79 * [0]
        assert all(l1.stats.hits == 0 for l1 in root.gpu.l1)


def test_a_gpc_reads_a_slice_at_the_rate_of_its_port() -> None:
    rate = BENCHMARKS["slice_read"].measure("a100-80gb", "one-GPC")
    assert 0.98 * 64 * 1.41 < rate <= 64 * 1.41


@pytest.mark.parametrize("chip, spread", [("v100-pcie", 36), ("a100-80gb", 37), ("h100-sxm", 13)])
def test_the_latency_of_a_slice_depends_on_its_place_with_the_mean_of_the_chase(chip: str, spread: int) -> None:
    least, most = (BENCHMARKS["slice_chase"].measure(chip, at) for at in ("least", "most"))
    assert most - least == pytest.approx(2 * spread, abs=0.01)
    assert (least + most) / 2 == pytest.approx(BENCHMARKS["chase"].measure(chip, "2MiB"), rel=0.01)


def test_an_sm_reads_near_and_far_slices_at_one_rate() -> None:
    """Jin et al., MICRO 2024: 34 GB/s with a standard deviation of 0.147 GB/s over SMs and slices of the V100."""
    rate = {spread: _rate_of_a_slice(spread) for spread in ("0ns", "26ns")}
    assert rate["26ns"] == pytest.approx(rate["0ns"], rel=0.03)


def _rate_of_a_slice(spread: str) -> float:
    """GB/s of one SM that reads the nearest slice of a V100."""
    changes = dict(sms=1, hash_rounds=0, l2=dict(capacity="24MiB"), network=dict(spread=spread))
    of = dict(dispatcher=dict(pause_at_launch=1), **changes)
    cycles = benchmarks._cycles("v100-pcie", "slice_read", 64, 1, **of)
    return benchmarks.SLICE_BYTES / cycles * 1.38


@pytest.mark.parametrize(
    "chip, gpcs, limited", [("v100-pcie", 6, 40), ("a100-80gb", 7, 0), ("h100-pcie", 7, 19), ("h100-sxm", 8, 22)]
)
def test_sms_are_in_tpcs_cpcs_and_gpcs(chip: str, gpcs: int, limited: int) -> None:
    """Links of V100's TPCs and of H100's CPCs limit writes; the others are as wide as their ports."""
    of = nvidia.chip(chip)
    assert -(-of.sms // of.fabric.gpc) == gpcs
    root = memsim.Root(seed=1)
    root.program = memsim.workload.Program(name="vadd", size=12)
    root.gpu = of.gpu()
    root.program.dispatcher = root.gpu.dispatcher.host
    with memsim.Simulation(root) as machine:
        machine.simulate()
        stats = root.gpu.network.stats
        assert all(float(stats.request_link_stalls[i]) >= 0 for i in range(limited))
        for links, first in ((stats.request_link_stalls, limited), (stats.response_link_stalls, 0)):
            with pytest.raises(memsim.Error):
                float(links[first])


def test_two_sms_copy_twice_as_much_as_one() -> None:
    one, two = (BENCHMARKS["copy_sms"].measure("h100-sxm", at) for at in ("1", "2"))
    assert 1.9 < two / one < 2.1


def test_a_load_of_the_hosts_memory_takes_the_way_of_the_link_and_back() -> None:
    """PCIe has 250 ns a way whatever its generation; its packets take 2 ns longer on half the rate."""
    four, five = (BENCHMARKS["host_chase"].measure("h100-pcie", at) for at in ("PCIe4", "PCIe5"))
    assert 2 * 250 + 100 < five < four < five + 20


def test_reads_of_the_hosts_memory_fill_the_link() -> None:
    rate = {at: BENCHMARKS["host_read"].measure("h100-pcie", at) for at in ("PCIe3", "PCIe5")}
    raw = 8 * 16 * 128 / 130 / 8  # GB/s of generation 3
    assert rate["PCIe3"] == pytest.approx(raw * 128 / (128 + 24), rel=0.01)
    assert rate["PCIe5"] == pytest.approx(4 * rate["PCIe3"], rel=0.01)


def test_wgmma_of_few_columns_is_limited_by_the_port_of_shared_memory() -> None:
    """An operation of m64nNk16 reads 2 KiB and 32 N bytes at 128 B a cycle; 512 N products a cycle take N / 2 cycles."""
    rate = {n: BENCHMARKS["matrix_rate"].measure("h100-pcie", f"m64n{n}k16") for n in (32, 64, 256)}
    assert rate[32] == pytest.approx(100 * 16 / 24, rel=0.02)
    assert rate[64] == pytest.approx(100, rel=0.03) and rate[256] == pytest.approx(100, rel=0.03)


@pytest.mark.parametrize("chip", ["v100-pcie", "a100-80gb", "h100-pcie"])
def test_arithmetic_has_the_latencies_and_rates_of_the_chips_units(chip: str) -> None:
    found = [p for p in points_of(chip) if p.benchmark.startswith("arithmetic_")]
    assert len(found) == 8
    for p in (p for p in found if p.value is not None):
        tolerance = 0.06 if p.benchmark == "arithmetic_latency" and not p.used else 0.001
        assert abs(p.error(measure(p).ours)) <= tolerance, p


def test_latencies_of_an_a100_are_those_of_the_chip() -> None:
    for p in points_of("a100-80gb"):
        if p.benchmark == "chase" and p.at in ("32KiB", "8MiB"):
            assert abs(p.error(measure(p).ours)) < 0.02


def test_a_chase_rises_slowly_at_a_partition_and_at_the_whole_l2(monkeypatch: pytest.MonkeyPatch) -> None:
    """With lru nearly all hops miss at 1.125 of either; in the first round all miss at 1.125 of the L2."""
    few = dict(sms=2, slices=8, channels=8, l1="16KiB")
    monkeypatch.setattr(nvidia, "CHIPS", {"few": dataclasses.replace(nvidia.H100_PCIE, l2="1280KiB")})
    monkeypatch.setattr(nvidia.Chip, "gpu", lambda self, gpu=nvidia.Chip.gpu, **changes: gpu(self, **few, **changes))
    hits, first, near, second, none = (benchmarks.chase("few", f"{kib}KiB") for kib in (480, 720, 1120, 1440, 2240))
    assert hits < 270 < near < none
    assert 0.6 < (first - hits) / (near - hits) < 0.8  # 0.71 of lines used in turn miss in a model of one set
    assert 0.6 < (second - near) / (none - near) < 0.8


def test_a_stream_that_ends_in_its_window_is_no_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    """Writes are in flight when their blocks end, so that a run that goes beyond the last block has a rate, too."""
    few = dict(sms=2, slices=8, channels=8)
    monkeypatch.setattr(nvidia, "CHIPS", {"few": nvidia.H100_PCIE})
    monkeypatch.setattr(nvidia.Chip, "gpu", lambda self, gpu=nvidia.Chip.gpu, **changes: gpu(self, **few, **changes))
    monkeypatch.setattr(benchmarks, "ELEMENTS", 4 * 1024 * 1024)
    assert benchmarks.write("few", "100%") > 0
    monkeypatch.setattr(benchmarks, "ELEMENTS", 16 * 1024)
    with pytest.raises(AssertionError, match="increase ELEMENTS"):
        benchmarks.write("few", "100%")


def test_an_h200_is_an_h100_with_six_stacks() -> None:
    gpu = systems.h200(sms=2)
    assert len(gpu.memory) == len(gpu.l2) == 96
    assert gpu.memory[0].timing == systems.h100(sms=2).memory[0].timing == "hbm3"
    assert "rate=25000MB/s" in gpu.memory[0].changes  # 4.8 TB/s over 192 pseudo-channels


def test_any_memory_is_placed_under_a_preset() -> None:
    root = memsim.Root(seed=1)
    root.program = memsim.workload.Program(name="vadd", size=5000)
    root.gpu = systems.h100(
        memory=lambda i, interleave: memsim.mem.SimpleMemory(latency="300ns"), sms=4, slices=8, channels=8, l2="5MiB"
    )
    root.program.dispatcher = root.gpu.dispatcher.host
    with memsim.Simulation(root) as machine:
        machine.simulate()
        assert root.gpu.memory[0].stats.reads > 0


def test_a_users_memory_has_the_queue_of_the_preset_unless_it_sets_one() -> None:
    """With the 8 places of the component, the long way to the memory would bound the rate."""
    few = dict(sms=1, slices=8, channels=8, l2="5MiB")
    own = systems.h100(memory=lambda i, interleave: memsim.mem.SimpleMemory(), **few)
    assert own.memory[7].queue == systems.h100(**few).memory[7].queue == 256
    assert systems.h100(memory=lambda i, interleave: memsim.mem.SimpleMemory(queue=8), **few).memory[7].queue == 8
    assert systems.h100(memory="ddr5_4800", **few).memory[7].queue == 256
    assert systems.h100(memory=dict(timing="ddr5_4800", queue=8), **few).memory[7].queue == 8


def test_another_timing_table_has_nothing_of_the_chips_memory() -> None:
    few = dict(sms=1, slices=8, channels=8, l2="5MiB")
    named, given = systems.h100(memory="ddr5_4800", **few), systems.h100(memory=dict(timing="ddr5_4800"), **few)
    for gpu in (named, given):
        assert gpu.memory[0].timing == "ddr5_4800" and gpu.memory[0].changes == ""
        assert gpu.memory[0].pseudo_channels == 1
    assert "rate=" in systems.h100(memory=dict(queue=64), **few).memory[0].changes


def test_a_dict_changes_single_parameters_of_a_preset() -> None:
    gpu = systems.a100(memory="40GB", l1=dict(capacity="64KiB"), sms=2)
    assert str(gpu.l1[0].capacity) == "64KiB" and gpu.l1[0].mshrs == 512
    assert gpu.memory[0].timing == "hbm2"


def test_a_size_changes_the_capacity_of_a_cache_alone() -> None:
    gpu = systems.a100(l1="64KiB", l2="20MiB", sms=2)
    assert str(gpu.l1[0].capacity) == "64KiB" and gpu.l1[0].mshrs == 512
    assert gpu.l2[0].mshrs == 192 and gpu.l2[0].ways == 16


def test_an_unknown_form_is_refused_with_the_known_ones() -> None:
    with pytest.raises(memsim.Error, match="h100-nvl.*h100-sxm"):
        systems.h100(form="nvl")


def test_two_points_make_no_curve_and_no_plot(tmp_path: Path) -> None:
    rows = [Row(point(at=f"{share}%"), 100) for share in (25, 50)]
    assert "svg" not in write("a100-80gb", rows, tmp_path).read_text()
    assert [file.name for file in tmp_path.iterdir()] == ["a100-80gb.md"]
    write("a100-80gb", [*rows, Row(point(at="100%"), 100)], tmp_path)
    assert (tmp_path / "a100-80gb.svg").exists()


def test_a_carve_out_takes_shared_memory_from_each_l1() -> None:
    def capacities(carve_out: str | Bytes | None) -> tuple[str, str]:
        gpu = systems.a100(sms=2, slices=4, channels=4, carve_out=carve_out)
        assert gpu.l1[0].capacity == gpu.l1[1].capacity
        return gpu.l1[0].capacity, gpu.dispatcher.shared

    assert capacities("0KiB") == ("192KiB", "0B")
    assert capacities("100KiB") == capacities(Bytes(100 << 10)) == ("92KiB", "100KiB")
    assert capacities(None) == ("192KiB", "164KiB")
    with pytest.raises(memsim.Error, match="there is no carve-out '96KiB'.*: it is one of 0KiB, 8KiB, .* 164KiB"):
        systems.a100(carve_out="96KiB")
    with pytest.raises(memsim.Error, match="there is no carve-out '100'.*: it is one of 0KiB"):
        systems.a100(carve_out=100)
