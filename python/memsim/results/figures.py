"""The usual figures of a database."""
import argparse
import sys
from collections.abc import Sequence
from typing import Any

from . import plot
from ..errors import Error
from .report.plots import AXES
from .report.run_data import WAYS, grows, way
from .database import Results, Table
from .stages import along_the_way

NS = 1e6  # femtoseconds


def _frame(results: Results, statistics: Sequence[str], only: Sequence[str] = ()) -> Table:
    """A row for each run, the latest last: its script, arguments, and these statistics, 'path.name'. [*] combines
    elements. `only`: 'name=value' that all runs must have."""
    runs = results.sql(
        "SELECT run, script, platform, workload, seed FROM ipc UNION SELECT id, name, NULL, NULL, seed "
        "FROM run WHERE id NOT IN (SELECT run FROM ipc)"
    ).set_index("run")
    known = results.runs().set_index("id")
    runs = runs.loc[known.index]
    arguments = results.sql("SELECT run, name, ifnull(value, 'yes') AS value FROM argument WHERE name <> 'seed'")
    arguments = arguments.drop_duplicates(["run", "name"], keep="last").pivot(
        index="run", columns="name", values="value"
    )
    for name in arguments:
        if name not in runs:
            runs[name] = arguments[name]
    for statistic in statistics:
        runs[statistic], _ = _values(results, statistic)
    runs = runs.dropna(subset=statistics)
    if runs.empty:
        raise Error(f"no run of the database has a value of {' and '.join(statistics)}")
    for choice in only:
        name, equals, value = choice.partition("=")
        if not equals:
            raise Error(f"--only {choice}: use NAME=VALUE, such as platform=ohm-base")
        chosen = runs[_key(runs, name, statistics) == value]
        if chosen.empty:
            raise Error(
                f"--only {choice}: no run has that: '{name}' is one of "
                f"{', '.join(_key(runs, name, statistics).unique())}"
            )
        runs = chosen
    if unfinished := known.loc[runs.index, "finished"].isna().sum():
        print(
            f"memsim: {unfinished} of {len(runs)} runs have not finished: their values are those of their last dumps",
            file=sys.stderr,
        )
    return runs


def _values(results: Results, statistic: str) -> tuple[Any, str]:
    """The statistic of each run, and the way in which the elements of [*] are combined."""
    path, name = _split(results, statistic)
    rows = results.sql(
        "SELECT named.run AS run, value.value AS value, stat.kind AS kind, part.name AS part, part.unit AS unit "
        "FROM named JOIN part ON part.id = named.part JOIN stat ON stat.id = part.stat "
        "JOIN value ON value.part = named.part AND value.dump = "
        "(SELECT max(id) FROM dump WHERE dump.run = named.run) "
        "WHERE named.path GLOB ? AND named.name = ?",
        [_glob(path), name],
    )
    how = way(rows.iloc[0]) if rows["run"].duplicated().any() else ""
    return rows.groupby("run")["value"].agg(WAYS[how] if how else "first"), how


def _refuse_unlike(runs: Table, shown: Sequence[str], statistics: Sequence[str]) -> None:
    """Raises Error if runs differ in anything except the arguments that are shown and the seed."""
    for name in _arguments(runs, statistics):
        if name in shown:
            continue
        known = sorted(map(str, runs[name].dropna().unique()))
        some = any(0 < of.isna().sum() < len(of) for _, of in runs[name].groupby(runs["script"]))
        if len(known) > 1 or some:
            texts = known + ["none"] * some
            raise Error(
                f"the runs differ in '{name}' ({', '.join(texts[:8])}{', ...' if len(texts) > 8 else ''}), which the "
                f"figure does not show: choose, such as --only {name}={known[-1]}, or show it with --by or --over"
            )


def _made_last(runs: Table, statistics: Sequence[str]) -> Table:
    """The latest of the runs with the same script, arguments and seed."""
    same = runs.astype(str).duplicated([*_arguments(runs, statistics), "seed"], keep="last")
    if same.any():
        print(
            f"memsim: {same.sum()} runs were made again with equal arguments and seed: the latest counts",
            file=sys.stderr,
        )
    return runs[~same]


def _arguments(runs: Table, statistics: Sequence[str]) -> list[str]:
    return [c for c in runs if c != "seed" and c not in statistics]


def _split(results: Results, statistic: str) -> tuple[str, str]:
    """Path and name of 'gpu.l2[*].read_latency.mean'. The database knows where the path ends."""
    words = statistic.split(".")
    for i in range(len(words) - 1, 0, -1):
        path, name = ".".join(words[:i]), ".".join(words[i:])
        if len(results.sql("SELECT 1 FROM result WHERE path GLOB ? AND name = ? LIMIT 1", [_glob(path), name])):
            return path, name
    raise Error(
        f"no run of the database has a statistic '{statistic}': write its path and name, such as "
        "gpu.dispatcher.ipc, with [*] for all elements"
    )


def _glob(path: str) -> str:
    """A pattern of SQLite, in which [*] is any index."""
    return path.replace("[", "\0").replace("]", "\1").replace("\0*\1", "[[]*]").replace("\0", "[[]").replace("\1", "]")


def _key(runs: Table, name: str, statistics: Sequence[str]) -> Any:
    """The column that distinguishes runs: one of their arguments, or their script."""
    known = [c for c in ["seed", *_arguments(runs, statistics)] if not runs[c].isna().all()]
    if name not in known:
        raise Error(
            f"no run here has the argument '{name}' to distinguish runs (--by, --over, --only): they have "
            f"{', '.join(known)}"
        )
    return runs[name].fillna("-").astype(str)


