"""Databases of unknown origin: `report`, `draw` and `diff` read randomly changed databases. Each command must end
with its output or with an error of one sentence; any other exception, or a run of over 30 s, is a finding."""

import contextlib
import random
import shutil
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest
from memsim.cli.main import main

ROOT = Path(__file__).parents[2]
MACHINE = """\
import memsim
from memsim.mem import SimpleMemory, TrafficGen

root = memsim.Root()
root.sys = memsim.System(gen=TrafficGen(requests=100, period="10ns"), mem=SimpleMemory())
root.sys.gen.mem_side = root.sys.mem.cpu_side
memsim.instantiate()
memsim.stats.series("500ns", ["sys.mem.reads"])
memsim.simulate()
memsim.stats.dump("half")
"""
COMMANDS = ("report", "out"), ("draw", "out"), ("diff", "out", "other"), ("diff", "other", "out")
SECONDS = 30  # without an end

LINK = '<<TABLE HREF="javascript:alert(1)"><TR><TD>x</TD></TR></TABLE>>'
TEXTS = (
    *(
        "",
        " ",
        "a",
        "sys",
        "sys.",
        ".",
        "..",
        "sys.mem",
        "gpu.sm[0]",
        "a[",
        "a[*]",
        "[0]",
        "a[-1]",
        "a[99999999999]",
        "\0",
        "\x1b",
    ),
    *(
        "a\nb",
        LINK,
        "</script><script>",
        '"><img src=x onerror=alert(1)>',
        "%s%n",
        "{{7*7}}",
        "{}",
        "[]",
        '["a"]',
        '{"a": NaN}',
    ),
    *(
        "1e999",
        "null",
        "ä" * 300,
        "a." * 600,
        "x" * 200_000,
        "'; DROP TABLE run; --",
        "\u202e",
        "\ud7ff",
        "nan",
        "-0",
        "Ratio",
        "ns",
    ),
)
NUMBERS = (
    0,
    1,
    -1,
    2,
    3,
    2**31,
    2**53 + 1,
    2**63 - 1,
    -(2**63),
    0.1,
    -0.0,
    1e308,
    -1e308,
    5e-324,
    float("inf"),
    float("-inf"),
)
BLOBS = (b"", b"\0", b"\xff\xfe", b"x" * 5000)


def made(directory):
    """A database with one run, and another one."""
    (directory / "machine.py").write_text(MACHINE)
    for out in ("out", "other"):
        command = [ROOT / "build/memsim", "-q", "--stamps", "3", "-d", out, "machine.py"]
        subprocess.run(command, cwd=directory, check=True)
    return directory


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    return made(tmp_path_factory.mktemp("made"))


