"""CMD's machines: platforms, scale, the computations of section IV-E, the studies, and misuse."""

import math
import re
from pathlib import Path

import memsim
import pytest
from memsim.study import assumptions, paper, sensitivity
from memsim.study.assumptions import Assumption
from memsim.systems import cmd
from memsim.systems.scale import footprint

from . import figures

CONFIGS = Path(__file__).parents[2] / "configs"


@pytest.mark.parametrize("platform", cmd.platforms())
def test_memory_equals_that_of_the_program(memsim_command, platform):
    for workload in ("bfs", "cfd"):
        done = memsim_command(
            CONFIGS / "cmd.py", "--platform", platform, "--workload", workload, "--scale", "tiny", "--check-contents"
        )
        assert "bytes equal those of the program" in done.stdout, done.stdout + done.stderr


def test_a_machine_has_the_papers_proportions():
    size = cmd.scale.scale(2 << 20)
    assert (size.l2, size.l1, size.map, size.hash_entries) == (512 << 10, 64 << 10, 48 << 10, 2224)
    assert cmd.scale.scale(1 << 30).l2 == 512 << 10  # no larger than the paper's
    half = cmd.scale.scale(1 << 20)
    assert (half.l2, half.map, half.hash_entries) == (256 << 10, 24 << 10, 1120)


def test_values_that_the_paper_computes():
    cost = cmd.cost
    assert round(100 * cost.capacity_overhead(), 2) == 3.71
    assert cost.on_chip() == 888 << 10
    assert round(100 * cost.fifo_share(), 2) == 0.2  # the paper prints 0.19
    assert round(cost.area(), 3) == 0.377
    assert cost.blocks_of_a_fetch() == 64


def test_each_assumption_is_a_parameter_of_its_platforms():
    made = {p: cmd.machine(p, cmd.workloads.program("bfs", "tiny")[0]) for p in cmd.platforms()}
    for a in assumptions.of("cmd"):
        for platform in a.platforms:
            for change in a.changes:
                path, _, name = change.partition("=")[0].rpartition(".")
                part = made[platform]
                for step in path.replace("[*]", "").split("."):
                    part = getattr(part, step)
                part = part[0] if isinstance(part, (list, tuple)) or not hasattr(part, "_params") else part
                assert name in part._params, (a.name, change)


def test_messages_for_unknown_names(memsim_command):
    for arguments, words in {
        ("--platform", "cdm"): "there is no platform 'cdm'",
        ("--workload", "bsf"): "there is no workload 'bsf'",
        ("--scale", "smal"): "there is no scale 'smal'",
        ("--bandwidth", "300"): "a bandwidth of 300 GB/s: must be 224, 448 or 896",
        ("--ratio", "0"): "ratio 0: caches are sized by it",
        (
            "--platform",
            "baseline",
            "--fifo",
            "3",
        ): "fifo 3: platform 'baseline' has no read-only FIFO; platforms that have one: cmd, ",
        ("--platform", "bpc", "--hash-share", "0.1"): "hash-share 0.1: platform 'bpc' has no store of hashes",
        ("--platform", "l2-5mb", "--tables-share", "1"): "tables-share 1: platform 'l2-5mb' has no metadata caches",
    }.items():
        done = memsim_command(CONFIGS / "cmd.py", *arguments, expect=1)
        assert words in done.stderr


@pytest.mark.parametrize("option", ["ratio", "hash_share", "tables_share"])
@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf")])
def test_caches_are_not_sized_by_other_values(option, value):
    with pytest.raises(
        memsim.Error, match=f"test_cmd.py:.*: {option.replace('_', '-')} {value:g}: caches are sized by it"
    ):
        cmd.scale.scale(1 << 20, **{option: value})


def test_every_platform_accepts_the_options_that_apply_to_it():
    for option, (_, owners) in cmd.fronts.OF_OPTIONS.items():
        for platform in cmd.platforms():
            if platform in owners:
                cmd.fronts.check_options(platform, **{option: 1})
            else:
                with pytest.raises(memsim.Error, match=f"platform '{platform}' has no"):
                    cmd.fronts.check_options(platform, **{option: 1})
    made = cmd.machine("cmd", cmd.workloads.program("bfs", "tiny")[0])
    assert [int(fifo.sectors) for fifo in made.fifo] == [16, 16]


FRONT = dict.fromkeys(
    "write_requests data_reads read_only_reads metadata_fetches metadata_writebacks dedup_reads verify_reads reached_1 "
    "reached_2 reached_3 reached_6 reached_11 reached_21 type_reads type_hits mask_reads mask_hits silent_shared "
    "uncovered_reads reads reads_never_written reads_of_intra reads_of_inter reads_of_own".split(),
    0,
)