def _with(runs: Table, name: str, statistics: Sequence[str]) -> Table:
    """The runs that have this argument."""
    has = _key(runs, name, statistics) != "-"
    if not has.all():
        print(f"memsim: {(~has).sum()} of {len(runs)} runs have no '{name}' and are omitted", file=sys.stderr)
    return runs[has]


def bars(results: Results, args: argparse.Namespace) -> plot.Place:
    """`memsim plot bars`."""
    shown = [args.statistic]
    runs = _with(_frame(results, shown, args.only), args.by, shown)
    groups = args.over or ("script" if runs["workload"].isna().all() else "workload")
    _refuse_unlike(runs, [args.by, groups], shown)
    runs = _made_last(runs, shown)
    by, over = _key(runs, args.by, shown), _key(runs, groups, shown)
    grouped = runs[args.statistic].groupby([by, over], sort=False)
    table = grouped.mean().unstack()
    spread = [grouped.min().unstack(), grouped.max().unstack()] if grouped.size().max() > 1 else None
    path, name = _split(results, args.statistic)
    _, how = _values(results, args.statistic)
    label = f"{args.statistic} ({how} of {path})" if how else args.statistic
    if grouped.size().max() > 1:
        label += f", mean, least and greatest of {grouped.size().max()} seeds"
    if args.relative_to:
        if args.relative_to not in table.index:
            raise Error(f"no run has {args.by} '{args.relative_to}': of {', '.join(table.index)}")
        baseline = table.loc[args.relative_to]
        table, spread = table / baseline, spread and [of / baseline for of in spread]
        label += f", of {args.relative_to}'s"
        if len(table.columns) > 1:
            table["mean"] = (table.product(axis=1, skipna=False)) ** (1 / len(table.columns))  # geometric
    return plot.bars(args.output, table, label, reference=1 if args.relative_to else None, log=args.log, spread=spread)


def series(results: Results, args: argparse.Namespace) -> plot.Place:
    """`memsim plot series`."""
    sampled = results.sql(
        "SELECT id FROM run WHERE id IN (SELECT run FROM samples WHERE path || '.' || name GLOB ?) ORDER BY started",
        [_glob(args.statistic)],
    )["id"]
    run = results.find_run(args.run or "".join(sampled[-1:]))  # the latest run that has it
    table = results.sql(
        "SELECT path || '.' || name AS what, tick, value, unit, kind FROM samples WHERE run = ? AND "
        "path || '.' || name GLOB ? ORDER BY what, tick",
        [run, _glob(args.statistic)],
    )
    # A total is shown as its growth from sample to sample; after a reset it begins at 0.
    grown = table.groupby("what")["value"].diff()
    total = [grows(kind, what) for kind, what in zip(table["kind"], table["what"])] & (grown >= 0)
    table.loc[total, "value"] = grown[total]
    if table.empty:
        if len(sampled):
            raise Error(
                f"run {run} has no series '{args.statistic}', as others have: choose --run {sampled.iloc[-1][:8]}"
            )
        what = "series" if args.statistic == "*" else f"series '{args.statistic}'"
        raise Error(f"run {run} has no {what}: memsim.stats.series() samples statistics in the script")
    panels = {}
    for unit, of in table.groupby("unit", sort=False):
        scale, shown = AXES.get(unit, (1, unit))
        rows = of.pivot(index="what", columns="tick", values="value") * scale
        rows.columns = [tick / NS / 1000 for tick in rows.columns]
        panels[args.statistic if table["unit"].nunique() == 1 else shown or unit] = rows, shown or unit
    return plot.lines(
        args.output,
        {title: rows for title, (rows, _) in panels.items()},
        "us",
        [y for _, y in panels.values()],
        log="y" if args.log else "",
    )


def latency(results: Results, args: argparse.Namespace) -> plot.Place:
    """`memsim plot latency`."""
    runs = _frame(results, [args.bandwidth, args.latency], args.only)
    by = _key(runs, args.by, [args.bandwidth, args.latency])
    groups = {name: (of[args.bandwidth] / 1e9, of[args.latency]) for name, of in runs.groupby(by, sort=False)}
    return plot.points(args.output, groups, f"GB/s ({args.bandwidth})", f"ns ({args.latency})", log=args.log)


def stages(results: Results, args: argparse.Namespace) -> plot.Place:
    """`memsim plot stages`."""
    table = results.sql("SELECT run, stage, mean_ns FROM stages")
    if table.empty:
        raise Error("no run of the database has stages: run with --stamps 100")
    runs = _frame(results, [], args.only)
    runs = runs.loc[[run for run in runs.index if run in set(table["run"])]]
    if args.by:
        runs = _with(runs, args.by, [])
        _refuse_unlike(runs, [args.by], [])
        runs = _made_last(runs, [])
    wide = table.pivot(index="run", columns="stage", values="mean_ns").fillna(0.0).loc[runs.index]
    wide.index = _key(runs, args.by, []) if args.by else _names(runs)
    wide = wide.loc[:, (wide != 0).any()]  # omit stages that are 0 in all bars
    wide = wide[along_the_way(wide)].groupby(level=0, sort=False).mean()  # over the seeds
    return plot.stacks(args.output, wide, "mean ns of a request")


def _names(runs: Table) -> list[str]:
    """Names of runs: the first letters of the id, and at most three arguments that others do not have."""
    apart = [name for name in _arguments(runs, []) if runs[name].nunique(dropna=False) > 1]

    def words(row: Any) -> list[str]:
        there = [f"{row[n]}" if n == "script" else f"{n}={row[n]}" for n in apart if row[n] == row[n] and row[n]]
        return there[:3] + ["..."] * (len(there) > 3)

    return ["\n".join([run[:8], *words(row)]) for run, row in runs[apart].iterrows()]
