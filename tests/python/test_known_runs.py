"""Finished points of memsim's own scripts are found without a process, unless anything that decides them has changed."""

import json
import sqlite3

import pytest

from memsim import study
from memsim.run import known_runs, processes

from .conftest import ROOT

TRAFFIC = ROOT / "configs" / "dram_traffic.py"


@pytest.fixture
def processes_run(monkeypatch):
    """The commands of all processes that a study has started."""
    commands = []
    run = processes.Processes.run

    def noted(self, command, **options):
        commands.append(command)
        return run(self, command, **options)

    monkeypatch.setattr(processes.Processes, "run", noted)
    return commands


def run(tmp, *arguments, script=TRAFFIC):
    """The run of a study's only point, and whether it was found."""
    made = study.Study("ohm", "known", database=tmp / "study.db", jobs=1)
    point = made.point(script, *arguments)
    made.run()
    return point.run, point.found


def test_a_finished_point_starts_no_process(in_tmp, processes_run):
    first, found = run(in_tmp, "--requests", 20)
    assert not found and len(processes_run) == 1
    assert run(in_tmp, "--requests", 20) == (first, True) and len(processes_run) == 1
    assert run(in_tmp, "--requests", 21)[0] != first and len(processes_run) == 2
    with sqlite3.connect(in_tmp / "study.db") as db:
        assert db.execute("SELECT state, seconds, run FROM point").fetchall()[0][:1] == ("finished",)
        db.execute("UPDATE run SET finished = NULL")
    assert run(in_tmp, "--requests", 20)[0] != first and len(processes_run) == 3


@pytest.mark.parametrize("what", ["build", "configuration", "a file", "all"])
def test_a_point_that_something_else_decides_starts_a_process(in_tmp, processes_run, what):
    first, _ = run(in_tmp, "--requests", 20)
    (kept,) = (in_tmp / "points" / "known").iterdir()
    text = kept.read_text()
    known = json.loads(text)
    assert str(TRAFFIC) in known["marks"] and any(path.endswith("model/objects.py") for path in known["marks"])
    if what == "a file":
        known["marks"][str(TRAFFIC)] = "another"
    elif what != "all":
        known[what] = "another"
    kept.write_text("[" if what == "all" else json.dumps(known))
    assert run(in_tmp, "--requests", 20) == (first, True) and len(processes_run) == 2
    assert kept.read_text() == text, "the process has kept it anew"
    assert run(in_tmp, "--requests", 20) == (first, True) and len(processes_run) == 2


def test_scripts_of_users_always_start(in_tmp, processes_run):
    (in_tmp / "own.py").write_text(TRAFFIC.read_text())
    first, _ = run(in_tmp, "--requests", 20, script=in_tmp / "own.py")
    assert run(in_tmp, "--requests", 20, script=in_tmp / "own.py") == (first, True) and len(processes_run) == 2
    assert not (in_tmp / "points" / "known").exists()


def test_marks(in_tmp):
    mark = known_runs._mark
    (in_tmp / "a").write_text("1")
    before = mark("a"), mark("."), mark("b")
    (in_tmp / "a").write_text("2")
    assert mark("a") != before[0] and mark(".") == before[1] and before[2] == ""
    (in_tmp / "b").write_text("1")
    assert mark(".") != before[1] and mark("b") == before[0]
    assert mark("/dev/null") is None


@pytest.mark.parametrize(
    "act, expected",
    [
        (lambda: open("a").close(), {"a"}),
        (lambda: open("b", "w").close(), set()),
        (lambda: __import__("os").listdir(), {"."}),
        (lambda: sqlite3.connect("c").close(), {"c"}),
        (lambda: __import__("subprocess").run(["true"]), {""}),
    ],
)
def test_what_a_process_reads(in_tmp, monkeypatch, memsim_command, act, expected):
    import sys

    (in_tmp / "a").write_text("1")
    reads = set()
    monkeypatch.setattr(known_runs, "_reads", reads)
    sys.addaudithook(known_runs._note)
    act()
    monkeypatch.setattr(known_runs, "_reads", None)
    assert reads >= {str(in_tmp / path) if path not in ("", ".") else path and str(in_tmp) for path in expected}
    assert expected or str(in_tmp / "b") not in reads


def test_an_input_file_decides(in_tmp, processes_run):
    (in_tmp / "trace").write_text("0 0 0 8 1\n")
    command = ("--drive", "mqsim", "--trace", "trace", "--trace-unit", "1ns")
    first, _ = run(in_tmp, *command, script=ROOT / "configs" / "drive.py")
    assert run(in_tmp, *command, script=ROOT / "configs" / "drive.py") == (first, True) and len(processes_run) == 1
    (in_tmp / "trace").write_text("0 0 0 8 0\n")
    assert run(in_tmp, *command, script=ROOT / "configs" / "drive.py")[0] != first and len(processes_run) == 2
