"""`memsim merge`: joins databases, each run once; INTO does not change if one is refused."""
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest

from memsim import Error
from memsim.study import points, stored
from memsim.study.merge import TABLES, merge

from .conftest import MEMSIM

SCRIPT = """\
import sys
import memsim
root = memsim.Root(seed=int(sys.argv[1]))
root.gen = memsim.mem.TrafficGen(requests=300, period="10ns", read_share="70%", range="1MiB")
root.mem = memsim.mem.SimpleMemory(latency="100ns")
root.gen.mem_side = root.mem.cpu_side
memsim.instantiate()
memsim.stats.series("1us", "mem.*")
memsim.simulate("2us")
memsim.stats.dump("early")
memsim.simulate()
"""
# The contents of a database, without row numbers.
CONTENT = (
    "SELECT * FROM run ORDER BY id",
    "SELECT run, label, tick, since_tick, path, name, value, unit FROM results "
    "ORDER BY run, tick, label, path, name",
    "SELECT run, path, name, value, unit FROM result ORDER BY run, path, name",
    "SELECT run, path, name, tick, value, unit FROM samples ORDER BY run, path, name, tick",
    "SELECT run, path, type, name, text, value, unit, tunable FROM param JOIN object ON object.id = object "
    "ORDER BY run, path, name",
    "SELECT * FROM connection ORDER BY run, source, source_port",
    "SELECT run, path, stat.name, kind, unit, doc FROM stat JOIN object ON object.id = object "
    "ORDER BY run, path, stat.name",
    "SELECT dump.run, tick, label, path, stat.name, low, high, count FROM distribution JOIN dump ON "
    "dump.id = dump JOIN stat ON stat.id = stat JOIN object ON object.id = object "
    "ORDER BY dump.run, tick, label, path, stat.name, low",
)


def rows(file, query):
    return sqlite3.connect(file).execute(query).fetchall()


def content(*files):
    """The contents of several databases, as if of one."""
    return [sorted(sum((rows(file, q) for file in files), [])) for q in CONTENT]


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    """a.db with the seeds 1 and 2, b.db with 3, and c.db with another run of seed 1."""
    folder = tmp_path_factory.mktemp("originals")
    (folder / "script.py").write_text(SCRIPT)
    for name, seed in ("a", 1), ("a", 2), ("b", 3), ("c", 1):
        subprocess.run([MEMSIM, "-q", "--stats-db", f"{name}.db", "script.py", str(seed)], cwd=folder, check=True)
    return folder


@pytest.fixture
def made(originals, tmp_path):
    return Path(shutil.copytree(originals, tmp_path, dirs_exist_ok=True))


def test_every_run_is_complete_and_present_once(made, memsim_command):
    output = memsim_command("merge", "all.db", "a.db", "b.db").stdout
    assert output == "3 runs copied into all.db, 0 existed\n"
    assert all(content(made / "all.db")), "nothing to compare"
    assert content(made / "all.db") == content(made / "a.db", made / "b.db")
    assert memsim_command("merge", "all.db", "b.db", "a.db").stdout == ("0 runs copied into all.db, 3 existed\n")
    assert content(made / "all.db") == content(made / "a.db", made / "b.db")
    memsim_command("--stats-db", "all.db", "--skip-finished", "script.py", 2)
    assert len(rows(made / "all.db", "SELECT id FROM run")) == 3, "a run finds what was merged"


def test_an_equal_run_of_another_database_is_not_duplicated(made):
    (twin,) = rows(made / "c.db", "SELECT id FROM run")[0]
    (kept,) = rows(made / "a.db", "SELECT id FROM run WHERE seed = 1")[0]
    with sqlite3.connect(made / "c.db") as c:
        c.execute("CREATE TEMP TABLE child AS SELECT * FROM run")
        c.execute("UPDATE child SET id = 'child', digest = 'other', parent = run.id FROM run")
        c.execute("INSERT INTO run SELECT * FROM child")
    assert merge(made / "a.db", [made / "c.db"]) == (1, 1)
    assert rows(made / "a.db", "SELECT parent FROM run WHERE id = 'child'") == [(kept,)]
    assert not rows(made / "a.db", f"SELECT id FROM run WHERE id = '{twin}'")


