"""`memsim sweep --slurm`: the submitted jobs, with a replacement of sbatch; and a cluster of two nodes, one of
which fails."""
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from .conftest import MEMSIM

POINT = """\
import sys
import memsim
root = memsim.Root(seed=int(sys.argv[1]))
root.gen = memsim.mem.TrafficGen(requests=int(sys.argv[2]), period="10ns", read_share="70%", range="1MiB")
root.mem = memsim.mem.SimpleMemory(latency="100ns")
root.gen.mem_side = root.mem.cpu_side
memsim.instantiate()
memsim.stats.series("1ms", "mem.*")
memsim.simulate()
"""
STUDY = """\
import sys
from memsim import study
made = study.Study("ohm", "seeds")
for seed in 1, 2, 3, 4:
    made.point("point.py", seed, *sys.argv[1:], seed=seed)
made.run()
print("one run each:", len({point.run for point in made.points}))
"""
SBATCH = """\
#!/bin/bash
cat > "job-$(ls job-* 2>/dev/null | wc -l)"
[ -z "$REFUSE" ] || { echo "sbatch: error: $REFUSE" >&2; exit 1; }
echo "$(ls job-* | wc -l)7;cluster"
"""
DIGESTS = "SELECT argv, digest FROM run WHERE finished IS NOT NULL ORDER BY argv"


@pytest.fixture
def study(tmp_path):
    (tmp_path / "point.py").write_text(POINT)
    (tmp_path / "study.py").write_text(STUDY)
    return tmp_path


def sweep(folder, *arguments, expect=0, **environment):
    done = subprocess.run(
        [MEMSIM, "sweep", *map(str, arguments)],
        cwd=folder,
        text=True,
        timeout=100,
        capture_output=True,
        env=dict(os.environ, **environment),
    )
    assert done.returncode == expect, done.stdout + done.stderr
    return done


def rows(file, query):
    return sqlite3.connect(file).execute(query).fetchall()


@pytest.fixture
def stand_in(study, monkeypatch):
    (study / "bin").mkdir()
    (study / "bin/sbatch").write_text(SBATCH)
    (study / "bin/sbatch").chmod(0o755)
    monkeypatch.setenv("PATH", f"{study}/bin:{os.environ['PATH']}")
    return study


def test_options_of_slurm_alone_are_refused(study):
    for option in "--sbatch=--time=10", "--save-every=9s":
        done = sweep(study, "study.py", "300", option, "-d", "out", expect=1)
        assert done.stderr == (
            f"memsim: {option.partition('=')[0]} requires --slurm: without it the points would run on this computer\n"
        )
    assert not (study / "out").exists()


def test_the_jobs_of_a_study_equal_a_local_sweep(stand_in):
    """A shell runs the submitted jobs: one of them twice, and one of them only later."""
    output = sweep(stand_in, "study.py", "300", "--slurm", "--jobs", "3", "--sbatch=--partition=long", "-d", "out")
    assert output.stdout.startswith("seeds: 4 points are tasks of job 17; job 27 gathers them into ")
    array, gather = ((stand_in / f"job-{n}").read_text() for n in range(2))
    assert "#SBATCH --array=0-3%3\n" in array and "#SBATCH --requeue\n" in array
    assert "#SBATCH --dependency=afterany:17\n" in gather and "--array" not in gather
    assert all("#SBATCH --partition=long\n" in job for job in (array, gather))

    def job(text, number=""):
        return subprocess.run(
            ["sh"],
            input=text,
            cwd=stand_in,
            text=True,
            capture_output=True,
            env=dict(os.environ, SLURM_ARRAY_TASK_ID=str(number)),
        )

    assert "done: 0 of 4 points\n  now: nothing\n  left: 4 points" in sweep(stand_in, "--status", "out").stdout
    for number in 0, 1, 1, 3:
        assert job(array, number).returncode == 0
    assert "done: 3 of 4 points, 1 of them before" in sweep(stand_in, "--status", "out").stdout
    assert not (stand_in / "out/stats.db").exists(), "one writer: not a task"
    assert "'4': it must be the number of one of the 4 points" in job(array, 4).stderr
    done = job(gather)
    assert done.stdout == "one run each: 4\n", done.stderr
    assert "done: 4 of 4 points, 3 of them before" in sweep(stand_in, "--status", "out").stdout
    sweep(stand_in, "study.py", "300", "-d", "here")
    assert len(rows(stand_in / "out/stats.db", "SELECT id FROM run")) == 4
    assert rows(stand_in / "out/stats.db", DIGESTS) == rows(stand_in / "here/stats.db", DIGESTS)
    sweep(stand_in, "study.py", "300", "--slurm", "-d", "out")
    assert "done: 3 of 4 points" in sweep(stand_in, "--status", "out").stdout, "of the tasks again"


def test_folders_with_spaces_are_quoted(stand_in):
    """sbatch divides its lines at spaces, except within quotes."""
    sweep(stand_in, "study.py", "300", "--slurm", "-d", "my results")
    assert f"#SBATCH --output='{stand_in}/my results/slurm/seeds-%a.log'\n" in (stand_in / "job-0").read_text()


def test_a_submission_that_is_refused(stand_in, monkeypatch):
    output = sweep(stand_in, "study.py", "300", "--slurm", "-d", "out", REFUSE="no such partition", expect=1)
    assert output.stderr == "memsim: sbatch refused the job seeds: sbatch: error: no such partition\n"
    (stand_in / "bin/sbatch").unlink()
    output = sweep(stand_in, "study.py", "300", "--slurm", "-d", "out", PATH=f"{stand_in}/bin", expect=1)
    assert output.stderr.startswith("memsim: sbatch cannot be started (No such file or directory): ")
    plan = stand_in / "out/slurm/seeds.json"
    assert [point["arguments"] for point in json.loads(plan.read_text())["points"]] == [
        [str(seed), "300"] for seed in range(1, 5)
    ]


