"""Signals from the first moment to the last: docs/checkpoints.md is also valid while memsim starts and
ends."""
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .conftest import MEMSIM

LONG = 10**9
DELAYS = [i * 0.06 for i in range(9)]
OTHERS = {signal.SIGUSR1, signal.SIGUSR2}


def status(pid, field):
    """The numbers of a set of signals of a process."""
    mask = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith(f"{field}:"))
    return {number for number in range(1, 65) if int(mask.split()[1], 16) >> (number - 1) & 1}


def wait_until(condition, process):
    for _ in range(3000):
        if condition():
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    raise AssertionError("the condition did not hold within 30 s")


@pytest.fixture
def begun(tmp_path):
    """A process of memsim, returned as soon as the system has loaded it. The file `stderr` has its messages."""
    running = []

    def start(*arguments, **options):
        with open(tmp_path / "stderr", "w") as output:
            running.append(
                process := subprocess.Popen(
                    [MEMSIM, *map(str, arguments)], cwd=tmp_path, stdout=output, stderr=output, **options
                )
            )
        # Once loaded, its program is the launcher, which blocks signals.
        wait_until(lambda: OTHERS <= status(process.pid, "SigBlk") | status(process.pid, "SigCgt"), process)
        return process

    yield start
    for process in running:
        process.kill()
        process.wait()


@pytest.mark.parametrize("delay", DELAYS)
def test_requests_during_the_start_are_handled(begun, script, tmp_path, delay):
    process = begun(script, LONG)
    time.sleep(delay)
    for number in OTHERS:
        process.send_signal(number)
    wait_until(lambda: list(tmp_path.glob("memsim-out/signal-*.ckpt")), process)
    wait_until(lambda: "simulated in" in (tmp_path / "stderr").read_text(), process)
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 143 and list(tmp_path.glob("memsim-out/sigterm-*.ckpt"))


@pytest.mark.parametrize("delay", DELAYS)
def test_an_early_sigterm_ends_it_with_143(begun, script, tmp_path, delay):
    process = begun(script, LONG)
    time.sleep(delay)
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 143, (tmp_path / "stderr").read_text()
    assert "Traceback" not in (tmp_path / "stderr").read_text()


def test_a_command_without_a_machine_continues(begun, tmp_path):
    process = begun("describe", "mem.Cache")
    for number in OTHERS:
        process.send_signal(number)
    assert process.wait(60) == 0 and "Cache" in (tmp_path / "stderr").read_text()


def test_the_end_of_python_is_not_cut_off(memsim_command, tmp_path):
    """An object of a module is destroyed after the signal handlers were removed."""
    (tmp_path / "late.py").write_text(
        """\
import os, signal, sys
class Late:
    def __del__(self, kill=os.kill, write=os.write, pid=os.getpid(), numbers=(signal.SIGUSR1, signal.SIGUSR2)):
        for number in numbers:
            kill(pid, number)
        write(1, b"late")
sys.late = Late()
"""
    )
    assert memsim_command("late.py").stdout == "late"


def test_ignored_signals_stay_ignored(begun, script, tmp_path):
    """Ignored signals, as with nohup and in a shell's background jobs."""
    process = begun(script, 20_000, preexec_fn=lambda: [signal.signal(number, signal.SIG_IGN) for number in OTHERS])
    for number in OTHERS:
        process.send_signal(number)
    assert process.wait(60) == 0
    assert (
        not list(tmp_path.glob("memsim-out/signal-*.ckpt")) and "simulated in" not in (tmp_path / "stderr").read_text()
    )


def test_a_process_that_memsim_starts_begins_like_that(begun, memsim_command, script, tmp_path):
    """`memsim resume` forwards signals to a process that may not have installed its handlers yet."""
    process = begun("--checkpoint-sim-period", "30us", script, LONG)
    wait_until(lambda: list(tmp_path.glob("memsim-out/30us-*.ckpt")), process)
    process.kill()
    process.wait()
    process = begun("resume", "memsim-out")
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    wait_until(lambda: children.read_text(), process)
    process.send_signal(signal.SIGUSR2)
    wait_until(lambda: list(tmp_path.glob("memsim-out/signal-*.ckpt")), process)
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 143


@pytest.mark.parametrize("program", ["memsim", "python"])
def test_no_signal_of_a_run_ends_it_at_any_moment(begun, script, tmp_path, program):
    """Sends signals one after another, from the first moment to the last."""
    for _ in range(3):
        if program == "memsim":
            process = begun(script, 80_000)
        else:
            (tmp_path / "ordinary.py").write_text(
                script.read_text().replace("while True:", "open('ready', 'w').close()\nwhile True:")
            )
            process = subprocess.Popen(
                [sys.executable, "ordinary.py", "80000"],
                cwd=tmp_path,
                stderr=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=dict(os.environ, PYTHONPATH=str(MEMSIM.parent / "python")),
            )
            wait_until((tmp_path / "ready").exists, process)
        sent = 0
        while process.poll() is None:
            for number in OTHERS:
                process.send_signal(number)
                sent += 1
            time.sleep(0.0005)
        assert process.returncode == 0 and sent > 50
        (tmp_path / "ready").unlink(missing_ok=True)


def test_python_s_threads_do_not_end_it_either(memsim_command, tmp_path):
    """The kernel delivers a signal to any thread that does not block it. Python removes its handlers while
    such a thread exists."""
    (tmp_path / "late.py").write_text(
        """\
import os, signal, sys, threading, time
threading.Thread(target=time.sleep, args=[100], daemon=True).start()
class Late:
    def __del__(self, kill=os.kill, write=os.write, sleep=time.sleep, pid=os.getpid(), numbers=(signal.SIGUSR1, signal.SIGUSR2)):
        for number in numbers:
            kill(pid, number)
            sleep(0.05)
        write(1, b"late")
sys.late = Late()
"""
    )
    assert memsim_command("late.py").stdout == "late"


def test_the_heartbeat_receives_no_signal(memsim_command, tmp_path):
    """It would handle the signal when it is scheduled, and the main thread could simulate on until then."""
    (tmp_path / "beat.py").write_text(
        """\
import threading
import memsim
from memsim.mem import SimpleMemory, TrafficGen
root = memsim.Root()
root.gen = TrafficGen(requests=1)
root.mem = SimpleMemory()
root.gen.mem_side = root.mem.cpu_side
memsim.instantiate()
memsim.simulate()
for thread in threading.enumerate():
    status = open(f"/proc/self/task/{thread.native_id}/status").read()
    print(thread.name, status.partition("SigBlk:")[2].split()[0], sep=": ")
"""
    )
    blocked = dict(line.split(": ") for line in memsim_command("beat.py").stdout.splitlines())
    ending = 1 << (signal.SIGINT - 1) | 1 << (signal.SIGTERM - 1)
    assert int(blocked["memsim heartbeat"], 16) & ending == ending
    assert int(blocked["MainThread"], 16) & ending == 0
