"""A run belongs to one process at a time: nothing is written twice, by whomever it is resumed."""
import os
import signal

import pytest

# Two dumps; between them the script waits for the file that its environment names, if any.
SCRIPT = """\
import os, time
import memsim
from memsim.mem import SimpleMemory, TrafficGen

root = memsim.Root()
root.gen = TrafficGen(requests=2000, period="10ns", read_share="70%")
root.mem = SimpleMemory(latency="100ns")
root.gen.mem_side = root.mem.cpu_side
memsim.instantiate()
memsim.stats.series("1us", "mem.*")
memsim.simulate("8us")
memsim.stats.dump("half")
if "WAIT_FOR" in os.environ:
    open("waiting", "w").close()
    for _ in range(12_000):  # a limit, in case it is never made
        if os.path.exists(os.environ["WAIT_FOR"]):
            break
        time.sleep(0.01)
memsim.simulate()
memsim.stats.dump("whole")
memsim.checkpoint("late.ckpt")
"""


@pytest.fixture
def first(run, monkeypatch):
    """A process in the middle of its run, which has written a checkpoint; it waits for the file `go`."""
    (run.directory / "script.py").write_text(SCRIPT)
    run("-d", "whole", "script.py")
    monkeypatch.setenv("WAIT_FOR", "go")
    process = run.start("-d", "out", "--checkpoint-at", "4us", "script.py")
    run.wait_until((run.directory / "waiting").exists, process)
    monkeypatch.delenv("WAIT_FOR")
    (run.directory / "late.ckpt").unlink()
    yield process
    process.kill()
    process.communicate()


@pytest.mark.parametrize("stopped", [False, True])
def test_a_run_is_not_resumed_while_its_process_lives(run, first, stopped):
    if stopped:
        first.send_signal(signal.SIGSTOP)
    ((uuid,),) = run.rows("out", "SELECT id FROM run")
    output = run("--restore", "out/4us.ckpt", expect=75).stderr
    assert output.startswith(
        f"memsim: results database {run.directory}/out/stats.db: run {uuid} is in use by "
        f"process {first.pid} on {os.uname().nodename} since 20"
    )
    assert output.endswith("Z: end that process first, or continue as a new run with -d DIR\n")
    run("--restore", "out/4us.ckpt", "-d", "new")
    assert run.digest("new") == run.digest("whole")
    first.send_signal(signal.SIGCONT)
    (run.directory / "go").touch()
    _, error = first.communicate(timeout=100)
    assert first.returncode == 0, error
    assert run.content("out") == run.content("whole")
    run("--restore", "out/4us.ckpt")
    assert run.content("out") == run.content("whole"), "no process owns it now"


def test_a_dead_process_s_run_is_taken_over(run, first):
    first.kill()
    first.communicate()
    run("--restore", "out/4us.ckpt")
    assert run.content("out") == run.content("whole")


def test_a_process_that_lost_its_run_notices(run, first):
    """The process has lost its lock, as after its host lost the connection to a file server."""
    first.send_signal(signal.SIGSTOP)
    (run.directory / "out/stats.db-owners").unlink()
    run("--restore", "out/4us.ckpt")
    assert run.content("out") == run.content("whole")
    (run.directory / "late.ckpt").unlink()
    ((uuid, owner),) = run.rows("out", "SELECT id, owner FROM run")
    assert str(first.pid) not in owner
    first.send_signal(signal.SIGCONT)
    (run.directory / "go").touch()
    _, error = first.communicate(timeout=100)
    assert first.returncode == 75
    assert error.splitlines()[-1] == (
        f"memsim: results database {run.directory}/out/stats.db: run {uuid} was taken over by {owner}; "
        "this process has written nothing since then and ends"
    )
    assert run.content("out") == run.content("whole")
    assert not (run.directory / "late.ckpt").exists()


def test_resumed_twice_at_once(run, first, monkeypatch):
    first.kill()
    first.communicate()
    monkeypatch.setenv("WAIT_FOR", "go")
    (run.directory / "waiting").unlink()
    both = [run.start("--restore", "out/4us.ckpt") for _ in range(2)]
    run.wait_until(lambda: any(process.poll() is not None for process in both))
    (run.directory / "go").touch()
    output = {process.communicate(timeout=100)[1].splitlines()[-1]: process.returncode for process in both}
    assert sorted(output.values()) == [0, 75], output
    assert run.content("out") == run.content("whole")
