"""Databases in any place and state: a query does not change them."""
import os
import shutil
import signal
import sqlite3
import subprocess
import sys

import memsim
import pytest

from .conftest import CONFIG

COUNT = "SELECT count(*) AS n FROM result"

# Deletes rows in a transaction that is too large for SQLite's cache, and is killed during it.
KILLED = """\
import os, signal, sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("PRAGMA cache_size = 5")
database.execute("BEGIN")
database.execute("UPDATE stat SET doc = doc || hex(randomblob(200))")
database.execute("DELETE FROM value")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def out(run, tmp_path, tiny):
    run("-q", "-d", "out", *tiny)
    return tmp_path / "out"


@pytest.fixture
def killed(out):
    """A database whose last writer was killed in a transaction, and its rows without this transaction."""
    database = out / "stats.db"
    with sqlite3.connect(database) as before:
        ((count,),) = before.execute(COUNT)
    before.close()
    done = subprocess.run([sys.executable, "-c", KILLED, database])
    assert done.returncode == -signal.SIGKILL and (out / "stats.db-journal").stat().st_size > 0
    return out, count


def test_a_run_that_was_killed_in_a_transaction(killed, run):
    out, count = killed
    shutil.copytree(out, out.with_name("copy"))
    assert run("sql", "out", COUNT).stdout == f"n\n{count}\n"
    assert memsim.results(out.with_name("copy")).sql(COUNT)["n"][0] == count


@pytest.fixture
def protected(tmp_path):
    """Copies a directory to a disk that is read-only afterwards."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if os.getuid() or subprocess.run(["mount", "-t", "tmpfs", "tmpfs", disk], capture_output=True).returncode:
        pytest.skip("no disk can be mounted here")

    def copy(directory):
        shutil.copytree(directory, disk / "out")
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)

    yield copy
    subprocess.run(["umount", disk], check=True)


def test_a_database_with_a_journal_in_a_read_only_directory(killed, protected, refused, contents, tmp_path):
    protected(killed[0])
    before = contents(tmp_path / "disk")
    output = refused("sql", "disk/out", COUNT)
    assert output.startswith("disk/out/stats.db: it cannot be read here (") and output.endswith(
        "copy both to a writable directory"
    )
    assert contents(tmp_path / "disk") == before


def test_a_complete_database_in_a_read_only_directory(out, protected, run):
    protected(out)
    assert run("sql", "disk/out", COUNT).stdout == run("sql", "out", COUNT).stdout


def test_a_write_ahead_log(out, run):
    with sqlite3.connect(out / "stats.db") as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("UPDATE run SET name = 'late'")
        database.commit()
        assert run("sql", "out", "SELECT name FROM run").stdout == "name\nlate\n"


@pytest.mark.parametrize("name", ["a#b", "a?b", "a%b", "a%23b", "a?mode=memory", "gr\u00fc\u00df dich", "file:x"])
def test_any_name(run, out, tmp_path, name):
    shutil.copytree(out, tmp_path / name)
    before = sorted(os.listdir(tmp_path))
    assert run("sql", name, COUNT).stdout == run("sql", f"{name}/stats.db", COUNT).stdout
    assert memsim.results(tmp_path / name).sql(COUNT)["n"][0] > 100
    assert sorted(os.listdir(tmp_path)) == before


def test_tables_of_a_later_version(run, refused, contents, out, tmp_path, tiny):
    """Queries read the database; nothing is written."""
    with sqlite3.connect(out / "stats.db") as database:
        database.execute("PRAGMA user_version = 99")
        database.execute("UPDATE run SET finished = NULL")
    database.close()
    before = contents(tmp_path)
    output = (
        "results database out/stats.db: its tables have version 99, of a later memsim, and this one writes version "
        f"{memsim._memsim.database_version}: write it with the later one, or choose another file with --stats-db"
    )
    for command in (["-d", "out", *tiny], ["resume", "out"], ["-d", "out", "--skip-finished", *tiny]):
        assert refused(*command) == output
    assert contents(tmp_path) == before
    assert run("sql", "out", "SELECT name FROM run").stdout == "name\nohm_planar\n"


