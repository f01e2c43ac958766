"""configs/zng_flash.py and systems/zng/flash.py."""
import subprocess
from pathlib import Path

import pytest

from memsim.systems import zng

CONFIG = Path(__file__).parents[2] / "configs" / "zng_flash.py"


@pytest.mark.parametrize("network", ["none", "swnet", "fcnet", "nif"])
def test_zngs_flash_under_random_lines(memsim_command, network):
    done = memsim_command(
        CONFIG,
        "--controllers",
        2,
        "--packages",
        2,
        "--register-network",
        network,
        "--registers",
        2,
        "--blocks",
        4,
        "--requests",
        1500,
        "--read-share",
        "50%",
    )
    assert "found their page in a register" in done.stdout


def test_a_controller_stands_beside_its_channels_package():
    assert zng.backbone.places(4, 4, 4, 2) == "0 1 2 3 0 0 1 1 2 2 3 3"
    assert zng.backbone.places(16, 2, 4, 1) == "0 8 0 4 8 12"


@pytest.mark.slow
def test_memory_usage_follows_accesses(tmp_path):
    """1 GiB of accesses to 1.25 TB of data: 262,144 pages, nearly each in another block, read or written."""
    memsim = Path(__file__).parents[2] / "build" / "memsim"
    # The system counts memory from before exec() as well, so a small process starts memsim.
    starter = (
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], check=True)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
    )
    done = subprocess.run(
        [
            "/usr/bin/python3",
            "-c",
            starter,
            memsim,
            CONFIG,
            "--blocks",
            str(16 * 64 * 796 // 16),
            "--requests",
            str(2**18 // 16),
            "--read-share",
            "90%",
        ],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    assert int(done.stdout.split()[-1]) < 2**20  # KiB
