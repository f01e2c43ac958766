"""Presets of NVIDIA's chips and `memsim silicon`: the figures, their references, and the machines."""

from pathlib import Path

import pytest

import memsim
from memsim import systems
from memsim.silicon import benchmarks
from memsim.silicon.benchmarks import BENCHMARKS
from memsim.silicon.comparison import Row, line, measure, page, summary, write
from memsim.silicon.points import Point, chips, points_of
from memsim.systems import nvidia


def point(benchmark: str = "read", at: str = "50%", value: float = 100, low: float = 100, high: float = 100) -> Point:
    return Point("a100-80gb", benchmark, at, value, low, high, "a source", False)


@pytest.mark.parametrize("chip", chips())
def test_every_chip_with_figures_is_a_preset(chip: str) -> None:
    assert chip in nvidia.CHIPS
    points = list(points_of(chip))
    assert {p.benchmark for p in points} <= set(BENCHMARKS)
    assert any(not p.used for p in points), "nothing judges the preset"
    for p in points:
        assert p.low <= p.value <= p.high and p.source


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


def test_latencies_of_an_a100_are_those_of_the_chip() -> None:
    for p in points_of("a100-80gb"):
        if p.benchmark == "chase" and p.at in ("32KiB", "8MiB"):
            assert abs(p.error(measure(p).ours)) < 0.02


def test_a_stream_that_ends_in_its_window_is_no_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    """Writes are in flight when their blocks end, so that a run that goes beyond the last block has a rate, too."""
    few = dict(sms=2, slices=8, channels=8)
    monkeypatch.setattr(nvidia, "CHIPS", {"few": nvidia.H100_PCIE})
    monkeypatch.setattr(nvidia.Chip, "gpu", lambda self, gpu=nvidia.Chip.gpu, **changes: gpu(self, **few, **changes))
    monkeypatch.setattr(benchmarks, "ELEMENTS", 1024 * 1024)
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
