"""Scripts that ZnG's studies of peaks and of pages run."""
import re
import sqlite3
from pathlib import Path

import pytest
from memsim import study
from memsim.systems import zng

CONFIGS = Path(__file__).parents[2] / "configs"


def gb_per_second(memsim_command, *arguments):
    done = memsim_command(CONFIGS / "zng_peak.py", *arguments)
    return float(re.search(r": ([\d.]+) GB/s", done.stdout)[1])


@pytest.mark.parametrize("memory, least, most", [
    ("ideal", 170, 192.4), ("desktop", 45, 51.2), ("optane", 33, 39.5)])
def test_a_memory_under_load_gives_nearly_what_its_pins_do(memsim_command, memory, least, most):
    assert least < gb_per_second(memsim_command, "--memory", memory, "--time", "200us") <= most


def test_hybridgpu_gives_what_its_slowest_part_does(memsim_command):
    # Random lines: a page each, and 5 cores take 5 us for a page. In the buffer: its DRAM.
    random = memsim_command(CONFIGS / "zng_peak.py", "--memory", "hybridgpu", "--pattern", "random",
                            "--warm", "500us", "--time", "1ms")
    pages = float(re.search(r"([\d.]+) GB/s of pages", random.stdout)[1])
    assert pages == pytest.approx(4.096, rel=0.03)
    held = gb_per_second(memsim_command, "--memory", "hybridgpu", "--range", 8 << 20, "--warm", "10ms")
    assert 5.5 < held <= 6.4


def test_pages_by_place(memsim_command):
    done = memsim_command(CONFIGS / "zng_pages.py", "--workload", "back", "--scale", "tiny")
    by_sms, by_l1s, by_l2 = map(float, re.search(
        r"reads per page of \d+: ([\d.]+) by SMs, ([\d.]+) behind L1s, ([\d.]+) behind", done.stdout).groups())
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
        last = dict(database.execute(
            "SELECT name, sum(value) FROM samples WHERE tick = (SELECT max(tick) FROM samples) GROUP BY name"))
    assert last["application_requests[0]"] > 100 and last["application_requests[1]"] > 100


def test_each_claim_is_judged_by_one_study():
    scripts = {p.name: p.read_text() for p in (CONFIGS / "studies" / "zng").glob("*.py")}
    for id in study.claims("zng"):
        assert len([name for name, text in scripts.items() if f'"{id}"' in text]) == 1, id
