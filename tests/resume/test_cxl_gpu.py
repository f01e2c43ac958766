"""The resume oracle for CXL-GPU's configurations, with contents."""
from pathlib import Path

import pytest
from memsim.systems import cxl_gpu

CONFIG = Path(__file__).parents[2] / "configs" / "cxl_gpu.py"
LINKED = [p for p in cxl_gpu.platforms() if p.startswith("cxl")]


@pytest.mark.parametrize(
    "platform, media",
    [
        *((p, "z-nand") for p in LINKED),
        ("gpu-dram", "dram"),
        ("uvm", "dram"),
        ("gds", "optane"),
        ("cxl", "dram"),
        ("cxl-ds", "optane"),
        ("cxl-ds", "nand"),
    ],
)
def test_a_platform_saved_restored_and_perturbed(survives, platform, media):
    survives(
        CONFIG,
        "--platform",
        platform,
        "--media",
        media,
        "--workload",
        "bfs",
        "--scale",
        "tiny",
        "--max-instructions",
        "20000",
        *(["--fault", "20us"] if platform in ("uvm", "gds") else ["--check-contents"]),
    )


@pytest.mark.parametrize("flit, errors", [("68B", 10**10), ("256B", 4 * 10**11), ("256B-lopt", 4 * 10**11)])
def test_a_link_with_flits_in_replay(survives, flit, errors):
    """One bit in 10^5 is received wrongly, or four in 10^4 with FEC: at any moment some flit is being repeated."""
    survives(
        CONFIG.parent / "cxl_link.py",
        "--flit",
        flit,
        "--bit-errors",
        str(errors),
        "--requests",
        "300",
        "--outstanding",
        "32",
        "--read-share",
        "50%",
    )
