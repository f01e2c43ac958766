"""Scripts of ZnG's studies of peak rates and of pages."""
import re
import sqlite3
from pathlib import Path

import pytest
from memsim.study import paper
from memsim.study.command import parsed
from memsim.study.figure import Figure
from memsim.study.metric import Run
from memsim.study import assumptions
from memsim.systems import zng

CONFIGS = Path(__file__).parents[2] / "configs"


def gb_per_second(memsim_command, *arguments):
    done = memsim_command(CONFIGS / "zng_peak.py", *arguments)
    return float(re.search(r": ([\d.]+) GB/s", done.stdout)[1])


@pytest.mark.parametrize(
    "memory, least, most", [("ideal", 170, 192.4), ("desktop", 45, 51.2), ("optane", 20, 39.5)]
)  # a row of 2 KiB takes 953 ns to open and close, and the requests of a queue are to few rows
def test_the_bandwidth_of_a_memory_under_load_is_at_most_that_of_its_pins(memsim_command, memory, least, most):
    assert least < gb_per_second(memsim_command, "--memory", memory, "--time", "200us") <= most


def test_hybridgpu_has_the_bandwidth_of_its_slowest_part(memsim_command):
    # Each random line needs a page, and 5 cores take 4.1 us for a page: the paper's 5 GB/s. Hits in the buffer: its DRAM.
    random = memsim_command(
        CONFIGS / "zng_peak.py", "--memory", "hybridgpu", "--pattern", "random", "--warm", "500us", "--time", "1ms"
    )
    pages = float(re.search(r"([\d.]+) GB/s of pages", random.stdout)[1])
    assert pages == pytest.approx(5.0, rel=0.03)
    held = gb_per_second(memsim_command, "--memory", "hybridgpu", "--range", 8 << 20, "--warm", "10ms")
    assert 5.5 < held <= 6.4


def test_pages_by_place(memsim_command):
    done = memsim_command(CONFIGS / "zng_pages.py", "--workload", "back", "--scale", "tiny")
    by_sms, by_l1s, by_l2 = map(
        float,
        re.search(
            r"reads per page of \d+: ([\d.]+) by SMs, ([\d.]+) behind L1s, ([\d.]+) behind", done.stdout
        ).groups(),
    )
    assert by_sms > by_l1s > 1 and by_l2 > 1
    assert memsim_command(CONFIGS / "zng_pages.py", "--workload", "bakc", expect=2)


def test_each_assumption_is_a_parameter_of_its_platforms():
    made = {p: zng.machine(p, zng.workloads.programs("back", "tiny")) for p in zng.platforms()}
    for a in assumptions.of("zng"):
        for platform in a.platforms:
            for change in a.changes:
                part = made[platform]
                *path, parameter = change.partition("=")[0].split(".")
                for name in path:
                    part = getattr(part, name.removesuffix("[*]"))
                for one in part if isinstance(part, list) else [part]:
                    assert hasattr(one, parameter), (platform, change)


def test_requests_of_programs_over_time(memsim_command, tmp_path):
    done = memsim_command("-d", "out", CONFIGS / "zng_gc.py", "--scale", "tiny", "--every", "20us")
    assert "log blocks merged" in done.stdout and "back: " in done.stdout
    with sqlite3.connect(tmp_path / "out/stats.db") as database:
        last = dict(
            database.execute(
                "SELECT name, sum(value) FROM samples WHERE tick = (SELECT max(tick) FROM samples) GROUP BY name"
            )
        )
    assert last["application_requests[0]"] > 100 and last["application_requests[1]"] > 100


def test_bandwidth_of_arrays_is_of_useful_bytes():
    """For one of sixteen SMs: the requested share of sensed bytes, and the written share of programmed bytes. For HybridGPU
    in pages, because its buffer requests pages."""
    run = {("gpu.dispatcher", "cycles"): 1.2e9, ("gpu.sm[0]", "issued"): 1}
    flash = {
        ("flash.package[0]", name): value
        for name, value in dict(
            senses=1000, programs=1000, useful_bytes=3e9, programmed_bytes=2e9, sensed_bytes=4096e3
        ).items()
    }
    drive = {("ssd.channel[0]", "reads"): 1e6, ("ssd.channel[0]", "programs"): 1e6}
    assert zng.metrics.array_bandwidth(Run.of({**run, **flash}, 1.2e9)) == pytest.approx(16 * 5)
    assert zng.metrics.array_bandwidth(Run.of({**run, **drive}, 1.2e9)) == pytest.approx(16 * 2 * 4.096)


@pytest.mark.parametrize("page_reads, pages_read, expected", [(0, 0, 0), (5, 5, 0), (15, 5, 2)])
def test_a_program_that_reads_no_page_reads_none_again(page_reads, pages_read, expected):
    values = {("flash.package[0]", "page_reads"): page_reads, ("flash.package[0]", "pages_read"): pages_read}
    assert zng.metrics.re_accesses(Run.of(values, 1.2e9)) == expected


def judged(figure, workloads, *ids, scale="judge"):
    """Whether a figure that was run on these workloads is too small to judge its claims."""
    name, zng_paper = figure, paper.load("zng")
    args = parsed(zng_paper, zng_paper.figures[name], ["--scale", scale, "--workloads", *workloads])
    fig = Figure(zng_paper, zng_paper.figures[name], args)
    for id in ids:
        fig.claim(id, 1.5)
    return [v.word == "too small to judge" for v in fig.verdicts]


def test_a_claim_is_judged_on_all_workloads_that_it_names_or_its_figure_averages():
    pairs, all_but_one = list(zng.workloads.PAIRS), list(zng.workloads.PAIRS[1:])
    assert judged("fig10", pairs, "zng-03") == [False] and judged("fig10", all_but_one, "zng-03") == [True]
    assert judged("fig10", pairs, "zng-03", scale="default") == [True]
    # Fig. 17 has one pair and Fig. 15a eight copies of one program, not all sixteen workloads.
    assert judged("fig10", ["betw-back"], "zng-29", "zng-06") == [False, True]
    assert judged("fig15a", ["betw*8"], "zng-39") == [False]
    assert judged("fig15a", ["betw*4"], "zng-39") == [True]
    assert judged("fig12", ["betw", "gaus", "gc1", "gram"], "zng-16", "zng-19", "zng-22") == [True] * 3
