"""A paper as data: the tables in papers/<paper> (papers/README.md says what stands in them), read and checked.

    zng = paper.load("zng")
    zng.figures["fig10"].claims     # ['zng-01', ...]
    zng.claims["zng-01"].metric     # 'ipc'
"""

import dataclasses
import functools
import importlib
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from ..errors import Error, did_you_mean
from ..systems.assumptions import Assumption
from . import combine, verdict
from .metric import Metric, Parts, metrics_of, root, whole
from .tables import Place, build, load as load_file

FOLDER = Path(__file__).resolve().parents[1] / "papers"


@dataclasses.dataclass(frozen=True)
class Option:
    """An option of a figure's own, or of all figures of a paper; its kind is that of its default."""

    help: str
    default: str | int | float | list[Any] | None = None  # None: a whole number, or the script's own default
    choices: list[Any] = dataclasses.field(default_factory=list)
    arguments: list[str] = dataclasses.field(default_factory=list)  # of each point's script, if the option is given


@dataclasses.dataclass(frozen=True)
class Points:
    """Points of a figure: each of the platforms on each workload, and once for each value of `each`."""

    platforms: list[str]
    modes: list[str] = dataclasses.field(default_factory=list)  # none: all that the paper has
    variant: str = ""  # follows the platform's name
    name: str = ""  # stands in its place
    arguments: list[str | int | float] = dataclasses.field(default_factory=list)  # of the script
    set: list[str] = dataclasses.field(default_factory=list)  # 'path.parameter=value' of memsim's --set
    options: list[str] = dataclasses.field(default_factory=list)  # memsim's others
    each: list[Any] = dataclasses.field(default_factory=list)  # what {each} stands for in turn
    workloads: str | list[str] = ""  # a group or names; else those that the figure is told
    script: str = ""  # in place of the paper's
    base: list[str] = dataclasses.field(default_factory=list)  # in place of the paper's arguments
    parameters: dict[str, str] = dataclasses.field(default_factory=dict)  # the paper's [parameters], such as a medium

    def expanded(self) -> Iterator["Points"]:
        """Itself for each value of `each`, which is put where '{each}' stands."""
        for value in self.each or [None]:

            def put(text: Any) -> Any:
                return str(text).replace("{each}", str(value))

            lists = {n: [put(word) for word in getattr(self, n)] for n in ("arguments", "set", "options")}
            yield dataclasses.replace(self, each=[], variant=put(self.variant), name=put(self.name), **lists)

    def label(self, platform: str, defaults: dict[str, str]) -> str:
        """What tables and claims call a point of it."""
        told = [value for name, value in self.parameters.items() if value != defaults[name]]
        return self.name or " ".join(filter(None, (platform, *told, self.variant)))


@dataclasses.dataclass(frozen=True)
class Show:
    """One thing that a figure prints."""

    metric: str = ""  # a table of it: platforms by workloads
    relative_to: str = ""  # the platform that it is shown relative to
    text: str = ""  # a line
    function: str = ""  # of special.py: given the figure, it prints


@dataclasses.dataclass(frozen=True)
class FigureTable:
    """One table of figures.toml."""

    name: str
    doc: str  # the first sentence is its title
    workloads: str | list[str] = ""  # a group or names; else the paper's
    points: list[Points] = dataclasses.field(default_factory=list)
    show: list[Show] = dataclasses.field(default_factory=list)
    claims: list[str] = dataclasses.field(default_factory=list)
    options: dict[str, Option] = dataclasses.field(default_factory=dict)
    special: str = ""  # a function of special.py that adds points, runs, prints and claims itself
    scaled: bool = True  # else it has neither a scale nor seeds
    sweep: bool = False  # of the paper's assumptions: each alone

    @property
    def title(self) -> str:
        """The first sentence of its text."""
        return verdict.first_sentence(self.doc)


@dataclasses.dataclass(frozen=True)
class ClaimTable:
    """One table of claims.toml: what the paper states, and what of ours is compared with it."""

    id: str
    stated: str  # where: 'Fig. 10', 'abstract'
    relation: str
    value: float
    unit: str
    label: str
    metric: str = ""  # of metrics.py
    subject: str = ""  # a platform with its variant
    baseline: str = ""
    of: str = ""  # the paper's words for the workloads, if it does not state it of all
    workloads: str | list[str] = ""  # a group or names; else those over which the figure averages
    modes: list[str] = dataclasses.field(default_factory=list)  # none: all
    combine: str = ""  # of combine.py, or a function of special.py; else 'mean', or the paper's with a baseline
    words: dict[str, str] = dataclasses.field(default_factory=dict)  # the paper's for metric, subject and baseline
    deviation: str = ""  # its number in docs/deviations.md

    WORDS = "metric", "subject", "baseline"


@dataclasses.dataclass(frozen=True)
class PaperTable:
    """paper.toml, which says what the figures share."""

    title: str
    workloads: str  # the group over which the paper averages where a figure does not say another
    script: str = ""  # of configs; else `modes` has one for each
    arguments: list[str] = dataclasses.field(default_factory=list)
    combine: str = "geometric mean of ratios"
    width: int = 10  # of a column
    aliases: list[str] = dataclasses.field(default_factory=list)
    platforms: dict[str, str] = dataclasses.field(default_factory=dict)  # by name, as the paper writes it
    modes: dict[str, str] = dataclasses.field(default_factory=dict)  # by name its script
    modeless: dict[str, str] = dataclasses.field(default_factory=dict)  # platforms of which one mode's run serves all
    parameters: dict[str, str] = dataclasses.field(default_factory=dict)  # of points, with what a name does not show
    options: dict[str, Option] = dataclasses.field(default_factory=dict)
    index: list[str] = dataclasses.field(default_factory=lambda: ["platform", "workload"])  # of a figure's rows


