"""Studies: points run in processes, finished points are skipped, verdicts are stored in the database."""
import argparse
import os
import sqlite3

import numpy
import pytest

import memsim
from memsim import study
from memsim.units import Bytes

POINT = """\
import sys
import memsim
root = memsim.Root(seed=1)
root.gen = memsim.mem.TrafficGen(requests=int(sys.argv[1]), period="10ns")
root.mem = memsim.mem.SimpleMemory(latency="100ns")
root.gen.mem_side = root.mem.cpu_side
memsim.instantiate()
memsim.simulate()
"""
SEEDED = POINT.replace("int(sys.argv[1])", "10 + int(sys.argv[2] if len(sys.argv) > 1 else 1)")
PLAYED = """\
import memsim
root = memsim.Root()
root.gen = memsim.workload.TracePlayer(trace="work.trc", format="dramsim3", timed=False)
root.mem = memsim.mem.SimpleMemory(latency="100ns")
root.gen.mem_side = root.mem.cpu_side
memsim.instantiate()
memsim.simulate()
"""
READS = "SELECT value FROM result WHERE run = :run AND path = 'mem' AND name = 'reads'"


@pytest.fixture
def point(in_tmp):
    (in_tmp / "point.py").write_text(POINT)
    return in_tmp / "point.py"


def make(tmp, *sizes, script="point.py"):
    made = study.Study("ohm", "test", database=tmp / "study.db", jobs=2)
    for n in sizes:
        made.point(tmp / script, n, size=n)
    return made


def runs(tmp):
    return [r[0] for r in sqlite3.connect(tmp / "study.db").execute("SELECT id FROM run")]


def test_as_many_points_run_at_once_as_the_process_may_use_cores(in_tmp):
    usable = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(usable)})
        assert study.Study("ohm", "test", database=in_tmp / "study.db").jobs == 1
    finally:
        os.sched_setaffinity(0, usable)
    assert study.Study("ohm", "test", database=in_tmp / "study.db").jobs == len(usable)


def test_points_become_a_table_with_a_column_for_each_query(in_tmp, point):
    made = make(in_tmp, 10, 20, 30)
    made.run()
    assert made.table(reads=READS)["reads"].to_dict() == {10: 10, 20: 20, 30: 30}


def test_keys_are_values_that_json_has(in_tmp, point):
    made = make(in_tmp, numpy.int64(10))
    made.point(point, 10, size=Bytes(64), share=numpy.float32(0.5), file=point, none=None)
    assert made.points[0].keys == {"size": 10} and type(made.points[0].keys["size"]) is int
    assert made.points[1].keys == {"size": "64B", "share": 0.5, "file": str(point), "none": None}
    made.run()
    assert made.table(reads=READS)["reads"].tolist() == [10, 10]


def test_points_without_keys_have_their_commands(in_tmp, point):
    made = make(in_tmp)
    for n in 10, 20:
        made.point(point, n, options=["--stamps", 1])
    made.run()
    commands = ["point.py 10 --stamps 1", "point.py 20 --stamps 1"]
    assert made.table(reads=READS)["reads"].to_dict() == dict(zip(commands, [10, 20]))
    assert [one.name for one in made.points] == commands
    assert made.data()["reads"].tolist() == [10, 20]


def test_a_table_needs_runs(in_tmp, point):
    with pytest.raises(memsim.Error, match=r"table\(\): the point 10 has no run: call run\(\) first"):
        make(in_tmp, 10).table(reads=READS)


def test_a_finished_point_is_not_run_again_and_a_changed_one_is(in_tmp, point):
    make(in_tmp, 10, 20).run()
    before = runs(in_tmp)
    again = make(in_tmp, 10, 20, 30)
    again.run()
    assert set(before) < set(runs(in_tmp)) and len(runs(in_tmp)) == 3
    assert again.table(reads=READS)["reads"].to_dict() == {10: 10, 20: 20, 30: 30}
    point.write_text(POINT.replace("100ns", "200ns"))
    make(in_tmp, 10).run()
    assert len(runs(in_tmp)) == 4


def test_a_point_is_run_again_when_its_input_file_has_changed(in_tmp):
    (in_tmp / "point.py").write_text(PLAYED)
    for lines, expected in (1, 1), (1, 1), (2, 2):
        if lines > 1 or not (in_tmp / "work.trc").exists():
            (in_tmp / "work.trc").write_text("0x40 READ 0\n" * lines)
        make(in_tmp, 1).run()
        assert len(runs(in_tmp)) == expected


