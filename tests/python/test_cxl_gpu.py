"""CXL-GPU's machines: configurations, media, scale, the studies, and misuse."""

import math
import sqlite3
from pathlib import Path

import memsim
import pytest
from memsim.study import assumptions, paper
from memsim.study.metric import Run
from memsim.systems import cxl_gpu
from memsim.systems.scale import footprint
from memsim.units import Bytes

from . import figures

CONFIGS = Path(__file__).parents[2] / "configs"
LINKED = [p for p in cxl_gpu.platforms() if p.startswith("cxl")]


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
        assert "bytes equal those of the program" in done.stdout, done.stdout + done.stderr


def test_inputs_are_those_that_are_recorded(memsim_command):
    root = CONFIGS.parent
    kept = (root / "docs" / "models" / "cxl-inputs.csv").read_text().splitlines()
    assert memsim_command("-q", root / "util" / "inputs.py", "cxl_gpu").stdout.splitlines() == kept


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
def test_stores_and_loads_continue_while_the_drive_collects(workload, memsim_command, in_tmp):
    """The drive announces a collection before it begins; then stores stay in the reserve, and loads are served from there."""
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
    assert "bytes equal those of the program" in done.stdout
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
        if workload == "gauss":  # the last-level cache keeps the lines that cfd writes and reads again
            assert value("store", "loads[reserve]") + value("store", "loads[both]") > 0
        assert value("store", "loads[endpoint]") > 0


@pytest.mark.parametrize("prefetch", [(), ("--prefetch", cxl_gpu.machines.TREE)])
def test_warps_of_32_threads_on_8_lanes_under_page_faults(prefetch, memsim_command):
    words = ["--platform", "uvm", "--workload", "vadd", "--scale", "small", "--threads", "simt", *prefetch]
    assert "nothing left to do" in memsim_command(CONFIGS / "cxl_gpu.py", *words).stdout


@pytest.mark.parametrize("platform", ["cxl", "cxl-ds"])
def test_a_drive_gathers_the_written_units_of_a_page(platform, memsim_command, in_tmp):
    """Bytes programmed for a byte that leaves the endpoint's DRAM: 16 where each unit of 256 B is a page program."""

    def amplification(*changes):
        words = ["--platform", platform, "--media", "z-nand", "--workload", "vadd", "--scale", "default"]
        words += ["--reserve", "8"]  # in all of GPU memory lines of a page meet less often (docs/models/cxl.md)
        memsim_command(*changes, CONFIGS / "cxl_gpu.py", *words)
        with sqlite3.connect(in_tmp / "memsim-out" / "stats.db") as database:
            (run,) = database.execute("SELECT id FROM run ORDER BY started DESC LIMIT 1").fetchone()
        return cxl_gpu.metrics.amplification(Run(str(in_tmp / "memsim-out" / "stats.db"), run, {}))

    assert 1 <= amplification() < 5
    alone = amplification("--set", "port[*].medium.cache.write_group=0B", "--set", "port[*].medium.merger.group=512B")
    assert alone > 2 * 4


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
    steps = cxl_gpu.series.by_interval(samples)
    assert list(steps.loads) == [2, 0, 4, 0]
    assert list(steps.load_time) == [100, 0, 800, 0]
    assert list(steps.ingress) == [4, 0, 6, 0]
    assert list(steps.collections) == [0, 0, 1, 2]
    assert list(cxl_gpu.series.collecting(steps).index) == [3 * us]  # no response arrives after it
    never = cxl_gpu.series.by_interval([s for s in samples if s[1] != "collections"])
    assert list(cxl_gpu.series.collecting(never).index) == [us, 2 * us, 3 * us]


def times(name="fig9c", **of):
    """A figure of execution times by platform, on bfs: 'cxl_sr__z_nand' is cxl-sr z-nand."""
    rows = {(p.replace("__", " ").replace("_", "-"), "bfs"): {"time": x, "collections": n} for p, (x, n) in of.items()}
    return figures.figure(f"cxl_gpu/{name}", rows)


MEDIA = "optane", "z_nand", "nand"