# The tables of version 3.
OLDER = """\
DROP TABLE link;
DROP INDEX part_of_name;
ALTER TABLE part DROP COLUMN full_name;
CREATE VIEW named AS
    SELECT part.id AS part, object.run AS run, object.path AS path,
           stat.name || CASE part.name WHEN '' THEN '' ELSE '.' || part.name END AS name, part.unit AS unit
    FROM part JOIN stat ON stat.id = part.stat JOIN object ON object.id = stat.object;
CREATE VIEW results AS
    SELECT dump.run AS run, dump.id AS dump, path, name, value, unit
    FROM dump JOIN value ON value.dump = dump.id JOIN named ON named.part = value.part;
CREATE VIEW result AS
    SELECT run, path, name, value, unit FROM results
    WHERE dump = (SELECT max(id) FROM dump AS last WHERE last.run = results.run);
PRAGMA user_version = 3;
"""


@pytest.fixture
def older(run, tmp_path, tiny):
    """A directory written by version 3: a finished run and a stopped one."""
    run("-q", "-d", "out", *tiny)
    run("-q", "-d", "out", "--checkpoint-at", "50us", *tiny, "--seed", "2")
    with sqlite3.connect(tmp_path / "out/stats.db") as database:
        for (view,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'view'").fetchall():
            database.execute(f"DROP VIEW {view}")
        database.executescript(OLDER)
    database.close()
    return tmp_path / "out"


def test_tables_of_an_older_version_are_read(run, refused, contents, older):
    before = contents(older)
    assert run("sql", "out", COUNT).stdout == f"n\n{memsim.results(older).sql(COUNT)['n'][0]}\n"
    assert len(memsim.results(older).df()) > 100
    todo = (
        f"its tables have version 3, and this memsim's have {memsim._memsim.database_version}: `memsim upgrade out/stats.db` brings them "
        "up to date"
    )
    assert refused("sql", "out", "SELECT * FROM launches") == f"out: no such table: launches; {todo}"
    with pytest.raises(memsim.Error, match="no such table: argument.*`memsim upgrade "):
        memsim.results(older).df(wide=True)
    for command in (["report", "out"], ["diff", "out", "out"]):
        assert refused(*command) == f"out: {todo}"
    assert contents(older) == before


@pytest.mark.parametrize(
    "command",
    [
        ["upgrade", "out"],
        ["-q", "-d", "out", CONFIG, "--scale", "tiny", "--seed", "3"],
        ["-q", "--restore", "out/50us.ckpt"],
        ["merge", "out", "other"],
    ],
)
def test_an_older_database_is_upgraded_by_each_command_that_writes(run, older, tiny, command):
    rows = "SELECT run, path, name, value, unit FROM result ORDER BY run, path, name"
    with sqlite3.connect(older / "stats.db") as database:
        before = database.execute(rows).fetchall()
        assert before
        if "--restore" in command:
            database.execute("UPDATE run SET finished = NULL WHERE seed = 2")
    database.close()
    run("-q", "-d", "other", *tiny, "--seed", "4")
    run(*command)
    after = memsim.results(older).sql(rows).itertuples(index=False, name=None)
    assert set(before) <= set(after)
    assert len(memsim.results(older).df("all", wide=True)) == 2 + (command[-1] in ("3", "other"))
    run("report", "out")


@pytest.mark.parametrize("name", ["nowhere", "nowhere.db", "nowhere#x.db", "no/where.db", "out/other.db"])
def test_no_database(refused, out, contents, tmp_path, name):
    before = contents(tmp_path)
    assert refused("sql", name, COUNT) == (f"{name}: there is no such database: name a file or an output directory")
    with pytest.raises(memsim.Error, match="there is no such database"):
        memsim.results(tmp_path / name)
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    "query",
    [
        "VACUUM",
        "VACUUM INTO 'new.db'",
        "ATTACH 'new.db' AS new",
        "CREATE TABLE new(a)",
        "CREATE TEMP TABLE new(a)",
        "DELETE FROM run",
        "UPDATE run SET name = 'x'",
        "DROP TABLE run",
        "PRAGMA journal_mode = WAL",
        "PRAGMA user_version = 99",
        "PRAGMA query_only = OFF",
        "PRAGMA writable_schema = ON",
        "BEGIN EXCLUSIVE",
        "REINDEX",
        "PRAGMA optimize",
        "INSERT INTO run(id) VALUES('x') RETURNING id",
    ],
)
def test_a_query_only_reads(refused, out, contents, tmp_path, query):
    before = contents(tmp_path)
    assert refused("sql", "out", query).startswith("out: a query can only read (")
    with pytest.raises(memsim.Error, match="a query can only read"):
        memsim.results(out).sql(query)
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    "query, answer",
    [
        ("SELECT value FROM run, json_each(argv)", "--scale\ntiny"),
        ("SELECT name FROM pragma_table_info('run') LIMIT 1", "id"),
        ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4) SELECT sum(i) FROM n", "10"),
        ("PRAGMA integrity_check", "ok"),
        ("PRAGMA user_version", str(memsim._memsim.database_version)),
    ],
)
def test_sql_executes_all_statements_that_only_read(run, out, query, answer):
    assert run("sql", "out", query).stdout.partition("\n")[2] == f"{answer}\n"


