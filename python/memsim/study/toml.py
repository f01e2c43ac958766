"""Reads tables of TOML into dataclasses. Raises Error for an unknown key, a missing key, or a value of another type."""

import dataclasses
import tomllib
import types
import typing
from pathlib import Path
from typing import Any, TypeVar

from ..errors import Error, did_you_mean

T = TypeVar("T")
PAPERS = Path(__file__).resolve().parents[1] / "papers"
KINDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false", list: "a list", dict: "a table"}


@dataclasses.dataclass(frozen=True)
class Place:
    """A location: a file and a table in it."""

    file: Path
    table: str

    def error(self, what: str) -> Error:
        return Error(f"{self.file.parent.name}/{self.file.name}: [{self.table}]: {what}")

    def check_known(self, what: str, given: object, known: typing.Iterable[str]) -> None:
        """Raises Error for an unknown name, with the nearest known one."""
        names = list(known)
        if given not in names:
            many = f": it is one of {', '.join(names)}" if len(names) <= 40 else ""
            raise self.error(f"there is no {what} '{given}'{did_you_mean(str(given), names)}{many}")


def names() -> list[str]:
    """The papers: the folders of papers/ that have a paper.toml."""
    return sorted(path.parent.name for path in PAPERS.glob("*/paper.toml"))


def load(file: Path) -> dict[str, Any]:
    """A file of TOML."""
    try:
        with file.open("rb") as f:
            return tomllib.load(f)
    except tomllib.TOMLDecodeError as e:
        raise Error(f"{file.parent.name}/{file.name}: {e}") from None


def build(kind: type[T], given: object, place: Place, **more: object) -> T:
    """An instance of a dataclass from a table; `more` are fields that are not in it."""
    if not isinstance(given, dict):
        raise place.error(f"'{given}' is no table")
    fields = {f.name: f for f in dataclasses.fields(kind) if f.name not in more}
    for key in given:
        place.check_known("key", key, fields)
    hints = typing.get_type_hints(kind)
    for name, field in fields.items():
        if name not in given:
            if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
                raise place.error(f"the key '{name}' is missing")
        elif not _is_a(given[name], hints[name]):
            raise place.error(f"'{name}' is {_named(hints[name])}, not {given[name]!r}")
    return kind(**given, **more)


def _is_a(value: object, kind: Any) -> bool:
    if kind is Any:
        return True
    if isinstance(kind, types.UnionType):
        return any(_is_a(value, one) for one in typing.get_args(kind))
    origin, args = typing.get_origin(kind) or kind, typing.get_args(kind)
    if kind is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if not isinstance(value, origin):
        return False
    if origin is list and args:
        return all(_is_a(item, args[0]) for item in typing.cast(list[object], value))
    return True


def _named(kind: Any) -> str:
    if isinstance(kind, types.UnionType):
        return " or ".join(_named(one) for one in typing.get_args(kind))
    args = typing.get_args(kind)
    of = f" of {_named(args[0])}" if typing.get_origin(kind) is list and args[0] is not Any else ""
    return KINDS.get(typing.get_origin(kind) or kind, str(kind)) + of