def test_claims_of_the_mean_over_media_and_of_the_best_one():
    of = dict(
        cxl={"optane": 4, "z_nand": 8, "nand": 12}, cxl_sr=dict.fromkeys(MEDIA, 4), cxl_ds=dict.fromkeys(MEDIA, 2)
    )
    rows = {f"{p}__{m}": (time, 0) for p, by_medium in of.items() for m, time in by_medium.items()}
    rows |= {f"{p}__fresh": row for p, row in rows.items() if "nand" in p}
    for p in ("cxl_sr__z_nand", "cxl_sr__nand"):
        rows[p] = rows[p][0], 10  # with collections, which a claim about speculative reads excludes
    made = times(**rows, cxl_ds__optane__ring=(1, 0))
    assert made.measured("cxl-35") == pytest.approx((1 + 2 + 3) / 3)
    assert [made.measured("cxl-20", variant) for variant in ("", " ring")] == [2, 4]
    assert times(cxl__optane=(1, 0), cxl_sr__optane=(1, 0)).measured("cxl-35") is None


def test_a_claim_of_the_mean_over_media_under_a_variant():
    media = "optane", "z-nand fresh", "nand fresh"
    rows = {(f"{p} {m}", "path"): {"time": 4.0} for p in ("cxl", "cxl-sr") for m in media}
    made = figures.figure("cxl_gpu/fig9c", rows | {("cxl-sr optane ring=1", "path"): {"time": 1.0}})
    assert made.measured("cxl-34") == 1
    assert made.measured("cxl-34", " ring=1") == pytest.approx((4 + 1 + 1) / 3)


@pytest.mark.parametrize("collections, enough", [(10, True), (9, False)])
def test_a_claim_about_stores_is_judged_where_both_platforms_have_collected(collections, enough, capsys):
    of = dict(cxl_ds__z_nand=(10, collections), cxl_sr__z_nand=(30, 11))
    made = times("fig9e", **of, cxl_ds__z_nand__fresh=(1, 0), cxl_sr__z_nand__fresh=(1.5, 0))
    made.frame[["gc_latency", "gc_ingress"]] = 1.0
    made.preview = False  # as judged on all workloads
    made.args.scale, made.workloads = "judge", list(made.workloads)
    made.args.workloads = cxl_gpu.workloads.STORES
    made.judge("cxl-42")
    assert [v.word != "too small to judge" for v in made.verdicts] == [enough]
    cxl_gpu.special.claims_about_stores(made)
    (printed,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("cxl-42")]
    assert printed == (
        f"cxl-42: cxl-ds z-nand has collected {collections} times, cxl-sr z-nand has collected 11 times"
        + ("" if enough else " (fewer than 10)")
    )


def test_fresh_drives_that_never_collect_give_no_ratio_of_collections(capsys):
    of = dict(cxl_ds__z_nand=(1, 6), cxl_sr__z_nand=(1, 5), cxl_ds__z_nand__fresh=(1, 0), cxl_sr__z_nand__fresh=(1, 0))
    made = times("fig9e", **of)
    made.frame[["gc_latency", "gc_ingress"]] = 1.0
    cxl_gpu.special.claims_about_stores(made)
    (printed,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("cxl-42")]
    assert printed.endswith("cxl-sr z-nand has collected 5 times (fewer than 10)")


def test_speeds_are_normalised_to_an_ideal_gpu_before_they_are_averaged():
    rows = {
        (p, w): {"time": time}
        for w, of in {"vadd": (1, 10, 2), "bfs": (10, 20, 10)}.items()
        for p, time in zip(("gpu-dram", "uvm", "cxl"), of)
    }
    made = figures.figure("cxl_gpu/fig9a", rows)
    assert made.measured("cxl-06") == pytest.approx(((10 + 2) / 2) / ((2 + 1) / 2))
    assert made.measured("cxl-36") == pytest.approx(10 / 6)  # only vadd, over both


def test_memory_accesses_of_compute_over_those_of_load_intensive_workloads():
    rates = dict.fromkeys(cxl_gpu.workloads.COMPUTE, 0.1) | dict.fromkeys(cxl_gpu.workloads.LOADS, 0.8)
    rows = {("gpu-dram", w): {"access_rate": rate} for w, rate in rates.items()}
    assert figures.figure("cxl_gpu/workloads", rows).measured("cxl-37") == pytest.approx(1 / 8)
    del rows["gpu-dram", "sort"]
    assert figures.figure("cxl_gpu/workloads", rows).measured("cxl-37") is None


