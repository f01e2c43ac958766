"""configs/zng_flash.py and systems/zng_flash.py."""
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
