"""The perturbation oracle on the whole machine: perturbations do not change its results.

Each run is a separate process, so only the checkpoint's file connects them.
"""
import subprocess

import memsim
import pytest


def checkpoints(run, outdir):
    return sorted(
        (run.directory / outdir).glob("*.ckpt"), key=lambda file: memsim._memsim.checkpoint_info(str(file))["now"]
    )


def state(file):
    """The State of every component in a checkpoint; objects that simulate nothing have none."""
    saved = memsim._memsim.read_checkpoint(str(file))
    return {
        path: saved.show(path)
        for path, kind, *_ in saved.configuration["objects"]
        if kind not in ("workload.Invariant", "optical.Channel", "mem.EnergyCost")
    }


def test_saved_and_restored_at_random_ticks(run, machine, at):
    whole = run("-d", "whole", *machine)
    content = run.content("whole")
    cut = run("-d", "cut", *at(run.moments("whole", 3)), *machine)
    assert cut.stdout == whole.stdout and run.content("cut") == content
    for file in checkpoints(run, "cut"):
        restored = run("--restore", file)
        assert restored.stdout == whole.stdout, file
        assert run.content("cut") == content, file


def test_a_chain_of_checkpoints(run, machine, at):
    run("-d", "whole", *machine)
    ticks = run.moments("whole", 4)
    run("-d", "cut", *at(ticks), *machine)
    run("-d", "chain", *at(ticks[:1]), *machine)
    for before, tick in zip(ticks, ticks[1:]):
        run("--restore", f"chain/{memsim._memsim.show_ticks(before)}.ckpt", *at([tick]))
    for one, other in zip(checkpoints(run, "cut"), checkpoints(run, "chain"), strict=True):
        assert state(one) == state(other), one
    run("--restore", checkpoints(run, "chain")[-1])
    assert run.content("chain") == run.content("whole")


def test_a_naive_event_queue_and_wakes_for_no_reason(run, machine):
    run("-d", "whole", *machine)
    content = run.content("whole")
    run("-d", "naive", "--event-queue", "naive", *machine)
    assert run.content("naive") == content
    for seed in range(1, 4):
        run("-d", f"perturbed{seed}", "--perturb-wakes", seed, *machine)
        assert run.content(f"perturbed{seed}") == content, seed


@pytest.mark.slow
def test_all_at_once(run, machine, at):
    """Perturbed and on the naive queue before the checkpoint but not after it, and the reverse."""
    run("-d", "whole", *machine)
    ticks = run.moments("whole", 2)
    run("-d", "cut", "--perturb-wakes", 7, "--event-queue", "naive", *at(ticks), *machine)
    assert run.content("cut") == run.content("whole")
    for file in checkpoints(run, "cut"):
        run("--restore", file)
        assert run.content("cut") == run.content("whole"), file
        run("--restore", file, "--perturb-wakes", 8, "--event-queue", "naive")
        assert run.content("cut") == run.content("whole"), file


def test_two_machines_side_by_side(run):
    """Two machines that are simulated alternately in one process, compared with each alone."""
    script = run.directory / "side.py"
    script.write_text(
        """\
import sys
import memsim
from memsim import workload
from memsim.systems import ohm

def machine(platform, kernel):
    program = workload.Program(name=kernel, size=9, iterations=2)
    return memsim.Simulation(ohm.planar(platform, program))

machines = [machine(*name.split(",")) for name in sys.argv[1:]]
going = list(machines)
while going:
    going = [m for m in going if m.simulate("7us").cause == "simulate() limit reached"]
for m in machines:
    m.stats.dump("end")
    print(m.digest)
"""
    )
    names = ["ohm-base,bfs_topology", "hetero,pagerank", "ohm-base,bfs_data"]
    alone = [run("-d", f"{i}", script, name).stdout for i, name in enumerate(names)]
    together = run("-d", "all", script, *names).stdout
    assert together == "".join(alone) and len(set(alone)) == 3


@pytest.mark.long
def test_both_compilers(run, machine):
    """build-sanitize-clang++ is made by util/test --long."""
    other = run.command([])[0].replace("/build/memsim", "/build-sanitize-clang++/memsim")
    run("-d", "gcc", *machine)
    done = subprocess.run([other, "-d", "clang", *map(str, machine)], cwd=run.directory)
    assert done.returncode == 0
    assert run.content("clang") == run.content("gcc")
