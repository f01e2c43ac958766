"""The resume oracle for CMD's platforms, with contents."""
from pathlib import Path

import pytest
from memsim.systems import cmd

CONFIG = Path(__file__).parents[2] / "configs" / "cmd.py"


@pytest.mark.parametrize("platform", cmd.platforms())
def test_a_platform_saved_restored_and_perturbed(survives, platform):
    machine = [CONFIG, "--platform", platform, "--workload", "cfd", "--scale", "tiny", "--check-contents"]
    survives(*machine)