def test_metrics_of_a_run_by_hand():
    port = {
        (".medium.cache", "hits"): 3,
        (".medium.cache", "merged"): 1,
        (".medium.cache", "misses"): 4,
        (".queues", "speculative_reads[window]"): 2,
        (".queues", "read_latency.sum"): 30,
        (".queues", "read_latency.count"): 2,
        (".medium.ssd.drive", "collections"): 5,
    }
    values = {(f"port[{i}]{path}", name): value for i in (0, 1) for (path, name), value in port.items()}
    cores = dict(memory_instructions=25, warp_instructions=100, read_requests=30, requests=40)
    values |= {("gpu.sm[0]", name): value for name, value in cores.items()}
    values |= {("gpu.dispatcher", "cycles"): 1000, ("gpu.dispatcher", "ipc"): 2}
    found = figures.metrics("cxl_gpu", values, "gc_latency", "gc_ingress")
    expected = dict(time=1000, compute_ratio=75, load_ratio=75, access_rate=0.4, hits=37.5, read_latency=15)
    expected |= dict(speculative_reads=4, collections=10)
    assert {name: found[name] for name in expected} == pytest.approx(expected)
    assert math.isnan(found["write_latency"])  # without writes


def test_a_machine_has_the_papers_proportions():
    size = cxl_gpu.scale.scale(80 << 20)
    assert (size.local, size.llc) == (8 << 20, 1 << 20)
    assert not [i for i in size.invariants if i.broken]


@pytest.mark.parametrize("mebibytes, llc", [(160, 1 << 20), (80, 1 << 20), (10, 128 << 10)])
def test_a_last_level_cache_is_vortexs_as_far_as_local_memory_is_eight_times_as_large(mebibytes, llc):
    assert cxl_gpu.scale.scale(mebibytes << 20).llc == llc


def test_a_light_load_leaves_bandwidth():
    """A quarter of a full load is the number of requests in flight at the medium's highest rate."""
    rates = {"optane": 7.2e9, "z-nand": 8 * 800e6, "nand": 7e9}  # of a data sheet, and of eight channels
    for name, latency in cxl_gpu.drives.MISS.items():
        full = cxl_gpu.media.full_load(name, 256)
        assert full / 4 * 256 / (latency * 1e-6) == pytest.approx(rates[name], rel=0.02), name


def words_of_a_line(root_changes, memsim_command, in_tmp):
    """Lines that the last-level cache fetches for each line that vadd reads."""
    memsim_command(
        *root_changes, CONFIGS / "cxl_gpu.py", "--platform", "gpu-dram", "--workload", "vadd", "--scale", "default"
    )
    with sqlite3.connect(in_tmp / "memsim-out" / "stats.db") as database:
        (run,) = database.execute("SELECT id FROM run ORDER BY started DESC LIMIT 1").fetchone()

        def total(path, name):
            return database.execute(
                "SELECT sum(value) FROM result WHERE run = ? AND path LIKE ? AND name = ?", (run, path, name)
            ).fetchone()[0]

        return total("gpu.l2%", "fetches") / (total("gpu.sm%", "read_requests") * 4 / 64)


def test_lines_are_fetched_once_for_all_of_their_words(memsim_command, in_tmp):
    size = "--set", "gpu.l2[*].capacity=128KiB"  # a power of two, so that strides meet in few sets
    assert words_of_a_line(size, memsim_command, in_tmp) < 1.2
    linear = [x for c in ("l1", "l2") for x in ("--set", f"gpu.{c}[*].set_hash=linear")]
    assert words_of_a_line([*size, *linear], memsim_command, in_tmp) > 2


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
    assert "bytes equal those of the program" in done.stdout


def test_the_round_trip_is_the_sum_of_the_layers(memsim_command):
    """68.4, 248.4, 78 and 70 ns, plus the ordered sets that delay some flits."""
    for arguments, trip in {
        ("--controller", "ours"): 68.5,
        ("--controller", "smt"): 248.6,
        ("--controller", "tpp"): 248.6,
        ("--flit", "256B"): 78.1,
        ("--flit", "256B-lopt"): 70.0,
    }.items():
        done = memsim_command(CONFIGS / "cxl_link.py", *arguments)
        assert f"a read takes {trip} ns" in done.stdout
    done = memsim_command(CONFIGS / "cxl_link.py", "--read-share", "0%")
    assert "a write takes 68.5 ns" in done.stdout and "a read" not in done.stdout


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
    assert "bytes equal those of the program" in done.stdout


@pytest.mark.parametrize("drive", ["fresh", "used"])
@pytest.mark.parametrize("name", cxl_gpu.workloads.names())
def test_the_seed_changes_runs_with_used_drives_and_of_all_workloads_but_those_named(name, drive, in_tmp):
    def digest(seed):
        work, region = cxl_gpu.workloads.program(name, "tiny", seed)
        root = cxl_gpu.machine(
            "cxl-sr", work, "z-nand", seed=seed, medium=dict(state=drive), dispatcher=dict(max_instructions=region)
        )
        with memsim.Simulation(root) as simulation:
            assert simulation.simulate().cause == "nothing left to do"
            simulation.stats.dump()  # which the digest covers
            return simulation.digest

    seedless = drive == "fresh" and name in paper.load("cxl_gpu").table.seedless
    assert (digest(1) == digest(2)) == (seedless or name == "rsum")  # rsum writes too little for the drive


