"""The class Study: points that are run, tables of their results, claims that are judged."""

import contextlib
import json
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
from ..run.processes import add_jobs, cores
from ..run.session import session
from . import stored, verdict
from .execution import Execution, Point
from .options import add_options, jobs, limit, preview
from .claimed import claims

# Also imported from here by scripts.
__all__ = ["Point", "Study", "add_jobs", "add_options", "claims", "connect", "jobs", "limit", "preview"]

T = TypeVar("T")


def _plain(keys: dict[str, Any]) -> dict[str, Any]:
    """The keys with values that JSON has: numbers of numpy as Python's, all others as text."""
    return {name: _plain_value(value) for name, value in keys.items()}


def _plain_value(value: Any) -> Any:
    if type(value).__module__ == "numpy" and getattr(value, "ndim", None) == 0:
        value = value.item()
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return str(value)
    return value


class Study(Execution):
    """Points, their results and the claims judged from them. `database` is by default that of this process (-d,
    --stats-db)."""

    def __init__(
        self, system: str, name: str, database: str | None = None, jobs: int | None = None, seeds: int | None = None
    ) -> None:
        """system: a paper whose claims are judged, or any word; jobs: concurrent points; seeds: number of seeds, from
        1, by default that of memsim sweep --seeds."""
        seeds = session.options.seeds if seeds is None else seeds
        if seeds < 1:
            raise user_error(f"a study of {seeds} seeds has no points: --seeds must be at least 1")
        self.system, self.name = system, name
        self.jobs = session.options.jobs or jobs or cores()
        self.database = os.path.abspath(database or session.options.database())
        check_output(self.database, "a database")
        self.points: list[Point] = []
        self.verdicts: list[verdict.Verdict] = []
        self._metrics: dict[str, str] = {}  # of the tables requested
        self.seeds, self.seed = range(1, seeds + 1), 1  # all seeds, and the selected one
        self.preview = False  # claims cannot be judged from these runs: verdicts state this

    def point(
        self,
        script: str | os.PathLike[str],
        *arguments: object,
        options: Sequence[object] = (),
        seeded: bool = True,
        **keys: Any,
    ) -> Point:
        """Adds a run, once per seed if there are several: the script then receives --seed, unless its run does not
        depend on it (seeded=False). `keys` identify it in the study's tables; without them the key `point` is its
        command. `options` are options of memsim, such as --set."""
        words, ours = list(map(str, arguments)), list(map(str, options))
        keys = _plain(keys) or {"point": " ".join([os.path.basename(script), *words, *ours])}
        for seed in self.seeds:
            own = ["--seed", str(seed)] if seed > 1 and seeded else []  # scripts use 1 by default
            self.points.append(Point(keys, os.path.abspath(script), [*words, *own], ours, seed))
        return self.points[-len(self.seeds)]

    def restored(self, checkpoint: str, *, options: Sequence[object] = (), **keys: Any) -> Point:
        """Adds a run that continues from a checkpoint with other tunable parameters: `options` are options of memsim,
        such as --set. A checkpoint has one seed."""
        if len(self.seeds) > 1:
            raise user_error(
                f"a point of {len(self.seeds)} seeds cannot continue from {checkpoint}: a checkpoint has one seed"
            )
        file, ours = os.path.abspath(checkpoints.find(checkpoint)), list(map(str, options))
        keys = _plain(keys) or {"point": " ".join([os.path.basename(file), *ours])}
        # The checkpoint may come from a run with -q, which would suppress the name of the run that is read here.
        self.points.append(Point(keys, "", [], ["-v", "--restore", file, *ours]))
        return self.points[-1]

    @property
    def selected(self) -> list[Point]:
        """The points of the selected seed: the first seed, or within `over_seeds` each in turn."""
        return [point for point in self.points if point.seed == self.seed]

    def over_seeds(self, figure: Callable[[], T]) -> list[T]:
        """The results of figure() for each seed in turn, during which `selected` returns the points of that seed."""
        found = []
        for self.seed in self.seeds:
            found.append(figure())
        self.seed = self.seeds[0]
        return found

    def table(self, **metrics: str) -> Any:
        """A pandas table with a row per point (index: its keys) and a column per metric. A metric is a query with
        `:run` that returns one value."""
        import pandas

        for name, query in metrics.items():
            if ":run" not in query:
                raise user_error(
                    f"the metric '{name}' covers all runs of the database: select the point's, such as by "
                    "WHERE run = :run"
                )
        for point in self.selected:
            if not point.run:
                raise user_error(f"table(): the point {point.name} has no run: call run() first")
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
                    if found and len(found[0]) > 1:
                        raise user_error(f"the metric '{name}' selects {len(found[0])} columns: select one")
                    if len(found) > 1:
                        raise user_error(
                            f"the metric '{name}' has several values for the point {point.name}, such as "
                            f"{found[0][0]} and {found[1][0]}: name one object and statistic, or combine them, as "
                            "by sum(value)"
                        )
                    if not found or found[0][0] is None:
                        raise user_error(
                            f"the metric '{name}' has no value for the point {point.name}: select a statistic that "
                            "its run has, or total() instead of sum(), which is 0 without a row"
                        )
                    row[name] = found[0][0]
                rows.append(row)
        return pandas.DataFrame(rows).set_index(list(self.points[0].keys))

    def values(self, point: Point) -> dict[tuple[str, str], float]:
        """All values of a point's last dump, by (path, name), for computations beyond a single query."""
        with contextlib.closing(connect(self.database)) as database:
            return {
                (path, name): value
                for path, name, value in database.execute(
                    "SELECT path, name, value FROM result WHERE run = ?", [point.run]
                )
            }

    def claim(self, id: str, ours: float | Sequence[float]) -> None:
        """Judges a claim by our figure, which is the ratio of subject to baseline if the claim is relative, or by one
        figure per seed (`over_seeds`)."""
        self._judge(id, ours if isinstance(ours, Sequence) else [ours])

    def not_modelled(self, id: str) -> None:
        """Records a claim without a measurement."""
        self._judge(id, [])

    def _judge(self, id: str, figures: Sequence[float]) -> None:
        known = claims(self.system)
        if id not in known:
            raise user_error(f"there is no claim '{id}' of {self.system}{did_you_mean(id, known)}")
        self.verdicts.append(verdict.judge(known[id], figures, self.preview))

    @property
    def folder(self) -> str:
        """The folder of the study's files: OUTDIR/<folder of the script>/<name>."""
        return os.path.join(
            session.options.outdir, os.path.basename(os.path.dirname(os.path.abspath(sys.argv[0]))), self.name
        )

    def data(self) -> Any:
        """The study's points as a pandas table with one row each, with their seeds and runs. For a study that only
        computes: the values computed for claims."""
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
        """Writes the verdicts into the table `claim` of the database and prints them. Writes the measurements into
        `data.csv` in the study's folder."""
        os_error(lambda: os.makedirs(os.path.dirname(self.database), exist_ok=True), os.path.dirname(self.database))
        os.makedirs(self.folder, exist_ok=True)
        self.data().to_csv(os.path.join(self.folder, "data.csv"), index=False)
        _memsim.Database(self.database)  # creates it: a study that only computes has run nothing
        with contextlib.closing(sqlite3.connect(self.database, timeout=60)) as database, database:
            stored.store(database, self.name, self.verdicts)
        if self.verdicts:
            print(stored.report(self.verdicts))
