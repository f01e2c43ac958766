"""The resume oracle for all platforms of Ohm-GPU, in both modes."""
from pathlib import Path

import pytest
from memsim.systems import ohm

CONFIGS = Path(__file__).parents[2] / "configs"
SCRIPTS = {"planar": CONFIGS / "ohm_planar.py", "two-level": CONFIGS / "ohm_two_level.py"}
PLATFORMS = [(mode, platform) for mode in SCRIPTS for platform in ohm.platforms(mode)]


@pytest.mark.parametrize("mode, platform", PLATFORMS)
def test_a_platform_saved_restored_and_perturbed(survives, mode, platform):
    machine = [
        SCRIPTS[mode],
        "--platform",
        platform,
        "--workload",
        "FDTD",
        "--scale",
        "tiny",
        "--max-instructions",
        "200000",
    ]
    survives(*machine)
