"""The tables of a paper (docs/papers.md): a dataclass for each kind of table."""

import dataclasses
from collections.abc import Iterator
from typing import Any

from . import verdict


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
    name: str = ""  # replaces it
    arguments: list[str | int | float] = dataclasses.field(default_factory=list)  # of the script
    set: list[str] = dataclasses.field(default_factory=list)  # 'path.parameter=value' of memsim's --set
    options: list[str] = dataclasses.field(default_factory=list)  # memsim's others
    each: list[Any] = dataclasses.field(default_factory=list)  # what {each} stands for in turn
    workloads: str | list[str] = ""  # a group or names; else those that the figure is given
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
        shown = [value for name, value in self.parameters.items() if value != defaults[name]]
        return self.name or " ".join(filter(None, (platform, *shown, self.variant)))


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
    after: str = ""  # a function of special.py that prints below the verdicts
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
    given: dict[str, Any] = dataclasses.field(
        default_factory=dict
    )  # arguments of the function of special.py that `combine` names
    requires: str = ""  # a function of special.py: whether what was run is enough to judge it
    words: dict[str, str] = dataclasses.field(default_factory=dict)  # the paper's for metric, subject and baseline
    deviation: str = ""  # its number in docs/deviations.md

    WORDS = "metric", "subject", "baseline"


@dataclasses.dataclass(frozen=True)
class PaperTable:
    """paper.toml, what the figures share."""

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
