"""The scripts that a checkpoint may run: those in the user's own databases, or any with --trust."""
import os
import shutil
import sqlite3
import subprocess

import pytest
from resume import body

from .conftest import MEMSIM

SCRIPT = """\
import sys
import memsim
from memsim.mem import SimpleMemory, TrafficGen

print("run", *sys.argv)
root = memsim.Root()
root.gen = TrafficGen(requests=1000, period="10ns")
root.mem = SimpleMemory()
root.gen.mem_side = root.mem.cpu_side
memsim.instantiate()
memsim.simulate()
"""


@pytest.fixture
def saved(run, tmp_path):
    """The checkpoint of a run of mine.py, and another script beside it."""
    for name in ("mine.py", "evil.py"):
        (tmp_path / name).write_text(SCRIPT)
    run("-q", "-d", "out", "--checkpoint-at", "3us", "mine.py", "first")
    return next((tmp_path / "out").glob("3us-*.ckpt"))


@pytest.fixture
def unknown(tmp_path):
    """The message about a checkpoint that is in no database."""

    def output(file, script, *arguments, where=tmp_path):
        return (
            f"{file}: it would run {' '.join([script, *arguments])} in {where}, and no database of yours "
            "confirms that its run was of this script in this directory: add --trust if you know the author of the "
            "checkpoint, or continue without the script by memsim.restore(FILE) in Python"
        )

    return output


def forge(file, old, new):
    info, data = body.unpack(file)
    assert old in info + data and len(old) == len(new)
    body.pack(file, info.replace(old, new), data.replace(old, new))


@pytest.mark.parametrize(
    "old, new, output", [(b"mine.py", b"evil.py", ["evil.py", "first"]), (b"first", b"other", ["mine.py", "other"])]
)
def test_a_forged_script_or_argument(run, refused, contents, saved, unknown, tmp_path, old, new, output):
    forge(saved, old, new)
    before = contents(tmp_path)
    assert refused("--restore", saved) == unknown(f"out/{saved.name}", *output)
    assert contents(tmp_path) == before
    assert run("--restore", saved, "--trust").stdout == f"run {output[0]} {output[1]}\n"


def test_a_forged_directory(run, refused, contents, unknown, tmp_path):
    """Relative paths of the script start there."""
    for name in ("work", "evil"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "input").write_text(name)
    (tmp_path / "mine.py").write_text(f"print(open('input').read())\n{SCRIPT}")
    subprocess.run(
        [MEMSIM, "-q", "-d", "../out", "--checkpoint-at", "3us", "../mine.py", "first"],
        cwd=tmp_path / "work",
        check=True,
    )
    (saved,) = (tmp_path / "out").glob("3us-*.ckpt")
    assert run("--restore", saved).stdout == "work\nrun ../mine.py first\n"
    forge(saved, b"/work", b"/evil")
    before = contents(tmp_path)
    assert refused("--restore", saved) == unknown(f"out/{saved.name}", "mine.py", "first", where="evil")
    assert contents(tmp_path) == before
    assert run("--restore", saved, "--trust").stdout == "evil\nrun ../mine.py first\n"


def test_a_database_of_before_directories_were_written(run, refused, saved, unknown):
    with sqlite3.connect(saved.with_name("stats.db")) as database:
        database.execute("UPDATE run SET cwd = NULL")
    assert refused("--restore", saved) == unknown(f"out/{saved.name}", "mine.py", "first")


def test_a_script_by_another_name(run, saved):
    """A forged name has no effect: the script's path decides."""
    forge(saved, b'"name": "mine.py"', b'"name": "evil.py"')
    assert run("--restore", saved).stdout == f"run {saved.parents[1]}/mine.py first\n"


def test_only_options_that_are_kept(run, saved):
    """Other options must be on the command line: a checkpoint enables neither oracle nor outputs."""
    forge(saved, b'"stats_db": ""', b'"debug": "xx" ')
    assert run("--restore", saved).stdout == "run mine.py first\n"


def test_a_checkpoint_alone(run, refused, saved, unknown, tmp_path):
    """The database is found at the place that the checkpoint names, or beside the checkpoint."""
    shutil.copy(saved, tmp_path / "alone.ckpt")
    assert run("--restore", "alone.ckpt").stdout == "run mine.py first\n"
    (tmp_path / "out").rename(tmp_path / "moved")
    assert run("--restore", f"moved/{saved.name}", "-d", "new").stdout == "run mine.py first\n"
    assert refused("--restore", "alone.ckpt") == unknown("alone.ckpt", "mine.py", "first")
    assert run("--restore", "alone.ckpt", "--trust").stdout == "run mine.py first\n"


@pytest.mark.skipif(os.getuid() != 0, reason="only root gives a file away")
def test_another_user_s_database(refused, saved, unknown):
    os.chown(saved.with_name("stats.db"), 12345, -1)
    assert refused("--restore", saved) == unknown(f"out/{saved.name}", "mine.py", "first")


def test_a_database_that_is_none(refused, saved, unknown):
    saved.with_name("stats.db").write_text("this is my diary\n" * 100)
    assert refused("--restore", saved) == unknown(f"out/{saved.name}", "mine.py", "first")
