"""What a stranger's files may do to a terminal, and which files they may open."""
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
    """A list of one kernel, beside it and outside of its folder."""
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
    said = ("lies outside of the list's folder: copy it there, or allow it by outside=True of "
            "workload.TraceProgram")
    for command in (["trace", "info", traced], ["run.py"]):
        text = refused(*command)
        assert "list/kernelslist.g: line 2: '" in text and text.endswith(said), text
    run("run.py", "outside")


def test_a_list_opens_a_file_inside_by_any_path(run, traced):
    traced.write_text(COPY + "../list/./here.traceg\nhere.traceg\n")
    run("run.py")
    run("trace", "info", "list/kernelslist.g")


@pytest.mark.parametrize("command", [
    ["trace", "info", "?"], ["run.py"], ["steps.py", "?"], ["workloads", "bfs1", "--graph", "?"], ["ckpt", "info", "?"],
    ["--restore", "?"]])
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_pipes_and_devices_are_no_files(refused, traced, tmp_path, command, kind):
    os.mkfifo(tmp_path / "pipe") if kind == "pipe" else (tmp_path / "device").symlink_to("/dev/zero")
    traced.symlink_to(f"../{kind}")
    assert "is a pipe or a device: " in refused(*[kind if word == "?" else word for word in command])


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
    """To a terminal only: a program that reads them gets what is there."""
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
