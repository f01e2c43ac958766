"""The resume oracle over ZnG's platforms."""
from pathlib import Path

import pytest
from memsim.systems import zng

CONFIG = Path(__file__).parents[2] / "configs" / "zng.py"
CASES = [(p, []) for p in zng.platforms()] + [("ideal", ["--prefetch", "dyn-pref"])]


@pytest.mark.parametrize("platform, more", CASES)
def test_a_platform_saved_restored_and_perturbed(run, at, platform, more):
    machine = [CONFIG, "--platform", platform, "--workload", "betw-back", "--scale", "tiny",
               "--max-instructions", "60000", *more]
    whole = run("-d", "whole", *machine)
    content = run.content("whole")
    cut = run("-d", "cut", *at(run.moments("whole", 2)), *machine)
    assert cut.stdout == whole.stdout and run.content("cut") == content
    for file in (run.directory / "cut").glob("*.ckpt"):
        assert run("--restore", file).stdout == whole.stdout, file
        assert run.content("cut") == content, file
    run("-d", "perturbed", "--perturb-wakes", 1, *machine)
    assert run.content("perturbed") == content
