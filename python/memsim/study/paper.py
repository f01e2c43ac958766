"""A paper as data: the tables in papers/<paper> (docs/papers.md describes them), read and checked.

    zng = paper.load("zng")
    zng.figures["fig10"].claims     # ['zng-01', ...]
    zng.claims["zng-01"].metric     # 'ipc'
"""

import functools
import importlib
import itertools
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from ..errors import Error, did_you_mean
from .assumptions import Assumption
from . import assumptions, combine, verdict
from .metric import Metric, Parts, metrics_of, whole
from .tables import ClaimTable, FigureTable, Option, PaperTable, Points, Show
from .toml import PAPERS as FOLDER, Place, build, load as load_file, names


class Paper:
    """A paper's tables, checked, with the functions that they name."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder = name, folder
        place = Place(folder / "paper.toml", "paper")
        given = load_file(place.file)
        options = _options(given.get("options", {}), place)
        self.table = build(PaperTable, {k: v for k, v in given.items() if k != "options"}, place, options=options)
        self.module = importlib.import_module(f"{__package__.rpartition('.')[0]}.papers.{name}")
        self.platforms: dict[str, str] = self._platforms(place)
        metrics = self.submodule("metrics")
        self.metrics: dict[str, Metric] = metrics_of(metrics)
        self.parts: Parts = getattr(metrics, "parts", whole)
        self.claims: dict[str, ClaimTable] = self._claims()
        self.figures: dict[str, FigureTable] = self._figures()
        for workload in self.table.seedless:
            self.check_workload(workload, place)

    def submodule(self, name: str) -> ModuleType:
        return importlib.import_module(f"{self.module.__name__}.{name}")

    @property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """The workloads by group: GROUPS of workloads.py."""
        return dict(self.submodule("workloads").GROUPS)

    @property
    def variants(self) -> list[Assumption]:
        """All values of all assumptions that are swept alone."""
        return assumptions.of(self.name)

    def special(self, name: str, place: Place) -> Callable[..., Any]:
        """A function of special.py."""
        file = self.folder / "special.py"
        functions = {n: f for n, f in vars(self.submodule("special")).items() if callable(f)} if file.exists() else {}
        place.check_known(f"function in {self.name}/special.py", name, functions)
        function: Callable[..., Any] = functions[name]
        return function

    def place(self, table: str, file: str = "figures.toml") -> Place:
        return Place(self.folder / file, table)

    def workloads(self, given: str | list[str], place: Place) -> list[str]:
        """The workloads of a group, or those named. `zng:pairs` is a group of another paper."""
        if isinstance(given, str) and ":" not in given:
            place.check_known("group of workloads", given, self.groups)
            return list(self.groups[given])
        found: list[str] = []
        for name in [given] if isinstance(given, str) else given:
            paper, _, group = name.rpartition(":")
            if paper:
                place.check_known("paper", paper, names())
                found += load(paper).workloads(group, place)
            else:
                self.check_workload(name, place)
                found.append(name)
        return list(dict.fromkeys(found))

    def check_workload(self, name: str, place: Place | None = None) -> None:
        """Raises Error for a name that is no workload of the paper; its workloads.py may define its own `check`."""
        check = getattr(self.submodule("workloads"), "check", None)
        known = list(dict.fromkeys(itertools.chain(*self.groups.values())))
        if check:
            check(name)
        elif name not in known:
            what = f"there is no workload '{name}'{did_you_mean(name, known)}: it is one of {', '.join(known)}"
            raise place.error(what) if place else Error(what)

    def _platforms(self, place: Place) -> dict[str, str]:
        """The platforms of the paper's machines, each with the paper's name for it: by default its own."""
        titles = self.table.platforms
        made = getattr(self.module, "platforms", None)
        if made is None:  # the paper has one machine
            return titles
        found = dict.fromkeys(name for mode in [[mode] for mode in self.table.modes] or [[]] for name in made(*mode))
        for name in titles:
            place.check_known("platform", name, found)
        return {name: titles.get(name, name) for name in found}

    def _claims(self) -> dict[str, ClaimTable]:
        file, found = self.folder / "claims.toml", {}
        for id, given in load_file(file).items():
            place = Place(file, id)
            found[id] = claim = build(ClaimTable, given, place, id=id)
            place.check_known("relation", claim.relation, verdict.EXPECTED)
            place.check_known("label", claim.label, verdict.LABELS)
            if claim.metric:
                place.check_known("metric", claim.metric, self.metrics)
            elif "metric" not in claim.words:
                raise place.error("it has neither a metric nor the paper's words for one: add words = {metric = ...}")
            for word in claim.words:
                place.check_known("word", word, ClaimTable.WORDS)
            for mode in claim.modes:
                place.check_known("mode", mode, self.table.modes)
            if claim.workloads:
                self.workloads(claim.workloads, place)
            if claim.combine and claim.combine not in combine.NAMES:
                self.special(claim.combine, place)
            if claim.requires:
                self.special(claim.requires, place)
        return found

    def _figures(self) -> dict[str, FigureTable]:
        file, found = self.folder / "figures.toml", {}
        for name, given in load_file(file).items():
            place = Place(file, name)
            parts: dict[str, Any] = {
                "points": [self._points(points, place) for points in given.get("points", [])],
                "show": [build(Show, show, place) for show in given.get("show", [])],
                "options": _options(given.get("options", {}), place),
            }
            rest = {key: value for key, value in given.items() if key not in parts}
            found[name] = figure = build(FigureTable, rest, place, name=name, **parts)
            self._check(figure, place)
        return found

    def _points(self, given: object, place: Place) -> Points:
        if not isinstance(given, dict):
            raise place.error(f"the points '{given}' are no table")
        parameters = {k: given.get(k, default) for k, default in self.table.parameters.items()}
        rest = {k: v for k, v in given.items() if k not in parameters}
        points = build(Points, rest, place, parameters=parameters)
        for platform in points.platforms:
            place.check_known("platform", platform, self.platforms)
        for mode in points.modes:
            place.check_known("mode", mode, self.table.modes)
        if points.workloads:
            self.workloads(points.workloads, place)
        return points

    def _check(self, figure: FigureTable, place: Place) -> None:
        """Raises Error unless all names in the figure exist."""
        self.workloads(figure.workloads or self.table.workloads, place)
        labels = self.labels(figure)
        for show in figure.show:
            if show.metric:
                place.check_known("metric", show.metric, self.metrics)
            if show.relative_to:
                place.check_known("platform among its points", show.relative_to, labels)
            if show.function:
                self.special(show.function, place)
        for function in filter(None, (figure.special, figure.after)):
            self.special(function, place)
        for id in figure.claims:
            place.check_known("claim", id, self.claims)
            claim = self.claims[id]
            if claim.combine in ("", *combine.NAMES) and not figure.special:
                for platform in filter(None, (claim.subject, claim.baseline)):
                    Place(self.folder / "claims.toml", id).check_known(
                        f"platform among the points of {figure.name}", platform, labels
                    )

    def labels(self, figure: FigureTable) -> list[str]:
        """The labels of the figure's points: platforms with their variants."""
        return list(
            dict.fromkeys(
                one.label(platform, self.table.parameters)
                for points in figure.points
                for one in points.expanded()
                for platform in one.platforms
            )
        )

    def title_of(self, label: str) -> str:
        """The paper's name of a platform with its variant, unless the claim has words of its own."""
        platform = label.partition(" ")[0]
        return self.platforms.get(platform, platform) + label[len(platform) :]

    def stated(self) -> dict[str, verdict.Claim]:
        """The claims by id, in the form in which they are judged and printed."""
        return {
            id: verdict.Claim(
                id=id,
                stated_in=c.stated + (f", {c.of}" if c.of else ""),
                metric=c.words.get("metric") or self.metrics[c.metric].title,
                subject=c.words.get("subject") or self.title_of(c.subject),
                baseline=c.words.get("baseline") or self.title_of(c.baseline),
                relation=c.relation,
                value=float(c.value),
                unit=c.unit,
                label=c.label,
                deviation=c.deviation,
            )
            for id, c in self.claims.items()
        }


def _options(given: dict[str, Any], place: Place) -> dict[str, Option]:
    return {name: build(Option, option, Place(place.file, f"{place.table}.options")) for name, option in given.items()}


def aliases() -> dict[str, str]:
    """Other names of papers on the command line."""
    return {alias: name for name in names() for alias in load_file(FOLDER / name / "paper.toml").get("aliases", [])}


@functools.cache
def load(name: str) -> Paper:
    """The paper with this name."""
    if name in names():
        return Paper(name, FOLDER / name)
    raise Error(f"there is no paper '{name}'{did_you_mean(name, names())}: it is one of {', '.join(names())}")


def figure_of(name: str) -> tuple[Paper, FigureTable] | None:
    """The paper and the figure of 'zng/fig10' or 'cxl/fig9a'; None if the name has no paper with tables."""
    given, slash, figure = name.partition("/")
    system = aliases().get(given, given)
    if not slash or system not in names():
        return None
    found = load(system)
    if figure not in found.figures:
        raise Error(f"{system} has no figure '{figure}'{did_you_mean(figure, list(found.figures))}")
    return found, found.figures[figure]
