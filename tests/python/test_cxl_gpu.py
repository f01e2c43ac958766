"""CXL-GPU's machines: configurations, media, scale, the studies, and errors of their users."""

import sqlite3
from pathlib import Path

import memsim
import pytest
from memsim import study
from memsim.study import assumptions
from memsim.systems import cxl_gpu

CONFIGS = Path(__file__).parents[2] / "configs"
LINKED = [p for p in cxl_gpu.platforms() if p.startswith("cxl")]


def test_configurations_in_the_order_of_the_evaluation():
    assert cxl_gpu.platforms() == ["gpu-dram", "uvm", "gds", "cxl", "cxl-naive", "cxl-dyn", "cxl-sr", "cxl-ds"]


@pytest.mark.parametrize("platform", LINKED)
def test_memory_is_as_the_program_left_it(memsim_command, platform):
    for workload, media in (("bfs", "z-nand"), ("sort", "optane"), ("gauss", "dram")):
        done = memsim_command(
            CONFIGS / "cxl_gpu.py",
            "--platform",
            platform,
            "--media",
            media,
            "--workload",
            workload,
            "--scale",
            "tiny",
            "--check-contents",
        )
        assert "bytes are as the program left them" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("media", cxl_gpu.MEDIA)
def test_every_configuration_runs_on_every_medium(memsim_command, media):
    for platform in cxl_gpu.platforms():
        done = memsim_command(
            CONFIGS / "cxl_gpu.py",
            "--platform",
            platform,
            "--media",
            media,
            "--workload",
            "vadd",
            "--scale",
            "tiny",
            "--fault",
            "20us",
        )
        assert "nothing left to do" in done.stdout


@pytest.mark.parametrize("workload", ["gauss", "cfd"])
def test_stores_and_loads_go_on_while_the_drive_collects(workload, memsim_command, in_tmp):
    """The drive says so before it begins; then stores stay in the reserve, and loads are served from there."""
    done = memsim_command(
        CONFIGS / "cxl_gpu.py",
        "--platform",
        "cxl-ds",
        "--media",
        "z-nand",
        "--workload",
        workload,
        "--scale",
        "small",
        "--check-contents",
    )
    assert "bytes are as the program left them" in done.stdout
    with sqlite3.connect(in_tmp / "memsim-out" / "stats.db") as database:

        def value(path, name):
            return database.execute(
                "SELECT value FROM result WHERE path = ? AND name = ?", ("port[0]." + path, name)
            ).fetchone()[0]

        assert value("medium.ssd.drive", "collections") >= 10
        assert value("medium.ssd.drive", "announcements") >= 1
        assert value("store", "reports[severe]") > 0
        assert value("store", "suspensions") >= 1
        assert value("store", "suspended.area") > 0
        assert value("store", "loads[reserve]") + value("store", "loads[both]") > 0
        assert value("store", "loads[endpoint]") > 0


def test_a_series_by_interval_and_from_the_first_collection_on():
    def sample(tick, loads, time, area, collections):
        return [
            (tick, "load_latency.count", loads),
            (tick, "load_latency.sum", time),
            (tick, "ingress.area", area),
            (tick, "collections", collections),
        ]

    us = 10**9
    samples = [
        *sample(us, 2, 100, 4000, 0),
        *sample(2 * us, 2, 100, 4000, 0),
        *sample(3 * us, 6, 900, 10_000, 1),
        *sample(4 * us, 6, 900, 10_000, 2),
    ]
    steps = cxl_gpu.points.over_time(samples)
    assert list(steps.loads) == [2, 0, 4, 0]
    assert list(steps.load_time) == [100, 0, 800, 0]
    assert list(steps.ingress) == [4, 0, 6, 0]
    assert list(steps.collections) == [0, 0, 1, 2]
    assert list(cxl_gpu.points.collecting(steps).index) == [3 * us]  # nothing is answered after it
    never = cxl_gpu.points.over_time([s for s in samples if s[1] != "collections"])
    assert list(cxl_gpu.points.collecting(never).index) == [us, 2 * us, 3 * us]


def test_a_machine_has_the_papers_proportions():
    size = cxl_gpu.scale.scale(80 << 20)
    assert (size.local, size.llc) == (8 << 20, 128 << 10)
    assert not [i for i in size.invariants if i.broken]


