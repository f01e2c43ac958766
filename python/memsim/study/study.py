"""The class Study: points that are run, tables of what they measured, claims that are judged."""

import contextlib
import math
import os
import sqlite3
import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from .. import _memsim
from ..errors import did_you_mean, user_error
from ..files import check_output, os_error
from ..results.database import connect
from ..run import checkpoints
from ..run.session import session
from . import stored, verdict
from .execution import Execution, Point
from .options import add_jobs, add_options, jobs, limit, preview
from .claimed import claims

# Scripts import these from here, too.
__all__ = ["Point", "Study", "add_jobs", "add_options", "claims", "connect", "jobs", "limit", "preview"]

T = TypeVar("T")


class Study(Execution):
    """Points, their results and the claims that follow. `database` is the one of this process
    (-d, --stats-db) unless another is named."""

    def __init__(
        self, system: str, name: str, database: str | None = None, jobs: int | None = None, seeds: int = 1
    ) -> None:
        """system: a paper whose claims are judged, or any word; jobs: points at once; seeds: 1 to how many."""
        if seeds < 1:
            raise user_error(f"a study of {seeds} seeds has no points: --seeds is 1 or more")
        self.system, self.name = system, name
        self.jobs = session.options.jobs or jobs or os.cpu_count() or 1
        self.database = os.path.abspath(database or session.options.database())
        check_output(self.database, "a database")
        self.points: list[Point] = []
        self.verdicts: list[verdict.Verdict] = []
        self._metrics: dict[str, str] = {}  # of the tables that were asked for
        self.seeds, self.seed = range(1, seeds + 1), 1  # all, and the one whose points are looked at
        self.preview = False  # what is run is too little to judge a claim by: verdicts say so

    def point(
        self, script: str | os.PathLike[str], *arguments: object, options: Sequence[object] = (), **keys: Any
    ) -> Point:
        """Adds a run, one for each seed if there are several: the script then takes --seed. `keys` name
        it in the study's tables, `options` are memsim's, such as --set."""
        for seed in self.seeds:
            own = ["--seed", str(seed)] if seed > 1 else []  # 1 is every script's own
            self.points.append(
                Point(keys, os.path.abspath(script), [*map(str, arguments), *own], list(map(str, options)), seed)
            )
        return self.points[-len(self.seeds)]

    def restored(self, checkpoint: str, *, options: Sequence[object] = (), **keys: Any) -> Point:
        """Adds a run that continues from a checkpoint under other tunable parameters: `options` are memsim's,
        such as --set. A checkpoint has one seed."""
        if len(self.seeds) > 1:
            raise user_error(
                f"a point of {len(self.seeds)} seeds cannot continue from {checkpoint}: the seed of "
                "a checkpoint is given"
            )
        file = os.path.abspath(checkpoints.find(checkpoint))
        # A checkpoint may be of a run with -q, which does not tell what is read here: its run's name.
        self.points.append(Point(keys, "", [], ["-v", "--restore", file, *map(str, options)]))
        return self.points[-1]

    @property
    def selected(self) -> list[Point]:
        """The points of the seed that is looked at: the first, or within `over_seeds` each in turn."""
        return [point for point in self.points if point.seed == self.seed]

    def over_seeds(self, figure: Callable[[], T]) -> list[T]:
        """figure() for each seed in turn, whose points are `selected` meanwhile."""
        found = []
        for self.seed in self.seeds:
            found.append(figure())
        self.seed = self.seeds[0]
        return found

    def table(self, **metrics: str) -> Any:
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

    def values(self, point: Point) -> dict[tuple[str, str], float]:
        """All values of a point's last dump, by (path, name): for what one query does not say."""
        with contextlib.closing(connect(self.database)) as database:
            return {
                (path, name): value
                for path, name, value in database.execute(
                    "SELECT path, name, value FROM result WHERE run = ?", [point.run]
                )
            }

    @staticmethod
    def mean_ratio(subject: Any, baseline: Any) -> float:
        """The geometric mean of subject to baseline over workloads; those in which both are 0 say nothing."""
        pairs = [(s, b) for s, b in zip(subject, baseline.loc[subject.index]) if s or b]
        if any(not b for _, b in pairs):
            raise user_error("a ratio to 0: the baseline has none of what the subject has")
        if any(not s for s, _ in pairs):
            return 0.0
        return math.exp(sum(math.log(s / b) for s, b in pairs) / len(pairs)) if pairs else 1.0

    def claim(self, id: str, ours: float | Sequence[float]) -> None:
        """Judges a claim by our figure - the ratio of subject to baseline where the claim is relative
        - or by one of each seed (`over_seeds`)."""
        self._judge(id, ours if isinstance(ours, Sequence) else [ours])

    def not_modelled(self, id: str) -> None:
        """A claim that nothing here measures."""
        self._judge(id, [])

    def _judge(self, id: str, figures: Sequence[float]) -> None:
        known = claims(self.system)
        if id not in known:
            raise user_error(f"there is no claim '{id}' of {self.system}{did_you_mean(id, known)}")
        self.verdicts.append(verdict.judge(known[id], figures, self.preview))

    @property
    def folder(self) -> str:
        """Where files of the study go: OUTDIR/<folder of the script>/<name>."""
        return os.path.join(
            session.options.outdir, os.path.basename(os.path.dirname(os.path.abspath(sys.argv[0]))), self.name
        )

    def data(self) -> Any:
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
        tables: list[Any] = self.over_seeds(lambda: self.table(**self._metrics).reset_index().assign(seed=self.seed))
        return pandas.concat(tables).merge(points, on=[*self.points[0].keys, "seed"])

    def close(self) -> None:
        """Writes the verdicts into the table `claim` of the database, and prints them; writes what was measured into
        `data.csv` of the study's folder."""
        os_error(lambda: os.makedirs(os.path.dirname(self.database), exist_ok=True), os.path.dirname(self.database))
        os.makedirs(self.folder, exist_ok=True)
        self.data().to_csv(os.path.join(self.folder, "data.csv"), index=False)
        _memsim.Database(self.database)  # makes it: a study that only computes has run nothing
        with contextlib.closing(sqlite3.connect(self.database, timeout=60)) as database, database:
            stored.store(database, self.name, self.verdicts)
        if self.verdicts:
            print(stored.report(self.verdicts))
