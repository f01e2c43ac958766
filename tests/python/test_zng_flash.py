"""configs/zng_flash.py and systems/zng_flash.py."""
import os
import subprocess
from pathlib import Path

import pytest

CONFIG = Path(__file__).parents[2] / "configs" / "zng_flash.py"


@pytest.mark.parametrize("network", ["none", "swnet", "fcnet", "nif"])
def test_zngs_flash_under_random_lines(memsim_command, network):
    done = memsim_command(CONFIG, "--controllers", 2, "--packages", 2, "--register-network", network,
                          "--registers", 2, "--blocks", 4, "--requests", 1500, "--read-share", "50%",
                          "--check-contents")
    assert "found their page in a register" in done.stdout
    assert "contents: 0 reads were wrong" in done.stdout


def test_a_mesh_that_is_too_small(memsim_command):
    refused = memsim_command(CONFIG, "--controllers", 10, expect=1)
    assert "10 controllers and 16 packages need as many routers; the mesh has 25" in refused.stderr


@pytest.mark.slow
def test_memory_is_what_was_touched(tmp_path):
    """1 GiB of 1.25 TB of data: 262,144 pages, nearly each in a block of its own, read or written, with the
    contents of all lines kept."""
    memsim = Path(__file__).parents[2] / "build" / "memsim"
    with (tmp_path / "out").open("w") as out:
        process = subprocess.Popen([memsim, CONFIG, "--blocks", str(16 * 64 * 796 // 6), "--requests",
                                    str(2**18 // 6), "--read-share", "90%", "--check-contents"],
                                   cwd=tmp_path, stdout=out)
        _, status, used = os.wait4(process.pid, 0)  # of this process alone
    assert status == 0
    assert "contents: 0 reads were wrong" in (tmp_path / "out").read_text()
    assert used.ru_maxrss < 2**20  # KiB
