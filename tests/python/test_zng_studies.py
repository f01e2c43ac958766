"""Scripts that ZnG's studies of peaks and of pages run."""
import argparse
import re
import sqlite3
from pathlib import Path

import pytest
from memsim import study
from memsim.systems import zng
from memsim.study.verdict import LABELS

CONFIGS = Path(__file__).parents[2] / "configs"


def gb_per_second(memsim_command, *arguments):
    done = memsim_command(CONFIGS / "zng_peak.py", *arguments)
    return float(re.search(r": ([\d.]+) GB/s", done.stdout)[1])


@pytest.mark.parametrize(
    "memory, least, most", [("ideal", 170, 192.4), ("desktop", 45, 51.2), ("optane", 20, 39.5)]
)  # a row of 2 KiB takes 953 ns to open and close, and a controller's queue names few of them
def test_a_memory_under_load_gives_at_most_what_its_pins_do(memsim_command, memory, least, most):
    assert least < gb_per_second(memsim_command, "--memory", memory, "--time", "200us") <= most


def test_hybridgpu_gives_what_its_slowest_part_does(memsim_command):
    # Random lines: a page each, and 5 cores take 5 us for a page. In the buffer: its DRAM.
    random = memsim_command(
        CONFIGS / "zng_peak.py", "--memory", "hybridgpu", "--pattern", "random", "--warm", "500us", "--time", "1ms"
    )
    pages = float(re.search(r"([\d.]+) GB/s of pages", random.stdout)[1])
    assert pages == pytest.approx(4.096, rel=0.03)
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
    made = {p: zng.machine(p, zng.workloads.programs("back", "tiny")) for p in zng.assumptions.EVERY}
    for a in zng.assumptions.ALL:
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


def test_each_claim_is_judged_by_one_study():
    scripts = {p.name: p.read_text() for p in (CONFIGS / "studies" / "zng").glob("*.py")}
    for id in study.claims("zng"):
        assert len([name for name, text in scripts.items() if f'"{id}"' in text]) == 1, id


def test_bandwidth_of_arrays_is_of_useful_bytes():
    """Of one SM of sixteen in a second: lines that were asked for of what was sensed, lines that were written of what
    was programmed; of HybridGPU pages, since its buffer asks for them."""
    run = {("gpu.dispatcher", "cycles"): 1.2e9, ("gpu.dispatcher", "ipc"): 1, ("gpu.sm[0]", "issued"): 1}
    flash = {
        ("flash.package[0]", name): value
        for name, value in dict(
            senses=1000, programs=1000, useful_bytes=3e9, programmed_bytes=2e9, sensed_bytes=4096e3
        ).items()
    }
    drive = {("ssd.channel[0]", "reads"): 1e6, ("ssd.channel[0]", "programs"): 1e6}
    assert zng.points.metrics({**run, **flash})["array_bandwidth"] == pytest.approx(16 * 5)
    assert zng.points.metrics({**run, **drive})["array_bandwidth"] == pytest.approx(16 * 2 * 4.096)


@pytest.mark.parametrize("page_reads, pages_read, expected", [(0, 0, 0), (5, 5, 0), (15, 5, 2)])
def test_a_program_that_reads_no_page_reads_none_again(page_reads, pages_read, expected):
    run = {
        ("gpu.dispatcher", "cycles"): 1.2e9,
        ("gpu.dispatcher", "ipc"): 1,
        ("gpu.sm[0]", "issued"): 1,
        ("flash.package[0]", "page_reads"): page_reads,
        ("flash.package[0]", "pages_read"): pages_read,
    }
    assert zng.points.metrics(run)["re_accesses"] == expected


def judged(workloads, *ids, scale="judge", every=zng.workloads.PAIRS):
    args = argparse.Namespace(
        scale=scale, max_instructions=0, workloads=workloads, all_workloads=every, jobs=1, seeds=1
    )
    fig = zng.points.Points("test", args)
    for id in ids:
        fig.claim(id, 1.5)
    return [v.word == "too small to judge" for v in fig.verdicts]


def test_a_claim_is_judged_on_all_workloads_that_it_names_or_its_figure_averages():
    pairs, all_but_one = list(zng.workloads.PAIRS), list(zng.workloads.PAIRS[1:])
    assert judged(pairs, "zng-03") == [False] and judged(all_but_one, "zng-03") == [True]
    assert judged(pairs, "zng-03", scale="default") == [True]
    # Fig. 17 is of one pair, Fig. 15a of eight copies of one program: not of all sixteen.
    assert judged(["betw-back"], "zng-29", "zng-06") == [False, True]
    assert judged(["betw*8"], "zng-39", every=("betw", "back")) == [False]
    assert judged(["betw*4"], "zng-39", every=("betw", "back")) == [True]
    few = ["betw", "gaus", "gc1", "gram"]
    assert judged(few, "zng-16", "zng-19", "zng-22", every=zng.workloads.TABLE_II) == [True] * 3


def test_each_claim_has_a_label_and_names_workloads_that_there_are():
    for id, claim in study.claims("zng").items():
        assert claim.label in LABELS, id
        named = zng.points.named(id)
        assert named or claim.workloads in ("all pairs", "all", "12 workloads", "-"), id
        for text in named:
            zng.workloads.names(text)
