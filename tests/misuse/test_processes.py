"""Using a machine in another process or thread than the one that built it fails with a sentence, and
does not affect its results."""
import re
import sqlite3

import pytest

MACHINE = """\
import os, sys, threading, time
import memsim
from memsim.mem import SimpleMemory, TrafficGen

root = memsim.Root()
root.gen = TrafficGen(requests=300_000, period="10ns", read_share="70%")
root.mem = SimpleMemory(latency="100ns")
root.gen.mem_side = root.mem.cpu_side
machine = memsim.instantiate()
calls = {"simulate": lambda: memsim.simulate("1us"), "dump": lambda: memsim.stats.dump("other"),
         "checkpoint": memsim.checkpoint, "curTick": memsim.curTick, "digest": lambda: machine.digest,
         "reset_stats": memsim.stats.reset, "series": lambda: memsim.stats.series("1us", "mem.*"),
         "read_stat": lambda: root.mem.stats.reads, "close": machine.close}
"""
TWO_LINES = """\
machine.simulate("1us")
machine.simulate()
"""
FORKED = """\
machine.simulate("1us")
if os.fork() == 0:
    calls[sys.argv[1]]()
    sys.exit()
_, status = os.wait()
assert status >> 8 == 1, status
machine.simulate()
"""
THREADS = """\
machine.simulate("1us")
messages = []
def other():
    while not machine._record.busy:
        time.sleep(0.001)
    for name, call in calls.items():
        try:
            call()
            messages.append(f"{name} was done")
        except memsim.Error as e:
            messages.append(str(e))
thread = threading.Thread(target=other)
thread.start()
machine.simulate()
thread.join()
print("\\n".join(messages))
"""
CONTENT = (
    "SELECT exit_cause, digest FROM run",
    "SELECT label FROM dump",
    "SELECT path, name, value FROM results ORDER BY path, name",
)


@pytest.fixture
def content(run, tmp_path):
    """The digest of a database's run, and of an undisturbed run."""

    def of(outdir):
        with sqlite3.connect(tmp_path / outdir / "stats.db") as database:
            return [database.execute(query).fetchall() for query in CONTENT]

    (tmp_path / "plain.py").write_text(MACHINE + TWO_LINES)
    run("-d", "plain", "plain.py")
    return of


@pytest.mark.parametrize("call", ["simulate", "dump", "checkpoint", "read_stat", "close"])
def test_a_machine_in_a_forked_child(run, tmp_path, content, call):
    (tmp_path / "forked.py").write_text(MACHINE + FORKED)
    output = run("-d", "out", "forked.py", call).stderr
    assert re.search(
        rf"{call}: this machine was built in process \d+, and this process is a fork of "
        "that one: build machines after the fork\n",
        output,
    ), output
    assert content("out") == content("plain")


def test_calls_from_another_thread(run, tmp_path, content):
    (tmp_path / "threads.py").write_text(MACHINE + THREADS)
    lines = run("-d", "out", "threads.py").stdout.splitlines()
    names = ["simulate", "dump", "checkpoint", "curTick", "digest", "reset_stats", "series", "read_stat", "close"]
    for name, line in zip(names, lines, strict=True):
        assert line.endswith(
            f": {name}: another call uses this machine, such as a simulate() in another "
            "thread: wait until it has returned"
        ), line
    assert content("out") == content("plain")