def test_the_longer_of_two_copies_of_a_run_is_kept(made):
    shutil.copy(made / "a.db", made / "early.db")
    with sqlite3.connect(made / "early.db") as early:
        early.execute("UPDATE run SET finished = NULL")
        early.execute("DELETE FROM value WHERE dump IN (SELECT id FROM dump WHERE label = 'end')")
        early.execute("DELETE FROM distribution WHERE dump IN (SELECT id FROM dump WHERE label = 'end')")
        early.execute("DELETE FROM dump WHERE label = 'end'")
    shutil.copy(made / "early.db", made / "all.db")
    assert merge(made / "all.db", [made / "a.db"]) == (2, 0)
    assert content(made / "all.db") == content(made / "a.db")
    assert merge(made / "all.db", [made / "early.db"]) == (0, 2)
    assert content(made / "all.db") == content(made / "a.db")


def test_rows_of_studies_are_merged_and_the_latest_is_kept(made):
    (run,) = rows(made / "c.db", "SELECT id FROM run")[0]
    (kept,) = rows(made / "a.db", "SELECT id FROM run WHERE seed = 1")[0]
    for name, when in ("b", 1), ("c", 2):
        with sqlite3.connect(made / f"{name}.db") as db:
            db.execute(points.TABLE)
            db.execute(
                "INSERT INTO point(study, number, name, state, began, run) VALUES('s', 0, ?, 'finished', ?, ?)",
                [name, when, run],
            )
            stored.store(db, "s", [])
            db.execute("INSERT INTO claim(id, study, judged) VALUES('x', ?, ?)", [name, str(when)])
    for order in ("b", "c"), ("c", "b"):
        (made / "all.db").unlink(missing_ok=True)
        merge(made / "all.db", [made / "a.db", *(made / f"{name}.db" for name in order)])
        assert rows(made / "all.db", "SELECT name, run FROM point") == [("c", kept)]
        assert rows(made / "all.db", "SELECT study FROM claim") == [("c",)]


def test_no_table_is_left_behind(made):
    """Each table with rows of a run is copied."""
    tables = {name for name, in rows(made / "a.db", "SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert tables - {"claim", "point"} == set(TABLES)


def damaged(file):
    data = bytearray(file.read_bytes())
    data[len(data) // 2 :] = b"\0" * (len(data) - len(data) // 2)
    file.write_bytes(data)


def cut_off(file):
    file.write_bytes(file.read_bytes()[:-5000])


def change(query):
    def act(file):
        with sqlite3.connect(file) as db:
            db.execute(query)

    return act


@pytest.mark.parametrize(
    "harm, why",
    [
        (damaged, "b.db: the file is damaged|this is no database"),
        (cut_off, "b.db: the file is damaged|this is no database"),
        (lambda file: file.write_text("no database"), "this is no database of results"),
        (change("PRAGMA application_id = 7"), "b.db: this is no database of results of memsim"),
        (
            change("PRAGMA user_version = 2"),
            "b.db: its tables have version 2, .*: `memsim upgrade .*b.db` brings them up to date: n",
        ),
        (change("PRAGMA user_version = 99"), "b.db: its tables have version 99, of a later memsim"),
        (change("DELETE FROM stat WHERE id = 2"), "damaged .a row of 'part' belongs to none of 'stat'"),
        (change("DROP TABLE connection"), "nothing was merged"),
        (lambda file: file.unlink(), "there is no such database"),
    ],
)
@pytest.mark.parametrize("there", [True, False])
def test_damaged_or_foreign_files_are_rejected_and_into_is_unchanged(made, harm, why, there):
    into = made / "all.db"
    if there:
        shutil.copy(made / "c.db", into)
    harm(made / "b.db")
    before = into.read_bytes() if there else None
    with pytest.raises(Error, match=why):
        merge(into, [made / "a.db", made / "b.db"])
    if there:
        assert into.read_bytes() == before
    else:
        assert not into.exists() or not rows(into, "SELECT id FROM run")


def test_into_that_is_damaged_or_named_twice(made):
    with pytest.raises(Error, match="a.db: it is named twice"):
        merge(made / "a.db", [made / "b.db", made / "a.db"])
    with pytest.raises(Error, match="b.db: it is named twice"):
        merge(made / "all.db", [made / "b.db", made / "b.db"])
    damaged(made / "a.db")
    before = (made / "a.db").read_bytes()
    with pytest.raises(Error, match="damaged|no database"):
        merge(made / "a.db", [made / "b.db"])
    assert (made / "a.db").read_bytes() == before
