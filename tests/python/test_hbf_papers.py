"""Claims of papers on HBF: the programs' accesses, metrics, the papers' arithmetic, and how they are counted."""

import math

import numpy as np
import pytest

from memsim.errors import Error
from memsim.papers import hbf
from memsim.papers.hbf import arithmetic, kernels, metrics, workloads
from memsim.study import accuracy, claimed, paper
from memsim.study.metric import Run

PRODUCT = kernels.Product(2, 256, 512, (128, 256))


@pytest.mark.parametrize("layout", hbf.machines.LAYOUTS)
def test_a_product_reads_each_of_its_weights_once(layout):
    inside, start = PRODUCT.places(layout)
    read = (start[..., None] + inside).ravel()
    assert sorted(read) == list(range(0, PRODUCT.bytes, kernels.UNIT))


@pytest.mark.parametrize("layout, pages", [("row", 32), ("column", 128), ("tile", 16)])
def test_the_pages_of_a_tile_depend_on_the_layout(layout, pages):
    """A tile of 128 by 256 elements is 64 KiB: 16 pages, if they hold nothing else."""
    inside, start = kernels.Product(1, 1024, 512, (128, 256)).places(layout)
    assert len({*((start[0, 0] + inside) // 4096)}) == pages


def test_tiles_that_are_read_ahead_cover_the_latency():
    of = workloads.product("qwen", "judge")
    assert (of.blocks, of.steps, of.warps) == (42, 16, 4)
    # 819 GB/s x 1 us are 200 pages of 352 that 22 blocks read at once: two tiles, and the three that are there.
    assert kernels.depth_of(of, 819e9, 1e-6, 22) == 5
    assert kernels.depth_of(of, 819e9, 20e-6, 22) == 8  # groups of warps of a block


def test_a_platform_refuses_the_program_of_another():
    with pytest.raises(Error, match="stream-dash does not run 'qwen': of stream"):
        hbf.machine("stream-dash", "qwen")


def run(senses=0.0, read=0.0, asked=0.0):
    values = {("gpu.memory[0].far", "senses"): senses, ("gpu.memory[0].far", "bytes"): asked}
    return Run.of(values | {("gpu.l2[0]", "fetched_bytes"): read, ("gpu.dispatcher", "cycles"): 1e3}, 1e9)


def test_metrics_of_a_run():
    one = run(senses=10, read=20480, asked=20480)
    assert metrics.amplification(one) == 2 and metrics.useful(one) == 50
    assert metrics.array_bandwidth(one) == pytest.approx(40.96) and metrics.read_bandwidth(one) == pytest.approx(20.48)
    assert metrics.time(one) == pytest.approx(1)
    # 1e6 senses of a block, 1024 pages sensed twice in each of 50 steps a second.
    assert metrics.disturbed(one) == pytest.approx(1e6 / (2 * 1024 * 50))
    assert metrics.refreshed(one) == pytest.approx(metrics.disturbed(one) * 1e5 / 86400)
    assert math.isnan(metrics.amplification(run(read=20480))) and math.isnan(metrics.stream_bandwidth(one))


def test_arithmetic_of_the_papers():
    assert arithmetic.weight_load_limit() == pytest.approx(118.8e9, rel=0.001)
    assert arithmetic.rotation() == pytest.approx(13.1, rel=0.01) and arithmetic.refresh() == pytest.approx(54.2e-3)
    assert arithmetic.planes("hbflex") == 512 and arithmetic.writes("hbflex") == pytest.approx(27.96e9, rel=0.001)
    assert arithmetic.dash_years() == pytest.approx(0.645, rel=0.001)
    assert arithmetic.dash_years(512e9) == pytest.approx(1.6, rel=0.01), "the whole of a stack lasts longer"
    assert arithmetic.hiding_buffer() == pytest.approx(40e6) and arithmetic.planes_to_fill() == pytest.approx(11250)


def test_half_of_the_slots_give_half_of_the_bandwidth(in_tmp):
    import memsim

    found = []
    for channels in (2, 4):
        with memsim.Simulation(hbf.machine("hbf-sim", "pages-1024", channels=channels)) as machine:
            machine.simulate()
            found.append(machine.root.gpu.dispatcher.stats.cycles)
            assert machine.root.hbf.stats.senses == 1024
    assert np.divide(*map(float, found)) == pytest.approx(2, rel=0.05)


def test_papers_that_are_about_no_system_are_counted_apart():
    assert "hbf" in claimed.APART and set(claimed.SYSTEMS) == {"cmd", "cxl_gpu", "ohm", "sap", "zng"}
    lines = accuracy.block().splitlines()
    assert lines[0].startswith("Of the 235 claims of the five papers ")
    assert not any("| HBF |" in line for line in lines) and sum(line.startswith("Of the ") for line in lines) == 2
    assert lines[-1].startswith(
        f"Of the {len(paper.load('hbf').claims)} claims of seven other papers, on High Bandwidth Flash, "
    )


def test_each_claim_says_where_it_was_read():
    for id, claim in paper.load("hbf").claims.items():
        assert claim.stated.startswith("HBF-Sim, ") or claim.stated.endswith(", second-hand"), id