def test_points_of_used_drives_run_once_for_each_seed():
    made = paper.load("cxl_gpu")
    for name, figure in made.figures.items():
        for points in figure.points:
            used = (points.parameters.get("media") in ("z-nand", "nand")) and "fresh" not in points.arguments
            assert points.seeded == (used or name == "sensitivity"), (name, points)


def test_each_assumption_is_a_parameter_of_its_platforms():
    made = {platform: root for _, platform, root in assumptions.machines("cxl_gpu")}
    for a in assumptions.of("cxl_gpu"):
        for platform in a.platforms:
            for change in a.changes:
                path, _, name = change.partition("=")[0].rpartition(".")
                part = made[platform]
                for step in path.replace("[*]", "").split("."):
                    part = getattr(part, step)
                    part = part[0] if not hasattr(part, "_params") and hasattr(part, "__len__") else part
                assert name in part._params, (a.name, change)


def test_unknown_names_are_refused(memsim_command):
    for arguments, words in {
        ("--platform", "cxl-rs"): "there is no platform 'cxl-rs'",
        ("--workload", "vad"): "there is no workload 'vad'",
        ("--media", "znand"): "there is no medium 'znand'",
        ("--controller", "theirs"): "there is no controller 'theirs'",
        ("--flit", "256"): "there is no flit '256'",
        ("--threads", "cuda"): "there is no mapping of threads 'cuda'",
        ("--read-ahead", "widow"): "widow",
        ("--scale", "smal"): "there is no scale 'smal'",
        ("--reserve", "0"): "reserve=0: write 1 for all of GPU memory",
        ("--reserve", "-1"): "reserve=-1: write 1 for all of GPU memory",
    }.items():
        done = memsim_command(CONFIGS / "cxl_gpu.py", *arguments, expect=1)
        assert words in done.stderr


def test_bad_machines_are_refused_before_time_0():
    def refusal(part, **changes):
        root = cxl_gpu.machine("cxl-ds", cxl_gpu.workloads.program("bfs", "tiny")[0], "z-nand")
        for name, value in changes.items():
            setattr(part(root), name, value)
        with pytest.raises(memsim.Error) as e:
            memsim.instantiate(root)
        return str(e.value)

    port = lambda root: root.port[0]  # noqa: E731
    assert "lanes" in refusal(lambda r: port(r).root_port, lanes=16, port_lanes=8)
    assert "round trip" in refusal(lambda r: port(r).root_port, retry_buffer=22)
    assert "window" in refusal(lambda r: r.firmware, window="4KiB")
    assert "ways" in refusal(lambda r: r.firmware, ways=5)


def test_a_fresh_drive_never_collects():
    """Its blocks have the data sheet's pages, so that what a program writes again fits into its free blocks."""
    for name in cxl_gpu.drives.FLASH:
        part, _ = cxl_gpu.drives.drive_of(name, 80 << 20, "fresh")
        planes = 8 * part.package[0].dies * part.package[0].planes
        free = planes * (part.drive.blocks - 1) * part.drive.pages
        assert free >= 10 * (80 << 20) // cxl_gpu.media.in_bytes(part.drive.page, "page")


@pytest.mark.parametrize(
    "media, unit, loads", [("z-nand", "128B", 4), ("optane", "256B", 4), ("nand", "256B", 4), ("dram", None, 32)]
)
def test_units_and_loads_of_an_endpoint(media, unit, loads):
    root = cxl_gpu.machine("cxl", cxl_gpu.workloads.program("bfs", "tiny")[0], media)
    port = root.port[0]
    assert port.queues.loads_at_once == loads
    assert (port.medium.cache.unit if unit else None) == unit


@pytest.mark.parametrize("ports, share", [(1, None), (1, 8), (2, None)])
def test_the_reserve_of_deterministic_stores(ports, share):
    """All of local memory, of which each root port has an equal part, and an entry for each line."""
    program = cxl_gpu.workloads.program("bfs", "default")[0]
    local = cxl_gpu.scale.scale(footprint(program)).local
    root = cxl_gpu.machine("cxl-ds", program, "z-nand", ports=ports, reserve=share)
    for i, port in enumerate(root.port):
        each = local // (share or 1) // ports
        assert Bytes.parse(port.store.reserve).value == each and port.store.entries == each // 64
        assert Bytes.parse(port.store.reserve_base).value == i * each
