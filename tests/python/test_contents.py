"""Machines with contents: the user's check, its messages, no effect on times, and correct contents at the end of the
run for every machine with flash."""
from pathlib import Path

import memsim
import pytest
from memsim import workload
from memsim.systems import gpu, ohm, scale, zng

PAGED = Path(__file__).parents[2] / "configs" / "paged_gpu.py"


SCRIPT = """
import memsim
from memsim import workload
from memsim.systems import gpu
root = memsim.Root(contents={contents})
root.program = workload.Program(name="bfs1", size=8)
root.gpu = gpu(sms=2, l1="12KiB", l2="64KiB", memory="hbm2", channels=2)
root.program.dispatcher = root.gpu.dispatcher.host
simulation = memsim.instantiate()
memsim.simulate('5us')
memsim.checkpoint("half.ckpt")
memsim.simulate()
print(simulation.digest)
print(simulation.check_contents())
"""


def run(memsim_command, tmp_path, contents="True", expect=0):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.replace("{contents}", contents))
    return memsim_command("-q", script, expect=expect)


def test_the_machine_holds_the_data_of_the_program(memsim_command, tmp_path):
    done = run(memsim_command, tmp_path)
    digest, report = done.stdout.splitlines()
    assert "'left_out': 0" in report and "'bytes': 0" not in report
    again = memsim_command("-q", "--restore", tmp_path / "half.ckpt")
    assert again.stdout.splitlines() == [digest, report]


def test_a_machine_without_contents_cannot_be_checked(memsim_command, tmp_path):
    done = run(memsim_command, tmp_path, contents="False", expect=1)
    assert "this machine carries no contents: build it with Root(contents=True)" in done.stderr
    with_contents = run(memsim_command, tmp_path)
    assert done.stdout.split()[0] == with_contents.stdout.split()[0]  # the same times and counts


def test_values_other_than_true_and_false_are_rejected(memsim_command, tmp_path):
    done = run(memsim_command, tmp_path, contents="1", expect=1)
    assert "Root: contents is True or False, not 1" in done.stderr


def held(root):
    """Runs the machine to its end, with atomics executed, and compares all memory."""
    for sm in root.gpu.sm:
        sm.atomics = "performed"
    simulation = memsim.Simulation(root)
    assert simulation.simulate().cause == "nothing left to do"
    report = simulation.check_contents()
    assert report["left_out"] == 0
    return report["bytes"]


@pytest.mark.parametrize("platform", zng.platforms())
@pytest.mark.parametrize("text", ["betw-back", "bfs1-gaus"])
def test_zngs_platforms_hold_the_data_of_programs(in_tmp, platform, text):
    programs = zng.workloads.programs(text, "tiny")
    assert held(zng.machine(platform, programs, max_instructions=100_000, contents=True)) > 100_000


@pytest.mark.parametrize("platform", ["hetero", "hybridgpu"])
def test_paged_data_equal_those_of_programs(in_tmp, platform):
    """Memory and buffer are smaller than the data, so dirty pages are written to the drive and read again."""
    programs = zng.workloads.programs("back", "tiny")
    size = zng.scale.scale(sum(map(scale.footprint, programs)), 8 * scale.GIB)
    root = zng.machine(platform, programs, size=size, max_instructions=0, contents=True)
    assert held(root) > 100_000
    if platform == "hetero":
        assert root.host.stats.drive_writes > 0


def test_launches_that_a_repeated_program_skips_reach_the_machine(in_tmp):
    root = memsim.Root(contents=True)
    root.program = [workload.Program(name="bfs1", size=8), workload.Program(name="pagerank", size=9, iterations=2)]
    root.gpu = gpu(
        sms=2,
        l1="12KiB",
        l2="64KiB",
        memory="hbm2",
        channels=2,
        dispatcher=dict(applications=2, partition="spatial", first_launch=1, when_one_ends="repeat"),
    )
    for program in root.program:
        program.dispatcher = root.gpu.dispatcher.host
    assert held(root) > 1000
    assert root.gpu.dispatcher.stats.application_repeats[0] > 0


def test_the_testbed_holds_the_data_of_its_program_on_the_drive(in_tmp):
    program, region = ohm.workloads.program("backp", "tiny", 1)
    assert held(ohm.testbed("drive", program, contents=True, **region)) > 10_000


@pytest.mark.parametrize("source", ["drive", "drive_direct"])
def test_a_paged_gpu_holds_the_data_of_its_program(memsim_command, source):
    done = memsim_command(
        PAGED, "--kernel", "bfs1", "--scale", 9, "--placement", "faults", "--source", source, "--check-contents"
    )
    assert "bytes equal those of the program" in done.stdout


@pytest.mark.parametrize("mode", ["planar", "two_level"])
@pytest.mark.parametrize("platform", ["origin", "hetero", "ohm-base", "auto-rw", "ohm-wom", "ohm-bw", "oracle"])
@pytest.mark.parametrize("kernel", ["bfs1", "betw"])
def test_ohms_platforms_hold_the_data_of_the_program(in_tmp, kernel, platform, mode):
    """An L2 of a few lines: the host of bfs1 clears flags in pages that are evicted clean, and atomics of betw overtake
    each other into lines that the L2 has just written back."""
    program = workload.Program(name=kernel, size=9, degree=4, launch_latency="1us")
    size = ohm.machine_scale(mode.replace("_", "-"), platform, program)
    root = getattr(ohm, mode)(platform, program, size, contents=True)
    for sm in root.gpu.sm:
        sm.atomics = "performed"  # atomics simulated as loads write nothing
    simulation = memsim.Simulation(root)
    assert simulation.simulate().cause == "nothing left to do"
    report = simulation.check_contents()
    assert report["left_out"] == 0 and report["bytes"] > 10_000