class Mutation:
    """Changes a database; the changes depend only on the seed."""

    def __init__(self, file, numbers):
        self._file, self._random, self.done = file, numbers, []

    def run(self):
        for _ in range(self._random.randint(1, 4)):
            change = self._random.choice(
                [
                    self._value,
                    self._value,
                    self._value,
                    self._value,
                    self._delete,
                    self._repeat,
                    self._swap,
                    self._schema,
                ]
            )
            with contextlib.closing(sqlite3.connect(self._file, isolation_level=None)) as database:
                database.text_factory = bytes
                # A change that SQLite refuses, for example because of a constraint, is not a finding.
                with contextlib.suppress(sqlite3.Error, OverflowError):
                    change(database)
        if self._random.random() < 0.15:
            self._bytes()

    def _say(self, database, statement, *values):
        self.done.append((statement, *values))
        database.execute(statement, values)

    def _table(self, database):
        names = [row[0].decode() for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return self._random.choice(sorted(name for name in names if not name.startswith("sqlite_")))

    def _column(self, database, table):
        return self._random.choice([row[1].decode() for row in database.execute(f"PRAGMA table_info('{table}')")])

    def _some(self):
        """A condition that is true for some rows."""
        return self._random.choice(
            ["1", f"rowid = {self._random.randint(1, 40)}", f"rowid % {self._random.randint(2, 9)} = 0"]
        )

    def _value(self, database):
        table = self._table(database)
        value = self._random.choice([None, *TEXTS, *NUMBERS, *BLOBS])
        if self._random.random() < 0.1:
            self._loosen(database, table)
        column = self._column(database, table)
        made_of = self._random.choice(["?", "?", "?", "CAST(? AS TEXT)", f"? || {column}"])
        self._say(database, f"UPDATE {table} SET {column} = {made_of} WHERE {self._some()}", value)

    def _delete(self, database):
        self._say(database, f"DELETE FROM {self._table(database)} WHERE {self._some()}")

    def _repeat(self, database):
        table = self._table(database)
        self._loosen(database, table)
        self._say(database, f"INSERT INTO {table} SELECT * FROM {table} WHERE {self._some()}")

    def _swap(self, database):
        table = self._table(database)
        one, other = self._column(database, table), self._column(database, table)
        self._say(database, f"UPDATE {table} SET {one} = {other}, {other} = {one} WHERE {self._some()}")

    def _schema(self, database):
        table, column = self._table(database), None
        column = self._column(database, table)
        self._say(
            database,
            self._random.choice(
                [
                    f"DROP TABLE {table}",
                    f"ALTER TABLE {table} DROP COLUMN {column}",
                    f"ALTER TABLE {table} RENAME COLUMN {column} TO other",
                    f"ALTER TABLE {table} RENAME TO other",
                    f"PRAGMA user_version = {self._random.randint(-2, 12)}",
                    f"CREATE TRIGGER t BEFORE UPDATE ON {table} BEGIN DELETE FROM {table}; END",
                ]
            ),
        )

    def _loosen(self, database, table):
        """Removes the constraints of a table."""
        for statement in (
            "PRAGMA legacy_alter_table = ON",
            f"CREATE TABLE loose AS SELECT * FROM {table}",
            f"DROP TABLE {table}",
            f"ALTER TABLE loose RENAME TO {table}",
        ):
            self._say(database, statement)

    def _bytes(self):
        """Damages the file itself, or truncates it."""
        data = bytearray(self._file.read_bytes())
        if self._random.random() < 0.3:
            del data[self._random.randrange(len(data)) :]
        for _ in range(self._random.randint(0, 8)):
            if data:
                data[self._random.randrange(len(data))] = self._random.randrange(256)
        self.done.append(("bytes",))
        self._file.write_bytes(data)


@contextlib.contextmanager
def time_limit():
    def ring(*_):
        raise TimeoutError(f"no end in {SECONDS} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def check(seed, originals, directory, capsys):
    """Lets all commands read one changed database."""
    for out in ("out", "other"):
        shutil.rmtree(directory / out, ignore_errors=True)
        shutil.copytree(originals / out, directory / out)
    mutation = Mutation(directory / "out/stats.db", random.Random(seed))
    mutation.run()
    for command in COMMANDS:
        what = f"seed {seed}: {' '.join(command)} after {mutation.done!r:.2000}"
        began = time.monotonic()
        try:
            with time_limit():
                code = main(list(command))
        except BaseException as e:
            raise AssertionError(what) from e
        message = capsys.readouterr().err
        assert time.monotonic() - began < SECONDS, what
        if code:
            assert code == 1 and message.startswith("memsim: ") and message.count("\n") == 1, f"{what}: {message}"
            assert "memsim is broken" not in message, f"{what}: {message}"


def test_a_damaged_database_is_a_page_or_a_sentence(originals, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for seed in range(24):
        check(seed, originals, tmp_path, capsys)


@pytest.mark.long
@pytest.mark.parametrize("part", range(20))
def test_damaged_databases(part, originals, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for seed in range(1000 + 100 * part, 1100 + 100 * part):
        check(seed, originals, tmp_path, capsys)
