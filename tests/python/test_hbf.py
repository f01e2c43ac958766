"""High Bandwidth Flash in machines: placement, assumptions of papers, and the requests that it receives."""

from pathlib import Path

import pytest

import memsim
from memsim import llm, mem, systems, workload
from memsim.systems import hbf, nvidia, placed
from memsim.systems.drive import solid_state_drive

CONFIGS = Path(__file__).parents[2] / "configs"
SMALL = dict(form="pcie", sms=2, channels=4, slices=4, l2="640KiB")


def model(**parameters):
    """A root with the tiny model."""
    root = memsim.Root(seed=1, contents=True)
    root.model = llm.decoder("tiny", context=40, head=True, **parameters)
    return root


def test_weights_beside_hbm_are_read_from_flash_alone(in_tmp) -> None:
    root = model()
    local = nvidia.chip("h100-pcie").memory()
    weights = placed.arrays(root.model, "weights.")
    root.gpu = systems.h100(memory=placed.beside(hbf.channel("flint"), weights, local), **SMALL)
    root.model.dispatcher = root.gpu.dispatcher.host
    with memsim.Simulation(root) as machine:
        machine.simulate()
        assert machine.check_contents()["bytes"] > 150_000
        stack, router, dram = root.gpu.memory[0].far, root.gpu.memory[0], root.gpu.memory[0].local
        assert stack.stats.reads == router.stats.requests[1] > 0
        assert dram.stats.writes > 0 or dram.stats.reads > 0
        sensed = sum(one.far.stats.senses for one in root.gpu.memory)
        pages = sum(-(-size // 4096) for _, size in weights)
        # Lines of one channel share pages: all pages are sensed, few of them again.
        assert pages // 4 <= sensed <= 3 * pages + 4 * len(weights)


def test_hbf_behind_hbm_returns_the_written_data(in_tmp) -> None:
    root = model()
    root.gpu = systems.h100(memory=None, **SMALL)
    drive = hbf.drive(1 << 20, channels=2)
    placed.behind(root.gpu, drive, "64KiB", nvidia.chip("h100-pcie").memory())
    root.model.dispatcher = root.gpu.dispatcher.host
    with memsim.Simulation(root) as machine:
        machine.simulate()
        assert machine.check_contents()["bytes"] > 150_000
        assert root.gpu.cache.stats.misses > 0 and root.gpu.cache.stats.evictions > 0
        assert drive.stack.stats.senses > 0
        assert root.gpu.cache.stats.units_in >= root.gpu.cache.stats.misses


def test_a_group_with_a_drive_is_behind_local_memory(in_tmp) -> None:
    root = memsim.Root(seed=1)
    root.program = workload.Program(name="vadd", size=20_000)
    root.gpu = systems.h100(memory=None, sms=1, channels=2, slices=2, l2="80KiB")
    with pytest.raises(memsim.Error, match=r"behind\(\): <mem.SimpleMemory .*> has no port 'requests' or 'host': give"):
        placed.behind(root.gpu, memsim.mem.SimpleMemory(), "64KiB")
    with pytest.raises(memsim.Error, match=r"behind\(\): 'mqsim' has no port 'requests' or 'host'"):
        placed.behind(root.gpu, "mqsim", "64KiB")
    placed.behind(root.gpu, solid_state_drive("z_nand_983_zet"), "64KiB")
    root.program.dispatcher = root.gpu.dispatcher.host
    with memsim.Simulation(root) as machine:
        assert machine.simulate().cause == "nothing left to do"
    assert root.gpu.drive.drive.stats.reads == root.gpu.cache.stats.drive_reads > 0


def test_a_share_of_the_arrays_stays_in_local_memory() -> None:
    root = model()
    whole = placed.arrays(root.model, "weights.")
    half = placed.arrays(root.model, "weights.", share=0.5)
    assert len(whole) == len(half)
    for a, b in zip(whole, half):
        assert a.base + a.bytes == b.base + b.bytes and b.bytes <= a.bytes / 2 + 256
    kv = placed.arrays(root.model, "kv.", "activations.")
    assert not {one.base for one in kv} & {one.base for one in whole}
    with pytest.raises(memsim.Error, match="no array of .* begins with 'wieghts'"):
        placed.arrays(root.model, "wieghts")
    with pytest.raises(memsim.Error, match=r"share=0: write a number above 0"):
        placed.arrays(root.model, "weights.", share=0)
    with pytest.raises(memsim.Error, match=r"share='50%': write a number above 0"):
        placed.arrays(root.model, "weights.", share="50%")
    with pytest.raises(memsim.Error, match=r"<Root Root> is no program: give a workload.Program"):
        placed.arrays(root, "weights.")


def test_papers_and_their_planes() -> None:
    for name, given in hbf.PAPERS.items():
        root = memsim.Root()
        root.stack = memsim.flash.HbfStack(channels=1, **hbf.parameters(name))
        root.generator = mem.TrafficGen(requests=1, range="4KiB")
        root.generator.mem_side = root.stack.cpu_side
        with memsim.Simulation(root) as machine:
            machine.simulate()
            planes = given["dies"] * given["banks"]
            sense = {"2us": 2e-6, "3us": 3e-6, "4us": 4e-6, "15us": 15e-6}[str(given["t_read"])]
            assert root.stack.stats.array_bandwidth == pytest.approx(planes * 4096 / sense)
    with pytest.raises(memsim.Error, match="there is no paper 'flit'.*'flint'"):
        hbf.channel("flit")


@pytest.mark.parametrize("capacity", [0, -4096, 1.5, True, "1MiB"])
def test_a_capacity_that_is_no_number_of_bytes_is_refused(capacity) -> None:
    with pytest.raises(memsim.Error, match=f"capacity={capacity!r}: write a whole number of bytes, at least 1"):
        hbf.drive(capacity)


def test_years_until_wear_out() -> None:
    # 1 GB/s of writes to a stack of 512 GiB with even wear, in blocks of 4 MiB.
    blocks, block = 131072, 4 << 20
    erases = 1e9 / block  # in a second
    assert hbf.years(100000, blocks, erases, 1) == pytest.approx(1.742, rel=0.01)
    assert hbf.years(100000, blocks, 0, 1) == float("inf")


@pytest.mark.parametrize("way", ["beside", "behind", "alone", "hbm"])
def test_the_script_runs_each_way(way, memsim_command) -> None:
    size = "--model tiny --layers 2 --context 40 --sms 2 --channels 4 --local 128KiB".split()
    done = memsim_command(CONFIGS / "hbf.py", *size, "--way", way)
    assert f"nothing left to do: {way}," in done.stdout
