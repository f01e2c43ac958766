"""Scripts that ZnG's studies of peaks and of pages run."""
import re
from pathlib import Path

import pytest

CONFIGS = Path(__file__).parents[2] / "configs"


def gb_per_second(memsim_command, *arguments):
    done = memsim_command(CONFIGS / "zng_peak.py", *arguments)
    return float(re.search(r": ([\d.]+) GB/s", done.stdout)[1])


@pytest.mark.parametrize("memory, least, most", [
    ("ideal", 170, 192.4), ("desktop", 45, 51.2), ("optane", 37, 39.5)])
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