def run_of(ipc=1.0, fetched=100, **front):
    """The values of a run by (path, name), as in a database."""
    front = FRONT | dict(writes=0, intra=0, inter=0, silent=0, map_reads=0, map_hits=0) | front
    return {
        ("gpu.dispatcher", "cycles"): 1000,
        ("gpu.dispatcher", "ipc"): ipc,
        ("gpu.l2[0]", "sectors"): 10,
        ("gpu.l2[1]", "sectors"): 0,
        ("gpu.l2[0]", "fetched_bytes"): fetched,
        ("gpu.l2[1]", "fetched_bytes"): fetched,
        **{(f"fifo[{i}]", "hit_distance.p50"): 10 * i for i in (1, 2)},
        **{("front", name): value for name, value in front.items()},
    }


OF_MACHINE = "energy", "written_over_reach", "hashed_over_entries", "footprint_over_l2"


def shown(values):
    """The metrics of a run without its machine."""
    return figures.metrics("cmd", values, *OF_MACHINE)


def figure(runs, name="fig14"):
    """A figure of runs by (platform, workload)."""
    return figures.figure(f"cmd/{name}", {point: shown(values) for point, values in runs.items()})


def test_blocks_that_are_equal_to_their_own_place_are_found_but_no_inter_duplicates():
    found = shown(run_of(writes=100, intra=10, inter=20, silent=30))
    assert (found["intra_share"], found["inter_share"], found["silent_share"], found["found_share"]) == (10, 20, 30, 60)
    assert found["found_blocks"] == 60 and found["fetched_bytes"] == 200
    claims = paper.load("cmd").claims
    for claim in "cmd-34", "cmd-35", "cmd-43":  # duplicates of all kinds that are not written
        assert claims[claim].metric.startswith("found_")
    assert (claims["cmd-27"].metric, claims["cmd-27"].subject) == ("overlapping_share", "dedup exact")  # Fig. 3


def test_extra_reads_and_reads_are_counted_by_cause_and_type():
    found = shown(
        run_of(writes=50, dedup_reads=8, uncovered_reads=5, reads=10, reads_never_written=1, reads_of_intra=2)
        | {("front", "reads_of_inter"): 3, ("front", "reads_of_own"): 4}
    )
    assert (found["extra_reads"], found["uncovered_extra_reads"]) == (16, 10)
    assert [found[f"reads_of_{bits}"] for bits in ("00", "01", "10", "11")] == [10, 20, 30, 40]


def test_a_share_of_zero_is_undefined():
    found = shown(run_of())
    assert math.isnan(found["inter_share"]) and math.isnan(found["map_hits"])


def test_requests_of_the_program_of_tables_and_of_deduplication():
    found = shown(run_of(write_requests=1, data_reads=2, read_only_reads=4, metadata_fetches=8, dedup_reads=16))
    assert (found["off_chip"], found["off_chip_share"], found["metadata"], found["dedup_reads"]) == (31, 70, 8, 16)


def test_means_weigh_workloads_equally_and_sums_do_not(capsys):
    made = figure({("cmd", "bfs"): run_of(writes=100, inter=50), ("cmd", "cfd"): run_of(writes=900, inter=90)})
    made.show("inter_share")
    assert re.search(r"^cmd +50 +10 +30\n  of sums: cmd 14$", capsys.readouterr().out, re.M)
    made.show("ipc")  # a mean of instructions a cycle has no sum
    assert "of sums" not in capsys.readouterr().out
    made = figure(
        {
            (p, w): run_of(write_requests=n)
            for p, w, n in (("baseline", "bfs", 10), ("baseline", "cfd", 90), ("cmd", "bfs", 5), ("cmd", "cfd", 90))
        }
    )
    made.show("write_requests", "baseline")
    assert capsys.readouterr().out.endswith("  of sums: baseline 1, cmd 0.95\n")


def test_types_of_written_blocks_of_each_program_and_of_all(capsys):
    made = figure(
        {
            ("dedup", "bfs"): run_of(writes=10, intra=1, silent=4, silent_shared=2),
            ("dedup", "cfd"): run_of(writes=90, intra=9, inter=45),
        },
        "fig06",
    )
    cmd.special.found_blocks(made)
    heading, *rows, sums = capsys.readouterr().out.splitlines()
    assert heading.split() == "% of written blocks, dedup bfs cfd mean".split()
    assert [row.split() for row in rows] == [
        ["intra-duplicates", "10", "10", "10"],
        ["inter-duplicates", "0", "50", "25"],
        ["equal", "to", "another", "block", "20", "50", "35"],
        ["silent", "40", "0", "20"],
    ]
    assert sums == "  of sums: intra-duplicates 10, inter-duplicates 45, equal to another block 47, silent 4"


