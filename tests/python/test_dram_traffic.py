"""configs/dram_traffic.py: a DRAM alone, with various tables, maps and loads."""
import re
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "configs/dram_traffic.py"


@pytest.fixture
def printed(memsim_command):
    """Runs the script and returns the numbers that it prints, by their names."""

    def run(*arguments):
        out = memsim_command("-q", SCRIPT, "--requests", "2000", *arguments).stdout
        numbers = {"bandwidth": re.search(r": ([\d.]+) GB/s", out)}
        for name in ("probe", "read"):
            numbers[name] = re.search(rf"{name} latency ([\d.]+) ns", out)
        return {name: float(found[1]) for name, found in numbers.items() if found}

    return run


def test_changes_are_of_the_table(printed):
    # One read at a time, each in another row: tRP + tRCD + tCL; some banks are closed.
    alone = ("--outstanding", "1", "--changes", "tREFI=0ns")
    before, after = printed(*alone), printed(*alone, "tCL=23.75ns")
    assert after["read"] == pytest.approx(before["read"] + 10, abs=0.2)


def test_the_map_decides_where_neighbours_lie(printed):
    sequential = ("--pattern", "sequential", "--changes", "tREFI=0ns")
    in_one_bank = printed(*sequential, "--map", "BgBaRaRoCo")
    in_all_groups = printed(*sequential, "--map", "RoRaCoBaBg")
    assert in_all_groups["bandwidth"] > 1.5 * in_one_bank["bandwidth"]  # tCCD_L is twice tCCD_S


def test_channels_share_the_addresses(printed):
    busy = ("--outstanding", "256")
    one, four = printed(*busy), printed(*busy, "--channels", "4")
    assert four["bandwidth"] > 2.5 * one["bandwidth"]


def test_parameters_of_the_controller(printed):
    assert printed("--dram", "page=closed", "--outstanding", "1")["read"] < printed("--outstanding", "1")["read"]


def test_the_probe_of_the_validation(printed):
    """Ramulator's curve at its lightest load (tests/validation/dram_test.cc): 44.3 ns."""
    shape = (
        "--preset",
        "ramulator_ddr4_2400r",
        "--changes",
        "tREFI=0ns",
        "--order",
        "oldest_ready",
        "--dram",
        "queue=1",
        "capacity=8GiB",
        "latency=833ps",
        "--pattern",
        "probed",
    )
    light, heavy = printed(*shape, "--period", "1041ns"), printed(*shape, "--period", "3748500fs")
    assert light["probe"] == pytest.approx(44.3, rel=0.05)
    assert heavy["probe"] > 1.1 * light["probe"]
    assert printed("--pattern", "probed")["probe"] > 0  # of two ranks, as the preset has them


def test_policies_are_chosen_by_name_with_parameters(printed):
    busy = ("--map", "RoCoRaBgBa", "--changes", "tREFI=0ns")
    hits_first, in_order = printed(*busy), printed(*busy, "--order", "fcfs")
    assert hits_first["bandwidth"] > 1.5 * in_order["bandwidth"]
    # Consecutive rows of a single bank: the XOR with the row number maps each to another bank.
    rows = ("--pattern", "sequential", "--map", "BgBaRaCoRo", "--changes", "tREFI=0ns")
    one_bank, all_banks = printed(*rows), printed(*rows, "--dram", "bank_hash=xor")
    assert all_banks["bandwidth"] > 2 * one_bank["bandwidth"]
    # A row that was open too long is closed when it is used again.
    alone = ("--outstanding", "1", "--period", "1us", "--changes", "tREFI=0ns")
    left_open, closed = printed(*alone), printed(*alone, "--dram", "page=timeout(idle=200ns)")
    assert closed["read"] < left_open["read"] - 5  # most accesses find their bank closed: no tRP


def test_a_request_that_leaves_its_channel_is_named(memsim_command):
    refused = memsim_command("-q", SCRIPT, "--channels", "4", "--size", "48", "--requests", "1000", expect=1).stderr
    assert re.search(r"dram\[1\]\.channel: a request crosses into channel 2 at address \d+: a request must", refused)
