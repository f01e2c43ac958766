"""`memsim sweep`: a study whose points are recorded, and its progress."""
import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest

from memsim import Error
from memsim.study import points
from memsim.study.execution import reason
from memsim import study as module

from .conftest import MEMSIM

POINT = """\
import os, sys, time
import memsim
root = memsim.Root()
root.gen = memsim.mem.TrafficGen(requests=int(sys.argv[1]), period="10ns")
root.mem = memsim.mem.SimpleMemory(latency="100ns")
root.gen.mem_side = root.mem.cpu_side
memsim.instantiate()
for _ in range(6000):  # not for ever
    if sys.argv[1] != "3" or os.path.exists("go") or memsim.run.signals._seen:  # a SIGTERM
        break
    time.sleep(0.01)
memsim.simulate()
"""
STUDY = """\
import argparse
from memsim import study
parser = argparse.ArgumentParser()
parser.add_argument("sizes", nargs="+")
made = study.Study("ohm", "sizes", jobs=1)
for n in parser.parse_args().sizes:
    made.point("point.py", n, size=n)
made.run()
print(made.jobs, *(point.run for point in made.points))
"""


@pytest.fixture
def study(tmp_path, memsim_command):
    (tmp_path / "point.py").write_text(POINT)
    (tmp_path / "study.py").write_text(STUDY)
    return memsim_command


def rows(tmp, query="SELECT name, state FROM point ORDER BY number"):
    return sqlite3.connect(tmp / "out/stats.db").execute(query).fetchall()


def test_a_sweep_keeps_a_row_for_each_point(study, tmp_path):
    done = study("sweep", "study.py", "1", "2", "-d", "out", "--jobs", "2")
    assert done.stdout.split() == ["2", *(run for run, in rows(tmp_path, "SELECT run FROM point"))]
    assert rows(tmp_path) == [("1", "finished"), ("2", "finished")]
    assert rows(
        tmp_path,
        "SELECT count(*) FROM point JOIN run ON run.id = point.run "
        "WHERE json_extract(argv, '$[0]') = json_extract(keys, '$.size')",
    ) == [(2,)]
    assert json.loads(rows(tmp_path, "SELECT command FROM point")[0][0]) == [str(tmp_path / "point.py"), "1"]
    (seconds,), _ = rows(tmp_path, "SELECT seconds FROM point")
    assert seconds > 0
    assert "1/1  2  finished before\n" in study("sweep", "-d", "out", "study.py", "2").stderr
    assert rows(tmp_path, "SELECT name, state, seconds FROM point") == [("2", "finished", None)]
    assert "done: 1 of 1 points, 1 of them before\n" in study("sweep", "--status", "out").stdout


def test_seeds_of_a_study_without_a_parser(study, tmp_path):
    (tmp_path / "own.py").write_text(
        """\
from memsim import study
made = study.Study("mine", "own")
made.point("point.py", 1)
print(*(point.arguments for point in made.points), len(study.Study("mine", "fixed", seeds=2).seeds))
"""
    )
    assert study("sweep", "own.py", "--seeds", "3").stdout == "['1'] ['1', '--seed', '2'] ['1', '--seed', '3'] 2\n"
    assert study("sweep", "own.py").stdout == "['1'] 2\n"
    assert "--seeds: '0' is not an integer of at least 1" in study("sweep", "own.py", "--seeds", "0", expect=2).stderr


@pytest.mark.parametrize(
    "code, stderr, output",
    [
        (3, "", "exit code 3"),
        (1, "memsim: warning: a\nmemsim: b: c\n", "b: c"),
        (
            1,
            "memsim: it has stalled; these wait:\n  gpu: for a\n  mem: for b\n",
            "it has stalled; these wait: gpu: for a",
        ),
        (
            1,
            "memsim: ended\nTraceback (most recent call last):\n  File 'x'\nValueError: two\nlines\n",
            "ValueError: two",
        ),
        (-9, "memsim: checkpoint at 1ms in a.ckpt\n", "its process was killed by signal 9 (Killed)"),
    ],
)
def test_the_reason_of_a_failure_is_one_line(code, stderr, output):
    assert reason(code, stderr) == output


