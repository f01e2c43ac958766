"""A study that is interrupted, two studies on one database, and points whose process died."""
import os
import signal
import subprocess

import pytest

# A point stops halfway until the file `go` exists or a signal has arrived.
POINT = """\
import os, sys, time
import memsim
from memsim.run import signals
from memsim.mem import SimpleMemory, TrafficGen

seed = int(sys.argv[1])
root = memsim.Root(seed=seed)
root.gen = TrafficGen(requests=2000, period="10ns", read_share="70%")
root.mem = SimpleMemory(latency="100ns")
root.gen.mem_side = root.mem.cpu_side
memsim.instantiate()
memsim.stats.series("1us", "mem.*")
memsim.simulate("8us")
memsim.stats.dump("half")
with open("started", "a") as started:
    started.write(f"{seed} {os.getpid()}\\n")
for _ in range(12_000):  # a limit, in case it is never requested
    if os.path.exists("go") or signals._seen:
        break
    time.sleep(0.01)
memsim.simulate()
"""
STUDY = """\
from memsim import study

made = study.Study("ohm", "four", jobs=2)
for seed in range(1, 5):
    made.point("point.py", seed, seed=seed)
made.run()
print(*(point.run for point in made.points))
"""
RESULTS = (
    "SELECT seed, digest, sim_time_fs FROM run WHERE finished IS NOT NULL ORDER BY seed",
    "SELECT seed, label, path, run.name, value FROM results JOIN run ON run.id = run "
    "ORDER BY seed, dump, path, results.name",
    "SELECT seed, path, samples.name, tick, value FROM samples JOIN run ON run.id = run "
    "ORDER BY seed, path, samples.name, tick",
)


@pytest.fixture
def four(run):
    """A study with four points, and the results of an undisturbed run (in `whole`)."""
    (run.directory / "point.py").write_text(POINT)
    (run.directory / "four.py").write_text(STUDY)
    (run.directory / "go").touch()
    run("-d", "whole", "four.py")
    (run.directory / "go").unlink()
    (run.directory / "started").unlink()
    return run


def started(run, count, *running):
    """The processes of the points by seed, as soon as this many have reached the middle."""
    file = run.directory / "started"
    file.touch()
    run.wait_until(lambda: len(file.read_text().splitlines()) >= count, *running)
    return {int(seed): int(process) for seed, process in map(str.split, file.open())}


def same_results(run, outdir):
    assert [run.rows(outdir, q) for q in RESULTS] == [run.rows("whole", q) for q in RESULTS]


@pytest.mark.parametrize("target", ["study", "group"])
def test_a_study_that_is_ended(four, target):
    running = subprocess.Popen(
        four.command(["-d", "out", "four.py"]),
        cwd=four.directory,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        process_group=0,
    )
    started(four, 2, running)
    (os.killpg if target == "group" else os.kill)(running.pid, signal.SIGTERM)
    _, output = running.communicate(timeout=100)
    assert running.returncode == 143
    assert output == (
        "memsim: four was stopped by SIGTERM with 0 of 4 points finished: the same command continues with the others, from their checkpoints if they have one\n"
    )
    runs = [run for run, in four.rows("out", "SELECT id FROM run ORDER BY id")]
    assert len(runs) == 2 and set(started(four, 2)) == {1, 2}, "no other point was started"
    assert sorted(p.name for p in (four.directory / "out/points").iterdir()) == [
        f"sigterm-{run[:8]}.ckpt" for run in runs
    ]
    (four.directory / "go").touch()
    four("-d", "out", "four.py")
    assert set(runs) < {run for run, in four.rows("out", "SELECT id FROM run")}, "they continued"
    same_results(four, "out")


def test_two_studies_on_one_database(four):
    one, other = (four.start("-d", "out", "four.py") for _ in range(2))
    assert set(started(four, 4, one, other)) == {1, 2, 3, 4}, "each takes what the other one does not"
    (four.directory / "go").touch()
    runs = []
    for running in one, other:
        output, error = running.communicate(timeout=100)
        assert running.returncode == 0, error
        runs.append(output)
    assert runs[0] == runs[1] and len(started(four, 4)) == 4
    same_results(four, "out")


@pytest.mark.parametrize("saved", [False, True])
def test_points_whose_processes_died_are_taken_over(four, saved):
    """Each of two studies has two points, which have failed. It then finishes the points of the other one, from a
    checkpoint or as new runs."""
    if saved:
        study = four.directory / "four.py"
        study.write_text(STUDY.replace("seed=seed", "options=['--checkpoint-at', '4us'], seed=seed"))
    both = [four.start("-d", "out", "four.py") for _ in range(2)]
    for process in started(four, 4, *both).values():
        os.kill(process, signal.SIGKILL)
    (four.directory / "go").touch()
    for running in both:
        _, error = running.communicate(timeout=100)
        assert running.returncode == 1 and "2 of 4 points of four failed" in error, error
    ((died,),) = four.rows("out", "SELECT count(*) FROM run WHERE finished IS NULL")
    assert died == (0 if saved else 4)
    assert four.rows("out", RESULTS[0]) == four.rows("whole", RESULTS[0])
    if saved:
        same_results(four, "out")


def test_a_study_that_is_told_twice_does_not_wait(four):
    """The points also receive the signal twice; here they do not react to it in time."""
    (four.directory / "point.py").write_text(
        POINT.replace(
            "signals._seen:\n        break",
            "False:\n        break\n    if signals._seen:\n        open(f'seen-{seed}', 'w').close()",
        ).replace("seed = int", "signals.ONCE = 0\nseed = int")
    )
    running = four.start("-d", "out", "four.py")
    started(four, 2, running)
    running.send_signal(signal.SIGTERM)
    four.wait_until(lambda: len(list(four.directory.glob("seen-*"))) == 2, running)
    running.send_signal(signal.SIGTERM)
    _, output = running.communicate(timeout=100)
    assert running.returncode == 143
    assert output.startswith("memsim: four was stopped by SIGTERM with 0 of 4 points finished: "), output
    assert not list((four.directory / "out/points").glob("*.ckpt"))
