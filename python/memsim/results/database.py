"""Reading the database of results: `memsim.results().df()` is a pandas table."""
import json
import os
import re
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

from .. import _memsim
from . import rows
from ..run import signals
from ..run.session import session
from ..errors import Error, did_you_mean
from ..files import check_regular

Table: TypeAlias = Any  # a pandas.DataFrame; Debian has no type stubs of pandas

# A query may read tables, call functions, and use these pragmas.
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
}  # an argument would set these

TEMPORARY_VIEWS = _memsim.database_views.replace("CREATE VIEW", "CREATE TEMP VIEW")


def connect(path: str | os.PathLike[str]) -> sqlite3.Connection:
    """Opens the database at `path`, a file or a directory with stats.db, for reading only.

    Raises Error if there is no database of results or if it cannot be read.
    """
    file = os.path.join(path, "stats.db") if os.path.isdir(path) else os.fspath(path)
    check_regular(file, "name a database or an output directory")
    if not os.path.isfile(file):
        raise Error(f"{file}: there is no such database: name a file or an output directory")
    try:
        # A run killed during a transaction left a journal. Undoing the transaction writes to the file: hence "rw",
        # which acts as "ro" where writing is forbidden.
        connection = sqlite3.connect(f"{Path(os.path.abspath(file)).as_uri()}?mode=rw", uri=True, timeout=60)
        signals.may_end_queries(connection)
        rows.check_kinds(connection, file)
        if connection.execute("PRAGMA user_version").fetchone()[0] == _memsim.database_version:
            # The file's own views might not terminate. Temporary views with the same names replace them.
            connection.execute("PRAGMA temp_store = MEMORY")
            connection.executescript(TEMPORARY_VIEWS)
        connection.execute("PRAGMA query_only = ON")
        connection.set_authorizer(_only_reading)
        connection.execute("SELECT id FROM run LIMIT 1").fetchall()
    except rows.SQL_ERRORS as e:
        raise Error(f"{file}: {_why_unreadable(file, e)}") from None
    return connection


def _only_reading(action: int, first: str | None, second: str | None, *where: str | None) -> int:
    allowed = (
        action in ACTIONS
        or action == sqlite3.SQLITE_PRAGMA
        and (first in PRAGMAS or first in FIGURES and second is None)
        or
        # json_each() and other functions that return tables
        action == sqlite3.SQLITE_UPDATE
        and first == "sqlite_master"
    )
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def _why_unreadable(file: str, error: Exception) -> str:
    signals.handle_interrupted_query(error)
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith("SQLITE_BUSY"):
        return "another process holds a lock on it: try again when that process has ended"
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_IOERR", "SQLITE_PERM")):
        return (
            f"it cannot be read here ({error}): if {os.path.basename(file)}-journal or -wal exists next to "
            "it, a run was killed while writing, and SQLite must recover the file first: copy both "
            "to a writable directory"
        )
    return f"this is no database of results ({' '.join(str(error).split())})"


def connect_current(path: str | os.PathLike[str]) -> sqlite3.Connection:
    """connect(). Raises Error, too, if the tables are of another version of memsim."""
    connection = connect(path)
    if why := not_current(connection):
        raise Error(f"{os.fspath(path)}: {why}")
    return connection


def not_current(connection: sqlite3.Connection) -> str:
    """The remedy for tables of another version; '' for tables of this one."""
    (version,), (*_, file) = (connection.execute(f"PRAGMA {q}").fetchone() for q in ("user_version", "database_list"))
    if version < _memsim.database_version:
        return (
            f"its tables have version {version}, and this memsim's have {_memsim.database_version}: "
            f"`memsim upgrade {file}` brings them up to date"
        )
    if version > _memsim.database_version:
        return f"its tables have version {version}, of a later memsim: use that version to read it"
    return ""


