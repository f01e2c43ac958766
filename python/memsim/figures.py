"""`memsim plot KIND DB -o FILE`: the usual figures of what a database holds."""
import argparse

from . import plot
from .errors import Error
from .results import Results

NS = 1e6  # femtoseconds


def _frame(results, statistics):
    """A row a run, the latest last: its script and arguments, and these statistics, 'path.name', of which [*] adds
    up elements."""
    runs = results.sql("SELECT run, script, platform, workload, others, seed FROM ipc UNION SELECT id, name, NULL, NULL, "
                       "NULL, seed FROM run WHERE id NOT IN (SELECT run FROM ipc)").set_index("run")
    runs = runs.loc[results.runs()["id"]]
    arguments = results.sql("SELECT run, name, value FROM argument").drop_duplicates(["run", "name"], keep="last")
    arguments = arguments.pivot(index="run", columns="name", values="value")
    runs = runs.join(arguments[[c for c in arguments if c not in runs]])
    for statistic in statistics:
        path, name = _split(results, statistic)
        runs[statistic] = results.sql("SELECT run, sum(value) AS value FROM result WHERE path GLOB ? AND name = ? "
                                      "GROUP BY run", [_glob(path), name]).set_index("run")["value"]
    runs = runs.dropna(subset=statistics)
    if runs.empty:
        raise Error(f"no run of the database has a value of {' and '.join(statistics)}")
    return runs


def _split(results, statistic):
    """Path and name of 'gpu.l2[*].read_latency.mean': where the path ends, the database knows."""
    words = statistic.split(".")
    for i in range(len(words) - 1, 0, -1):
        path, name = ".".join(words[:i]), ".".join(words[i:])
        if len(results.sql("SELECT 1 FROM result WHERE path GLOB ? AND name = ? LIMIT 1", [_glob(path), name])):
            return path, name
    raise Error(f"no run of the database has a statistic '{statistic}': write its path and name, such as "
                "gpu.dispatcher.ipc, with [*] for the sum over all elements")


def _glob(path):
    """For SQLite: [*] is any index."""
    return path.replace("[", "\0").replace("]", "\1").replace("\0*\1", "[[]*]").replace("\0", "[[]").replace("\1", "]")


def _key(runs, name):
    if name not in runs or runs[name].isna().all():
        known = [c for c in runs if c != "seed" and not runs[c].isna().all()]
        raise Error(f"runs are told apart by '{name}', which no run here has: they have {', '.join(known)}")
    return runs[name].fillna("-").astype(str)


def bars(results, args):
    runs = _frame(results, [args.statistic])
    by, over = _key(runs, args.by), _key(runs, args.over)
    table = runs[args.statistic].groupby([by, over], sort=False).mean().unstack()
    label = args.statistic
    if args.relative_to:
        if args.relative_to not in table.index:
            raise Error(f"no run has {args.by} '{args.relative_to}': of {', '.join(table.index)}")
        table = table / table.loc[args.relative_to]
        label += f", of {args.relative_to}'s"
        if len(table.columns) > 1:
            table["mean"] = (table.product(axis=1, skipna=False)) ** (1 / len(table.columns))  # geometric
    return plot.bars(args.output, table, label, reference=1 if args.relative_to else None)


def series(results, args):
    run = results.find_run(args.run)
    path, dot, name = args.statistic.rpartition(".")
    table = results.sql("SELECT path || '.' || name AS what, tick, value, unit FROM samples WHERE run = ? AND "
                        "path || '.' || name GLOB ?", [run, _glob(args.statistic)])
    if table.empty:
        raise Error(f"run {run} has no series '{args.statistic}': memsim.stats.series() samples them")
    rows = table.pivot(index="what", columns="tick", values="value")
    rows.columns = [tick / NS / 1000 for tick in rows.columns]
    return plot.lines(args.output, {args.statistic: rows}, "us", table["unit"][0])


def latency(results, args):
    runs = _frame(results, [args.bandwidth, args.latency])
    by = _key(runs, args.by)
    groups = {name: (of[args.bandwidth] / 1e9, of[args.latency]) for name, of in runs.groupby(by, sort=False)}
    return plot.points(args.output, groups, f"GB/s ({args.bandwidth})", f"ns ({args.latency})")


def stages(results, args):
    table = results.sql("SELECT stages.*, name AS script, argv FROM stages JOIN run ON run.id = run")
    if table.empty:
        raise Error("no run of the database has stages: run with --stamps 100")
    runs = _frame(results, [])
    wide = table.pivot(index="run", columns="stage", values="mean_ns").fillna(0.0)
    wide = wide.loc[[run for run in runs.index if run in wide.index]]
    wide.index = _key(runs.loc[wide.index], args.by) if args.by else [run[:8] for run in wide.index]
    return plot.stacks(args.output, wide.groupby(level=0, sort=False).mean(), "mean ns of a request")


def main(argv):
    p = argparse.ArgumentParser(prog="memsim plot", allow_abbrev=False, description="The usual figures of a database")
    kinds = p.add_subparsers(dest="kind", required=True, metavar="KIND")

    def kind(act, doc, *options):
        k = kinds.add_parser(act.__name__, help=doc, description=doc, allow_abbrev=False)
        k.add_argument("DB", help="the file, or an output directory with its stats.db")
        for name, default, what in options:
            k.add_argument(name, default=default, help=what + (f" ({default})" if default else ""))
        k.add_argument("-o", "--output", metavar="FILE", default=f"{act.__name__}.svg",
                       help=f"its ending says what it is: {', '.join(plot.ENDINGS)} ({act.__name__}.svg)")
        k.set_defaults(act=act)

    by = "--by", "platform", "what tells the runs apart: an argument of the scripts"
    kind(bars, "A statistic's last value as bars: a group for each workload, a bar for each platform",
         ("--statistic", "gpu.dispatcher.ipc", "the path and name of what is shown"), by,
         ("--over", "workload", "what the groups are: an argument of the scripts"),
         ("--relative-to", "", "the platform that is 1; then with the geometric mean of all groups"))
    kind(series, "Samples over simulated time", ("--statistic", "*", "the path and name, with [*] for every index"),
         ("--run", "", "the first letters of the run's id; without it the latest"))
    kind(latency, "Latency over bandwidth, a point a run", by,
         ("--bandwidth", "dram.bandwidth", "the path and name of what is on the x axis"),
         ("--latency", "dram.read_latency.mean", "the path and name of what is on the y axis"))
    kind(stages, "The stages of a request on each other, a bar a run", ("--by", "", by[2]))
    args = p.parse_args(argv)
    print(args.act(Results(args.DB), args))
