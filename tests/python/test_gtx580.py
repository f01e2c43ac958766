"""Ohm-GPU and ZnG have one GPU and one DRAM: what their tables and their simulator give for either holds for both."""
import pytest
from memsim import dram
from memsim.systems import gtx580, ohm, zng

# What a machine's size and its platform give.
OF_THE_MACHINE = {"capacity", "sets", "ways", "seed", "addresses", "interleave", "channels", "channel", "index", "slices"}


def parameters(component):
    values = {name: str(getattr(component, name)) for name in component._params}
    return {name: value for name, value in values.items() if name not in OF_THE_MACHINE}


@pytest.fixture(scope="module")
def machines():
    return (ohm.planar("oracle", ohm.workloads.program("FDTD", "tiny")[0], max_instructions=1000),
            zng.machine("ideal", zng.workloads.programs("betw-back", "tiny"), max_instructions=1000))


@pytest.mark.parametrize("part", ["sm", "l1"])
def test_sms_and_l1s_are_the_same(machines, part):
    first, second = (parameters(getattr(root.gpu, part)[0]) for root in machines)
    assert first and first == second


def test_l2s_have_the_same_times_misses_and_queues(machines):
    for name in "latency", "mshrs", "mem_queue", "sector", "line":
        first, second = (str(getattr(root.gpu.l2[0], name)) for root in machines)
        assert first == second, name


def test_drams_have_the_same_times_and_queues(machines):
    first, second = (root.memory.dram[0] for root in machines)
    assert all(str(getattr(first, name)) == str(getattr(second, name)) for name in gtx580.DRAM_QUEUES)
    table, of_zng = (dram.Preset("copy", base=base, source="a test").figures for base in ("ohm_cycles", "gddr5"))
    assert all(table[name] == str(value) for name, value in gtx580.DRAM_TIMES.items())
    assert not all(of_zng[name] == str(value) for name, value in gtx580.DRAM_TIMES.items())
    assert all(f"{name}={value}" in str(second.timing).split() for name, value in gtx580.DRAM_TIMES.items())
