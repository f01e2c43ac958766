"""The resume oracle for SAP's machines, with contents."""
from pathlib import Path

import pytest
from memsim.systems import sap

CONFIGS = Path(__file__).parents[2] / "configs"


@pytest.mark.parametrize("policy, drive", [*((p, "table") for p in sap.policies()), ("sap", "flash")])
def test_a_machine_saved_restored_and_perturbed(survives, policy, drive):
    survives(
        CONFIGS / "sap.py",
        "--policy",
        policy,
        "--drive",
        drive,
        "--workload",
        "BFS",
        "--scale",
        "tiny",
        "--dram",
        "16KiB",
        "--check-contents",
    )


def test_shadows_saved_restored_and_perturbed(survives):
    survives(CONFIGS / "sap_hits.py", "--workload", "BFS", "--scale", "tiny")
