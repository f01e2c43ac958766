"""Reading results: `memsim.results("memsim-out").df()` is a pandas table."""
import os
import re
import sqlite3
from pathlib import Path

from .. import _memsim
from . import rows
from ..run import signals
from ..errors import Error, did_you_mean
from ..files import check_regular

# What a query may do: read tables, call functions, and ask these of the file.
ACTIONS = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
PRAGMAS = {
    "database_list",
    "table_list",
    "table_info",
    "table_xinfo",
    "index_list",
    "index_info",
    "index_xinfo",
    "foreign_key_list",
    "foreign_key_check",
    "integrity_check",
    "quick_check",
    "compile_options",
    "function_list",
    "page_count",
}
FIGURES = {
    "user_version",
    "application_id",
    "schema_version",
    "encoding",
    "page_size",
    "journal_mode",
}  # an argument would set them

STEPS = 100_000  # of SQLite, some milliseconds: so often a query looks for signals
TEMPORARY_VIEWS = _memsim.database_views.replace("CREATE VIEW", "CREATE TEMP VIEW")


def connect(path):
    """The database at `path` (a file, or a directory with stats.db), for reading only."""
    file = os.path.join(path, "stats.db") if os.path.isdir(path) else os.fspath(path)
    check_regular(file, "name a database or an output directory")
    if not os.path.isfile(file):
        raise Error(f"{file}: there is no such database: name a file or an output directory")
    try:
        # A run that was killed in a transaction left a journal. Only who may write can take the half of
        # the transaction back that is in the file, so "rw", which is "ro" where writing is forbidden.
        connection = sqlite3.connect(f"{Path(os.path.abspath(file)).as_uri()}?mode=rw", uri=True, timeout=60)
        connection.set_progress_handler(signals.are_to_end, STEPS)
        rows.check_kinds(connection, file)
        if connection.execute("PRAGMA user_version").fetchone()[0] == _memsim.database_version:
            # The file's own might have no end. Temporary ones go before them.
            connection.execute("PRAGMA temp_store = MEMORY")
            connection.executescript(TEMPORARY_VIEWS)
        connection.execute("PRAGMA query_only = ON")
        connection.set_authorizer(_only_reading)
        connection.execute("SELECT id FROM run LIMIT 1").fetchall()
    except sqlite3.Error as e:
        raise Error(f"{file}: {_why_unreadable(file, e)}") from None
    return connection


def _only_reading(action, first, second, *where):
    allowed = (
        action in ACTIONS
        or action == sqlite3.SQLITE_PRAGMA
        and (first in PRAGMAS or first in FIGURES and second is None)
        or
        # What SQLite asks when a query uses json_each() or another function that is a table.
        action == sqlite3.SQLITE_UPDATE
        and first == "sqlite_master"
    )
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def _why_unreadable(file, error):
    signals.pass_on(error)
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith("SQLITE_BUSY"):
        return "another process writes it and does not let go: try again when that has ended"
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_IOERR", "SQLITE_PERM")):
        return (
            f"it cannot be read here ({error}): if {os.path.basename(file)}-journal or -wal lies beside "
            "it, a run was killed while it wrote, and SQLite must put that in order first: copy both "
            "to where they can be written"
        )
    return f"this is no database of results ({error})"


def connect_current(path: str | os.PathLike) -> sqlite3.Connection:
    """connect(), where tables and views of this memsim are needed."""
    connection = connect(path)
    if why := not_current(connection):
        raise Error(f"{path}: {why}")
    return connection


def not_current(connection):
    """What is to be done about tables of another version."""
    (version,), (*_, file) = (connection.execute(f"PRAGMA {q}").fetchone() for q in ("user_version", "database_list"))
    if version < _memsim.database_version:
        return (
            f"its tables have version {version}, and this memsim's have {_memsim.database_version}: "
            f"`memsim upgrade {file}` brings them up to date"
        )
    if version > _memsim.database_version:
        return f"its tables have version {version}, of a later memsim: read it with that"
    return ""


