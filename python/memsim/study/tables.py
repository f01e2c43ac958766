"""The tables of a paper (docs/papers.md): a dataclass for each kind of table."""

import dataclasses
from collections.abc import Iterator
from typing import Any

from . import verdict


@dataclasses.dataclass(frozen=True)
class Option:
    """An option of a figure, or of all figures of a paper. Its type is that of its default."""

    help: str
    default: str | int | float | list[Any] | None = None  # None: an integer option, or the script's own default
    choices: list[Any] = dataclasses.field(default_factory=list)
    # Added to each point's script if the option is given.
    arguments: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class Points:
    """Points of a figure: each platform on each workload, once for each value of `each`."""

    platforms: list[str]
    modes: list[str] = dataclasses.field(default_factory=list)  # none: all modes of the paper
    variant: str = ""  # follows the platform's name
    name: str = ""  # replaces the platform's name
    arguments: list[str | int | float] = dataclasses.field(default_factory=list)  # of the script
    set: list[str] = dataclasses.field(default_factory=list)  # 'path.parameter=value' of memsim's --set
    options: list[str] = dataclasses.field(default_factory=list)  # other options of memsim
    each: list[Any] = dataclasses.field(default_factory=list)  # the values that replace {each}
    workloads: str | list[str] = ""  # a group or names; by default those given to the figure
    seeded: bool = False  # the machine depends on the seed, such as a used drive: no workload is seedless
    script: str = ""  # replaces the paper's script
    base: list[str] = dataclasses.field(default_factory=list)  # replaces the paper's arguments
    parameters: dict[str, str] = dataclasses.field(default_factory=dict)  # the paper's [parameters], such as a medium

    def expanded(self) -> Iterator["Points"]:
        """This entry once for each value of `each`, with '{each}' replaced."""
        for value in self.each or [None]:

            def put(text: Any) -> Any:
                return str(text).replace("{each}", str(value))

            lists = {n: [put(word) for word in getattr(self, n)] for n in ("arguments", "set", "options")}
            yield dataclasses.replace(self, each=[], variant=put(self.variant), name=put(self.name), **lists)

    def label(self, platform: str, defaults: dict[str, str]) -> str:
        """The label of a point in tables and claims."""
        shown = [value for name, value in self.parameters.items() if value != defaults[name]]
        return self.name or " ".join(filter(None, (platform, *shown, self.variant)))


@dataclasses.dataclass(frozen=True)
class Show:
    """One output of a figure."""

    metric: str = ""  # printed as a table: platforms by workloads
    relative_to: str = ""  # the platform relative to which it is shown
    text: str = ""  # a line of text
    function: str = ""  # a function of special.py that prints; its argument is the figure


@dataclasses.dataclass(frozen=True)
class FigureTable:
    """One table of figures.toml."""

    name: str
    doc: str  # the first sentence is its title
    workloads: str | list[str] = ""  # a group or names; by default the paper's
    points: list[Points] = dataclasses.field(default_factory=list)
    show: list[Show] = dataclasses.field(default_factory=list)
    claims: list[str] = dataclasses.field(default_factory=list)
    options: dict[str, Option] = dataclasses.field(default_factory=dict)
    special: str = ""  # a function of special.py that adds points, runs, prints and judges
    after: str = ""  # a function of special.py that prints below the verdicts
    scaled: bool = True  # False: the figure has neither a scale nor seeds
    sweep: bool = False  # a sweep of the paper's assumptions, each changed alone

    @property
    def title(self) -> str:
        """The first sentence of its doc."""
        return verdict.first_sentence(self.doc)


@dataclasses.dataclass(frozen=True)
class ClaimTable:
    """One table of claims.toml: a statement of the paper, and our value that is compared with it."""

    id: str
    stated: str  # place in the paper: 'Fig. 10', 'abstract'
    relation: str
    value: float
    unit: str
    label: str
    metric: str = ""  # of metrics.py
    subject: str = ""  # a platform with its variant
    baseline: str = ""
    of: str = ""  # the paper's words for the workloads, if not all
    workloads: str | list[str] = ""  # a group or names; by default those over which the figure averages
    modes: list[str] = dataclasses.field(default_factory=list)  # none: all
    combine: str = ""  # of combine.py, or a function of special.py; default: 'mean', or with a baseline the paper's
    # Arguments of the function of special.py that `combine` names.
    given: dict[str, Any] = dataclasses.field(default_factory=dict)
    requires: str = ""  # a function of special.py: whether the runs suffice to judge it
    # The paper's words for metric, subject and baseline.
    words: dict[str, str] = dataclasses.field(default_factory=dict)
    deviation: str = ""  # its number in docs/deviations.md

    WORDS = "metric", "subject", "baseline"


@dataclasses.dataclass(frozen=True)
class PaperTable:
    """paper.toml: values that the figures share."""

    title: str
    workloads: str  # the default group over which the paper averages
    apart: str = ""  # what it is, if it is no paper about one of memsim's systems: it is counted on its own
    script: str = ""  # in configs; alternatively `modes` has one for each mode
    arguments: list[str] = dataclasses.field(default_factory=list)
    combine: str = "geometric mean of ratios"
    width: int = 10  # of a column
    aliases: list[str] = dataclasses.field(default_factory=list)
    platforms: dict[str, str] = dataclasses.field(default_factory=dict)  # by name, the paper's name for it
    modes: dict[str, str] = dataclasses.field(default_factory=dict)  # by name its script
    # Platforms for which the run of one mode serves all modes.
    modeless: dict[str, str] = dataclasses.field(default_factory=dict)
    seedless: list[str] = dataclasses.field(default_factory=list)  # workloads for which one run serves all seeds
    parameters: dict[str, str] = dataclasses.field(default_factory=dict)  # of points, with what a name does not show
    options: dict[str, Option] = dataclasses.field(default_factory=dict)
    index: list[str] = dataclasses.field(default_factory=lambda: ["platform", "workload"])  # of a figure's rows
