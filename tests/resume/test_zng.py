"""The resume oracle for ZnG's platforms."""
import json
from pathlib import Path

import memsim
import pytest
from memsim.systems import zng

CONFIG = Path(__file__).parents[2] / "configs" / "zng.py"
CASES = [(p, []) for p in zng.platforms()] + [("ideal", ["--prefetch", "dyn-pref"])]


@pytest.mark.parametrize("platform, more", CASES)
def test_a_platform_saved_restored_and_perturbed(survives, platform, more):
    machine = [
        CONFIG,
        "--platform",
        platform,
        "--workload",
        "betw-back",
        "--scale",
        "tiny",
        "--max-instructions",
        "60000",
        *more,
    ]
    survives(*machine)


def at_work(file):
    """A checkpoint with log blocks that are being merged, and with applications that are held."""
    state = json.loads(memsim._memsim.read_checkpoint(str(file)).show("gpu.collector"))
    return state["merges"]["active"], [a for a in state["applications"] if a["hold"] != "none"]


@pytest.mark.parametrize(
    "platform, workload, instructions", [("zng-base", "gaus", 200_000), ("zng", "gram", 1_000_000)]
)
def test_in_the_middle_of_a_garbage_collection(run, at, platform, workload, instructions):
    """Two registers a plane, and log blocks of one page: merges take place during the whole run."""
    machine = [
        "--set",
        "flash.package[*].log_reserve=383",
        "--set",
        "flash.package[*].registers=2",
        CONFIG,
        "--collect",
        "low",
        "--platform",
        platform,
        "--workload",
        workload,
        "--scale",
        "default",
        "--max-instructions",
        instructions,
    ]
    whole = run("-d", "whole", "--debug-flags", "Collect", "--debug-file", "log", *machine)
    content = run.content("whole")
    holds = [
        int(line.partition("ns:")[0].replace(".", "")) for line in (run.directory / "log").open() if " holds " in line
    ]
    ticks = {run.random.choice(holds) + 1 + i * run.random.randrange(10**12) for i in (0, 1, 1, 1)}
    run("-d", "cut", *at(sorted(ticks)), *machine)
    assert run.content("cut") == content
    merging = held = 0
    for file in (run.directory / "cut").glob("*.ckpt"):
        merging += bool(at_work(file)[0])
        held += bool(at_work(file)[1])
        assert run("--restore", file).stdout == whole.stdout, file
        assert run.content("cut") == content, file
    assert merging and held, "no checkpoint was in the middle of a merge"
