"""Children of multiprocessing: each has its own runs, which end with it, and reacts to SIGTERM."""
import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import time
from types import SimpleNamespace

import pytest
from memsim.run import children

from .conftest import MEMSIM

MACHINE = """\
import multiprocessing, os, sys, time
import memsim
from memsim.mem import SimpleMemory, TrafficGen

def build(seed, requests=500):
    root = memsim.Root(seed=seed)
    root.gen = TrafficGen(requests=requests, period="10ns", read_share="70%")
    root.mem = SimpleMemory(latency="100ns")
    root.gen.mem_side = root.mem.cpu_side
    return memsim.Simulation(root)

def work(seed):
    machine = build(seed)
    machine.simulate("2us")
    return machine.curTick()

"""
WAYS = {
    "pool": """\
if __name__ == "__main__":
    with multiprocessing.get_context(METHOD).Pool(2) as pool:
        print(pool.map(work, range(1, 4), chunksize=1))
""",
    "executor": """\
import concurrent.futures
if __name__ == "__main__":
    context = multiprocessing.get_context(METHOD)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        print(list(pool.map(work, range(1, 4))))
""",
    "process": """\
if __name__ == "__main__":
    children = [multiprocessing.get_context(METHOD).Process(target=work, args=(seed,))
                for seed in range(1, 4)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    print([2 * 10**9] * 3)
""",
    "os.fork": """\
for seed in range(1, 4):
    if os.fork() == 0:
        work(seed)
        sys.exit()
for seed in range(1, 4):
    os.wait()
print([2 * 10**9] * 3)
""",
}


def rows(tmp_path, query, outdir="memsim-out"):
    with sqlite3.connect(tmp_path / outdir / "stats.db") as database:
        return database.execute(query).fetchall()


ENDS = "SELECT seed, exit_cause, digest, label FROM run JOIN dump ON dump.run = run.id ORDER BY seed"


@pytest.fixture
def alone(memsim_command, tmp_path):
    """The contents of the database if one process does all the work."""
    (tmp_path / "alone.py").write_text(MACHINE + "for seed in range(1, 4): work(seed)\n")
    memsim_command("-d", "alone", "alone.py")
    return rows(tmp_path, ENDS, "alone")


@pytest.mark.parametrize(
    "way, method",
    [
        *((way, method) for way in ("pool", "executor", "process") for method in ("fork", "spawn")),
        ("pool", "forkserver"),
        ("os.fork", "fork"),
    ],
)
def test_the_runs_of_children_are_finished(memsim_command, tmp_path, alone, way, method):
    (tmp_path / "script.py").write_text(MACHINE + WAYS[way].replace("METHOD", repr(method)))
    output = memsim_command("-d", "out", "script.py")
    assert output.stdout == "[2000000000, 2000000000, 2000000000]\n"
    assert rows(tmp_path, ENDS, "out") == alone
    assert len(alone) == 3 and all(cause for _, cause, _, _ in alone)


# Two children that simulate without end, observed from another process.
LONG = (
    MACHINE
    + """\
def for_ever(seed):
    machine = build(seed, requests=10**9)
    machine.simulate("1us")
    open(f"started-{seed}-{os.getpid()}", "w").close()
    machine.simulate()

if __name__ == "__main__":
    children = [multiprocessing.Process(target=for_ever, args=(seed,)) for seed in (1, 2)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    sys.exit(children[0].exitcode)
"""
)


@pytest.fixture
def parent(tmp_path):
    """Two children that simulate."""
    (tmp_path / "script.py").write_text(LONG)
    process = subprocess.Popen([MEMSIM, "script.py"], cwd=tmp_path, text=True, process_group=0, stderr=subprocess.PIPE)
    for _ in range(5000):
        if len(list(tmp_path.glob("started-*"))) == 2:
            break
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    yield process
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.parametrize("target", ["children", "parent", "group"])
def test_sigterm(tmp_path, parent, target):
    """Each child writes a checkpoint, and its run continues from it in Python."""
    if target == "children":
        for file in tmp_path.glob("started-*"):
            os.kill(int(file.name.split("-")[-1]), signal.SIGTERM)
    else:
        (os.kill if target == "parent" else os.killpg)(parent.pid, signal.SIGTERM)
    _, output = parent.communicate(timeout=60)
    assert parent.returncode == 143, output
    runs = rows(tmp_path, "SELECT id, finished FROM run ORDER BY id")
    assert [finished for _, finished in runs] == [None, None]
    files = sorted((tmp_path / "memsim-out").glob("*.ckpt"))
    assert sorted(file.name for file in files) == [f"sigterm-{run[:8]}.ckpt" for run, _ in runs]
    assert f"continue with memsim.restore('memsim-out/{files[0].name}')" in output
    (tmp_path / "go_on.py").write_text(f"import memsim; memsim.restore({str(files[0])!r}).simulate('1us')")
    subprocess.run([MEMSIM, "go_on.py"], cwd=tmp_path, check=True, timeout=60)
    refused = subprocess.run(
        [MEMSIM, "--restore", files[0]], cwd=tmp_path, text=True, capture_output=True, timeout=60, check=False
    )
    assert refused.returncode == 1 and "open it in Python with memsim.restore(FILE)" in refused.stderr


