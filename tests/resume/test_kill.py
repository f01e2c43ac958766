"""A run that is killed or ended at any moment continues with the results of an undisturbed run."""
import re
import signal
import time

import pytest


def wait_for(directory, pattern, process):
    """The first file with this name."""
    while not (found := sorted(directory.glob(pattern))):
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)
    return found[0]


def test_ended_by_sigterm(run, job):
    run("-d", "whole", *job(scale="small"))
    running = run.start("-d", "out", *job(scale="small"))
    wait_for(run.directory, "out/stats.db", running)
    time.sleep(run.random.uniform(0, 0.4))
    running.send_signal(signal.SIGTERM)
    out, err = running.communicate()
    if running.returncode == 0:
        pytest.skip("the run was faster than the signal")
    assert running.returncode == 143, err
    assert run.rows("out", "SELECT finished, exit_cause FROM run") == [(None, None)]
    assert run.rows("out", "SELECT label FROM dump") == [("SIGTERM",)]
    run("--restore", "out/sigterm.ckpt")
    assert run.content("out") == run.content("whole")


def test_ctrl_c_at_any_moment(run, job):
    """The run prints one sentence and, once the machine exists, a line about the kept results. During instantiate() there
    is nothing to checkpoint. Before the launcher handles signals the run prints nothing; it never prints a traceback.
    Python may end by the signal after the sentence if the interpreter had not yet started."""
    sentence = "memsim: interrupted\n"
    for step in range(12):
        running = run.start("-d", "out", *job(scale="small"))
        time.sleep(step * 0.025)
        running.send_signal(signal.SIGINT)
        _, output = running.communicate()
        output = re.sub(
            r"^memsim: ended by SIGINT at \S+; the last dump of run \S+ in out/stats.db has its statistics; "
            r"(continue with --restore out/sigint-\w+.ckpt|there is no checkpoint to continue from)\n",
            "",
            output,
        )
        assert (running.returncode, output) in (
            (-signal.SIGINT, ""),
            (-signal.SIGINT, sentence),
            (130, sentence),
        ), output


# Frequent samples and dumps: at any moment rows are being written to the database.
SCRIPT = """\
import memsim
from memsim import workload
from memsim.systems import ohm

memsim.instantiate(ohm.planar("hetero", workload.Program(name="bfs_data", size=12)))
memsim.stats.series("5us", ["gpu.*", "memory.*"])
while memsim.simulate("100us").getCause() == "simulate() limit reached":
    memsim.stats.dump(str(memsim.curTick()))
"""


@pytest.mark.parametrize(
    "what",
    ["bfs_topology", pytest.param("pagerank", marks=pytest.mark.slow), pytest.param("script", marks=pytest.mark.slow)],
)
def test_killed_again_and_again(run, job, what):
    """kill -9 at random moments. Each time the run continues from the last periodic checkpoint."""
    if what == "script":
        (run.directory / "script.py").write_text(SCRIPT)
        work = ["script.py"]
    else:
        work = job(scale="small", kernel=what)
    run("-d", "whole", *work)
    command = ["-d", "out", "--checkpoint-wall-period", "0.1s", *work]
    kills = 0
    while True:
        saved = [file.stat().st_mtime_ns for file in (run.directory / "out").glob("wall-*.ckpt")]
        running = run.start(*command)
        # Until a new checkpoint exists, however slow the host is, and then a little longer.
        while running.poll() is None and saved == [
            file.stat().st_mtime_ns for file in (run.directory / "out").glob("wall-*.ckpt")
        ]:
            time.sleep(0.005)
        time.sleep(run.random.uniform(0, 2))
        running.kill()
        _, output = running.communicate()
        if running.returncode == 0:
            break
        assert running.returncode == -signal.SIGKILL, output
        (checkpoint,) = (run.directory / "out").glob("wall-*.ckpt")
        command = ["--restore", checkpoint]
        kills += 1
        assert kills < 100, "it gets nowhere"
    assert run.content("out") == run.content("whole")