def ipc(**of):
    """Runs by (platform, workload), with the given IPC on bfs and cfd of each platform."""
    return {(p.replace("_", "-"), w): run_of(ipc=x) for p, both in of.items() for w, x in zip(("bfs", "cfd"), both)}


def test_the_gain_over_a_larger_l2_is_the_ratio_of_two_means():
    """1.3779 / 1.0942 = 1.2592, which the paper prints as 25.92 %."""
    made = figure(ipc(baseline=(1, 1), l2_5mb=(1, 2), cmd=(3, 2)))
    assert made.measured("cmd-44") == pytest.approx(2.5 / 1.5)  # the mean of the ratios is 2
    assert figure({("cmd", "bfs"): run_of()}).measured("cmd-44") is None


def test_a_claim_under_a_variant_is_of_the_platforms_that_have_it(capsys):
    made = figure(ipc(baseline=(1, 1), l2_5mb=(1, 1), cmd=(2, 2)) | {("cmd interval=1", "bfs"): run_of(ipc=3)})
    made.workloads = ["bfs"]
    assert [made.measured("cmd-02", v) for v in ("", " interval=1")] == [2, 3]
    assert made.measured("cmd-44", " interval=1") == 3
    swept = [Assumption("interval", "1", platforms=("cmd",))]
    sensitivity.show_moved(made, sensitivity.figures_of(made, swept), swept)
    printed = capsys.readouterr().out.splitlines()[1]
    assert re.match(r"interval=1 +cmd-02 1\.\d+: 2 -> 3 \([^;]+\); ", printed) and "cmd-06" not in printed


def test_a_reduction_of_zero_is_zero():
    made = figure(
        {
            ("dedup-car", "bfs"): run_of(read_only_reads=100),
            ("cmd", "bfs"): run_of(read_only_reads=75),
            ("dedup-car", "mis"): run_of(),
            ("cmd", "mis"): run_of(),
        },
        "fig18",
    )
    assert made.measured("cmd-48") == 12.5 and made.measured("cmd-47") is None


def test_tables_and_deduplication_over_requests_of_the_baseline():
    made = figure(
        {("baseline", "bfs"): run_of(data_reads=200), ("cmd", "bfs"): run_of(metadata_fetches=1, verify_reads=3)},
        "fig13",
    )
    assert made.measured("cmd-50") == 2


PARAMETERS = {
    ("front", "capacity"): 8 << 20,
    ("front", "map_cache"): 48 << 10,
    ("front", "hash_entries"): 2224,
    ("gpu.l2[0]", "capacity"): 256 << 10,
    ("gpu.l2[1]", "capacity"): 256 << 10,
}


def test_inputs_are_compared_with_the_machines_capacities():
    """A cache of 48 KB for map entries covers 1.5 MB; 3 MB are 24,576 blocks."""

    def inputs(**changed):
        parameters = PARAMETERS | {("front", name): value for name, value in changed.items()}
        found = figures.metrics("cmd", run_of(writes=24_576, hashed=2224), "energy", parameters=parameters)
        return [found[name] for name in cmd.special.INPUTS]

    assert inputs() == [2, 1, 16]
    assert inputs(capacity=1 << 20) == pytest.approx(
        [2 / 3, 1, 2]
    )  # a block counts once, however often it is written back


def test_workloads_too_small_for_a_claim_of_rates_are_named(in_tmp, capsys):
    enough = {name: least for name, (least, _) in cmd.special.INPUTS.items()}
    made = figures.figure(
        "cmd/fig17",
        {
            ("cmd", "bfs"): enough | dict(map_hits=90, written_over_reach=1.5),
            ("cmd", "cfd"): enough | dict(map_hits=90),
        },
    )
    made.judge("cmd-36")
    cmd.special.sizes_of_inputs(made)
    assert capsys.readouterr().out.endswith(
        "\ninputs that are large enough for cmd-36: cfd\n"
        "  too small, so by construction, is bfs: written-back data over what the map's cache reaches 1.5 of 2\n"
    )


def watts(platform):
    """The leakage power of a platform by part and objects, for a controller of the paper's size."""
    size = cmd.scale.scale(4 << 20)
    found = {}
    for row in cmd.energy.costs(cmd.machines.on_chip(platform, size)):
        assert "assumption" in row.source
        if row.power and row.part != "DRAM":
            found[row.objects] = found.get(row.objects, 0) + row.power
    return found


