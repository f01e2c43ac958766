"""Outputs never replace a file that is in use, a checkpoint, a database or another program's file."""
import json
import os
import signal
import subprocess
import time

import pytest

from .conftest import MEMSIM

SCRIPT = """\
import sys
import helper
import memsim
from memsim import mem, workload

root = memsim.Root()
root.gen, root.mem = mem.TrafficGen(requests=int(sys.argv[1]), period="10ns"), mem.SimpleMemory()
if len(sys.argv) > 2:
    root.recorder = workload.TraceRecorder(file=sys.argv[2])
    root.gen.mem_side = root.recorder.cpu_side
    root.recorder.mem_side = root.mem.cpu_side
else:
    root.gen.mem_side = root.mem.cpu_side
root.player = workload.TracePlayer(trace="in.trace", unit="1ns")
root.second = mem.SimpleMemory()
root.player.mem_side = root.second.cpu_side
memsim.instantiate()
memsim.simulate()
"""
TARGETS = {  # a file, and its description in the message
    "out/stats.db": "the database of results",
    "out/stats.db-owners": "the database of results",
    "other/stats.db": "a database",
    "loop.py": "the script",
    "helper.py": "the module helper",
    "in.trace": "an input of the machine",
    "symbolic": "an input of the machine",
    "hard": "an input of the machine",
    "out/1us.ckpt": "a checkpoint",
}


@pytest.fixture
def used(run, tmp_path):
    """A script, its module, its input under several names, two databases and a checkpoint."""
    (tmp_path / "loop.py").write_text(SCRIPT)
    (tmp_path / "helper.py").write_text("")
    (tmp_path / "in.trace").write_text("0x40 READ 3\n")
    (tmp_path / "symbolic").symlink_to("in.trace")
    os.link(tmp_path / "in.trace", tmp_path / "hard")
    run("-q", "-d", "other", "loop.py", 10)
    run("-q", "-d", "out", "--checkpoint-at", "100ns", "loop.py", 1000)
    (saved,) = (tmp_path / "out").glob("*.ckpt")
    saved.rename(tmp_path / "out/1us.ckpt")
    return tmp_path


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("output", ["timeline", "debug", "recorder", "debug of a restored run"])
def test_an_output_destroys_nothing(used, refused, contents, target, output):
    before = contents(used)
    message = refused(
        *{
            "timeline": ["-d", "out", "--timeline", target, "loop.py", 10],
            "debug": ["-d", "out", "--debug-flags", "All", "--debug-file", target, "loop.py", 10],
            "recorder": ["-d", "out", "loop.py", 10, target],
            "debug of a restored run": ["--restore", "out/1us.ckpt", "--debug-flags", "All", "--debug-file", target],
        }[output]
    )
    named = used / target if "restored" in output else target
    of_another_kind = output == "timeline" and "input" in TARGETS[target]  # found before the inputs are read
    assert f"{target}: is {'another file' if of_another_kind else TARGETS[target]}" in message or (
        output == "recorder" and f"'{target}' is the file of player.trace, too" in message
    ), (message, named)
    after = contents(used)
    assert {name: after[name] for name in before if "stats.db" not in name} == {
        name: text for name, text in before.items() if "stats.db" not in name
    }
    assert after[os.path.join(used, "other/stats.db")] == before[os.path.join(used, "other/stats.db")]


def test_no_results_are_lost(used, refused, run):
    refused("-d", "out", "--timeline", "out/stats.db", "loop.py", 10)
    assert run("sql", "out", "SELECT count(*) FROM run").stdout.split()[-1] == "1"


def test_two_outputs_of_one_name(used, refused):
    assert refused("--timeline", "x", "--debug-flags", "All", "--debug-file", "./x", "loop.py", 10) == (
        "x: is the timeline of machine 1, which the output would destroy: name another file"
    )
    assert "x: is the timeline of machine 1" in refused("--timeline", "x", "loop.py", 10, "x")
    assert not (used / "x").exists()


@pytest.mark.parametrize("path", ["loop.py", "in.trace", "other/stats.db", "out/stats.db"])
def test_a_checkpoint_destroys_nothing(used, refused, contents, path):
    (used / "save.py").write_text(SCRIPT + f"memsim.checkpoint({path!r})\n")
    before = (used / path).read_bytes()
    assert f"{path}: is " in refused("-d", "third" if path.startswith("out") else "out", "save.py", 10)
    assert (used / path).read_bytes() == before


@pytest.mark.parametrize("command", ["trace convert in.trace ? --unit 1ns", "reference ?"])
def test_other_commands_destroy_neither_database_nor_checkpoint(used, refused, command):
    for target, what in (("other/stats.db", "a database"), ("out/1us.ckpt", "a checkpoint")):
        before = (used / target).read_bytes()
        assert f"{target}: is {what}, which the output would destroy" in refused(*command.replace("?", target).split())
        assert (used / target).read_bytes() == before


def test_a_reproduction_needs_a_folder_for_each_figure(refused, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/cxl_gpu").touch()
    message = refused("reproduce", "cxl/fig3b", "-q", "-d", "out")
    assert message == "out/cxl_gpu/fig3b: Not a directory: name a place that can be written"


def test_an_output_replaces_its_own_kind(used, run):
    for _ in range(2):
        run("-q", "--timeline", "t.json", "--debug-flags", "All", "--debug-file", "lines", "loop.py", 10, "new.trace")
    json.loads((used / "t.json").read_text())


@pytest.fixture
def writing(used):
    """A long run that writes a timeline, a debug file and a trace."""
    running = subprocess.Popen(
        [
            MEMSIM,
            "-q",
            "-d",
            "first",
            "--timeline",
            "t.json",
            "--debug-flags",
            "mem.TrafficGen",
            "--debug-file",
            "lines",
            "loop.py",
            "1000000000",
            "new.trace",
        ],
        cwd=used,
    )
    while not (used / "t.json").exists() or (used / "t.json").stat().st_size < 1000:
        assert running.poll() is None
        time.sleep(0.01)
    yield running
    running.kill()
    running.wait()


def test_two_runs_do_not_write_one_file(writing, refused, run):
    for options in (["--timeline", "t.json"], ["--debug-flags", "All", "--debug-file", "lines"], []):
        recorded = [] if options else ["new.trace"]
        message = refused("-d", "second", *options, "loop.py", 10, *recorded)
        assert message.endswith(": another run writes this file: name another one")
    writing.send_signal(signal.SIGKILL)
    writing.wait()
    run("-q", "-d", "second", "--timeline", "t.json", "loop.py", 10)


def test_a_killed_run_leaves_a_whole_timeline(writing, used):
    time.sleep(0.5)
    writing.kill()
    writing.wait()
    assert len(json.loads((used / "t.json").read_text())) > 3
    subprocess.run([MEMSIM, "-q", "-d", "first", "--timeline", "t.json", "loop.py", "10"], cwd=used, check=True)
    json.loads((used / "t.json").read_text())


def test_a_file_of_a_study_that_cannot_be_written(tmp_path):
    (tmp_path / "out/zng/mapping/data.csv").mkdir(parents=True)
    done = subprocess.run([MEMSIM, "sweep", "-d", "out", "zng/mapping"], cwd=tmp_path, text=True, capture_output=True)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert done.stderr.replace(f"{tmp_path}/", "") == (
        "memsim: out/zng/mapping/data.csv: Is a directory: name another file, or change its permissions\n"
    )
