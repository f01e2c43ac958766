"""Files of unknown origin: they cannot control the terminal or open files outside of their folder."""
import os
import subprocess

import pytest
from resume.test_restore import KERNEL

SCRIPT = """\
import sys
import memsim
from memsim import workload
from memsim.systems import qv100

memsim.instantiate(qv100.qv100(workload.TraceProgram(trace="list/kernelslist.g", outside="outside" in sys.argv), sms=1))
memsim.simulate()
memsim.checkpoint("own.ckpt")
"""
STEPS = """\
import sys
import memsim
from memsim import workload
from memsim.systems import qv100

memsim.instantiate(qv100.qv100(workload.Recorded(file=sys.argv[1]), sms=1))
"""
COPY = "MemcpyHtoD,0x1000,4\n"
RED = "\033[31m"


@pytest.fixture
def traced(tmp_path):
    """A list of one kernel, which is beside the list or outside of its folder."""
    (tmp_path / "list").mkdir()
    (tmp_path / "run.py").write_text(SCRIPT)
    (tmp_path / "steps.py").write_text(STEPS)
    for file in ("list/here.traceg", "there.traceg"):
        (tmp_path / file).write_text(KERNEL)
    (tmp_path / "list/link.traceg").symlink_to("../there.traceg")
    return tmp_path / "list/kernelslist.g"


@pytest.mark.parametrize("name", ["../there.traceg", "link.traceg", "{}/there.traceg"])
def test_a_list_opens_no_file_outside_of_its_folder(run, refused, traced, tmp_path, name):
    traced.write_text(COPY + name.format(tmp_path) + "\n")
    output = "lies outside of the list's folder: copy it there, or set outside=True of workload.TraceProgram"
    for command in (["trace", "info", traced], ["run.py"]):
        text = refused(*command)
        assert "list/kernelslist.g: line 2: '" in text and text.endswith(output), text
    run("run.py", "outside")


def test_a_list_opens_a_file_inside_by_any_path(run, traced):
    traced.write_text(COPY + "../list/./here.traceg\nhere.traceg\n")
    run("run.py")
    run("trace", "info", "list/kernelslist.g")


READ = [
    "?.py",
    "sweep ?.py",
    "sweep --status ?",
    "sweep --task ?",
    "sweep --gather ?",
    "run.py",
    "steps.py ?",
    "trace info ?",
    "workloads bfs1 --graph ?",
    "ckpt info ?",
    "ckpt show ?",
    "ckpt verify ?.py",
    "--restore ?",
    "resume folder",
    "sql ? 1",
    "upgrade ?",
    "merge new.db ?",
    "diff ? ?",
    "plot stages ?",
    "report ?",
    "draw ?",
]
WRITTEN = [
    "--stats-db ? idle.py",
    "-d folder idle.py",
    "--timeline ? idle.py",
    "--debug-flags All --debug-file ? idle.py",
    "merge ? own",
    "plot bars own -o ?.svg --statistic mem.reads --by script --over script",
    "report own -o ?.html",
    "draw own -o ?.svg",
    "trace convert one.trace ? --unit 1ns",
    "reference ?",
    "idle.py checkpoint ?",
    "idle.py record ?",
    "idle.py study ?",
]
IDLE = """\
import sys
import memsim
from memsim.mem import SimpleMemory, TrafficGen

what, name = (*sys.argv[1:], "", "")[:2]
if what == "record":
    memsim.simt.record(name, lambda device: None)
if what == "study":
    memsim.study.Study("ohm", "fig16", name)
root = memsim.Root()
root.gen = TrafficGen(requests=10, period="10ns")
root.mem = SimpleMemory()
root.gen.mem_side = root.mem.cpu_side
memsim.instantiate()
memsim.simulate()
if what == "checkpoint":
    memsim.checkpoint(name)
"""


@pytest.fixture
def special(kind, tmp_path):
    """Pipes and devices under each of their names."""
    names = [tmp_path / f"{kind}{ending}" for ending in ("", ".py", ".svg", ".html")]
    for name in names:
        os.mkfifo(name) if kind == "pipe" else name.symlink_to("/dev/zero")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/stats.db").symlink_to(names[0])
    yield kind
    assert all(name.is_fifo() or name.is_char_device() for name in names)


@pytest.mark.parametrize(
    "command, kind",
    [(command, "pipe") for command in READ]
    + [(command, "device") for command in ("?.py", "ckpt verify ?.py", "--restore ?", "sql ? 1", "sweep --task ?")],
)
def test_pipes_and_devices_are_no_files(refused, traced, special, command):
    traced.symlink_to(f"../{special}")
    assert "is a pipe or a device: " in refused(*command.replace("?", special).split())


@pytest.mark.parametrize(
    "command, kind",
    [(command, "pipe") for command in WRITTEN]
    + [(command, "device") for command in ("--timeline ? idle.py", "idle.py checkpoint ?")],
)
def test_nothing_is_written_into_pipes_and_devices(run, refused, tmp_path, special, command):
    (tmp_path / "idle.py").write_text("import memsim.simt, memsim.study\n" + IDLE)
    (tmp_path / "one.trace").write_text("0x40 READ 3\n")
    if "own" in command.split():
        run("-q", "-d", "own", "idle.py")
    output = refused(*command.replace("?", special).split())
    assert "is a pipe or a device: name a file, which is made if it is not there" in output


def test_no_trace_is_recorded_into_a_pipe(refused, tmp_path):
    (tmp_path / "idle.py").write_text(
        IDLE.replace(
            "root.gen.mem_side = root.mem.cpu_side",
            """\
root.recorder = memsim.workload.TraceRecorder(file="pipe")
root.gen.mem_side = root.recorder.cpu_side
root.recorder.mem_side = root.mem.cpu_side""",
        )
    )
    os.mkfifo(tmp_path / "pipe")
    assert "pipe: is a pipe: name a regular file" in refused("idle.py")


def test_names_do_not_control_the_terminal(run, refused, traced, tmp_path):
    traced.write_text("here.traceg\n")
    name = f"{RED}red\n"
    done = run("-d", name, "run.py", name)
    assert RED not in done.stderr and r"results in \x1b[31mred" in done.stderr
    shown = run("ckpt", "info", "own.ckpt").stdout
    assert "\033" not in shown and r"run.py \x1b[31mred\x0a" in shown and shown.count("\n") == 8
    assert refused(f"{RED}red.py").startswith(r"\x1b[31mred.py: No such file or directory: ")
    (tmp_path / name / "stats.db").unlink()
    assert r"own.ckpt: it would run run.py '\x1b[31mred" in refused("--restore", "own.ckpt")


def test_rows_do_not_control_the_terminal(run, traced, tmp_path):
    """Names are escaped on a terminal only; a program that reads the output receives the original bytes."""
    from misuse.conftest import MEMSIM

    traced.write_text("here.traceg\n")
    run("run.py", RED)
    query = [str(MEMSIM), "sql", "memsim-out", "SELECT argv || char(27) FROM run"]
    assert "\033" in run(*query[1:]).stdout
    terminal, other = os.openpty()
    with subprocess.Popen(query, cwd=tmp_path, stdout=other) as process:
        os.close(other)
        shown = b""
        while b"]" not in shown or not shown.endswith(b"\n"):
            shown += os.read(terminal, 1000)
    os.close(terminal)
    assert process.returncode == 0 and b"\033" not in shown and rb"\x1b" in shown
