"""Ohm-GPU and ZnG have the same GPU and DRAM: figures from the tables and the simulator of one hold for both."""
import pytest
from memsim import dram
from memsim.systems import gtx580, ohm, zng


def parameters(component):
    return {name: str(getattr(component, name)) for name in component._params}


@pytest.fixture(scope="module")
def machines():
    return (
        ohm.planar("oracle", ohm.workloads.program("FDTD", "tiny")[0], max_instructions=1000),
        zng.machine("ideal", zng.workloads.programs("betw-back", "tiny"), max_instructions=1000),
    )


def differ(machines, part):
    first, second = (parameters(getattr(root.gpu, part)[0]) for root in machines)
    assert first.keys() == second.keys()
    return {name for name in first if first[name] != second[name]}


def test_sms_and_l1s_are_the_same_but_for_arithmetic(machines):
    """Ohm-GPU's figures imply that arithmetic takes a warp no time."""
    assert differ(machines, "sm") == {"arithmetic_latency"} and not differ(machines, "l1")


def test_l2s_differ_in_size_and_in_what_a_prefetcher_needs(machines):
    assert differ(machines, "l2") <= {"capacity", "demand_mshrs", "mshr_lines", "set_hash"}
    assert machines[0].gpu.l2[0].latency == gtx580.CYCLE


def test_drams_have_the_same_rows_times_and_queues(machines):
    first, second = (root.memory.dram[0] for root in machines)
    assert all(str(getattr(first, name)) == str(getattr(second, name)) for name in gtx580.DRAM_QUEUES)
    shared, of_zng = dram.presets()[gtx580.DRAM].figures, dram.Preset._of(str(second.timing)).figures
    # Differences: the rate, which affects when a row may close; Ohm-GPU's tRRD and the tuning of its rings.
    assert {name for name in shared if shared[name] != of_zng[name]} == {
        "tCK",
        "rate",
        "burst",
        "tCCD_S",
        "tCCD_L",
        "tRTP",
        "tRRD_S",
        "tRRD_L",
        "tRTRS",
    }
    assert first.timing == gtx580.DRAM and shared["row"] == "2KiB" == f"{zng.memory.GDDR5_ROW >> 10}KiB"
