"""Resident memory of the parts of configs/eight_gpus.py, from machines that differ in the number of one part.

    build/memsim tests/bench/component_memory.py DIR
"""

import re
import subprocess
import sys
from pathlib import Path

from memsim.run.processes import MEMSIM, environment
from memsim.systems import nvidia

ROOT = Path(__file__).resolve().parents[2]
CHIP = nvidia.chip("h100-sxm")


def resident(*options: str) -> float:
    """MiB after instantiate(), with these options of the script."""
    stages = ["-q", "-d", sys.argv[1], "tests/bench/stages.py", "configs/eight_gpus.py", "--size", "4", *options]
    done = subprocess.run([*MEMSIM, *stages], cwd=ROOT, check=True, text=True, capture_output=True, env=environment())
    return float(re.search(r"s, (\d+) MiB resident", done.stdout)[1])  # type: ignore[index]


one = resident("--gpus", "1")
gpu = (resident("--gpus", "5") - one) / 4
sm = (one - resident("--gpus", "1", "--sms", "4")) / (CHIP.sms - 4)
print(f"a GPU with its expander: {gpu:.0f} MiB")
print(f"an SM with its L1: {1024 * sm:.0f} KiB")
print(f"an L2 slice with its memory: {1024 * (gpu - CHIP.sms * sm) / CHIP.slices:.0f} KiB")
