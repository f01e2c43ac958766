"""Studies: many runs, and what they say about a paper's claims.

    from memsim import study

    fig16 = study.Study("ohm", "fig16")
    for platform in ("hetero", "ohm-base"):
        fig16.point("configs/ohm_planar.py", "--platform", platform, platform=platform)
    fig16.run()
    ipc = fig16.table(ipc="SELECT value FROM result WHERE run = :run AND name = 'ipc'")
    fig16.claim("ohm-04", ipc.loc["ohm-base", "ipc"] / ipc.loc["hetero", "ipc"])
    fig16.close()

A point is a run of a script with arguments, in a process of its own; all write into one database. A point
whose results are there already (`--skip-finished`) is not run again, and studies share their points.
Claims are rows of claims/<system>.csv: facts of the papers, as data.
"""
import contextlib
import csv
import dataclasses
import functools
import math
import os
import re
import sqlite3
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import run
from .errors import PACKAGE, Error, did_you_mean, user_error
from .results import connect

TOLERANCE = 0.2  # relative error within which a claim's value is met
BER_TOLERANCE = 0.033  # of a bit-error rate, in dB of light: the spread of the paper's own rates
BER_LIMIT = 1e-15      # what every bit-error rate must be below, whatever it is compared with

# What a claim's relation and value say about the ratio (or value) that is measured.
EXPECTED = {
    "gain": lambda v: 1 + v / 100,
    "reduction": lambda v: 1 - v / 100,
    "ratio": lambda v: v,
    "equal": lambda v: v,
    "absolute": lambda v: v,
    "above": lambda v: v,
    "below": lambda v: v,
}

TABLE = """CREATE TABLE IF NOT EXISTS claim(
    id TEXT PRIMARY KEY, study TEXT, metric TEXT, subject TEXT, baseline TEXT, relation TEXT,
    unit TEXT, paper REAL, ours REAL, relative_error REAL, verdict TEXT, deviation TEXT,
    judged TEXT) WITHOUT ROWID"""


@dataclasses.dataclass(frozen=True)
class Claim:
    """One figure that a paper states. `value` is as printed there, `expected` what a measurement of
    ours is compared with: the ratio of subject to baseline, or the value itself."""

    id: str
    figure: str
    workloads: str
    metric: str
    subject: str
    baseline: str
    relation: str
    value: float | None
    unit: str
    deviation: str = ""  # its number in docs/deviations.md, once there is one

    @property
    def expected(self):
        return None if self.value is None else EXPECTED[self.relation](self.value)

    def verdict(self, ours):
        """'within tolerance', 'ordering only' (the same side of 1) or 'not reproduced': a ratio on the
        other side of 1 is not reproduced, however near."""
        paper = self.expected
        if paper is None:
            return "not judged"
        if self.unit == "BER":  # by the light that it takes: rates differ by a factor for 0.05 dB
            met = ours < BER_LIMIT and abs(decibels(ours, paper)) <= BER_TOLERANCE
            return "within tolerance" if met else "not reproduced"
        if self.relation == "above":
            return "within tolerance" if ours > paper else "not reproduced"
        if self.relation == "below":
            return "within tolerance" if ours < paper else "not reproduced"
        near = abs(ours - paper) <= TOLERANCE * abs(paper)
        if self.relation in ("gain", "reduction", "ratio") and paper != 1:
            same_side = (ours - 1) * (paper - 1) > 0
            return ("within tolerance" if near else "ordering only") if same_side else "not reproduced"
        return "within tolerance" if near else "not reproduced"


def decibels(rate, other):
    """By how many dB of light two bit-error rates of a thermally limited receiver differ."""
    q, q_other = (-statistics.NormalDist().inv_cdf(r) for r in (rate, other))
    return 10 * math.log10(q / q_other)


