"""CMD's machines: platforms, scale, what section IV-E computes, the studies, and errors of their users."""

from pathlib import Path

import memsim
import pytest
from memsim import study
from memsim.systems import cmd

CONFIGS = Path(__file__).parents[2] / "configs"


def test_platforms_in_the_order_of_the_evaluation():
    assert cmd.platforms() == ["baseline", "l2-5mb", "bpc", "bcd", "esd", "dedup", "dedup-no-latency", "dedup-car", "cmd",
                               "cmd-bpc"]


@pytest.mark.parametrize("platform", cmd.platforms())
def test_memory_is_as_the_program_left_it(memsim_command, platform):
    for workload in ("bfs", "cfd"):
        done = memsim_command(CONFIGS / "cmd.py", "--platform", platform, "--workload", workload, "--scale", "tiny",
                              "--check-contents")
        assert "bytes are as the program left them" in done.stdout, done.stdout + done.stderr


def test_a_machine_has_the_papers_proportions():
    size = cmd.scale.scale(4 << 20)
    assert (size.l2, size.l1, size.map, size.hash_entries) == (512 << 10, 64 << 10, 48 << 10, 2224)
    assert cmd.scale.scale(1 << 30).l2 == 512 << 10  # no larger than the paper's
    half = cmd.scale.scale(2 << 20)
    assert (half.l2, half.map, half.hash_entries) == (256 << 10, 24 << 10, 1120)


def test_what_the_paper_computes():
    cost = cmd.cost
    assert round(100 * cost.capacity_overhead(), 2) == 3.71
    assert cost.on_chip() == 888 << 10
    assert round(100 * cost.fifo_share(), 2) == 0.2  # the paper prints 0.19
    assert round(cost.area(), 3) == 0.377
    assert cost.blocks_of_a_fetch() == 64


def test_each_assumption_is_a_parameter_of_its_platforms():
    made = {p: cmd.machine(p, cmd.workloads.program("bfs", "tiny")[0]) for p in cmd.platforms()}
    for a in cmd.assumptions.ALL:
        for platform in a.platforms:
            for change in a.changes:
                path, _, name = change.partition("=")[0].rpartition(".")
                part = made[platform]
                for step in path.replace("[*]", "").split("."):
                    part = getattr(part, step)
                part = part[0] if isinstance(part, (list, tuple)) or not hasattr(part, "_params") else part
                assert name in part._params, (a.name, change)


def test_every_claim_is_judged_by_a_study():
    scripts = {p.name: p.read_text() for p in (CONFIGS / "studies" / "cmd").glob("*.py")}
    judged = {f"cmd-{n:02}" for n in range(4, 14)}  # fig14 names these by a range
    for id in study.claims("cmd"):
        assert id in judged or any(f'"{id}"' in text for text in scripts.values()), id


def test_words_for_what_there_is_not(memsim_command):
    for arguments, words in {
        ("--platform", "cdm"): "there is no platform 'cdm'",
        ("--workload", "bsf"): "there is no workload 'bsf'",
        ("--scale", "smal"): "there is no scale 'smal'",
        ("--bandwidth", "300"): "a bandwidth of 300 GB/s is none of 224, 448 and 896",
    }.items():
        done = memsim_command(CONFIGS / "cmd.py", *arguments, expect=1)
        assert words in done.stderr


def test_bad_machines_are_refused_before_time_0():
    def said(**changes):
        root = cmd.machine("cmd", cmd.workloads.program("bfs", "tiny")[0])
        for name, value in changes.items():
            setattr(root.front, name, value)
        with pytest.raises(memsim.Error) as e:
            memsim.instantiate(root)
        return str(e.value)

    assert "no whole number of sets" in said(hash_entries=17)
    assert "no whole number of sets" in said(type_cache="1152B")


def test_deduplication_and_fifo_before_another_memory(tmp_path):
    """In front of Ohm-GPU's DRAM, over two channels, behind another L2."""
    from memsim import cmd as parts
    from memsim import mem, workload
    from memsim.systems import gpu
    root = memsim.Root(contents=True)
    root.program = workload.Program(name="bfs_rodinia", size=9)
    root.gpu = gpu(sms=2, l1="12KiB", l2=dict(capacity="16KiB", control_ports=1), channels=2,
                   memory=lambda i, over: parts.Deduplicator(capacity="1MiB", slices=1, channels=2, channel=i))
    root.dram = [mem.DramController(timing="ohm_table1", map="RoRaBaCoChCl", channels=2, channel=i, interleave="256B") for i in range(2)]
    root.fifo = [mem.VictimBuffer() for _ in range(2)]
    for front, l2, dram, fifo in zip(root.gpu.memory, root.gpu.l2, root.dram, root.fifo):
        memsim.ports.unbind(l2.mem_side)
        l2.mem_side, fifo.mem_side = fifo.cpu_side, front.cpu_side
        front.caches[0], front.mem_side = l2.control[0], dram.cpu_side
    root.program.dispatcher = root.gpu.dispatcher.host
    simulation = memsim.instantiate(root)
    memsim.simulate()
    assert simulation.check_contents()["bytes"] > 10_000
    assert sum(int(front.stats.intra) + int(front.stats.inter) for front in root.gpu.memory) > 10
    assert sum(int(fifo.stats.taken) for fifo in root.fifo) > 100


def test_inputs_are_those_that_the_studies_were_frozen_with(memsim_command):
    root = CONFIGS.parent
    kept = (root / "docs" / "models" / "cmd-inputs.csv").read_text().splitlines()
    now = memsim_command("-q", root / "util" / "inputs.py", "cmd", "--scales", "tiny", "small").stdout.splitlines()
    assert len(now) == 27 and set(now) <= set(kept)