CONFIGURATION = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
AuthInfo=socket={folder}/munge.sock
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdTimeout=5
KillWait=10
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
NodeName=node1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=1
NodeName=node2 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs=1
PartitionName=main Nodes=ALL Default=YES State=UP
"""


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    numbers = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return numbers


def until(condition, seconds=120):
    began = time.monotonic()
    while not (found := condition()):
        assert time.monotonic() - began < seconds, f"the condition did not hold within {seconds} s"
        time.sleep(0.2)
    return found


@pytest.fixture
def cluster(monkeypatch):
    """slurmctld, and slurmd for node1 and node2, on this machine."""
    if os.geteuid() or not all(map(shutil.which, ("munged", "slurmctld", "slurmd", "sbatch"))):
        pytest.skip("needs root and the packages slurm-wlm and munge")
    folder = Path(tempfile.mkdtemp(dir="/tmp"))  # every user must have access to its socket
    folder.chmod(0o755)
    (folder / "munge.key").write_bytes(os.urandom(64))
    (folder / "munge.key").chmod(0o400)
    (folder / "slurm.conf").write_text(
        CONFIGURATION.format(folder=folder, host=socket.gethostname(), ports=free_ports(3))
    )
    monkeypatch.setenv("SLURM_CONF", str(folder / "slurm.conf"))
    try:
        for command in (
            [
                "munged",
                f"--key-file={folder}/munge.key",
                f"--socket={folder}/munge.sock",
                f"--pid-file={folder}/munge.pid",
                f"--log-file={folder}/munge.log",
                f"--seed-file={folder}/munge.seed",
            ],
            ["slurmctld", "-c"],
            ["slurmd", "-N", "node1"],
            ["slurmd", "-N", "node2"],
        ):
            subprocess.run(command, check=True, capture_output=True)
        until(lambda: asked("sinfo", "-h", "-t", "idle", "-o", "%D") == "2")
        yield folder
    finally:
        subprocess.run(["scancel", "-u", "root"], capture_output=True)
        for file in [*folder.glob("node*.pid"), folder / "slurmctld.pid", folder / "munge.pid"]:
            if file.exists():
                process = int(file.read_text())
                end(process, signal.SIGTERM)
                until(lambda: is_over(process))
        shutil.rmtree(folder, ignore_errors=True)


def asked(*command):
    return subprocess.run(command, capture_output=True, text=True).stdout.strip()


def end(process, number=signal.SIGKILL):
    try:
        os.kill(process, number)
    except ProcessLookupError:
        pass


def is_over(process):
    """Whether the process has ended, even if no process has read its exit code."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def parent_of(process):
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


def kill_node(folder, name):
    """Kills the daemon and its jobs, like a failure of the node."""
    doomed = [int((folder / f"{name}.pid").read_text())]
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if f"\0SLURMD_NODENAME={name}\0".encode() in (entry / "environ").read_bytes():
                process = int(entry.name)
                if Path(f"/proc/{parent_of(process)}/comm").read_text().startswith("slurmstepd"):
                    doomed.append(parent_of(process))
                doomed.append(process)
        except OSError:
            pass
    assert len(doomed) > 2, "it runs nothing"
    for process in doomed:
        end(process)


@pytest.mark.long
def test_a_node_dies_and_every_point_is_there_once(study, cluster):
    size = 6_000_000
    sweep(study, "study.py", size, "-d", "here", "--jobs", "2")
    out = study / "out"
    sweep(study, "study.py", size, "--slurm", "-d", out, "--save-every", "300ms")

    def jobs():
        """Index of each task of the array -> state and node of its job."""
        listed = asked("squeue", "-h", "-a", "-r", "-n", "seeds", "-o", "%K %t %N").splitlines()
        return {int(words[0]): words[1:] for words in map(str.split, listed)}

    until(lambda: all(list((out / f"tasks/seeds/{n}/points").glob("wall-*")) for n in (0, 1)))
    before = {n: state for n, state in jobs().items() if state[0] == "R"}
    assert sorted(node for _, node in before.values()) == ["node1", "node2"]
    (dead,) = (n for n, (_, node) in before.items() if node == "node2")
    kill_node(cluster, "node2")
    (other,) = (n for n in before if n != dead)
    array = asked("squeue", "-h", "-n", "seeds", "-o", "%A %F").split()[-1]
    assert not subprocess.run(["scontrol", "requeue", f"{array}_{other}"]).returncode
    until(lambda: list((out / f"tasks/seeds/{other}/points").glob("sigterm-*")))
    until(lambda: jobs()[dead][0] == "PD")
    until(
        lambda: asked("squeue", "-h", "-n", "seeds-gather") == ""
        or [
            subprocess.run(["scontrol", "update", f"jobid={array}_{n}", "starttime=now"], capture_output=True)
            for n in (dead, other)
        ]
        and False
    )  # not in two minutes
    assert (out / "slurm/seeds-gather.log").read_text().endswith("one run each: 4\n")
    assert len(rows(out / "stats.db", "SELECT id FROM run")) == 4, "interrupted points continued"
    assert rows(out / "stats.db", DIGESTS) == rows(study / "here/stats.db", DIGESTS)
    assert "node2" in asked("sinfo", "-h", "-t", "down", "-o", "%N")
