"""Forged checkpoints with a valid checksum end in a sentence or in a run."""
import random
import resource
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from resume import body

CONFIGS = Path(__file__).parents[2] / "configs"
SYSTEMS = {
    "ohm-planar": ["ohm_planar.py", "--scale", "tiny"],
    "ohm-two-level": ["ohm_two_level.py", "--scale", "tiny"],
    "paged": ["paged_gpu.py", "--scale", "9", "--placement", "faults", "--resident", "40", "--source", "drive"],
    "co-run": ["co_run.py", "--vertices", "6"],
    "zng": ["zng.py", "--platform", "zng", "--workload", "betw-back", "--scale", "tiny", "--max-instructions", "60000"],
    "cxl-gpu": [
        "cxl_gpu.py",
        "--platform",
        "cxl-ds",
        "--workload",
        "bfs",
        "--scale",
        "tiny",
        "--max-instructions",
        "20000",
    ],
    "cxl-gpu-faults": [
        "cxl_gpu.py",
        "--platform",
        "uvm",
        "--workload",
        "bfs",
        "--scale",
        "tiny",
        "--max-instructions",
        "20000",
        "--fault",
        "20us",
    ],
    "cmd": ["cmd.py", "--platform", "cmd-bpc", "--workload", "cfd", "--scale", "tiny"],
    "sap": ["sap.py", "--policy", "sap", "--workload", "BFS", "--scale", "tiny", "--dram", "16KiB"],
}
ODD = (0, 1, 2, 0xFF, 0x7FFFFFFF, 0xFFFFFFFF, 0x7FFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF)


def forged(data, draw):
    """The body with a few numbers replaced, often at the place of a number, or with a piece removed."""
    data = bytearray(data)
    for _ in range(draw.choice((1, 2, 3, 10))):
        size = draw.choice((1, 2, 4, 8))
        at = draw.randrange(len(data)) // size * size
        number = draw.choice(ODD) if draw.random() < 0.8 else draw.getrandbits(64)
        if draw.random() < 0.05:
            del data[at : at + size]
        else:
            data[at : at + size] = number.to_bytes(8, "little")[:size]
    return bytes(data)


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    resource.setrlimit(resource.RLIMIT_CPU, (30, 60))  # seconds; SIGXCPU at the first, SIGKILL at the second


@pytest.mark.slow
@pytest.mark.parametrize(
    "seeds", [range(10), pytest.param(range(10, 100), marks=pytest.mark.long)], ids=["few", "many"]
)
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_forged_checkpoint_never_crashes(run, at, system, seeds):
    script, *arguments = SYSTEMS[system]
    machine = [CONFIGS / script, *arguments]
    run("-d", "whole", *machine)
    run("-d", "cut", *at([run.end("whole") // 2]), *machine)
    (good,) = (run.directory / "cut").glob("*.ckpt")
    info, data = body.unpack(good)
    file = run.directory / "forged.ckpt"
    refused = 0
    for seed in seeds:
        shutil.copy(good, file)
        body.pack(file, info, forged(data, random.Random(seed)))
        done = subprocess.run(
            run.command(["-q", "-d", f"out{seed}", "--restore", file]),
            cwd=run.directory,
            text=True,
            capture_output=True,
            preexec_fn=limited,
        )
        # A forged loop without end is stopped by the limit and is not an error.
        assert done.returncode in (0, 1, -signal.SIGXCPU), (seed, done.returncode, done.stderr)
        refused += done.returncode == 1
        shutil.rmtree(run.directory / f"out{seed}", ignore_errors=True)
    assert refused >= len(seeds) / 10
