"""`memsim diff A B`: the parameters and statistics in which two runs differ, and by how much."""
import argparse
import os

from ..errors import Error
from .report.groups import pattern
from .database import Results

COLUMNS = "name, script, argv, seed, version, exit_cause, sim_time_fs"


def find(text):
    """The results and the run that a user names: DB (its latest run), DB:RUN, or RUN of memsim-out; a run by
    the first letters of its id."""
    path, colon, run = text.rpartition(":")
    if not colon:
        path, run = (text, "") if os.path.exists(text) or os.sep in text else ("memsim-out", text)
    if not os.path.exists(path):
        raise Error(f"{text}: name a database or an output directory, DB:RUN, or a run of memsim-out")
    results = Results(path)
    run = results.find_run(run)
    results.check(run)
    return results, run


def _params(results, run):
    """{(path, name): (text, value)}. A cost of energy is named by what it says, not by its place in the list, where one
    more cost would shift the others."""
    table = results.params(run)
    found = {(p, n): (t, v) for p, n, t, v in zip(*(table[c] for c in ("path", "name", "text", "value")))}
    costs = results.sql("SELECT path FROM object WHERE run = ? AND type = 'mem.EnergyCost'", [run])["path"]
    names = {}
    for path in costs:
        part, objects, statistic = (found[path, name][0] for name in ("part", "objects", "statistic"))
        name = f"{path.partition('[')[0]}({part}, {objects}.{statistic or 'time'})"
        names[path] = name if name not in names.values() else f"{name} {path}"
    return {(names.get(p, p), n): known for (p, n), known in found.items()}


def parameters(a, b):
    """(what, in A, in B) of each parameter that differs; one row for elements of a vector that differ alike."""
    one, other = (_params(*of) for of in (a, b))
    rows = {}
    for key in sorted(one.keys() | other.keys()):
        before, after = one.get(key, ("-", None)), other.get(key, ("-", None))
        if before[0] != after[0]:
            row = f"{pattern(key[0])}.{key[1]}", before[0], after[0], _change(before[1], after[1])
            rows.setdefault(row, []).append(key[0])
    found = [
        (paths[0] + "." + what.rpartition(".")[2] if len(paths) == 1 else what, *rest)
        for (what, *rest), paths in rows.items()
    ]
    # First what is no number, such as a policy, whose change has no size.
    return sorted(found, key=lambda row: ("-" in row[1:3], row[3] is not None, *_by_effect(row))), len(
        one.keys() | other.keys()
    )


def statistics(a, b):
    """(what, in A, in B, change) of each value of the last dumps that differs, the greatest change first; then values that
    were 0, and last those that one run has alone."""
    one, other = (results.df(run).set_index(["path", "name"])["value"].to_dict() for results, run in (a, b))
    keys = one.keys() | other.keys()
    rows = [
        (".".join(key), one.get(key), other.get(key), _change(one.get(key), other.get(key)))
        for key in keys
        if one.get(key) != other.get(key)
    ]
    return sorted(rows, key=_by_effect), len(keys)


def _by_effect(row):
    """The greatest change first; what only one run has comes last."""
    return None in row[1:3], -abs(row[3]) if row[3] is not None else 0, row[0]


def _change(before, after):
    """By how much of itself a value has grown; None where that says nothing."""
    if before is None or after is None or not before or before != before or after != after:
        return None
    return after / before - 1


def _show(value):
    return "-" if value is None else value if isinstance(value, str) else f"{value:.6g}"


def _table(headings, rows):
    cells = [headings] + [[*map(_show, row[:3]), "" if row[3] is None else f"{row[3]:+.2%}"] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in cells)


def diff(argv):
    p = argparse.ArgumentParser(
        prog="memsim diff",
        allow_abbrev=False,
        description=(
            "The parameters and statistics in which two runs differ, by how much; statistics that changed most come first"
        ),
    )
    for name in "A", "B":
        p.add_argument(
            name,
            help="an output directory or database (its latest run), DB:RUN, or a run of memsim-out; "
            "the first letters of a run's id suffice",
        )
    p.add_argument(
        "--most", type=int, default=40, metavar="N", help="so many parameters and so many statistics (40; 0: all)"
    )
    p.add_argument("--match", default="", metavar="TEXT", help="only what has this in its name, such as l2")
    args = p.parse_args(argv)
    a, b = find(args.A), find(args.B)
    of_a, of_b = (results.sql(f"SELECT {COLUMNS} FROM run WHERE id = ?", [run]).iloc[0] for results, run in (a, b))
    print(f"A: {of_a['name']}, run {a[1]}\nB: {of_b['name']}, run {b[1]}")
    runs = [(name, str(of_a[name]), str(of_b[name]), None) for name in of_a.index if str(of_a[name]) != str(of_b[name])]
    (params, of_params), (stats, of_stats) = parameters(a, b), statistics(a, b)
    params, stats = ([row for row in rows if args.match in row[0]] for rows in (params, stats))
    if not (params or stats):
        print(
            f"Nothing differs: {of_params} parameters and {of_stats} values of statistics are equal."
            if not args.match
            else f"Nothing differs in what has '{args.match}' in its name."
        )
    for title, rows in ("the runs", runs), (f"{len(params)} of {of_params} parameters", params):
        shown = rows[: args.most or None]
        if rows:
            print("\n" + _table([f"{title}", "A", "B", "change"], shown))
        if len(shown) < len(rows):
            print(f"... and {len(rows) - len(shown)} others: --most 0 shows them, --match TEXT some")
    if stats:
        shown = stats[: args.most or None]
        print("\n" + _table([f"{len(stats)} of {of_stats} values of statistics", "A", "B", "change"], shown))
        if len(shown) < len(stats):
            alone = sum(None in row[1:3] for row in stats[len(shown) :])
            print(
                f"... and {len(stats) - len(shown)} others, {alone} of them in one run alone: --most 0 shows them, --match "
                "TEXT some"
            )