def why_refused(error, connection):
    """What was wrong with a query."""
    signals.pass_on(error)
    if "no such" in str(error) and (why := not_current(connection)):
        return f"{error}; {why}"
    if "authoriz" in str(error) or "attempt to write a readonly database" in str(error):
        return f"a query may read and nothing else ({error})"
    if missing := re.fullmatch(r"no such table: (\w+)", str(error)):
        names = [name for name, in connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")]
        return f"there is no table or view '{missing[1]}'{did_you_mean(missing[1], names)}: docs/database.md lists them"
    return str(error)


MOST_ALIKE = 64  # runs of one script, arguments and seed that runs() compares with each other


class Results:
    """The runs of one database, as pandas tables."""

    def __init__(self, path: str | os.PathLike = "memsim-out"):
        self._path, self._connection = os.fspath(path), connect(path)

    def sql(self, query: str, parameters=()):
        """The rows of any query."""
        import pandas

        try:
            return pandas.read_sql_query(query, self._connection, params=tuple(parameters))
        except (pandas.errors.DatabaseError, sqlite3.Error) as e:
            raise Error(f"{self._path}: the query failed: {why_refused(e.__cause__ or e, self._connection)}") from None

    def runs(self):
        """One row a run, the latest last. Of at most 64 runs of the same script, arguments and seed, `differs` names the parameters, and the
        run's values of them, in which it differs from the others: machines that one script has made in a loop."""
        table = self.sql("SELECT * FROM run ORDER BY started")
        table["differs"] = ""
        for _, alike in table.groupby(["name", "argv", "seed"], dropna=False):
            if 1 < len(alike) <= MOST_ALIKE:
                for run, text in self._differing(list(alike["id"])).items():
                    table.loc[table["id"] == run, "differs"] = text
        return table

    def _differing(self, runs):
        """{run: 'gpu.l2[*].latency=80ns, ...'} where not all of these runs have the same."""
        marks = ", ".join("?" * len(runs))
        params = self.sql(
            "SELECT run, path, name, text FROM param JOIN object ON object.id = object "
            f"WHERE run IN ({marks}) ORDER BY object.id",
            runs,
        )
        params["what"] = [
            re.sub(r"\[\d+\]", "[*]", path) + "." + name for path, name in zip(params["path"], params["name"])
        ]
        found = params.groupby(["run", "what"], sort=False)["text"].agg(lambda texts: "|".join(dict.fromkeys(texts)))
        wide = found.unstack().reindex(runs)
        wide = wide.loc[:, wide.nunique(dropna=False) > 1]
        return {run: ", ".join(f"{what}={text}" for what, text in row.dropna().items()) for run, row in wide.iterrows()}

    def df(self, run=None, all_dumps=False, wide=False):
        """Values in long form (run, path, name, value, unit): of a run, named by the first letters of its
        id, of several in a list, or of "all"; by default of the latest. Of their last dumps, or of all
        dumps. wide: a row a run (or dump), a column for each value, 'gpu.l2[0].hits', and before them the script and its arguments, in the order of the runs.
        """
        runs = self._runs(run)
        marks = ", ".join("?" * len(runs))
        table = self.sql(f"SELECT * FROM {'results' if all_dumps else 'result'} WHERE run IN ({marks})", runs)
        if table.empty and runs:
            raise Error(
                f"there are no values yet of {f'run {runs[0]}' if len(runs) == 1 else f'these {len(runs)} runs'}: "
                "memsim.stats.dump() writes them, and so does the end of a run"
            )
        if not wide:
            return table
        rows = ["run", "dump", "label", "tick"] if all_dumps else ["run"]
        values = table.assign(column=table["path"] + "." + table["name"]).pivot(
            index=rows, columns="column", values="value"
        )
        arguments = (
            self.sql(f"SELECT run, name, value FROM argument WHERE run IN ({marks})", runs)
            .drop_duplicates(["run", "name"], keep="last")
            .pivot(index="run", columns="name", values="value")
        )
        scripts = self.sql(f"SELECT id AS run, name AS script FROM run WHERE id IN ({marks})", runs).set_index("run")
        values = values.sort_index(
            level="run", key=lambda ids: ids.map(runs.index), kind="stable", sort_remaining=False
        )
        return scripts.join(arguments, rsuffix="_").join(values, how="right")

    def launches(self, run=None):
        """Kernel launches: name, start, end, instructions, IPC, hit rates, bytes of DRAM."""
        runs = self._runs(run)
        return self.sql(f"SELECT * FROM launches WHERE run IN ({', '.join('?' * len(runs))})", runs)

    def params(self, run=None):
        """Parameters as resolved: path, name, text, value (a number of `unit`), unit, tunable."""
        return self.sql(
            "SELECT path, name, text, value, unit, tunable FROM param "
            "JOIN object ON object.id = param.object WHERE run = ?",
            [self.find_run(run)],
        )

    def series(self, run=None):
        """Samples over simulated time: path, name, tick, value, unit."""
        return self.sql("SELECT * FROM samples WHERE run = ?", [self.find_run(run)])

    def value(self, path: str, name: str, run=None) -> float:
        """One value of the last dump."""
        table = self.df(run)
        found = table[(table["path"] == path) & (table["name"] == name)]["value"]
        if found.empty:
            raise Error(f"the last dump has no value '{name}' of '{path}'")
        return found.iloc[0]

    def check(self, run):
        """Refuses a run that memsim did not write as it stands there."""
        if why := not_current(self._connection):
            raise Error(f"{self._path}: {why}")
        rows.check(self._connection, self._path, run)

    def find_run(self, start=""):
        """The id of the run that begins with these letters; without any the latest."""
        if not start:
            return self._latest()
        found = [row[0] for row in self._connection.execute("SELECT id FROM run WHERE id GLOB ? || '*'", [start])]
        if len(found) != 1:
            raise Error(
                f"{len(found) or 'no'} runs of the database begin with '{start}': name one of those that "
                "SELECT id, name, started FROM run shows"
            )
        return found[0]

    def _runs(self, run):
        if run == "all":
            return [row[0] for row in self._connection.execute("SELECT id FROM run ORDER BY started")]
        return [self.find_run(id) for id in (run if isinstance(run, (list, tuple, set)) else [run])]

    def _latest(self):
        row = self._connection.execute("SELECT id FROM run ORDER BY started DESC LIMIT 1").fetchone()
        if row is None:
            raise Error("this database has no run yet")
        return row[0]


def results(path: str | os.PathLike = "memsim-out") -> Results:
    """The results in a directory or database file."""
    return Results(path)
