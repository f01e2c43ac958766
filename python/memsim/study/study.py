"""The class Study: points that are run, tables of what they measured, claims that are judged."""
import contextlib
import dataclasses
import math
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from .. import _memsim
from ..run import checkpoints, signals
from . import verdict
from ..errors import IN_USE, Error, InUse, did_you_mean, user_error
from ..files import check_output, os_error
from ..run.options import script_parser, whole
from .points import Points, owner
from ..run.processes import MEMSIM, Processes, as_they_end, environment
from ..results.database import connect
from ..run.session import session as run
from .verdict import claims

UUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
ENDED = "it was ended with the study"


@dataclasses.dataclass
class Point:
    """One run of a study: its keys, the script and its arguments, options of memsim itself, and the
    run once it is there."""

    keys: dict
    script: str
    arguments: list
    options: list = dataclasses.field(default_factory=list)
    seed: int = 1
    run: str = ""
    seconds: float = 0.0
    in_use: str = ""  # the run of it that another process is at
    found: bool = False  # it was there before

    @property
    def command(self):
        """What memsim is told. A run that goes on from a checkpoint has no script."""
        return [*self.options, *([self.script] if self.script else []), *self.arguments]

    @property
    def name(self):
        name = " ".join(map(str, self.keys.values())) or self.script
        return name + (f" seed {self.seed}" if self.seed > 1 else "")


def add_jobs(parser):
    """The option of a study that says how many processes it runs at once."""
    parser.add_argument("--jobs", type=whole(1), default=os.cpu_count(), help="processes at once")
    return parser


def add_options(parser):
    """The options that every study has."""
    parser.add_argument(
        "--scale",
        default="default",
        help="tiny, small, default or judge; some systems also have half or twice (of judge)",
    )
    add_jobs(parser)
    parser.add_argument(
        "--max-instructions", type=whole(0), default=0, help="thread instructions of a point (0: to its end)"
    )
    parser.add_argument(
        "--seeds",
        type=whole(1),
        default=1,
        help="run each point with the seeds 1 to N; a claim is judged by the median",
    )
    return parser


def jobs(doc):
    """The only option of a study whose points have no scale: how many processes it runs at once."""
    return add_jobs(script_parser(doc)).parse_args().jobs


def limit(args):
    """The arguments of a point's script that pass --max-instructions on; none where there is no limit."""
    return ["--max-instructions", args.max_instructions] if args.max_instructions else []


def preview(args, every):
    """Whether what a study was told is less than a claim is judged from: a smaller scale, less of the
    programs, or not `every` workload over which the paper averages."""
    return args.scale != "judge" or bool(args.max_instructions) or not set(every) <= set(args.workloads)


