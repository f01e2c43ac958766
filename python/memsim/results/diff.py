"""The parameters and statistics in which two runs differ, and by how much."""
import os
from collections.abc import Sequence
from typing import Any, TypeAlias

from ..errors import Error
from .report.groups import pattern
from .database import Results

Of: TypeAlias = tuple[Results, str]  # a database and a run in it
# A difference: name, value in A and in B, and relative change from A. Parameters have texts, statistics numbers.
Row: TypeAlias = tuple[str, Any, Any, float | None]

COLUMNS = "name, script, argv, seed, version, exit_cause, sim_time_fs"


def find(text: str) -> Of:
    """The run that a user names: DB (its latest run), DB:RUN, or RUN of memsim-out; RUN is the first letters of its id.

    Raises Error if there is none, or if its rows are not as memsim writes them.
    """
    path, colon, run = text.rpartition(":")
    if not colon:
        path, run = (text, "") if os.path.exists(text) or os.sep in text else ("memsim-out", text)
    if not os.path.exists(path):
        raise Error(f"{text}: name a database or an output directory, DB:RUN, or a run of memsim-out")
    results = Results(path)
    run = results.find_run(run)
    results.check(run)
    return results, run


def _params(results: Results, run: str) -> dict[tuple[str, str], tuple[str, float | None]]:
    """{(path, name): (text, value)}. A cost of energy is identified by its contents, because its index would change
    with one more cost."""
    table = results.params(run)
    found = {(p, n): (t, v) for p, n, t, v in zip(*(table[c] for c in ("path", "name", "text", "value")))}
    costs = results.sql("SELECT path FROM object WHERE run = ? AND type = 'mem.EnergyCost'", [run])["path"]
    names: dict[str, str] = {}
    for path in costs:
        part, objects, statistic = (found[path, name][0] for name in ("part", "objects", "statistic"))
        name = f"{path.partition('[')[0]}({part}, {objects}.{statistic or 'time'})"
        names[path] = name if name not in names.values() else f"{name} {path}"
    return {(names.get(p, p), n): known for (p, n), known in found.items()}


def parameters(a: Of, b: Of) -> tuple[list[Row], int]:
    """The parameters that differ, and the number of all parameters. Elements of a vector with the same difference share
    a row."""
    one, other = (_params(*of) for of in (a, b))
    rows: dict[Row, list[str]] = {}
    for key in sorted(one.keys() | other.keys()):
        before, after = one.get(key, ("-", None)), other.get(key, ("-", None))
        if before[0] != after[0]:
            row = f"{pattern(key[0])}.{key[1]}", before[0], after[0], _change(before[1], after[1])
            rows.setdefault(row, []).append(key[0])
    found: list[Row] = [
        (paths[0] + "." + row[0].rpartition(".")[2] if len(paths) == 1 else row[0], *row[1:])
        for row, paths in rows.items()
    ]
    # Values that are no numbers, such as policies, come first, because their change has no size.
    return sorted(found, key=lambda row: ("-" in row[1:3], row[3] is not None, *_by_effect(row))), len(
        one.keys() | other.keys()
    )


def statistics(a: Of, b: Of) -> tuple[list[Row], int]:
    """The values of the last dumps that differ, and the number of all values. The largest change comes first, then
    values that were 0, and last those that only one run has."""
    one, other = (results.df(run).set_index(["path", "name"])["value"].to_dict() for results, run in (a, b))
    keys = one.keys() | other.keys()
    rows = [
        (".".join(key), one.get(key), other.get(key), _change(one.get(key), other.get(key)))
        for key in keys
        if one.get(key) != other.get(key)
    ]
    return sorted(rows, key=_by_effect), len(keys)


def _by_effect(row: Row) -> tuple[bool, float, str]:
    """The sort order: largest change first, values that only one run has last."""
    return None in row[1:3], -abs(row[3]) if row[3] is not None else 0, row[0]


def _change(before: float | None, after: float | None) -> float | None:
    """The relative change of a value; None if it is undefined."""
    if before is None or after is None or not before or before != before or after != after:
        return None
    return after / before - 1


def _show(value: str | float | None) -> str:
    return "-" if value is None else value if isinstance(value, str) else f"{value:.6g}"


def _table(headings: list[str], rows: Sequence[Row]) -> str:
    cells = [headings] + [[*map(_show, row[:3]), "" if row[3] is None else f"{row[3]:+.2%}"] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in cells)


def show(first: str, second: str, most: int = 40, match: str = "") -> None:
    """Prints the differences of two runs, named as for find(): at most `most` parameters and as many statistics (0:
    all), and only those whose names contain `match`."""
    a, b = find(first), find(second)
    of_a, of_b = (results.sql(f"SELECT {COLUMNS} FROM run WHERE id = ?", [run]).iloc[0] for results, run in (a, b))
    print(f"A: {of_a['name']}, run {a[1]}\nB: {of_b['name']}, run {b[1]}")
    both = [(name, str(of_a[name]), str(of_b[name])) for name in of_a.index]
    runs: list[Row] = [(*row, None) for row in both if row[1] != row[2]]
    (params, of_params), (stats, of_stats) = parameters(a, b), statistics(a, b)
    params, stats = ([row for row in rows if match in row[0]] for rows in (params, stats))
    if not (params or stats):
        print(
            f"Nothing differs: {of_params} parameters and {of_stats} values of statistics are equal."
            if not match
            else f"Nothing with '{match}' in its name differs."
        )
    for title, rows in (
        ("the runs", runs),
        (f"{len(params)} of {of_params} parameters", params),
        (f"{len(stats)} of {of_stats} values of statistics", stats),
    ):
        shown, hidden = rows[: most or None], rows[most:] if most else []
        if rows:
            print("\n" + _table([title, "A", "B", "change"], shown))
        if hidden:
            alone = f", {sum(None in row[1:3] for row in hidden)} of them in one run alone" if rows is stats else ""
            print(f"... and {len(hidden)} others{alone}: --most 0 shows them, --match TEXT selects")
