"""`memsim reproduce ohm/fig16`: a paper's figures, run, drawn and judged.

Of each study in configs/studies these stand in OUTDIR/<paper>/<figure>: `data.csv`, what was measured at each point;
`data.svg`, a drawing of it, of studies of platforms and workloads; `output.txt`, what the study prints; `claims.csv` and
`claims.svg`, our figures beside the paper's. All runs, and the table `claim`, are in OUTDIR/stats.db. Points that are
there already are not run again, so a reproduction may be stopped at any moment and given again.
"""
import argparse
import contextlib
import csv
import dataclasses
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from . import accuracy, verdict
from ..results import plot
from ..run import processes, signals
from ..errors import PACKAGE, Error, did_you_mean
from ..files import os_error, replacing
from ..results.claims import stated, unit_of
from ..run.options import whole
from ..run.progress import duration

ROOT = Path(PACKAGE, "__init__.py").resolve().parents[2]
SCALES = {
    "quick": ["--scale", "tiny", "--max-instructions", "300000"],
    "default": ["--scale", "default"],
    "judge": ["--scale", "judge"],
}
COSTS = "configs/studies/costs.csv"


@dataclasses.dataclass
class Figure:
    """A study of configs/studies."""

    script: Path

    @property
    def name(self):
        return f"{self.script.parent.name}/{self.script.stem}"

    @property
    def text(self):
        return self.script.read_text()

    @property
    def title(self):
        """The first sentence of its docstring."""
        text = " ".join(self.text.split('"""')[1].split("\n\n")[0].split())
        return re.match(r"(Figs?\.? )?.*?(\. |$)", text)[0].strip()

    @property
    def takes_a_scale(self):
        return bool(re.search(r"add_options|\barguments\(", self.text))

    @property
    def is_sweep(self):
        """Of assumptions: it judges nothing, and runs only if it is named."""
        return self.script.stem == "sensitivity"


def figures():
    """All, in the order of their names."""

    def number(path):
        return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", f"{path.parent.name}/{path.stem}")]

    return {f.name: f for f in map(Figure, sorted((ROOT / "configs/studies").glob("*/*.py"), key=number))}


def chosen(names):
    """The figures that 'ohm/fig16', 'ohm' or 'all' name, each once."""
    known, found = figures(), {}
    for name in names:
        some = [
            f
            for f in known.values()
            if name in (f.name, f.script.parent.name, "all") and (not f.is_sweep or f.name == name)
        ]
        if not some:
            papers = {f.script.parent.name for f in known.values()}
            raise Error(
                f"there is no figure or paper '{name}'{did_you_mean(name, [*known, *papers])}: --list names them"
            )
        found.update((f.name, f) for f in some)
    return list(found.values())


# ---- what a figure costs -------------------------------------------------------------------------


def costs(*files):
    """{(figure, scale): (CPU seconds, MB)} as measured before; a later file counts."""
    found = {}
    for file in filter(os.path.exists, files):
        with open(file, newline="") as f:
            for row in csv.DictReader(f):
                found[row["figure"], row["scale"]] = float(row["cpu_seconds"]), float(row["megabytes"])
    return found


def add_cost(file, figure, scale, seconds, megabytes):
    known = costs(file)
    known[figure, scale] = seconds, megabytes
    with replacing(file) as f:
        rows = csv.writer(f, lineterminator="\n")
        rows.writerow(["figure", "scale", "cpu_seconds", "megabytes"])
        rows.writerows([*key, f"{s:.1f}", f"{m:.0f}"] for key, (s, m) in sorted(known.items()))