def test_a_point_that_fails_is_named_and_the_others_are_kept(in_tmp, point):
    made = make(in_tmp, 10, "many")
    with pytest.raises(memsim.Error, match=r"1 of 2 points of test failed.*\n  many: .*'many'"):
        made.run()
    assert len(runs(in_tmp)) == 1


def test_points_of_several_seeds_are_evaluated_seed_by_seed(in_tmp, capsys):
    (in_tmp / "seeded.py").write_text(SEEDED)
    made = study.Study("ohm", "test", database=in_tmp / "study.db", jobs=2, seeds=3)
    point = made.point(in_tmp / "seeded.py", size=10)
    made.run()
    assert point.seed == 1 and "--seed" not in point.arguments and len(made.points) == 3
    assert made.table(reads=READS)["reads"].to_dict() == {10: 11}
    reads = made.over_seeds(lambda: made.table(reads=READS)["reads"][10])
    assert reads == [11, 12, 13] and made.selected == [point]
    made.claim("ohm-01", [x / 10 for x in reads])
    made.close()
    assert "1.1..1.3" in capsys.readouterr().out
    with pytest.raises(memsim.Error, match="0 seeds"):
        study.Study("ohm", "test", database=in_tmp / "study.db", seeds=0)


def test_a_point_that_does_not_depend_on_the_seed_runs_once(in_tmp):
    (in_tmp / "seeded.py").write_text(SEEDED)
    made = study.Study("ohm", "test", database=in_tmp / "study.db", jobs=1, seeds=3)
    made.point(in_tmp / "seeded.py", seeded=False, size=10)
    made.run()
    assert len(runs(in_tmp)) == 1
    assert made.over_seeds(lambda: made.table(reads=READS)["reads"][10]) == [11, 11, 11]


def test_options_of_a_study_may_be_too_small_to_judge():
    def reported(scale="judge", workloads=("a", "b"), max_instructions=0):
        return study.preview(argparse.Namespace(**locals()), ("a", "b"))

    assert not reported() and not reported(workloads=("b", "c", "a"))
    assert reported(scale="default") and reported(workloads=("a", "c")) and reported(max_instructions=1000)


def test_options_of_memsim_make_another_point(in_tmp, point):
    made = make(in_tmp)
    for latency in "100ns", "300ns":
        made.point(point, 10, options=["--set", f"mem.latency={latency}"], latency=latency)
    made.run()
    made.run()  # nothing new
    assert len(runs(in_tmp)) == 2
    time = made.table(t="SELECT sim_time_fs FROM run WHERE id = :run")["t"]
    assert time["300ns"] > time["100ns"]


def test_equal_points_run_once_and_have_the_same_run(in_tmp, point):
    made = make(in_tmp, 10)
    twin = made.point(point, 10, size="ten")
    made.run()
    assert len(runs(in_tmp)) == 1 and twin.run == made.points[0].run
    assert made.values(twin)["mem", "reads"] == 10


def test_an_unknown_claim_or_system_gives_an_error_message(in_tmp):
    with pytest.raises(memsim.Error, match="no claim 'ohm-99' of ohm"):
        make(in_tmp).claim("ohm-99", 1)
    with pytest.raises(memsim.Error, match="no claims of 'omh'.*ohm"):
        study.claims("omh")


def test_a_metric_without_an_answer_names_the_point(in_tmp, point):
    made = make(in_tmp, 10)
    made.run()
    with pytest.raises(memsim.Error, match=r"'none' has no value for the point 10: select a statistic .* or total"):
        made.table(none="SELECT value FROM result WHERE run = :run AND name = 'nothing'")


def test_a_metric_with_several_values_is_refused(in_tmp, point):
    made = make(in_tmp, 10)
    made.run()
    with pytest.raises(
        memsim.Error, match="'all' has several values for the point 10, such as .* and .*: name one object"
    ):
        made.table(all="SELECT value FROM result WHERE run = :run")
    with pytest.raises(memsim.Error, match="'both' selects 2 columns: select one"):
        made.table(both="SELECT id, seed FROM run WHERE id = :run")
    with pytest.raises(memsim.Error, match="'mean' covers all runs of the database: select the point's, such as by"):
        made.table(mean="SELECT avg(value) FROM result WHERE name = 'reads'")