class Study:
    """Points, their results and the claims that follow. `database` is the one of this process
    (-d, --stats-db) unless another is named."""

    elsewhere = None  # what runs the points instead of processes here, given the study and its points

    def __init__(self, system, name, database=None, jobs=None, seeds=1):
        if seeds < 1:
            raise user_error(f"a study of {seeds} seeds has no points: --seeds is 1 or more")
        self.system, self.name = system, name
        self.jobs = run.options.jobs or jobs or os.cpu_count()
        self.database = os.path.abspath(database or run.options.database())
        check_output(self.database, "a database")
        self.points, self.verdicts = [], []
        self._metrics = {}  # of the tables that were asked for
        self.seeds, self.seed = range(1, seeds + 1), 1  # all, and the one whose points are looked at
        self.preview = False  # what is run is too little to judge a claim by: verdicts say so

    def point(self, script, *arguments, options=(), **keys):
        """Adds a run, one for each seed if there are several: the script then takes --seed. `keys` name
        it in the study's tables, `options` are memsim's, such as --set."""
        for seed in self.seeds:
            own = ["--seed", str(seed)] if seed > 1 else []  # 1 is every script's own
            self.points.append(
                Point(keys, os.path.abspath(script), [*map(str, arguments), *own], list(map(str, options)), seed)
            )
        return self.points[-len(self.seeds)]

    def restored(self, checkpoint, *, options=(), **keys):
        """Adds a run that goes on from a checkpoint under other tunable parameters: `options` are memsim's,
        such as --set. A checkpoint has one seed."""
        if len(self.seeds) > 1:
            raise user_error(
                f"a point of {len(self.seeds)} seeds cannot go on from {checkpoint}: the seed of "
                "a checkpoint is given"
            )
        file = os.path.abspath(checkpoints.find(checkpoint))
        # A checkpoint may be of a run with -q, which does not tell what is read here: its run's name.
        self.points.append(Point(keys, "", [], ["-v", "--restore", file, *map(str, options)]))
        return self.points[-1]

    @property
    def selected(self):
        """The points of the seed that is looked at: the first, or within `over_seeds` each in turn."""
        return [point for point in self.points if point.seed == self.seed]

    def over_seeds(self, figure):
        """figure() for each seed in turn, whose points are `selected` meanwhile."""
        found = []
        for self.seed in self.seeds:
            found.append(figure())
        self.seed = self.seeds[0]
        return found

    def run(self):
        """Runs all points, `jobs` at a time, and raises an Error that names those that failed. What
        is finished stays finished: run the study again for the rest. Points that another process is at
        come last: it may have finished them by then. A SIGTERM or Ctrl-C is passed on to the points that
        run, and ends the study when they have ended."""
        if not self.points:
            raise user_error(f"the study {self.system}/{self.name} has no points: point() adds them")
        began, done, errors = time.monotonic(), 0, {}
        twins = {}  # equal points run once
        for point in self.points:
            twins.setdefault((point.script, *point.options, None, *point.arguments), []).append(point)
        if Study.elsewhere:
            return Study.elsewhere(self, [point for point, *_ in twins.values()])
        os_error(lambda: os.makedirs(os.path.dirname(self.database), exist_ok=True), os.path.dirname(self.database))
        table = Points(self.database, f"{self.system}/{self.name}", self.points, self.jobs, run.options.verbosity >= 0)
        todo, futures, processes = list(twins.values()), {}, Processes()
        with (
            contextlib.closing(table),
            signals.handled(),
            signals.expected(),
            ThreadPoolExecutor(self.jobs, initializer=signals.hold) as pool,
        ):
            try:
                while todo:
                    in_use = []
                    futures = {pool.submit(self._run_points, points, processes, table): points for points in todo}
                    for future in as_they_end(futures, table.show):
                        points, error = futures[future], future.result()
                        name = points[0].name
                        table.wipe()
                        if isinstance(error, InUse):
                            in_use.append(points)
                            self._tell(f"{name}: {error}")
                            continue
                        done += 1
                        if error:
                            errors[id(points[0])] = error
                        self._tell(
                            f"{done}/{len(twins)}  {name}  " f"{error or f'{points[0].seconds:.1f} s'}{table.left()}"
                        )
                    todo = in_use
            except (KeyboardInterrupt, SystemExit) as e:
                number = signal.SIGTERM if isinstance(e, SystemExit) else signal.SIGINT
                processes.end(number, futures)
                table.wipe()
                for future, (point, *_) in futures.items():
                    if (error := future.result()) and error != ENDED:
                        print(f"memsim: {self.name}: {point.name}: {error}", file=sys.stderr)
                finished = sum(bool(points[0].run) for points in twins.values())
                print(
                    f"memsim: {self.name} was ended by {number.name} with {finished} of {len(twins)} "
                    "points finished: the same command finishes the others, from their checkpoints "
                    "where they have one",
                    file=sys.stderr,
                    flush=True,
                )
                raise
        if errors:
            failed = [f"{point.name}: {errors[id(point)]}" for point, *_ in twins.values() if id(point) in errors]
            raise Error(
                f"{len(failed)} of {len(twins)} points of {self.name} failed; the "
                "others are kept in " + self.database + ":\n  " + "\n  ".join(failed)
            )
        return time.monotonic() - began

    def _tell(self, text):
        if run.options.verbosity >= 0:
            print(f"{self.name}: {text}", file=sys.stderr, flush=True)

    def _run_points(self, points, processes, table):
        """Runs equal points as one, goes on with it, or finds it finished; returns what went wrong, if
        anything did."""
        point = points[0]
        if point.in_use:
            database = _memsim.Database(self.database)
            while database.in_use(point.in_use) and not processes.ended:
                time.sleep(0.1)
        table.set(points, "running", began=time.time(), owner=owner())
        error = self._process(point, processes)
        for twin in points:
            twin.run, twin.seconds, twin.found = point.run, point.seconds, point.found
        state = (
            "finished"
            if not error
            else "waiting"
            if error == ENDED
            else "elsewhere"
            if isinstance(error, InUse)
            else "failed"
        )
        table.set(
            points,
            state,
            run=point.run or None,
            error=str(error) if state in ("elsewhere", "failed") else None,
            seconds=None if point.found or state == "waiting" else point.seconds,
        )
        return error

    def _process(self, point, processes):
        """The process of a point; returns what went wrong."""
        folder = os.path.join(os.path.dirname(self.database), "points")
        began = time.monotonic()
        done = processes.run(
            [*MEMSIM, "-d", folder, "--stats-db", self.database, "--skip-finished", *point.command],
            env=environment(),
            text=True,
            stdin=subprocess.DEVNULL,
        )
        point.seconds = time.monotonic() - began
        if done is None or processes.ended and done.returncode in (-processes.ended, 128 + processes.ended):
            return ENDED
        if done.returncode:
            last = (done.stderr.strip() or f"exit code {done.returncode}").splitlines()[-1]
            last = last.removeprefix("memsim: ")
            if done.returncode == IN_USE and (other := UUID.search(last)):
                point.in_use = other[0]
                return InUse(last)
            return last
        made = re.findall(r"^memsim: .*(?:, run|(finished before), as run) (\S+)$", done.stderr, re.M)
        if not made:
            return "it made no run in the database"
        point.found, point.run = bool(made[-1][0]), made[-1][1]
        return None

    def table(self, **metrics):
        """A pandas table: a row a point (index: its keys), a column a metric. A metric is a query
        with `:run` that answers with one value."""
        import pandas

        rows = []
        self._metrics.update(metrics)
        with contextlib.closing(connect(self.database)) as database:
            for point in self.selected:
                row = dict(point.keys)
                for name, query in metrics.items():
                    try:
                        found = database.execute(query, {"run": point.run}).fetchmany(2)
                    except sqlite3.Error as e:
                        raise user_error(f"the metric '{name}': {e}") from None
                    if len(found) > 1:
                        raise user_error(
                            f"the metric '{name}' has several values for the point {point.name}, such as "
                            f"{found[0][0]} and {found[1][0]}: name one object and statistic, or combine them, as "
                            "by sum(value)"
                        )
                    if not found or found[0][0] is None:
                        raise user_error(f"the metric '{name}' has no value for the point " f"{point.name}")
                    row[name] = found[0][0]
                rows.append(row)
        return pandas.DataFrame(rows).set_index(list(self.points[0].keys))

    def values(self, point):
        """All values of a point's last dump, by (path, name): for what one query does not say."""
        with contextlib.closing(connect(self.database)) as database:
            return {
                (path, name): value
                for path, name, value in database.execute(
                    "SELECT path, name, value FROM result WHERE run = ?", [point.run]
                )
            }

    @staticmethod
    def mean_ratio(subject, baseline):
        """The geometric mean of subject to baseline over workloads; those in which both are 0 say nothing."""
        pairs = [(s, b) for s, b in zip(subject, baseline.loc[subject.index]) if s or b]
        if any(not b for _, b in pairs):
            raise user_error("a ratio to 0: the baseline has none of what the subject has")
        if any(not s for s, _ in pairs):
            return 0.0
        return math.exp(sum(math.log(s / b) for s, b in pairs) / len(pairs)) if pairs else 1.0

    def claim(self, id, ours):
        """Judges a claim by our figure - the ratio of subject to baseline where the claim is relative
        - or by one of each seed (`over_seeds`)."""
        self._judge(id, ours if isinstance(ours, (list, tuple)) else [ours])

    def not_modelled(self, id):
        """A claim that nothing here measures."""
        self._judge(id, [])

    def _judge(self, id, figures):
        known = claims(self.system)
        if id not in known:
            raise user_error(f"there is no claim '{id}' of {self.system}{did_you_mean(id, known)}")
        self.verdicts.append(verdict.judge(known[id], figures, self.preview))

    @property
    def folder(self):
        """Where files of the study go: OUTDIR/<folder of the script>/<name>."""
        return os.path.join(
            run.options.outdir, os.path.basename(os.path.dirname(os.path.abspath(sys.argv[0]))), self.name
        )

    def data(self):
        """What the study shows of its points, a row each, as a pandas table with their seeds and runs; of one that only
        computes what it computed for claims."""
        import pandas

        if not self.points:
            return pandas.DataFrame(
                [
                    dict(
                        claim=v.claim.id,
                        metric=v.claim.metric,
                        subject=v.claim.subject,
                        baseline=v.claim.baseline,
                        value=figure,
                    )
                    for v in self.verdicts
                    for figure in v.figures
                ]
            )
        points = pandas.DataFrame([dict(p.keys, seed=p.seed, run=p.run) for p in self.points])
        if not self._metrics:
            return points
        tables = self.over_seeds(lambda: self.table(**self._metrics).reset_index().assign(seed=self.seed))
        return pandas.concat(tables).merge(points, on=[*self.points[0].keys, "seed"])

    def close(self):
        """Writes the verdicts into the table `claim` of the database, and prints them; writes what was measured into
        `data.csv` of the study's folder."""
        os_error(lambda: os.makedirs(os.path.dirname(self.database), exist_ok=True), os.path.dirname(self.database))
        os.makedirs(self.folder, exist_ok=True)
        self.data().to_csv(os.path.join(self.folder, "data.csv"), index=False)
        _memsim.Database(self.database)  # makes it: a study that only computes has run nothing
        with contextlib.closing(sqlite3.connect(self.database, timeout=60)) as database, database:
            verdict.store(database, self.name, self.verdicts)
        if self.verdicts:
            print(verdict.report(self.verdicts))