def why_refused(error: BaseException, connection: sqlite3.Connection) -> str:
    """Why a query failed."""
    signals.handle_interrupted_query(error)
    if "no such" in str(error) and (why := not_current(connection)):
        return f"{error}; {why}"
    if "authoriz" in str(error) or "attempt to write a readonly database" in str(error):
        return f"a query can only read ({error})"
    if missing := re.fullmatch(r"no such table: (\w+)", str(error)):
        names = [name for name, in connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")]
        return f"there is no table or view '{missing[1]}'{did_you_mean(missing[1], names)}: docs/database.md lists them"
    return str(error)


def _of_all_elements(path: str, name: str) -> str:
    """'gpu.l2[*].latency' for 'gpu.l2[3]' and its 'latency'."""
    return re.sub(r"\[\d+\]", "[*]", path) + "." + name


class Results:
    """The runs of one database, as pandas tables.

    A parameter `run` is the first letters of a run's id, by default the latest run. All methods raise Error if there
    is no such run or if the database cannot be read.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self._path = os.fspath(session.options.database() if path is None else path)
        self._connection = connect(self._path)

    def sql(self, query: str, parameters: Sequence[Any] = ()) -> Table:
        """The rows of a query; `parameters` replace its question marks. Raises Error if the query is refused."""
        import pandas

        try:
            return pandas.read_sql_query(query, self._connection, params=tuple(parameters))
        except (pandas.errors.DatabaseError, *rows.SQL_ERRORS) as e:
            raise Error(f"{self._path}: the query failed: {why_refused(e.__cause__ or e, self._connection)}") from None

    def runs(self) -> Table:
        """A row for each run, the latest last.

        `differs` shows the parameters in which a run differs from others of the same script, arguments and seed, such
        as machines that a script builds in a loop.
        """
        table = self.sql("SELECT * FROM run ORDER BY started")
        table["differs"] = ""
        for _, alike in table.groupby(["name", "argv", "seed"], dropna=False):
            if len(alike) > 1:
                for run, text in self._differing(list(alike["id"])).items():
                    table.loc[table["id"] == run, "differs"] = text
        return table

    def _differing(self, runs: list[str]) -> dict[str, str]:
        """{run: 'gpu.l2[*].latency=80ns, ...'} of the parameters in which these runs differ."""
        ids = json.dumps(runs)
        # The database compares, so that thousands of runs with thousands of parameters need no memory here.
        differ = self.sql(
            "SELECT path, name FROM param JOIN object ON object.id = object "
            "WHERE run IN (SELECT value FROM json_each(?)) GROUP BY path, name "
            "HAVING count(DISTINCT text) > 1 OR count(*) < ?",
            [ids, len(runs)],
        )
        names = set(map(_of_all_elements, differ["path"], differ["name"]))
        params = self.sql(
            "SELECT run, path, name, text FROM param JOIN object ON object.id = object "
            "WHERE run IN (SELECT value FROM json_each(?)) AND name IN (SELECT value FROM json_each(?)) "
            "ORDER BY object.id",
            [ids, json.dumps(sorted(set(differ["name"])))],
        )
        params["what"] = list(map(_of_all_elements, params["path"], params["name"]))
        params = params[params["what"].isin(names)]
        found = params.groupby(["run", "what"], sort=False)["text"].agg(lambda texts: "|".join(dict.fromkeys(texts)))
        wide = found.unstack().reindex(runs)
        wide = wide.loc[:, wide.nunique(dropna=False) > 1]
        return {run: ", ".join(f"{what}={text}" for what, text in row.dropna().items()) for run, row in wide.iterrows()}

    def df(self, run: str | Sequence[str] | None = None, all_dumps: bool = False, wide: bool = False) -> Table:
        """Values in long form: run, path, name, value, unit.

        run        a run, a list of runs, or "all"
        all_dumps  values of all dumps, with their label and tick, rather than of the last one
        wide       a row for each run (or dump) in the order of `run`, with a column for the script, each of its
                   arguments and each value, 'gpu.l2[0].hits'
        """
        runs = self._runs(run)
        marks = _marks(runs)
        table = self.sql(f"SELECT * FROM {'results' if all_dumps else 'result'} WHERE run IN ({marks})", runs)
        if table.empty and runs:
            raise Error(
                f"there are no values yet of {f'run {runs[0]}' if len(runs) == 1 else f'these {len(runs)} runs'}: "
                "memsim.stats.dump() writes them, and so does the end of a run"
            )
        if not wide:
            return table
        index = ["run", "dump", "label", "tick"] if all_dumps else ["run"]
        named = table.assign(column=table["path"] + "." + table["name"])
        values = named.pivot(index=index, columns="column", values="value")
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

    def launches(self, run: str | Sequence[str] | None = None) -> Table:
        """Kernel launches: name, start, end, instructions, IPC, hit rates, bytes of DRAM. `run` is that of df()."""
        runs = self._runs(run)
        return self.sql(f"SELECT * FROM launches WHERE run IN ({_marks(runs)})", runs)

    def params(self, run: str | None = None) -> Table:
        """Parameters as resolved: path, name, text, value (a number of `unit`), unit, tunable."""
        return self.sql(
            "SELECT path, name, text, value, unit, tunable FROM param "
            "JOIN object ON object.id = param.object WHERE run = ?",
            [self.find_run(run)],
        )

    def series(self, run: str | None = None) -> Table:
        """Samples over simulated time: path, name, tick (femtoseconds), value, unit."""
        return self.sql("SELECT * FROM samples WHERE run = ?", [self.find_run(run)])

    def value(self, path: str, name: str, run: str | None = None) -> float:
        """One value of the last dump, such as value("gpu.l2[0]", "hits"). Raises Error if there is none."""
        table = self.df(run)
        found = table[(table["path"] == path) & (table["name"] == name)]["value"]
        if found.empty:
            raise Error(f"the last dump has no value '{name}' of '{path}'")
        return float(found.iloc[0])

    def check(self, run: str) -> None:
        """Raises Error if the rows of a run are not as memsim writes them."""
        if why := not_current(self._connection):
            raise Error(f"{self._path}: {why}")
        rows.check(self._connection, self._path, run)

    def find_run(self, start: str | None = "") -> str:
        """The id of the run that begins with these letters, by default of the latest."""
        if not start:
            return self._latest()
        found = self._ids("WHERE id GLOB ? || '*'", start)
        if len(found) != 1:
            raise Error(
                f"{len(found) or 'no'} runs of the database begin with '{start}': name one of those that "
                "SELECT id, name, started FROM run shows"
            )
        return found[0]

    def _runs(self, run: str | Sequence[str] | None) -> list[str]:
        if run == "all":
            return self._ids("ORDER BY started")
        return [self.find_run(id) for id in (run if isinstance(run, (list, tuple, set)) else [run])]

    def _latest(self) -> str:
        for run in self._ids("ORDER BY started DESC LIMIT 1"):
            return run
        raise Error("this database has no run yet")

    def _ids(self, which: str, *parameters: str) -> list[str]:
        try:
            return [id for id, in self._connection.execute(f"SELECT id FROM run {which}", parameters)]
        except rows.SQL_ERRORS as e:
            raise Error(f"{self._path}: {_why_unreadable(self._path, e)}") from None


def _marks(values: Sequence[Any]) -> str:
    """A question mark for each value, in SQL."""
    return ", ".join("?" * len(values))


def results(path: str | os.PathLike[str] | None = None) -> Results:
    """The results in a directory or database file, by default this process's (-d, --stats-db). Raises Error if there is
    no database."""
    return Results(path)
