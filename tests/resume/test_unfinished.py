"""`memsim resume OUTDIR` continues all unfinished runs."""
import os
import signal

import pytest

# Depending on its environment, the process is killed after 5 us or waits there for a SIGTERM.
SCRIPT = """\
import os, signal, sys, time
import memsim
from memsim.mem import SimpleMemory, TrafficGen

def machine(seed):
    root = memsim.Root(seed=seed)
    root.gen = TrafficGen(requests=2000, period="10ns", read_share="70%")
    root.mem = SimpleMemory(latency="100ns")
    root.gen.mem_side = root.mem.cpu_side
    return memsim.Simulation(root)

machines = [machine(int(seed)) for seed in sys.argv[1:]]
for m in machines:
    m.simulate("5us")
if "DIE" in os.environ:
    os.kill(os.getpid(), signal.SIGKILL)
if "WAIT" in os.environ:
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    open("waiting", "w").close()
    while signal.SIGTERM not in signal.sigpending():
        time.sleep(0.01)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
for m in machines:
    m.simulate()
    m.stats.dump(str(m.root.seed))
"""
AT = ["--checkpoint-at", "2us", "--checkpoint-at", "4us"]


@pytest.fixture
def killed(run, monkeypatch):
    """Runs the script with these seeds until it is killed, and returns the runs."""
    (run.directory / "script.py").write_text(SCRIPT)

    def begin(*seeds, more=AT):
        monkeypatch.setenv("DIE", "1")
        run("-d", "out", *more, "script.py", *seeds, expect=-signal.SIGKILL)
        monkeypatch.delenv("DIE")
        return [id for id, in run.rows("out", "SELECT id FROM run WHERE finished IS NULL ORDER BY started, id")]

    return begin


def resume(run, **options):
    return [line.removeprefix("memsim: ") for line in run("resume", "out", **options).stderr.splitlines()]


def content(run, outdir):
    return [sorted(rows, key=repr) for rows in run.content(outdir)]


def test_each_run_continues_from_its_last_complete_checkpoint(run, killed):
    killed(1)
    first, second = killed(2)
    (last,) = (run.directory / "out").glob(f"4us-{second[:8]}.ckpt")
    last.write_bytes(last.read_bytes()[:-1])
    run("-d", "out", "script.py", 3)
    for seed in (1, 2, 3):
        run("-d", "whole", "script.py", seed)
    output = [line for line in resume(run) if line.startswith("continues with")]
    assert output == [
        f"continues with run {first} from out/4us-{first[:8]}.ckpt",
        f"continues with run {second} from out/2us-{second[:8]}.ckpt",
    ]
    assert content(run, "out") == content(run, "whole")
    assert resume(run) == ["out: every run is finished"]


def test_a_script_of_two_machines_continues_once(run, killed):
    assert len(killed(1, 2)) == 2
    run("-d", "whole", "script.py", 1, 2)
    assert sum(line.startswith("continues with") for line in resume(run)) == 1
    assert content(run, "out") == content(run, "whole")


def test_a_run_without_a_checkpoint_keeps_no_other_from_going_on(run, killed):
    (without,) = killed(1, more=[])
    killed(2)
    output = resume(run, expect=1)
    assert f"out: run {without} has no complete checkpoint here: start its script again" in output
    assert run.rows("out", "SELECT id FROM run WHERE finished IS NULL") == [(without,)]


def test_a_directory_that_was_moved(run, killed):
    killed(1)
    (run.directory / "out").rename(run.directory / "moved")
    output = run("resume", "moved", expect=1).stderr
    assert output.endswith(
        f"its run writes its results into {run.directory}/out/stats.db, not "
        "moved/stats.db: continue as a new run by --restore FILE -d DIR\n"
    )
    assert not (run.directory / "out").exists()


def test_no_directory(run):
    assert run("resume", "out", expect=1).stderr == (
        "memsim: out/stats.db: there is no such database: name a file or an output directory\n"
    )


def test_a_resumed_run_that_receives_a_signal(run, killed, monkeypatch):
    """The process of the run receives the signal and saves the run; meanwhile no other process continues it."""
    (id,) = killed(1)
    run("-d", "whole", "script.py", 1)
    monkeypatch.setenv("WAIT", "1")
    process = run.start("resume", "out")
    run.wait_until((run.directory / "waiting").exists, process)
    assert resume(run, expect=75) == [f"out: run {id} belongs to another process: wait for it, or end it first"]
    process.send_signal(signal.SIGTERM)
    _, output = process.communicate(timeout=100)
    assert process.returncode == 143 and os.path.exists(run.directory / f"out/sigterm-{id[:8]}.ckpt"), output
    monkeypatch.delenv("WAIT")
    assert f"continues with run {id} from out/sigterm-{id[:8]}.ckpt" in resume(run)
    assert content(run, "out") == content(run, "whole")
