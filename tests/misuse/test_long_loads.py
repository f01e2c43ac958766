"""Inputs that take long to read: a process that is asked to end during this ends."""
import contextlib
import gzip
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from .conftest import MEMSIM

MINUTES = "workloads", "gc2", "color_max", "--full", "--jobs", "2"
SCRIPT = """\
import memsim
from memsim import workload
from memsim.run import signals
from memsim.systems import ohm

heed = signals.heed

def first():
    # A load calls this between its steps, so after the first call a load is in progress.
    signals.heed = heed
    print("loads", flush=True)

signals.heed = first
memsim.instantiate(ohm.planar("ohm-base", workload.Program({})))
"""


@pytest.fixture
def loading(tmp_path):
    """A process that is reading an input which takes minutes."""
    started = []

    def start(program):
        (tmp_path / "run.py").write_text(SCRIPT.format(program))
        started.append(
            subprocess.Popen(
                [MEMSIM, "run.py"], cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
        )
        assert started[0].stdout.readline() == "loads\n"
        return started[0]

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    "program", ['name="bfs1", input="long.txt.gz"', 'name="mum", size=2**21', 'name="bfs1", size=24']
)
@pytest.mark.parametrize(
    "number, code, output",
    [
        (signal.SIGTERM, 143, "memsim: ended by SIGTERM while an input was loaded\n"),
        (signal.SIGINT, 130, "memsim: interrupted\n"),
    ],
)
def test_it_is_ended(loading, tmp_path, program, number, code, output):
    # Members of a compressed file: 32 GB of comments in 32 MB.
    with open(tmp_path / "long.txt.gz", "wb") as file:
        file.write(gzip.compress(b"# nothing\n" * 1_600_000, mtime=0) * 2000)
    process = loading(program)
    assert process.poll() is None
    process.send_signal(number)
    assert process.communicate(timeout=20)[1] == output
    assert process.returncode == code


@pytest.mark.parametrize("number, code", [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_workloads_end_with_their_workers(tmp_path, number, code):
    process = subprocess.Popen(
        [MEMSIM, *MINUTES], cwd=tmp_path, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True
    )
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    try:
        deadline = time.monotonic() + 20
        while len(workers := children.read_text().split()) < 2 and time.monotonic() < deadline:
            time.sleep(0.1)
        assert len(workers) == 2
        time.sleep(1)  # the process is reading
        if number == signal.SIGINT:
            os.killpg(process.pid, number)  # as a terminal does
        else:
            process.send_signal(number)
        assert process.wait(timeout=20) == code
        assert not [w for w in workers if running(w)]
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def running(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
