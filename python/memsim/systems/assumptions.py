"""An assumption of a machine, and a value that it is swept to: what a system's table of them is made of."""

from collections.abc import Iterable
from dataclasses import dataclass

from ..errors import check_known


@dataclass(frozen=True)
class Assumption:
    """One value of one assumption."""

    name: str
    value: str
    changes: tuple[str, ...] = ()  # 'path.parameter' of each, set to `value` or to what follows a '='
    platforms: tuple[str, ...] = ()
    modes: tuple[str, ...] = ()  # none: the system has no modes, or it holds in all
    arguments: tuple[str, ...] = ()  # of the script

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


def chosen(names: Iterable[str], every: Iterable[Assumption]) -> list[Assumption]:
    """Those of `every` that have these names, all values."""
    every = list(every)
    known = list(dict.fromkeys(a.name for a in every))
    for name in names:
        check_known("assumption", name, known)
    return [a for a in every if a.name in names]
