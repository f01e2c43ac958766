"""Reading results: `memsim.results("memsim-out").df()` is a pandas table."""
import os
import sqlite3

from .errors import Error


def connect(path):
    """The database at `path` (a file, or a directory with stats.db), for reading only."""
    file = os.path.join(path, "stats.db") if os.path.isdir(path) else os.fspath(path)
    if not os.path.isfile(file):
        raise Error(f"{file}: there is no such database: name a file or an output directory")
    try:
        connection = sqlite3.connect(f"file:{os.path.abspath(file)}?mode=ro", uri=True)
        connection.execute("SELECT id FROM run LIMIT 1")
    except sqlite3.Error as e:
        raise Error(f"{file}: this is no database of results ({e})") from None
    return connection


class Results:
    """The runs of one database, as pandas tables."""

    def __init__(self, path="memsim-out"):
        self._connection = connect(path)

    def sql(self, query, parameters=()):
        """The rows of any query."""
        import pandas
        try:
            return pandas.read_sql_query(query, self._connection, params=tuple(parameters))
        except (pandas.errors.DatabaseError, sqlite3.Error) as e:
            raise Error(f"the query failed: {e}") from None

    def runs(self):
        """One row a run, the latest last."""
        return self.sql("SELECT * FROM run ORDER BY started")

    def df(self, run=None, all_dumps=False):
        """Values in long form (path, name, value, unit): of one run, by default of the latest; of
        its last dump, or of all."""
        run = run or self._latest()
        return self.sql(f"SELECT * FROM {'results' if all_dumps else 'result'} WHERE run = ?", [run])

    def params(self, run=None):
        """Parameters as resolved: path, name, value, unit, tunable."""
        return self.sql("SELECT path, name, value, unit, tunable FROM param "
                        "JOIN object ON object.id = param.object WHERE run = ?",
                        [run or self._latest()])

    def series(self, run=None):
        """Samples over simulated time: path, name, tick, value, unit."""
        return self.sql("SELECT * FROM samples WHERE run = ?", [run or self._latest()])

    def value(self, path, name, run=None):
        """One value of the last dump."""
        table = self.df(run)
        found = table[(table["path"] == path) & (table["name"] == name)]["value"]
        if found.empty:
            raise Error(f"the last dump has no value '{name}' of '{path}'")
        return found.iloc[0]

    def _latest(self):
        row = self._connection.execute(
            "SELECT id FROM run ORDER BY started DESC LIMIT 1").fetchone()
        if row is None:
            raise Error("this database has no run yet")
        return row[0]


def results(path="memsim-out"):
    """The results in a directory or database file."""
    return Results(path)