def test_a_query_for_one_name_uses_the_index(run, out):
    plan = run("sql", "out", "EXPLAIN QUERY PLAN SELECT path, value FROM result WHERE name = 'migration_share'").stdout
    assert "SEARCH part USING INDEX part_of_name (full_name=?)" in plan and "SCAN" not in plan


def test_a_quotient_of_counts_is_no_quotient_of_integers(run, out):
    rate = (
        run(
            "sql",
            "out",
            "SELECT sum(h.value) / sum(a.value), max(m.value) FROM result h JOIN result a USING (path) "
            "JOIN result m USING (path) WHERE h.name = 'misses' AND a.name = 'accesses' AND m.name = 'miss_rate' "
            "AND path = 'gpu.l2[0]'",
        )
        .stdout.split("\n")[1]
        .split("\t")
    )
    assert 0 < float(rate[0]) < 1 and float(rate[0]) == pytest.approx(float(rate[1]))
    assert run("sql", "out", "SELECT max(count) / sum(count) > 0 FROM distribution").stdout.endswith("\n1\n")


def test_parameters_are_numbers_in_base_units(run, out):
    rows = run(
        "sql",
        "out",
        "SELECT param.name, text, value, unit FROM param JOIN object ON object.id = object WHERE path = 'gpu.l2[0]'",
    ).stdout.splitlines()[1:]
    found = {name: rest for name, *rest in (row.split("\t") for row in rows)}
    assert found["ways"] == ["8", "8", ""]
    latency, ticks, unit = found["latency"]
    assert latency.endswith("s") and int(ticks) == memsim._memsim.ticks(latency) and unit == "fs"
    assert found["fill_port"][:2] == ["false", "0"]
    assert found["replacement"] == ["lru", "", ""], "a word is no number"
    params = memsim.results(out).params().set_index(["path", "name"])
    assert params["value"]["gpu.l2[0]", "ways"] * params["value"]["gpu.l2[0]", "line"] == 1024
    assert run("sql", "out", "SELECT count(*) FROM param WHERE typeof(value) NOT IN ('real', 'null')").stdout.endswith(
        "\n0\n"
    )


MOVED = """\
import os, shutil
import memsim
from memsim.mem import SimpleMemory, TrafficGen

root = memsim.Root()
root.gen, root.mem = TrafficGen(requests=100, period="10ns"), SimpleMemory()
root.gen.mem_side = root.mem.cpu_side
memsim.instantiate()
memsim.simulate("500ns")
{}
memsim.stats.dump()
"""


@pytest.mark.parametrize(
    "action",
    [
        "os.remove('out/stats.db')",
        "shutil.rmtree('out')",
        "os.rename('out', 'there')",
        "shutil.copy('out/stats.db', 'copy'), os.rename('copy', 'out/stats.db')",
    ],
)
def test_a_database_that_is_moved_during_a_run(refused, tmp_path, action):
    (tmp_path / "moved.py").write_text(MOVED.format(action))
    assert refused("-d", "out", "moved.py") == (
        "results database out/stats.db: it was removed, renamed or replaced while memsim used it: put it back and "
        "continue from a checkpoint, or start the run again"
    )
