"""Databases of unknown origin: `report`, `draw` and `diff` report faults in one sentence, and show contents as
text only."""
import re
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest

from .conftest import MEMSIM

MACHINE = """\
import sys
import memsim
from memsim.mem import SimpleMemory, TrafficGen

root = memsim.Root()
root.sys = memsim.System(gen=TrafficGen(requests=int(sys.argv[1]), period="10ns"), mem=SimpleMemory())
root.sys.gen.mem_side = root.sys.mem.cpu_side
memsim.instantiate()
memsim.stats.series("500ns", ["sys.mem.reads"])
memsim.simulate()
"""
ENDLESS = "WITH RECURSIVE n(id) AS (SELECT 'a' UNION ALL SELECT 'a' FROM n) SELECT "
COMMANDS = ("report", "out"), ("draw", "out"), ("diff", "out", "other")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A database with one run, `out`, and another one."""
    directory = tmp_path_factory.mktemp("made")
    (directory / "machine.py").write_text(MACHINE)
    for out, requests in (("out", "100"), ("other", "200")):
        subprocess.run([MEMSIM, "-q", "-d", out, "machine.py", requests], cwd=directory, check=True)
    return directory


@pytest.fixture
def change(made, tmp_path):
    """Runs SQL on a copy of `out`."""
    for out in ("out", "other"):
        (tmp_path / out).mkdir()
        (tmp_path / out / "stats.db").write_bytes((made / out / "stats.db").read_bytes())

    def execute(sql):
        with sqlite3.connect(tmp_path / "out/stats.db") as database:
            database.executescript(sql)
        database.close()

    return execute


def loosened(table):
    """SQL that removes the constraints of a table, so that any value can be inserted."""
    return f"PRAGMA legacy_alter_table = ON; CREATE TABLE loose AS SELECT * FROM {table}; DROP TABLE {table}; ALTER TABLE loose RENAME TO {table}; "


NOT_SO = ": memsim did not write this file"


@pytest.mark.parametrize(
    "sql, why",
    [
        ("UPDATE run SET argv = 'no JSON'", "run.argv is 'no JSON', where a list of texts in JSON is right"),
        ("UPDATE run SET argv = '{\"a\": 1}'", "run.argv is '{\"a\": 1}', where a list of texts in JSON is right"),
        ("UPDATE run SET argv = '[1]'", "run.argv is '[1]', where a list of texts in JSON is right"),
        (
            f"UPDATE run SET argv = '{'[' * 100_000}'",
            f"run.argv is '{'[' * 59}..., where a list of texts in JSON is right",
        ),
        ("UPDATE run SET arguments = '[]'", "run.arguments is '[]', where an object in JSON is right"),
        ("UPDATE run SET name = x'00'", "run.name is a blob of 1 bytes, where a text is right"),
        ("UPDATE run SET started = x'00'", "run.started is a blob of 1 bytes, where a text is right"),
        ("UPDATE run SET host_seconds = 9e999", "run.host_seconds is inf, where a finite number is right"),
        ("UPDATE run SET sim_time_fs = 'late'", "run.sim_time_fs is 'late', where a whole number is right"),
        ("UPDATE object SET path = NULL WHERE path = 'sys.mem'", "object.path is NULL, where a text is right"),
        (
            "UPDATE object SET path = x'41' WHERE path = 'sys.mem'",
            "object.path is a blob of 1 bytes, where a text is right",
        ),
        (
            f"UPDATE object SET path = '{'a.' * 600}' WHERE path = 'sys.mem'",
            f"object.path is '{'a.' * 29}a..., where a path of at most 1000 characters is right",
        ),
        ("UPDATE object SET type = NULL", "object.type is NULL, where a text is right"),
        (
            "DELETE FROM object WHERE path = 'sys.mem'",
            "connection.target is 'sys.mem', where the path of an object is right",
        ),
        (
            loosened("object") + "UPDATE object SET id = 'x' WHERE path = 'sys.mem'",
            "object.id is 'x', where a whole number is right",
        ),
        ("DELETE FROM part WHERE id = 3", "value.part is 3, where a row of part of the same run is right"),
        (
            "UPDATE stat SET object = 77 WHERE id = (SELECT stat FROM part WHERE id = 2)",
            "value.part is 2, where a row of part of the same run is right",
        ),
        ("UPDATE stat SET name = x'00' WHERE id = 1", "stat.name is a blob of 1 bytes, where a text is right"),
        ("UPDATE value SET value = -9e999", "value.value is -inf, where a finite number is right"),
        ("UPDATE value SET value = 'much'", "value.value is 'much', where a finite number is right"),
        ("UPDATE value SET value = NULL", "value.value is NULL, where a finite number is right"),
        ("UPDATE series SET value = x'00'", "series.value is a blob of 1 bytes, where a finite number is right"),
        ("UPDATE param SET text = NULL WHERE name = 'latency'", "param.text is NULL, where a text is right"),
        ("UPDATE link SET depth = 'deep'", "link.depth is 'deep', where a whole number is right"),
        ("DROP TABLE link", "its table link has no column run"),
        ("ALTER TABLE link DROP COLUMN depth", "its table link has no column depth"),
    ],
)
@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[0])
def test_a_wrong_value_is_named(change, run, refused, command, sql, why):
    change(sql)
    if command[0] == "diff" and "in JSON" in why:  # values are shown unchanged
        run(*command)
        return
    output = refused(*command)
    assert output == f"out: run {output.partition('run ')[2][:36]} cannot be read: {why}{NOT_SO}"


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[0])
def test_a_text_that_is_no_utf_8_is_refused(change, refused, command):
    change(
        "UPDATE object SET path = CAST(x'41ff' AS TEXT) WHERE path = 'sys.mem'; UPDATE connection SET target = "
        "CAST(x'41ff' AS TEXT); UPDATE link SET receiver = CAST(x'41ff' AS TEXT) WHERE receiver = 'sys.mem'; "
        "UPDATE link SET sender = CAST(x'41ff' AS TEXT) WHERE sender = 'sys.mem'"
    )
    assert re.match("out: .*Could not decode to UTF-8 column '(path|target)'", refused(*command))


@pytest.mark.parametrize("command", (*COMMANDS, ("sql", "out", "SELECT 1")), ids=lambda words: words[0])
def test_a_message_of_sqlite_that_is_no_utf_8_is_a_sentence(change, refused, command):
    """The message quotes the damaged text of a view."""
    change(
        "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = CAST(x'4352f6415445' AS TEXT) || ' VIEW' "
        "WHERE name = 'bandwidth'"
    )
    assert refused(*command).startswith("out/stats.db: this is no database of results (")


def test_a_sum_beyond_a_double_has_a_page(change, run):
    change("UPDATE value SET value = 1.7e308; UPDATE series SET value = 1.7e308")
    for command in COMMANDS:
        run(*command)


@pytest.mark.parametrize(
    "column, value, right",
    [
        ("ours", "'much'", "a finite number"),
        ("paper", "9e999", "a finite number"),
        ("id", "NULL", "a text"),
        ("verdict", "x'00'", "a text"),
    ],
)
def test_a_wrong_claim_is_named(change, refused, column, value, right):
    change(
        "CREATE TABLE claim(id, study, metric, subject, verdict, paper, ours); "
        "INSERT INTO claim VALUES('x-01', 'fig1', 'IPC', 'a', 'met', 1, 1);" + f"UPDATE claim SET {column} = {value}"
    )
    output = refused("report", "out")
    assert output.startswith(f"out: its claims cannot be read: claim.{column} is ") and output.endswith(
        f"where {right} is right{NOT_SO}"
    )


@pytest.mark.parametrize("table", ["run", "object", "value", "point", "claim"])
def test_an_endless_view_is_no_table(change, refused, made, table):
    """Every command that reads or writes the database refuses it, and the view is not evaluated."""
    change(
        f"DROP TABLE IF EXISTS {table}; CREATE VIEW {table} AS {ENDLESS} id, id AS finished, id AS configuration FROM n"
    )
    for command in (
        *COMMANDS,
        ("sql", "out", "SELECT 1"),
        ("resume", "out"),
        ("merge", "out", "other"),
        ("sweep", "--status", "out"),
    ):
        output = refused(*command)
        assert output in (
            f"out/stats.db: this is no database of results: its view '{table}' has the name of a table of memsim",
            f"results database out/stats.db: its view {table} is not memsim's, which needs a table of that name: "
            "rename it, or choose another file with --stats-db",
        )
    if table in ("point", "claim"):
        return
    for options in ((), ("--skip-finished",)):
        assert refused("-d", "out", *options, made / "machine.py", "100").startswith(
            f"results database out/stats.db: its view {table} is not memsim's"
        )


def test_views_are_those_of_memsim(change, run):
    """Views of the file are not used."""
    want = run("sql", "out", "SELECT count(*) FROM result").stdout
    change(
        f"DROP VIEW result; CREATE VIEW result AS {ENDLESS} id AS run, id AS path, id AS name, id AS value, id AS unit FROM n; "
        f"DROP VIEW samples; CREATE VIEW samples AS {ENDLESS} id AS run FROM n"
    )
    assert run("sql", "out", "SELECT count(*) FROM result").stdout == want
    for command in COMMANDS:
        run(*command)


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
def test_an_endless_query_can_be_ended(change, tmp_path, number, code):
    process = subprocess.Popen(
        [MEMSIM, "sql", "out", ENDLESS + "count(*) FROM n"], cwd=tmp_path, stderr=subprocess.PIPE
    )
    try:
        while b"memsim" not in Path(f"/proc/{process.pid}/cmdline").read_bytes():
            time.sleep(0.01)
        time.sleep(2)  # it is being written
        assert process.poll() is None
        process.send_signal(number)
        assert process.wait(timeout=20) == code
    finally:
        process.kill()
        process.communicate()


LINK = '<<TABLE HREF="javascript:alert(1)"><TR><TD>x</TD></TR></TABLE>>'


@pytest.mark.parametrize(
    "name", [LINK, "a\\", "\\N\\l", 'q" onclick="alert(1)', "a:b:c", "&lt;b&gt;", "-->", "line\nfeed", "\x1b[31m", ""]
)
def test_a_name_is_drawn_as_text(change, run, tmp_path, name):
    """A path is never interpreted as Graphviz's HTML or escape sequences. The drawing is valid XML."""
    from xml.etree import ElementTree

    quoted = "'" + name.replace("'", "''") + "'"
    change(
        f"UPDATE object SET path = {quoted} WHERE path = 'sys.mem'; UPDATE connection SET target = {quoted};"
        f"UPDATE object SET path = 'sys.' || {quoted} WHERE path = 'sys.gen'; UPDATE connection SET source = 'sys.' || {quoted};"
        "DELETE FROM link"
    )
    run("draw", "out")
    drawn = ElementTree.parse(tmp_path / "out/machine.svg")
    assert not any(
        "href" in attribute or attribute.startswith("on") for element in drawn.iter() for attribute in element.attrib
    )
    nodes = [element for element in drawn.iter() if element.get("class") == "node"]
    assert len(nodes) == 2 and len([e for e in drawn.iter() if e.get("class") == "edge"]) == 1
    if name == LINK:
        assert f"node:{LINK}" in [node.get("id") for node in nodes]
        assert any(element.text == LINK for element in drawn.iter())
    run("report", "out")