@functools.cache
def claims(system):
    """The claims of one paper by id."""
    path = Path(PACKAGE) / "claims" / f"{system}.csv"
    if not path.exists():
        known = sorted(p.stem for p in path.parent.glob("*.csv"))
        raise user_error(f"there are no claims of '{system}'{did_you_mean(system, known)}: of "
                         f"{', '.join(known)}")
    with path.open(newline="") as file:
        return {row["id"]: Claim(**{**row, "value": float(row["value"]) if row["value"] else None})
                for row in csv.DictReader(file)}


@dataclasses.dataclass
class Point:
    """One run of a study: its keys, the script and its arguments, options of memsim itself, and the
    run once it is there."""

    keys: dict
    script: str
    arguments: list
    options: list = dataclasses.field(default_factory=list)
    run: str = ""
    seconds: float = 0.0

    @property
    def name(self):
        return " ".join(map(str, self.keys.values())) or self.script


def add_options(parser):
    """The options that every study has."""
    parser.add_argument("--scale", default="default", help="tiny, small, default or judge")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at once")
    parser.add_argument("--max-instructions", type=int, default=0,
                        help="thread instructions of a point (0: to its end)")
    return parser


class Study:
    """Points, their results and the claims that follow. `database` is the one of this process
    (-d, --stats-db) unless another is named."""

    def __init__(self, system, name, database=None, jobs=None):
        self.system, self.name, self.jobs = system, name, jobs or os.cpu_count()
        self.database = os.path.abspath(database or run.options.database())
        self.points, self.verdicts = [], []
        self.preview = False  # a scale at which no claim is judged: verdicts say so

    def point(self, script, *arguments, options=(), **keys):
        """Adds a run. `keys` name it in the study's tables, `options` are memsim's, such as --set."""
        self.points.append(Point(keys, os.path.abspath(script), list(map(str, arguments)),
                                 list(map(str, options))))
        return self.points[-1]

    def run(self):
        """Runs all points, `jobs` at a time, and raises an Error that names those that failed. What
        is finished stays finished: run the study again for the rest."""
        os.makedirs(os.path.dirname(self.database), exist_ok=True)
        began, failed, done = time.monotonic(), [], 0
        twins = {}  # equal points run once
        for point in self.points:
            twins.setdefault((point.script, *point.options, None, *point.arguments), []).append(point)
        with ThreadPoolExecutor(self.jobs) as pool:
            for (point, *others), error in zip(twins.values(), pool.map(
                    self._run_point, [points[0] for points in twins.values()])):
                for other in others:
                    other.run = point.run
                done += 1
                if error:
                    failed.append(f"{point.name}: {error}")
                if run.options.verbosity >= 0:
                    print(f"{self.name}: {done}/{len(twins)}  {point.name}  "
                          f"{error or f'{point.seconds:.1f} s'}", file=sys.stderr, flush=True)
        if failed:
            raise Error(f"{len(failed)} of {len(twins)} points of {self.name} failed; the "
                        "others are kept in " + self.database + ":\n  " + "\n  ".join(failed))
        return time.monotonic() - began

    def _run_point(self, point):
        """Runs it, or finds it finished; returns what went wrong, if anything did."""
        environment = dict(os.environ, PYTHONPATH=os.path.dirname(PACKAGE.rstrip(os.sep)))
        folder = os.path.join(os.path.dirname(self.database), "points")
        began = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-m", "memsim", "-d", folder, "--stats-db", self.database,
             "--skip-finished", *point.options, point.script, *point.arguments],
            env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        point.seconds = time.monotonic() - began
        if done.returncode:
            last = (done.stderr.strip() or f"exit code {done.returncode}").splitlines()[-1]
            return last.removeprefix("memsim: ")
        made = re.findall(r"^memsim: .*(?:, run|finished before, as run) (\S+)$", done.stderr, re.M)
        if not made:
            return "it made no run in the database"
        point.run = made[-1]
        return None

    def table(self, **metrics):
        """A pandas table: a row a point (index: its keys), a column a metric. A metric is a query
        with `:run` that answers with one value."""
        import pandas
        rows = []
        with contextlib.closing(connect(self.database)) as database:
            for point in self.points:
                row = dict(point.keys)
                for name, query in metrics.items():
                    try:
                        found = database.execute(query, {"run": point.run}).fetchone()
                    except sqlite3.Error as e:
                        raise user_error(f"the metric '{name}': {e}") from None
                    if found is None or found[0] is None:
                        raise user_error(f"the metric '{name}' has no value for the point "
                                         f"{point.name}")
                    row[name] = found[0]
                rows.append(row)
        return pandas.DataFrame(rows).set_index(list(self.points[0].keys))

    def values(self, point):
        """All values of a point's last dump, by (path, name): for what one query does not say."""
        with contextlib.closing(connect(self.database)) as database:
            return {(path, name): value for path, name, value in database.execute(
                "SELECT path, name, value FROM result WHERE run = ?", [point.run])}

    def show_moved(self, ids, variants, moves=0.05):
        """Prints, for each variant of the points, the claims whose figure it moves by more than a share
        of `moves`, with the verdict that they would then have. A study that has variants says what it
        has for a claim by `measured(id, variant="")`."""
        default = {id: self.measured(id) for id in ids}
        print(f"{'assumption':34} claims that it moves: paper, default -> here")
        for variant in dict.fromkeys(variants):
            moved = []
            for id, before in default.items():
                after, claim = before and self.measured(id, variant), claims(self.system)[id]
                if before and abs(after / before - 1) > moves:
                    moved.append(f"{id} {claim.expected:.3g}: {before:.3g} -> {after:.3g} "
                                 f"({claim.verdict(after)})")
            print(f"{variant.strip():34} " + ("; ".join(moved) or "none"))

    def claim(self, id, ours):
        """Judges a claim by our figure - the ratio of subject to baseline where the claim is relative
        - and writes both into the database."""
        self._judge(id, float(ours), None)

    def calibrated(self, id, ours):
        """A claim that our figure cannot fail: a constant or a layout was chosen so that it holds."""
        self._judge(id, float(ours), "calibrated")

    def not_modelled(self, id):
        """A claim that nothing here measures."""
        self._judge(id, None, "not modelled")

    def _judge(self, id, ours, verdict):
        known = claims(self.system)
        if id not in known:
            raise user_error(f"there is no claim '{id}' of {self.system}{did_you_mean(id, known)}")
        claim = known[id]
        paper = claim.expected
        verdict = verdict or claim.verdict(ours) + (", too small to judge" if self.preview else "")
        error = None if ours is None or not paper else ours / paper - 1
        self.verdicts.append((claim, paper, ours, error, verdict))

    def close(self):
        """Writes the verdicts into the table `claim` of the database and prints them."""
        os.makedirs(os.path.dirname(self.database), exist_ok=True)
        with contextlib.closing(sqlite3.connect(self.database, timeout=60)) as database, database:
            database.execute(TABLE)
            for claim, paper, ours, error, verdict in self.verdicts:
                database.execute(
                    "INSERT OR REPLACE INTO claim VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                    "strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))",
                    [claim.id, self.name, claim.metric, claim.subject, claim.baseline, claim.relation,
                     claim.unit, paper, ours, error, verdict, claim.deviation])
        if self.verdicts:
            print(report(self.verdicts))


def report(verdicts):
    """The verdicts as a table of text."""
    rows = [("claim", "metric", "subject / baseline", "paper", "ours", "error", "verdict")]
    for claim, paper, ours, error, verdict in verdicts:
        if claim.deviation and not verdict.startswith(("within tolerance", "calibrated", "not judged")):
            verdict += f" ({claim.deviation})"
        rows.append((claim.id, claim.metric, claim.subject + (claim.baseline and f" / {claim.baseline}"),
                     *("-" if x is None else f"{x:.3g}" for x in (paper, ours)),
                     "-" if error is None else f"{error:+.0%}", verdict))
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def mean_ratio(table, metric, subject, baseline, over):
    """The geometric mean, over the index level `over`, of subject's metric to baseline's. Both are
    values (or tuples) of the remaining levels."""
    import numpy
    column = table[metric].unstack(over)
    return float(numpy.exp(numpy.log(column.loc[subject] / column.loc[baseline]).mean()))