class Paper:
    """A paper's tables, checked, with the functions that they name."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder = name, folder
        place = Place(folder / "paper.toml", "paper")
        given = load_file(place.file)
        options = _options(given.get("options", {}), place)
        self.table = build(PaperTable, {k: v for k, v in given.items() if k != "options"}, place, options=options)
        self.module = importlib.import_module(f"{__package__.rpartition('.')[0]}.papers.{name}")
        metrics = self.submodule("metrics")
        self.metrics: dict[str, Metric] = metrics_of(metrics)
        self.parts: Parts = getattr(metrics, "parts", whole)
        self.claims: dict[str, ClaimTable] = self._claims()
        self.figures: dict[str, FigureTable] = self._figures()

    def submodule(self, name: str) -> ModuleType:
        return importlib.import_module(f"{self.module.__name__}.{name}")

    @property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """The workloads by group: GROUPS of workloads.py."""
        return dict(self.submodule("workloads").GROUPS)

    @property
    def variants(self) -> list[Assumption]:
        """Each value that each assumption alone is swept to."""
        return list(self.submodule("assumptions").ALL)

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
        """Those of a group, or those that are named."""
        if isinstance(given, str):
            place.check_known("group of workloads", given, self.groups)
            return list(self.groups[given])
        for name in given:
            self.check_workload(name, place)
        return given

    def check_workload(self, name: str, place: Place | None = None) -> None:
        """Refuses a name that is no workload of the paper; its workloads.py may have a `check` of its own."""
        check = getattr(self.submodule("workloads"), "check", None)
        known = list(dict.fromkeys(itertools.chain(*self.groups.values())))
        if check:
            check(name)
        elif name not in known:
            what = f"there is no workload '{name}'{did_you_mean(name, known)}: it is one of {', '.join(known)}"
            raise place.error(what) if place else Error(what)

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
                raise place.error("it has neither a metric nor the paper's words for one: give words = {metric = ...}")
            for word in claim.words:
                place.check_known("word", word, ClaimTable.WORDS)
            for mode in claim.modes:
                place.check_known("mode", mode, self.table.modes)
            if claim.workloads:
                self.workloads(claim.workloads, place)
            if claim.combine and claim.combine not in combine.NAMES:
                self.special(claim.combine, place)
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
            place.check_known("platform", platform, self.table.platforms)
        for mode in points.modes:
            place.check_known("mode", mode, self.table.modes)
        if points.workloads:
            self.workloads(points.workloads, place)
        return points

    def _check(self, figure: FigureTable, place: Place) -> None:
        """What the figure names is there."""
        self.workloads(figure.workloads or self.table.workloads, place)
        labels = self.labels(figure)
        for show in figure.show:
            if show.metric:
                place.check_known("metric", show.metric, self.metrics)
            if show.relative_to:
                place.check_known("platform among its points", show.relative_to, labels)
            if show.function:
                self.special(show.function, place)
        if figure.special:
            self.special(figure.special, place)
        for id in figure.claims:
            place.check_known("claim", id, self.claims)
            claim = self.claims[id]
            if claim.combine in ("", *combine.NAMES) and not figure.special:
                for platform in filter(None, (claim.subject, claim.baseline)):
                    Place(self.folder / "claims.toml", id).check_known(
                        f"platform among the points of {figure.name}", platform, labels
                    )

    def labels(self, figure: FigureTable) -> list[str]:
        """What the figure's points are called: platforms with their variants."""
        return list(
            dict.fromkeys(
                one.label(platform, self.table.parameters)
                for points in figure.points
                for one in points.expanded()
                for platform in one.platforms
            )
        )

    def title_of(self, label: str) -> str:
        """A platform with its variant as the paper writes it, unless the claim has words of its own."""
        platform = label.partition(" ")[0]
        return self.table.platforms.get(platform, platform) + label[len(platform) :]

    def stated(self) -> dict[str, verdict.Claim]:
        """The claims by id, as they are judged and printed."""
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


def names() -> list[str]:
    """The papers that are data."""
    return sorted(path.parent.name for path in FOLDER.glob("*/paper.toml"))


@functools.cache
def load(name: str) -> Paper:
    """The paper of this name or alias."""
    for known in names():
        if known == name or name in load_file(FOLDER / known / "paper.toml").get("aliases", []):
            return Paper(known, FOLDER / known) if known == name else load(known)
    raise Error(f"there is no paper '{name}'{did_you_mean(name, names())}: it is one of {', '.join(names())}")


def figure_of(name: str) -> tuple[Paper, FigureTable] | None:
    """'zng/fig10' or 'cxl/fig9a': the paper and the figure; None where the name has no paper that is data."""
    paper, slash, figure = name.partition("/")
    aliases = {a for n in names() for a in load_file(FOLDER / n / "paper.toml").get("aliases", [])}
    if not slash or paper not in (*names(), *aliases):
        return None
    found = load(paper)
    if figure not in found.figures:
        raise Error(f"{found.name} has no figure '{figure}'{did_you_mean(figure, list(found.figures))}")
    return found, found.figures[figure]