def test_addresses_go_round_over_root_ports(memsim_command):
    done = memsim_command(
        CONFIGS / "cxl_gpu.py",
        "--platform",
        "cxl-ds",
        "--media",
        "z-nand",
        "--workload",
        "bfs",
        "--scale",
        "tiny",
        "--ports",
        "2",
        "--check-contents",
    )
    assert "bytes are as the program left them" in done.stdout


def test_the_round_trip_is_the_sum_of_the_layers(memsim_command):
    """68.4, 248.4, 78 and 70 ns, and the ordered sets that some flits meet."""
    for arguments, trip in {
        ("--controller", "ours"): 68.5,
        ("--controller", "smt"): 248.6,
        ("--controller", "tpp"): 248.6,
        ("--flit", "256B"): 78.1,
        ("--flit", "256B-lopt"): 70.0,
    }.items():
        done = memsim_command(CONFIGS / "cxl_link.py", *arguments)
        assert f"a read takes {trip} ns" in done.stdout


@pytest.mark.parametrize("flit", ["256B", "256B-lopt"])
def test_memory_is_as_the_program_left_it_over_256_byte_flits(memsim_command, flit):
    done = memsim_command(
        CONFIGS / "cxl_gpu.py",
        "--platform",
        "cxl-ds",
        "--media",
        "z-nand",
        "--workload",
        "bfs",
        "--scale",
        "tiny",
        "--flit",
        flit,
        "--check-contents",
    )
    assert "bytes are as the program left them" in done.stdout


def test_each_assumption_is_a_parameter_of_its_platforms():
    program = cxl_gpu.workloads.program("bfs", "tiny")[0]
    made = {p: cxl_gpu.machine(p, cxl_gpu.workloads.program("bfs", "tiny")[0], "z-nand") for p in cxl_gpu.platforms()}
    assert program
    for a in assumptions.of("cxl_gpu"):
        for platform in a.platforms:
            for change in a.changes:
                path, _, name = change.partition("=")[0].rpartition(".")
                part = made[platform]
                for step in path.replace("[*]", "").split("."):
                    part = getattr(part, step)
                    part = part[0] if not hasattr(part, "_params") and hasattr(part, "__len__") else part
                assert name in part._params, (a.name, change)


def test_every_claim_is_judged_by_a_study():
    scripts = {p.name: p.read_text() for p in (CONFIGS / "studies" / "cxl").glob("*.py")}
    in_ranges = {f"cxl-{n}-{pattern}" for n in (22, 23, 28) for pattern in ("seq", "around", "rand")}
    of_workloads = ("cxl-37", "cxl-43", "cxl-44")  # properties of the programs (docs/models/cxl.md)
    for id in study.claims("cxl_gpu"):
        if id not in in_ranges and not id.startswith(of_workloads):
            assert any(f'"{id}"' in text for text in scripts.values()), id


def test_words_for_what_there_is_not(memsim_command):
    for arguments, words in {
        ("--platform", "cxl-rs"): "there is no platform 'cxl-rs'",
        ("--workload", "vad"): "there is no workload 'vad'",
        ("--media", "znand"): "there is no medium 'znand'",
        ("--controller", "theirs"): "there is no controller 'theirs'",
        ("--flit", "256"): "there is no flit '256'",
        ("--read-ahead", "widow"): "widow",
        ("--scale", "smal"): "there is no scale 'smal'",
    }.items():
        done = memsim_command(CONFIGS / "cxl_gpu.py", *arguments, expect=1)
        assert words in done.stderr


def test_bad_machines_are_refused_before_time_0():
    def said(part, **changes):
        root = cxl_gpu.machine("cxl-ds", cxl_gpu.workloads.program("bfs", "tiny")[0], "z-nand")
        for name, value in changes.items():
            setattr(part(root), name, value)
        with pytest.raises(memsim.Error) as e:
            memsim.instantiate(root)
        return str(e.value)

    port = lambda root: root.port[0]  # noqa: E731
    assert "lanes" in said(lambda r: port(r).root_port, lanes=16, port_lanes=8)
    assert "round trip" in said(lambda r: port(r).root_port, retry_buffer=22)
    assert "window" in said(lambda r: r.firmware, window="4KiB")
    assert "ways" in said(lambda r: r.firmware, ways=5)
