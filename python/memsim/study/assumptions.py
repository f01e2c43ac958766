"""The assumptions of a paper's machines and the values that studies of sensitivity give them.

`of("zng")` builds each platform of the paper at the least scale and collects the values whose source names a sweep.
"""

import importlib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ..errors import check_known
from ..model.objects import Root, SimObject
from ..model.provenance import Source, Swept
from .toml import names


@dataclass(frozen=True)
class Assumption:
    """One value of one assumption."""

    name: str
    value: str
    changes: tuple[str, ...] = ()  # 'path.parameter' of each change, set to `value` or to the text after a '='
    platforms: tuple[str, ...] = ()  # with the parameters that their labels show, such as 'cxl z-nand'
    modes: tuple[str, ...] = ()  # none: the paper has no modes, or the assumption applies to all
    arguments: tuple[Any, ...] = ()  # arguments of the script

    @property
    def variant(self) -> str:
        return f" {self.name}={self.value}"

    def applies(self, mode: str, platform: str) -> bool:
        return (not self.modes or mode in self.modes) and platform in self.platforms

    @property
    def options(self) -> list[str]:
        return [
            word for change in self.changes for word in ("--set", change if "=" in change else f"{change}={self.value}")
        ]


PAPERS = names()


def machines(paper: str) -> Iterator[tuple[str, str, Root]]:
    """(mode, platform, machine) of each platform of a paper with each of its parameters, at the scale tiny."""
    check_known("paper", paper, PAPERS)
    each: Callable[[], Iterator[tuple[str, str, Root]]] = _module(paper, "machines").each
    return each()


def sources(root: Root) -> Iterator[tuple[SimObject, str, Source]]:
    """(object, parameter, source) of each parameter of a machine, set or not."""
    for obj in root.descendants():
        for name in obj._params:
            yield obj, name, obj.provenance(name)


def of(paper: str) -> list[Assumption]:
    """Each value of each assumption of a paper, with the platforms and modes to which it applies."""
    found: dict[tuple[Any, ...], tuple[set[str], set[str]]] = {}
    modes: set[str] = set()
    for mode, platform, root in machines(paper):
        modes.add(mode)
        for key, platforms in dict(_variants(root)).items():
            if platforms and platform.split()[0] not in platforms:
                continue
            at = found.setdefault((*key, platforms), (set(), set()))
            at[0].add(platform)
            at[1].add(mode)
    return [
        Assumption(
            name, value, changes, tuple(sorted(at[0])), () if at[1] == modes else tuple(sorted(at[1])), arguments
        )
        for (name, value, changes, arguments, _), at in found.items()
    ]


def chosen(names: Iterable[str], every: list[Assumption]) -> list[Assumption]:
    """The entries of `every` with these names, with all their values."""
    known = list(dict.fromkeys(a.name for a in every))
    for name in names:
        check_known("assumption", name, known)
    return [a for a in every if a.name in names]


def _variants(root: Root) -> Iterable[tuple[tuple[Any, ...], tuple[str, ...]]]:
    """((name, value, changes, arguments), platforms) of each swept value in a machine."""
    for obj, parameter, source in sources(root):
        for one in source.roots or (source,):
            place = re.sub(r"\[\d+\]", "[*]", f"{obj.path}.{parameter}")
            for v in one.sweep:
                if one is not source and not v.changes and not v.arguments:
                    continue  # of an origin of this value: found where it is set itself
                yield (v.name or one.name or parameter, v.value, _changes(place, v), v.arguments), v.platforms


def _changes(place: str, v: Swept) -> tuple[str, ...]:
    return v.changes or (() if v.arguments else (f"{place}={v.to}" if v.to else place,))


def _module(paper: str, name: str) -> Any:
    return importlib.import_module(f"memsim.papers.{paper}.{name}")
