"""A run that ends early keeps its statistics under the cause, and a restore continues from there."""
import os
import re
import resource
import signal
import subprocess
import sys
import time

import pytest

SCRIPT = """\
import os, signal, sys
import memsim
from memsim.mem import SimpleMemory, TrafficGen

class Interrupting:
    def __set_name__(self, owner, name):
        os.kill(os.getpid(), signal.SIGINT)

root = memsim.Root(seed=3)
root.gen = TrafficGen(requests=2000, period="10ns", read_share="70%")
root.mem = SimpleMemory(latency="100ns")
root.gen.mem_side = root.mem.cpu_side
memsim.instantiate()
memsim.stats.series("1us", ["gen.*"])
memsim.simulate("5us")
memsim.stats.dump("first")
if os.path.exists("fault"):
    exec(compile(open("fault").read(), "fault", "exec"))
memsim.simulate()
memsim.stats.dump("second")
print(memsim.curTick())
if os.path.exists("late"):
    exec(compile(open("late").read(), "late", "exec"))
"""
CAUSES = {  # action of the script: exit code, and the label
    "1 / 0": (1, "ZeroDivisionError: division by zero"),
    "open('nowhere')": (1, "FileNotFoundError: [Errno 2] No such file or directory: 'nowhere'"),
    "raise RuntimeError('one\\ntwo')": (1, "RuntimeError: one"),
    "raise RuntimeError()": (1, "RuntimeError"),
    "raise RuntimeError('own') from KeyboardInterrupt()": (1, "RuntimeError: own"),
    "root.gen.stats.nothing": (1, "UnknownName: FAULT:1: gen has no statistic 'nothing'"),
    "sys.exit(3)": (3, "sys.exit(3)"),
    "sys.exit('why')": (1, "sys.exit('why')"),
    "raise KeyboardInterrupt": (130, "SIGINT"),
    "os.kill(os.getpid(), signal.SIGINT)": (130, "SIGINT"),
    "type('Class', (), {'member': Interrupting()})": (130, "SIGINT"),
    "bytearray(1 << 50)": (1, "MemoryError"),
}
LINE = re.compile(
    r"^memsim: ended by (.*) at (\S+); the last dump of run (\S+) in out/stats.db has its statistics; "
    r"continue with --restore (\S+)$",
    re.M,
)


@pytest.fixture
def script(run):
    path = run.directory / "script.py"
    path.write_text(SCRIPT)
    return path


@pytest.mark.parametrize("fault", CAUSES)
@pytest.mark.parametrize("when", ["fault", "late"])
def test_an_early_end_keeps_the_run(run, script, fault, when):
    whole = run("-q", "-d", "whole", script)
    code, label = CAUSES[fault]
    label = label.replace("FAULT", when)
    (run.directory / when).write_text(fault)
    output = run("-d", "out", script, expect=code).stderr
    ((cause, at, uuid, file),) = LINE.findall(output)
    assert cause == ("an error" if label.startswith("Error") else label) and os.path.exists(
        run.directory / file
    ), output
    labels = ["first", label] if when == "fault" else ["first", "second", label]
    assert [label for label, in run.rows("out", "SELECT label FROM dump ORDER BY id")] == labels
    assert run.rows("out", "SELECT id, finished FROM run") == [(uuid, None)]
    assert run.rows("out", "SELECT value FROM result WHERE path = 'gen' AND name = 'reads'")[0][0] > 0
    # Without the cause the script continues, with the results of an undisturbed run.
    (run.directory / when).unlink()
    assert run("--restore", file).stdout == whole.stdout
    assert run.content("out") == run.content("whole")


def test_a_run_continues_in_python_without_its_script(run, script):
    (run.directory / "fault").write_text("1 / 0")
    output = run("-d", "out", script, expect=1).stderr
    (run.directory / "look.py").write_text(
        f"import memsim\nmachine = memsim.restore({LINE.search(output)[4]!r})\n"
        "print(machine.curTick())\nprint(machine.simulate().cause)\n"
    )
    assert run("-q", "look.py").stdout == "5000000000\nnothing left to do\n"


def test_the_same_fault_again_loses_nothing(run, script):
    (run.directory / "fault").write_text("1 / 0")
    file = LINE.search(run("-d", "out", script, expect=1).stderr)[4]
    before = run.content("out")
    run("--restore", file, expect=1)
    assert run.content("out") == before


def test_a_checkpoint_that_was_not_written_is_not_offered(run, script):
    output = run("-d", "/proc", "--stats-db", "my.db", "--checkpoint-at", "1us", script, expect=1).stderr
    assert "ended by an error at 1us;" in output and "; there is no checkpoint to continue from\n" in output
    assert "memsim: checkpoint /proc/1us-" in output and "cannot be written here" in output


def test_nothing_is_kept_of_nothing(run, script):
    script.write_text(SCRIPT.replace('memsim.simulate("5us")', "sys.exit(3)"))
    assert run("-d", "out", script, expect=3).stderr == ""
    assert not list((run.directory / "out").glob("*.ckpt")) and not run.rows("out", "SELECT 1 FROM dump")


