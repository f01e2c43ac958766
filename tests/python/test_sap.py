"""SAP's machines: policies, sizes, drives, effective access time, and misuse."""

import sqlite3
from pathlib import Path

import memsim
import pytest
from memsim.study import assumptions
from memsim.systems import sap

SMALL_L2 = "--set", "gpu.l2[*].capacity=1KiB"  # so that written units are evicted
CONFIGS = Path(__file__).parents[2] / "configs"


def run(memsim_command, *arguments):
    return memsim_command(*SMALL_L2, CONFIGS / "sap.py", "--scale", "tiny", *arguments).stdout


@pytest.mark.parametrize("policy", sap.policies())
def test_memory_equals_that_of_the_program(memsim_command, policy):
    """A DRAM of few units, so that written units move to the drive and are fetched again."""
    for workload in ("BFS", "LPS"):
        shown = run(memsim_command, "--policy", policy, "--workload", workload, "--dram", "12KiB", "--check-contents")
        assert "bytes equal those of the program" in shown and "written to the drive" in shown
        assert " 0 units written" not in shown


def test_watching_the_schedulers_misses_less(memsim_command):
    def misses(policy, *more):
        shown = run(memsim_command, "--policy", policy, "--workload", "MUM", "--dram", "1MiB", *more)
        return int(shown.split(" misses")[0].split()[-1])

    assert misses("sap") < misses("lru") == misses("fifo")
    assert misses("sap") <= misses("sap", "--period", "100000") <= misses("lru")
    assert misses("sap", "--record", "1") >= misses("sap")


def milliseconds(shown):
    return float(shown.split(" at ")[1].split(" ms")[0])


def test_a_drive_of_flash(memsim_command):
    """A page takes 50 us plus the time in the drive. Without parallel reads it is slower than the paper's
    latencies."""
    for policy in ("lru", "sap"):
        flash, table = (
            run(memsim_command, "--policy", policy, "--drive", drive, "--workload", "AES", "--check-contents")
            for drive in ("flash", "table")
        )
        assert "bytes equal those of the program" in flash
        assert milliseconds(flash) != milliseconds(table) and milliseconds(flash) > 0.05


@pytest.mark.parametrize("system, workload, path", [("cxl_gpu", "vadd", "queues"), ("ohm", "pagerank", "controller")])
def test_hints_reach_another_machine(memsim_command, tmp_path, system, workload, path):
    """Hints of the memory manager are counted where they arrive, and affect the time."""
    output = [
        memsim_command(
            "-d", name, CONFIGS / "sap_hints.py", "--system", system, "--workload", workload, "--scale", "tiny", *more
        ).stdout
        for name, more in (("with", ()), ("without", ("--without",)))
    ]
    assert "hints" in output[0] and "hints" not in output[1]
    rates = [text.split(";")[1].split()[0] for text in output]
    assert rates[0] != rates[1]
    with sqlite3.connect(tmp_path / "with" / "stats.db") as database:
        (taken,) = database.execute(
            "SELECT sum(value) FROM result WHERE name = 'hints' AND path LIKE ?", (f"%{path}%",)
        ).fetchone()
    assert 0 < taken <= int(output[0].split(" hints")[0].split()[-1])


@pytest.mark.parametrize(
    "host, workload, scale", [("endpoint", "vadd", "tiny"), ("buffer", "gaus", "tiny"), ("mmu", "gauss", "small")]
)
def test_policies_of_another_memory(memsim_command, host, workload, scale):
    times = {
        policy: milliseconds(
            memsim_command(
                CONFIGS / "sap_policies.py",
                "--host",
                host,
                "--policy",
                policy,
                "--workload",
                workload,
                "--scale",
                scale,
            ).stdout
        )
        for policy in ("lru", "arc", "sap", "page-on-page")
    }
    assert len({times["lru"], times["sap"], times["page-on-page"]}) == 3, times


def test_hits_at_every_size(memsim_command):
    shown = memsim_command(CONFIGS / "sap_hits.py", "--scale", "small", "--workload", "LPS").stdout.splitlines()
    rows = {line.split()[0]: [float(x) for x in line.split()[1:]] for line in shown[2:]}
    assert list(rows) == sap.policies()
    for policy, hits in rows.items():
        assert len(hits) == sap.machines.CAPACITIES and all(0.9 < h <= 1 for h in hits), policy
        assert hits == sorted(hits) or policy not in ("lru", "sap")
    assert all(ours >= theirs for ours, theirs in zip(rows["sap"], rows["lru"]))
    assert rows["lru"][-1] == rows["fifo"][-1]  # all data fit


def test_effective_access_time_by_hand():
    time = sap.eat.effective_access_time
    assert time(32, 1, 1) == 60 + 70_480 / 32  # a unit costs 50,000 and 4096 times 5 ns
    assert time(10, 1, 4, 0, "once") == 60 + 70_480 / 10
    assert time(10, 1, 4, 0, "each") == 60 + (50_000 + 4 * 20_480) / 10
    assert time(10, 1, 4, 0, "full") == 60 + 4 * 70_480 / 10
    assert time(10, 1, 1, 2) == 60 + (70_480 + 2 * 570_480) / 10


def test_the_gain_is_limited_by_the_bound_of_the_notes():
    """A unit of 32 lines, each accessed once: charging a group only once reduces the time by at most 97.3 %."""
    alone, together = (sap.eat.effective_access_time(32_000, misses, 1000) for misses in (1000, 1))
    assert round(1 - together / alone, 2) == 0.97 and round(1 - 60 / alone, 3) == 0.973


def test_inputs_are_those_that_the_studies_were_frozen_with(memsim_command):
    root = CONFIGS.parent
    kept = (root / "docs" / "models" / "sap-inputs.csv").read_text().splitlines()
    now = memsim_command("-q", root / "util" / "inputs.py", "sap", "--scales", "tiny", "small").stdout.splitlines()
    assert len(now) == 17 and set(now) <= set(kept)


def test_each_assumption_is_a_parameter(memsim_command):
    made = sap.shadows(sap.workloads.program("AES", "tiny")[0])
    for a in assumptions.of("sap"):
        assert a.changes or a.arguments
        for change in a.changes:
            path, _, name = change.partition("=")[0].rpartition(".")
            found = made
            for step in path.replace("[*]", "[0]").split("."):
                found = getattr(found, step.partition("[")[0])
                found = found[0] if "[" in step else found
            assert name in found._params, change


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (dict(dram="2KiB"), "dram='2KiB': write a whole number of units of 4096B, such as 4096B"),
        (dict(dram="10KiB"), "dram='10KiB': write a whole number of units of 4096B, such as 12288B"),
        (dict(policy="lfu"), "there is no policy 'lfu'"),
        (dict(drive="tape"), "there is no drive 'tape'"),
        (dict(manager=dict(period=0)), "period"),
        (dict(manager=dict(lookahead=0)), "lookahead"),
    ],
)
def test_invalid_machines_are_rejected(arguments, sentence):
    with pytest.raises(memsim.Error, match=sentence.replace("(", r"\(")):
        sap.machine(**{"policy": "sap", "program": sap.workloads.program("AES", "tiny")[0], **arguments})
