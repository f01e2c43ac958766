"""The resume oracle with queues that are full nearly always. A missing wake is found there, but not with queues of
the usual size."""
from pathlib import Path

import pytest

CONFIGS = Path(__file__).parents[2] / "configs"


@pytest.mark.parametrize(
    "narrow", ["gpu.network.outstanding=2", "gpu.network.queue=1", "gpu.l2[*].queue=1", "gpu.sm[*].outstanding=4"]
)
@pytest.mark.parametrize(
    "machine",
    [
        ["cmd.py"],
        ["cxl_gpu.py", "--platform", "cxl-ds"],
        ["zng.py", "--workload", "betw-back"],
        ["ohm_planar.py", "--platform", "ohm-wom"],
        ["ohm_two_level.py", "--platform", "ohm-bw"],
        ["sap.py"],
    ],
    ids=lambda m: m[0],
)
def test_a_machine_of_narrow_queues_saved_restored_and_perturbed(survives, machine, narrow):
    script, *arguments = machine
    survives("--set", narrow, CONFIGS / script, "--scale", "tiny", *arguments)