@pytest.mark.parametrize("number, code, stem", [(signal.SIGINT, 130, "sigint"), (signal.SIGTERM, 143, "sigterm")])
def test_a_signal_while_it_simulates(run, job, number, code, stem):
    run("-d", "whole", *job(scale="small"))
    running = run.start("-d", "out", "--checkpoint-wall-period", "50ms", *job(scale="small"))
    while running.poll() is None and not list((run.directory / "out").glob("wall-*.ckpt")):
        time.sleep(0.005)
    running.send_signal(number)
    _, output = running.communicate()
    if running.returncode == 0:
        pytest.skip("the run was faster than the signal")
    assert running.returncode == code, output
    ((cause, _, _, file),) = LINE.findall(output)
    assert cause == number.name and f"/{stem}-" in file
    assert run.rows("out", "SELECT label FROM dump") == [(number.name,)]
    run("--restore", file)
    assert run.content("out") == run.content("whole")


def test_a_second_sigint_ends_at_once(run, script):
    """The second signal is ignored in the first three seconds, because it may be a forwarded copy of the first. The script
    is slow here, like the checkpoint of a large machine."""
    (run.directory / "fault").write_text(
        "import time\nopen('begun', 'w').close()\ntry:\n  memsim.simulate('100s')\nfinally:\n"
        "  os.kill(os.getpid(), signal.SIGINT)\n  open('after', 'w').close()\n  time.sleep(100)\n"
    )
    script.write_text(SCRIPT.replace("requests=2000", "requests=2000000000"))
    running = run.start("-d", "out", script)
    run.wait_until(lambda: (run.directory / "begun").exists(), running)
    time.sleep(1)
    running.send_signal(signal.SIGINT)
    run.wait_until(lambda: list((run.directory / "out").glob("sigint-*.ckpt")), running)
    began = time.monotonic()
    while running.poll() is None:
        running.send_signal(signal.SIGINT)
        time.sleep(0.1)
    assert (
        running.returncode in (130, -signal.SIGINT)
        and time.monotonic() - began < 50
        and (run.directory / "after").exists()
    )


def test_an_ordinary_python_keeps_it_too(run, script):
    (run.directory / "fault").write_text("1 / 0")
    done = subprocess.run(
        [sys.executable, script],
        cwd=run.directory,
        text=True,
        capture_output=True,
        env=dict(os.environ, PYTHONPATH=os.path.dirname(os.path.dirname(sys.modules["memsim"].__file__))),
    )
    assert done.returncode == 1 and "ended by ZeroDivisionError: division by zero at 5us" in done.stderr
    assert run.rows("memsim-out", "SELECT label FROM dump ORDER BY id")[-1] == ("ZeroDivisionError: division by zero",)


def test_an_error_between_two_phases_of_a_tick_saves_no_machine(run, script):
    """The statistics are kept. No checkpoint is written, because State may be inconsistent."""
    (run.directory / "fault").write_text(
        "def broken(machine, until):\n    raise memsim.Panic('it broke')\nmemsim._memsim.Machine.run = broken\n"
    )
    output = run("-d", "out", script, expect=70).stderr
    assert "ended by Panic: it broke at 5us" in output and "there is no checkpoint to continue from" in output
    assert not list((run.directory / "out").glob("*.ckpt"))
    assert run.rows("out", "SELECT label FROM dump ORDER BY id")[-1] == ("Panic: it broke",)


def test_a_call_that_fails_would_fail_again(run, script):
    (run.directory / "fault").write_text("memsim.stats.series('1us', 'no.such')")
    output = run("-d", "out", script, expect=1).stderr
    assert "ended by an error at 5us" in output and "there is no checkpoint to continue from" in output
    output = run("-d", "other", "--checkpoint-at", "3us", script, expect=1).stderr
    assert "continue with --restore other/3us-" in output


def test_machines_of_one_script_are_all_kept(run, script):
    script.write_text(
        """\
import memsim
from memsim.mem import SimpleMemory, TrafficGen
for seed in (1, 2):
    root = memsim.Root(seed=seed)
    root.gen, root.mem = TrafficGen(requests=2000, period="10ns"), SimpleMemory()
    root.gen.mem_side = root.mem.cpu_side
    memsim.instantiate()
    memsim.simulate("5us")
1 / 0
"""
    )
    run("-d", "out", script, expect=1)
    assert run.rows("out", "SELECT count(*) FROM dump WHERE label LIKE 'ZeroDiv%'") == [(2,)]
    assert len(list((run.directory / "out").glob("ended-*.ckpt"))) == 1


def test_out_of_memory_is_a_sentence_and_keeps_the_run(run, script):
    (run.directory / "fault").write_text(
        "memsim._memsim.Prepared('workload.Program', [('name', 'vadd'), ('size', str(1 << 30))]).footprint"
    )

    def limited():
        resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))

    output = run("-d", "out", script, expect=1, preexec_fn=limited).stderr
    assert "1073741824 needs about 20.0 GiB of memory for vadd, but only 1." in output and "Traceback" not in output
    assert "ended by an error at 5us" in output