def listing(args):
    known = costs(ROOT / COSTS, Path(args.outdir, "costs.csv"))
    rows = [("figure", *(f"{s}: CPU time, memory" for s in SCALES), "what it shows")]
    for f in chosen(args.FIGURE or ["all"]) + [f for f in figures().values() if f.is_sweep and not args.FIGURE]:
        cells = [
            f"{duration(known[f.name, s][0])}, {known[f.name, s][1]:.0f} MB" if (f.name, s) in known else "not measured"
            for s in SCALES
        ]
        rows.append((f.name, *cells, f.title))
    widths = [max(map(len, column)) for column in zip(*rows)]
    print("\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows))
    unknown = sum(row.count("not measured") for row in rows)
    if unknown:
        print(
            f"{unknown} of {(len(rows) - 1) * len(SCALES)} times are not known: a figure that is run is measured, into "
            f"{args.outdir}/costs.csv"
        )


# ---- running one ---------------------------------------------------------------------------------


def run(figure, args):
    """Runs its study; returns CPU seconds and MB. The study goes on where it was stopped, and tells its progress."""
    folder = Path(args.outdir, figure.name)
    folder.mkdir(parents=True, exist_ok=True)
    options = (
        [*SCALES[args.scale], "--jobs", str(args.jobs), "--seeds", str(args.seeds)] if figure.takes_a_scale else []
    )
    signals.hold()  # the new process begins so: no signal ends it before it listens
    study = subprocess.Popen(
        [*processes.MEMSIM, *(["-q"] if args.quiet else []), "-d", args.outdir, figure.script, *options],
        env=processes.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        signals.listen()
        text = study.stdout.read()
        _, status, used = os.wait4(study.pid, 0)
    except BaseException as e:
        if isinstance(e, SystemExit):  # a SIGTERM; Ctrl-C has come to the study, too
            study.terminate()
        study.wait()  # its points write their checkpoints
        raise
    if code := os.waitstatus_to_exitcode(status):
        raise Error(f"{figure.name} ended with code {code}; what it has finished stays: the same command " "goes on")
    (folder / "output.txt").write_text(text)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024  # of the study and all of its points


def ran_whole(figure, args):
    """Whether no point of the figure had been run before."""
    name = f"{accuracy.SYSTEMS.get(figure.script.parent.name, figure.script.parent.name)}/{figure.script.stem}"
    with contextlib.closing(sqlite3.connect(Path(args.outdir, "stats.db"))) as database:
        if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'point'").fetchone():
            return True  # a study that only computes
        return not database.execute("SELECT 1 FROM point WHERE study = ? AND seconds IS NULL", [name]).fetchone()


def draw(figure, rows, folder):
    """claims.csv and claims.svg: the paper's values and ours; a panel for each unit."""
    import pandas

    columns = (
        "id",
        "metric",
        "subject",
        "baseline",
        "relation",
        "unit",
        "paper",
        "ours",
        "lowest",
        "highest",
        "seeds",
        "comparison",
        "verdict",
        "deviation",
    )
    pandas.DataFrame(rows, columns=[*columns]).to_csv(folder / "claims.csv", index=False)
    panels = {}
    for row in rows:
        if row["ours"] is not None:
            unit = unit_of(row["relation"], row["unit"])
            said = stated(row["relation"], "").strip()
            name = f"{row['metric']}, {accuracy.compared(row['subject'], row['baseline'])}"
            panels.setdefault({"×": "ratio", "": "count"}.get(unit, unit), {})[
                f"{name}\n({row['id']}, {verdict.places()[row['id']]}{', paper: ' + said if said else ''})"
            ] = (row["paper"], row["ours"])
    if panels:
        plot.beside(
            folder / "claims.svg",
            {unit: pandas.DataFrame(of, index=["paper", "ours"]) for unit, of in panels.items()},
            title=figure.title.rstrip("."),
        )


def draw_data(figure, folder):
    """data.svg of a study that has a row for each workload on each platform, or policy: the first figure that the study
    shows, the mean over the seeds."""
    import pandas

    data = pandas.read_csv(folder / "data.csv") if (folder / "data.csv").exists() else pandas.DataFrame()
    by = next((name for name in ("platform", "policy") if name in data), None)
    if not by or "workload" not in data:
        return
    figures = data.select_dtypes("number").columns.drop("seed", errors="ignore")
    metric = next(iter(figures), None)
    more = [name for name in data.select_dtypes(exclude="number") if name not in (by, "workload", "run")]
    groups = data.fillna({name: "" for name in more}).groupby([by, *more, "workload"], sort=False)
    if metric and groups.size().max() == max(1, data.get("seed", pandas.Series([1])).nunique()):
        table = groups[metric].mean().unstack([*more, "workload"])
        table.columns = [" ".join(filter(None, map(str, c))) if more else c for c in table.columns]
        plot.bars(folder / "data.svg", table, metric, title=figure.title.rstrip("."))


# ---- the command ---------------------------------------------------------------------------------


def main(argv):
    p = argparse.ArgumentParser(
        prog="memsim reproduce",
        allow_abbrev=False,
        description=("Runs the figures of papers, draws the papers' values beside ours, and judges what they claim"),
    )
    p.add_argument("FIGURE", nargs="*", help="such as ohm/fig16; ohm: all figures of this paper; all")
    p.add_argument("--list", action="store_true", help="name the figures, with CPU time and memory as measured before")
    p.add_argument(
        "--scale",
        choices=SCALES,
        default="quick",
        help="quick: small inputs, and of each the first 300,000 thread instructions, to see that all works "
        "(no claim is judged at it); default; judge: the paper's (quick)",
    )
    p.add_argument("--jobs", type=whole(1), default=os.cpu_count(), help="processes at once")
    p.add_argument("--seeds", type=whole(1), default=1, help="run all with the seeds 1 to N; the median counts")
    p.add_argument("-d", "--outdir", default="memsim-out/reproduce", help="where all goes (memsim-out/reproduce)")
    p.add_argument("-q", "--quiet", action="store_true", help="print no progress")
    p.add_argument(
        "--check",
        action="store_true",
        help="exit with 1 if a claim that was met before (docs/judged.csv, docs/quick.csv) is met no more",
    )
    p.add_argument(
        "--record",
        action="store_true",
        help="write the figures of --scale quick into docs/quick.csv, those of judge into docs/judged.csv and their "
        "points into docs/judged/, and docs/accuracy.md anew",
    )
    p.add_argument(
        "--page",
        action="store_true",
        help="run nothing: write docs/accuracy.md from docs/judged.csv, docs/quick.csv and the claims",
    )
    args = p.parse_args(argv)
    if args.page:
        accuracy.PAGE.write_text(accuracy.page())
        return 0
    if args.list:
        return listing(args)
    if not args.FIGURE:
        p.error("name figures or papers, or all; --list shows what there is")
    if args.record and args.scale == "default":
        p.error("--record is of --scale quick or judge: docs hold no figures of default that a claim has at judge")
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    todo, found, began = chosen(args.FIGURE), {}, time.monotonic()
    os_error(lambda: os.makedirs(args.outdir, exist_ok=True), args.outdir)
    own_costs = Path(args.outdir, "costs.csv")
    known = costs(ROOT / COSTS, own_costs)
    expected = [known.get((f.name, args.scale), (0,))[0] for f in todo]
    for i, figure in enumerate(todo):
        folder = Path(args.outdir, figure.name)
        left = sum(expected[i:]) / args.jobs
        _tell(args, f"{i + 1}/{len(todo)}  {figure.name}" + (f", about {duration(left)} left" if left else ""))
        seconds, megabytes = run(figure, args)
        if ran_whole(figure, args):
            add_cost(own_costs, figure.name, args.scale, seconds, megabytes)
        rows = accuracy.judged_by(Path(args.outdir, "stats.db"), figure.script)
        draw(figure, rows, folder)
        draw_data(figure, folder)
        found.update((row["id"], (row, figure)) for row in rows)
        if args.record:
            accuracy.record(found, args.scale)
            if args.scale == "judge" and (folder / "data.csv").exists():
                accuracy.record_points(figure, folder / "data.csv")
        met = sum(row["comparison"] == "met" for row in rows)
        _tell(args, f"{figure.name}: {met} of {len(rows)} claims show the paper's value; {folder}")
    _tell(args, f"all done in {duration(time.monotonic() - began)}")
    if args.record:
        _tell(args, f"written: {accuracy.QUICK if args.scale == 'quick' else accuracy.JUDGED}, {accuracy.PAGE}")
    if args.check:
        return check(found, args.scale)


def check(found, scale):
    """1 if a claim that was met before is met no more."""
    before = accuracy.recorded(scale)
    lost = 0
    for id, (row, figure) in found.items():
        if id in before and before[id].comparison == "met" and row["comparison"] != "met":
            lost += 1
            print(
                f"{id} was met with {before[id].ours:.4g} and is met no more: {figure.name} gives "
                f"{'nothing' if row['ours'] is None else format(row['ours'], '.4g')}, the paper has {row['paper']:.4g} "
                f"({row['metric']}, {row['subject']})"
            )
    compared = sum(id in before for id in found)
    print(f"{compared} of {len(found)} claims were measured before at this scale; {lost} of them are met no more")
    return 1 if lost else 0


def _tell(args, text):
    if not args.quiet:
        print(f"reproduce: {text}", file=sys.stderr, flush=True)