def test_the_status_of_a_sweep_that_runs_and_of_one_that_was_killed(study, tmp_path):
    """Points are reported in the order in which they end."""
    command = [MEMSIM, "sweep", "study.py", "3", "1", "2", "-5", "4", "-d", "out", "--jobs", "2"]
    running = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    try:
        for _ in range(4):
            output = running.stderr.readline()
        assert output.startswith("sizes: 4/5  4 "), output
        output = study("sweep", "--status", "out").stdout
        assert output.startswith("ohm/sizes: done: 3 of 5 points, and 1 failed\n  now: 3 (0m"), output
        assert output.splitlines()[2].startswith("  left: 0 points") and "  failed: -5: " in output
        running.kill()
        running.wait()
        output = study("sweep", "--status", "out").stdout
        assert "  now: 3 (its process has ended)\n  left: 1 points" in output, output
    finally:
        (tmp_path / "go").touch()
        running.kill()
        running.communicate()
    study("sweep", "-d", "out", "study.py", "3", "1", "2", "4")
    assert [state for _, state in rows(tmp_path)] == ["finished"] * 4


def test_points_of_a_stopped_sweep_wait(study, tmp_path):
    running = subprocess.Popen(
        [MEMSIM, "sweep", "study.py", "1", "3", "4", "-d", "out"], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    running.stderr.readline()
    running.terminate()
    running.wait()
    (tmp_path / "go").touch()
    running.communicate()
    assert rows(tmp_path)[0] == ("1", "finished") and rows(tmp_path)[2] == ("4", "waiting")


def row(name, state, **more):
    return dict(dict.fromkeys(points.COLUMNS), study="s", name=name, state=state, jobs=2, **more)


def test_the_time_left_is_that_of_the_points_so_far(monkeypatch):
    monkeypatch.setattr(time, "time", lambda: 1000.0)
    here = points.owner()
    ran = [row("a", "finished", seconds=100), row("b", "finished", seconds=60), row("c", "finished")]
    assert points._left(ran) is None, "all is done"
    two = [row("d", "running", began=990.0, owner=here), row("e", "waiting"), row("f", "waiting")]
    assert points._left([row("d", "waiting")]) is None, "no estimate"
    assert points._left(ran + two) == (80 + 80 + 70) / 2
    assert points._left(ran + two[:1]) == 70, "one runs: a second job would be idle"
    assert points._left(ran + [row("d", "running", began=100.0, owner=here)]) == 0
    assert points.summary(ran + two) == [
        "s: done: 3 of 6 points, 1 of them before",
        "  now: d (0m10s)",
        "  left: 2 points, about 1m55s",
    ]


def test_errors_of_a_sweep(study, tmp_path):
    assert "name a study" in study("sweep", expect=1).stderr
    assert "takes a directory and no study" in study("sweep", "--status", "out", "study.py", expect=1).stderr
    assert "'0' is not an integer from 1 to 9999" in study("sweep", "--jobs", "0", "study.py", expect=2).stderr
    assert "no such database" in study("sweep", "--status", "out", expect=1).stderr
    (tmp_path / "go").touch()
    study("-d", "out", "point.py", "3")
    assert study("sweep", "--status", "out", expect=1).stderr == (
        "memsim: out: no study has run points into this database\n"
    )


WARM = """\
import os, sys, time
import memsim
root = memsim.Root(seed=3)
root.gen = memsim.mem.TrafficGen(requests=3000, period="10ns", read_share="70%")
root.mem = memsim.mem.SimpleMemory(latency="100ns")
root.gen.mem_side = root.mem.cpu_side
memsim.instantiate()
memsim.stats.series("1us", "mem.*")
memsim.simulate("15us")
for _ in range(6000):  # not for ever
    if os.path.exists("go"):
        break
    time.sleep(0.01)
memsim.simulate()
"""
SWEPT = """\
from memsim import study
made = study.Study("ohm", "swept", jobs=2)
made.point("warm.py", latency="whole")
for latency in "100ns", "5us":
    made.restored("warm/10us.ckpt", options=["--set", f"mem.latency={latency}"], latency=latency)
made.restored("warm/10us.ckpt", latency="as it was")
made.point("warm.py", options=["--set", "mem.latency=5us"], latency="cold")
made.run()
print(made.table(time="SELECT sim_time_fs FROM run WHERE id = :run").to_csv(header=False))
"""


@pytest.fixture
def warm(study, tmp_path):
    (tmp_path / "warm.py").write_text(WARM)
    (tmp_path / "study.py").write_text(SWEPT)
    (tmp_path / "go").touch()
    study("-q", "-d", "warm", "--checkpoint-at", "10us", "warm.py")
    return study


def test_points_continue_from_a_checkpoint_with_other_parameters(warm, tmp_path):
    output = warm("sweep", "study.py", "-d", "out").stdout
    time = {name: int(fs) for name, fs in (line.split(",") for line in output.split("\n") if line)}
    assert time["whole"] == time["100ns"] == time["as it was"] < time["5us"] < time["cold"]
    parents = rows(tmp_path, "SELECT parent FROM run")
    assert len(parents) == 4, "what was not changed is the whole run"
    assert len(set(rows(tmp_path, "SELECT configuration FROM run"))) == 4
    warm("sweep", "study.py", "-d", "out")
    assert len(rows(tmp_path, "SELECT id FROM run")) == 4, "none was run again"
    assert json.loads(rows(tmp_path, "SELECT command FROM point WHERE number = 2")[0][0]) == [
        "-v",
        "--restore",
        str(*(tmp_path / "warm").glob("10us-*.ckpt")),
        "--set",
        "mem.latency=5us",
    ]


def test_a_killed_restored_point_continues_from_its_own_checkpoint(warm, tmp_path):
    command = [
        "-d",
        "out",
        "--skip-finished",
        "--checkpoint-at",
        "14us",
        "-v",
        "--restore",
        "warm/10us.ckpt",
        "--set",
        "mem.latency=500ns",
    ]
    warm(*command, "-d", "whole")
    (tmp_path / "go").unlink()
    running = subprocess.Popen([MEMSIM, *command], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    assert any("checkpoint at 14us" in line for line in running.stderr)
    time.sleep(0.3)
    running.kill()
    running.communicate()
    (tmp_path / "go").touch()
    ((run,),) = rows(tmp_path, "SELECT id FROM run WHERE finished IS NULL")
    assert f"continues with run {run} from out/14us-" in warm(*command).stderr
    assert f"finished before, as run {run}" in warm(*command).stderr
    assert "continues with run" not in warm(*command[:-1], "mem.latency=600ns").stderr, "that is another run"
    digest = "SELECT digest FROM run ORDER BY started"
    assert rows(tmp_path, digest)[0] == sqlite3.connect(tmp_path / "whole/stats.db").execute(digest).fetchone()
    assert len(rows(tmp_path, digest)) == 2


def test_a_point_of_several_seeds_does_not_continue_from_a_checkpoint(in_tmp):
    made = module.Study("ohm", "test", database=in_tmp / "study.db", seeds=2)
    with pytest.raises(Error, match="a checkpoint has one seed"):
        made.restored("warm.ckpt")


@pytest.fixture
def long_study(study, tmp_path):
    """The process of a study with two long points, and a function that returns its workers."""
    (tmp_path / "point.py").write_text(POINT.replace("memsim.simulate()", "memsim.simulate(sys.argv[2])"))
    (tmp_path / "study.py").write_text(
        STUDY.replace('made.point("point.py", n, size=n)', 'made.point("point.py", 2 * 10**9, f"{n}ms", size=n)')
    )

    def start(*sizes):
        process = subprocess.Popen(
            [MEMSIM, "sweep", "-d", "out", "--jobs", "2", "study.py", *sizes],
            cwd=tmp_path,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process, lambda: [
            int(pid)
            for task in Path(f"/proc/{process.pid}/task").glob("*/children")
            for pid in task.read_text().split()
        ]

    started = []
    yield start
    for process in started:
        process.kill()
        process.wait()


def test_signals_of_a_run_fail_no_point(long_study, tmp_path):
    process, workers = long_study("20", "21", "22", "23")
    seen = set()
    while process.poll() is None:
        for pid in workers():
            seen.add(pid)
            for number in (signal.SIGUSR1, signal.SIGUSR2):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
        time.sleep(0.002)
    assert process.returncode == 0, process.stderr.read()
    assert len(seen) >= 4 and {state for _, state in rows(tmp_path)} == {"finished"}


def runs_begun(folder):
    """The number of runs in the database; 0 while another process creates the tables."""
    try:
        return len(rows(folder, "SELECT 1 FROM run")) if (folder / "out/stats.db").exists() else 0
    except sqlite3.OperationalError:
        return 0


def test_points_of_a_killed_study_end_and_continue(long_study, study, tmp_path):
    process, workers = long_study("20000", "20001")
    began = time.monotonic()
    while runs_begun(tmp_path) < 2:
        assert process.poll() is None and time.monotonic() - began < 60
        time.sleep(0.05)
    time.sleep(0.5)
    pids = workers()
    assert len(pids) == 2
    process.kill()
    process.wait()
    while any(
        Path(f"/proc/{pid}/stat").exists() and Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] != "Z"
        for pid in pids
    ):
        assert time.monotonic() - began < 60
        time.sleep(0.05)
    assert len(list(tmp_path.glob("out/points/sigterm-*.ckpt"))) == 2