IDLE = (
    MACHINE
    + """\
import signal, threading

def idle():
    work(1)
    hanging = threading.Lock()
    hanging.acquire()
    threading.Timer(0.2, lambda: signal.pthread_kill(threading.get_ident(), signal.SIGTERM)).start()
    hanging.acquire()

if __name__ == "__main__":
    child = multiprocessing.get_context("fork").Process(target=idle)
    child.start()
    child.join(20)
    print(child.exitcode)
    child.kill()
"""
)


def test_a_sigterm_outside_of_a_call_ends_the_process(memsim_command, tmp_path):
    """The kernel delivers the signal to another thread, so the main thread continues to wait for its lock. The same
    happens if the signal arrives just before the wait begins."""
    (tmp_path / "script.py").write_text(IDLE)
    assert memsim_command("script.py").stdout.endswith("143\n")


GRANDCHILD = (
    MACHINE
    + """\
def sleep(begun):
    work(1)
    begun.set()
    time.sleep(60)

def child():
    work(2)
    begun = multiprocessing.Event()
    grandchild = multiprocessing.Process(target=sleep, args=(begun,))
    grandchild.start()
    begun.wait(20)
    grandchild.terminate()
    grandchild.join(20)
    time.sleep(0.5)
    print("the grandchild ended with", grandchild.exitcode, flush=True)

if __name__ == "__main__":
    multiprocessing.set_start_method("fork")
    child = multiprocessing.Process(target=child)
    child.start()
    child.join(60)
    print("the child with", child.exitcode)
"""
)


def test_a_sigterm_concerns_one_process(memsim_command, tmp_path):
    """A forked grandchild inherits its parent's handler, which must not wake the parent."""
    (tmp_path / "script.py").write_text(GRANDCHILD)
    assert memsim_command("script.py").stdout.endswith("the grandchild ended with 143\nthe child with 0\n")


def test_a_child_does_not_end_its_parent_s_runs(memsim_command, tmp_path):
    (tmp_path / "script.py").write_text(
        MACHINE
        + """\
machine = build(1)
machine.simulate("2us")
child = multiprocessing.Process(target=work, args=(2,))
child.start()
child.join()
database = memsim.results("memsim-out").sql("SELECT seed, finished IS NULL AS open FROM run")
print(sorted(database.itertuples(index=False, name=None)))
machine.simulate()
"""
    )
    assert memsim_command("script.py").stdout == "[(1, 1), (2, 0)]\n"
    assert rows(tmp_path, "SELECT seed, exit_cause FROM run ORDER BY seed") == [
        (1, "nothing left to do"),
        (2, "simulate() limit reached"),
    ]


@pytest.mark.parametrize(
    "above, task",
    [
        (["multiprocessing/pool.py"], False),
        (["multiprocessing/util.py", children.__file__], False),  # its runs are about to be ended
        (["multiprocessing/pool.py", "/home/me/script.py", "multiprocessing/queues.py"], True),
    ],
)
def test_a_sigterm_at_the_end_of_a_child_leaves_no_unfinished_run(above, task):
    """Depending on the interrupted call, a function of the user is interrupted, or it completes and the runs
    are closed."""
    frame = None
    for file in ["multiprocessing/process.py", *above]:
        name = "_bootstrap" if frame is None else "f"
        frame = SimpleNamespace(
            f_code=SimpleNamespace(co_filename=os.path.join(children.LIBRARY, file), co_name=name), f_back=frame
        )
    assert children._in_a_task(frame) is task


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_each_child_writes_files_of_its_own(memsim_command, tmp_path, method):
    """Two machines have two timelines; one debug file has the lines of both."""
    (tmp_path / "many.py").write_text(
        MACHINE + WAYS["process"].replace("METHOD", repr(method)).replace("range(1, 4)", "(1, 2)")
    )
    memsim_command("--timeline", "t.json", "--debug-flags", "mem.SimpleMemory", "--debug-file", "lines.txt", "many.py")
    timelines, lines = sorted(tmp_path.glob("t-*.json")), sorted(tmp_path.glob("lines-*.txt"))
    assert len(timelines) == len(lines) == 2 and not (tmp_path / "t.json").exists()
    for file in timelines:
        assert len(json.loads(file.read_text())) > 3
    assert all("mem: mem.SimpleMemory: " in file.read_text() for file in lines)


def test_machines_of_one_script_share_the_debug_file(memsim_command, tmp_path):
    (tmp_path / "two.py").write_text(MACHINE + "work(1)\nwork(2)\n")
    memsim_command("--timeline", "t.json", "--debug-flags", "mem.SimpleMemory", "--debug-file", "lines.txt", "two.py")
    once = (tmp_path / "lines.txt").read_text()
    assert json.loads((tmp_path / "t.json").read_text()) and json.loads((tmp_path / "t-2.json").read_text())
    (tmp_path / "two.py").write_text(MACHINE + "work(2)\n")
    memsim_command("--stamps", "100", "--debug-flags", "mem.SimpleMemory", "--debug-file", "second.txt", "two.py")
    assert once.endswith((tmp_path / "second.txt").read_text()) and len(once) > len(
        (tmp_path / "second.txt").read_text()
    )