def test_all_that_is_on_the_chip_leaks_by_its_bytes():
    """The storage that the paper counts, a ninth of 888 KB and the FIFOs, and that of the other platforms."""
    kb = 0.3 / 1024
    tables, store = 63 * kb, 2224 * 22 / 1024 * kb  # 48 + 5 + 10 KB; 48 KB but for a rounding to whole sets
    assert watts("baseline") == pytest.approx({"gpu.l2": 512 * kb})
    assert watts("l2-5mb") == pytest.approx({"gpu.l2": 640 * kb})
    assert watts("bpc") == pytest.approx({"gpu.l2": 512 * kb, "front": tables})
    assert watts("bcd") == pytest.approx({"gpu.l2": 512 * kb, "front": tables + 56 * kb})
    for platform in "esd", "dedup", "dedup-car":
        assert watts(platform) == pytest.approx({"gpu.l2": 512 * kb, "front": tables + store})
    for platform in "cmd", "cmd-bpc":
        assert watts(platform) == pytest.approx({"gpu.l2": 512 * kb, "front": tables + store, "fifo": kb})


@pytest.mark.parametrize(
    "platform, counted",
    [
        ("baseline", set()),
        ("l2-5mb", set()),
        ("bpc", {"writes"}),
        ("bcd", {"writes"}),
        ("esd", {"writes"}),
        ("dedup", {"intra", "hashed"}),
        ("dedup-car", {"hashed"}),
        ("cmd", {"hashed", "read_sectors", "taken"}),
        ("cmd-bpc", {"writes", "hashed", "read_sectors", "taken"}),
    ],
)
def test_look_ups_and_encoders_cost_energy_per_count(platform, counted):
    rows = cmd.energy.costs(cmd.machines.on_chip(platform, cmd.scale.scale(4 << 20)))
    own = {row.statistic for row in rows if row.source in (cmd.energy.LOOK, cmd.energy.ENCODED) and row.statistic}
    assert own == counted
    assert all(row.each > 0 for row in rows if row.statistic)
    made = cmd.machine(platform, cmd.workloads.program("bfs", "tiny")[0])
    assert {(row.objects, row.statistic) for row in rows} == {(row.objects, row.statistic) for row in made.energy}


def test_bad_machines_are_refused_before_time_0():
    def refusal(**changes):
        root = cmd.machine("cmd", cmd.workloads.program("bfs", "tiny")[0])
        for name, value in changes.items():
            setattr(root.front, name, value)
        with pytest.raises(memsim.Error) as e:
            memsim.instantiate(root)
        return str(e.value)

    assert "not a whole number of sets" in refusal(hash_entries=17)
    assert "not a whole number of sets" in refusal(type_cache="1152B")
    assert "front.interleave: address" in refusal(interleave="512B")


def test_zero_ways_mean_fully_associative():
    root = cmd.machine("cmd", cmd.workloads.program("bfs", "tiny")[0])
    front = root.front
    front.hash_ways = front.metadata_ways = 0
    front.hash_entries, front.mask_cache = 17, "1152B"  # not a whole number of sets with the paper's ways
    simulation = memsim.instantiate(root)
    memsim.simulate()
    simulation.check_contents()
    assert int(front.stats.forgotten) > 0 and 0 < int(front.stats.mask_hits) <= int(front.stats.mask_reads)


def test_lines_of_the_l2_lie_within_a_block():
    root = cmd.machine("cmd", cmd.workloads.program("bfs", "tiny")[0])
    for slice in root.gpu.l2:
        slice.line, slice.capacity = "256B", "16KiB"
    with pytest.raises(
        memsim.Error, match="front.cpu_side: a request must lie within 128B, but those of gpu.l2.0. may span 256B"
    ):
        memsim.instantiate(root)


def test_deduplication_and_fifo_before_another_memory(tmp_path):
    """In front of Ohm-GPU's DRAM, over two channels, behind another L2."""
    from memsim import cmd as parts
    from memsim import mem, workload
    from memsim.systems import gpu

    root = memsim.Root(contents=True)
    root.program = workload.Program(name="bfs_rodinia", size=9)
    root.gpu = gpu(
        sms=2,
        l1="12KiB",
        l2=dict(capacity="16KiB", control_ports=1),
        channels=2,
        memory=lambda i, over: parts.Deduplicator(capacity="1MiB", slices=1, channels=2, channel=i),
    )
    root.dram = [
        mem.DramController(timing="ohm_table1", map="RoRaBaCoChCl", channels=2, channel=i, interleave="256B")
        for i in range(2)
    ]
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


def test_programs_are_whole_and_of_the_proportions_that_the_paper_implies():
    for name in cmd.workloads.names():
        program, most = cmd.workloads.program(name, "judge")
        size = cmd.scale.scale(footprint(program))
        assert most == 0, name
        assert 3 <= size.footprint / size.l2 <= 5.1, name
