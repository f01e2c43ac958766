"""A DRAM that caches a drive, as a GPU's physical memory."""
import re
from pathlib import Path

import pytest

CONFIG = Path(__file__).parents[2] / "configs" / "cached_drive.py"


def run(memsim_command, *arguments):
    text = memsim_command(CONFIG, "--scale", "10", *arguments).stdout
    assert "nothing left to do" in text
    return list(
        map(int, re.search(r"(\d+) hits, (\d+) merged, (\d+) misses; (\d+) evictions, (\d+) units", text).groups())
    )


def test_data_that_fit_are_fetched_once(memsim_command):
    hits, _, misses, evictions, out = run(memsim_command, "--dram", "1024")
    assert hits > misses > 0 and evictions == out == 0
    assert misses <= 1024 // 4


@pytest.mark.parametrize("policy", ["lru", "fifo", "clock"])
def test_data_that_do_not_fit_are_fetched_again(memsim_command, policy):
    _, _, misses, evictions, out = run(memsim_command, "--dram", "64", "--replacement", policy)
    assert evictions == misses - 64 // 4
    assert 0 < out <= evictions
    assert misses > run(memsim_command, "--dram", "1024")[2]


def test_an_unknown_policy_is_rejected(memsim_command):
    text = memsim_command(CONFIG, "--replacement", "lry", expect=1).stderr
    assert "PageCache.replacement: there is no page policy 'lry' (did you mean 'lru'?)" in text
