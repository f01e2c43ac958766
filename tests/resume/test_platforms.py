"""The resume oracle over all platforms of Ohm-GPU, in both modes."""
from pathlib import Path

import pytest
from memsim.systems import ohm

CONFIGS = Path(__file__).parents[2] / "configs"
SCRIPTS = {"planar": CONFIGS / "ohm_planar.py", "two-level": CONFIGS / "ohm_two_level.py"}
PLATFORMS = [(mode, platform) for mode in SCRIPTS for platform in ohm.platforms(mode)]


@pytest.mark.parametrize("mode, platform", PLATFORMS)
def test_a_platform_saved_restored_and_perturbed(run, at, mode, platform):
    machine = [SCRIPTS[mode], "--platform", platform, "--workload", "FDTD", "--scale", "tiny",
               "--max-instructions", "200000"]
    whole = run("-d", "whole", *machine)
    content = run.content("whole")
    cut = run("-d", "cut", *at(run.moments("whole", 2)), *machine)
    assert cut.stdout == whole.stdout and run.content("cut") == content
    for file in (run.directory / "cut").glob("*.ckpt"):
        assert run("--restore", file).stdout == whole.stdout, file
        assert run.content("cut") == content, file
    run("-d", "perturbed", "--perturb-wakes", 1, *machine)
    assert run.content("perturbed") == content
