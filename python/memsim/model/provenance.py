"""The source of a value, stated with the value:

    Sm(warp_slots=stated(80, "ZnG table I"), arithmetic_latency=assumed(22, why="MacSim has 25", sweep=[1, 25]))

A sourced value is a value of its own type (an int, a str, ...) that also carries its Source. It is accepted wherever
the plain value is. A component keeps the plain value and remembers the source of each parameter; the view `provenance`
of the database lists them. Arithmetic between numbers gives values that are derived. A text that is made of a value
names it: `derived(f"{size}B", from_=size)`, or `with_unit(size, "B")`.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeVar, cast

from .units import Quantity

T = TypeVar("T")
KINDS = "stated", "cited", "inferred", "assumed", "derived", "set", "script", "restored"
MOST_ROOTS = 3  # maximum number of sources in the text of a derived value


@dataclass(frozen=True)
class Swept:
    """A value that a study of sensitivity gives an assumption, and how it does so.

    value       as it is shown
    changes     'path.parameter=value' of each parameter; none: the parameter that carries the assumption
    arguments   of the paper's script, instead of changes
    platforms   those to which it applies; none: all on which the assumption is found
    name        of the assumption, where it is not that of the Source
    to          what the parameter is set to, where `value` is a word for it
    """

    value: str
    changes: tuple[str, ...] = ()
    arguments: tuple[Any, ...] = ()
    platforms: tuple[str, ...] = ()
    name: str = ""
    to: str = ""


@dataclass(frozen=True)
class Source:
    """Where a value comes from.

    kind    one of KINDS, or '' where no source is declared
    text    the place; of an assumption the reason; of a derived value what it is made of
    used    claims that a value was inferred from
    sweep   values of an assumption that studies of sensitivity take instead
    name    of an assumption, where it is not the parameter's
    roots   of a derived value: the sources of what it is made of
    value   to which it belongs, as text
    """

    kind: str
    text: str = ""
    used: tuple[str, ...] = ()
    sweep: tuple[Swept, ...] = ()
    name: str = ""
    roots: tuple["Source", ...] = ()
    value: str = ""

    @property
    def shown(self) -> str:
        """The text, with the claims used."""
        return f"{self.text} (used: {', '.join(self.used)})" if self.used else self.text


WIRING = Source("derived", "the parts that it connects")


def swept(
    value: Any,
    *changes: str,
    arguments: Sequence[Any] = (),
    platforms: Sequence[str] = (),
    name: str = "",
    to: str = "",
) -> Swept:
    """A Swept that changes several parameters together, or an argument of the paper's script."""
    return Swept(_as_option(value), changes, tuple(arguments), tuple(platforms), name, to)


def options(option: str, *values: Any, platforms: Sequence[str] = ()) -> list[Swept]:
    """A Swept for each value of an option of the paper's script."""
    return [swept(value, arguments=(option, value), platforms=platforms) for value in values]


def stated(value: T, where: str, sweep: Iterable[Any] = (), name: str = "") -> T:
    """A value that a modelled paper gives, such as stated("3us", "ZnG table I"). Each value of a dict, list or tuple
    has the source; a value that has one already keeps it. `sweep` and `name` are those of assumed(), where the text can
    be read in another way."""
    return _sourced(value, Source("stated", where, sweep=_variants(sweep), name=name))


def cited(value: T, where: str, sweep: Iterable[Any] = (), name: str = "") -> T:
    """A value of another source: a standard, a data sheet, a paper, the authors' public simulator."""
    return _sourced(value, Source("cited", where, sweep=_variants(sweep), name=name))


def inferred(value: T, from_: str, used: Iterable[str] = (), sweep: Iterable[Any] = (), name: str = "") -> T:
    """A value that follows from figures of a paper. `used` names claims that the value depends on; they are counted
    separately."""
    return _sourced(value, Source("inferred", from_, used=tuple(used), sweep=_variants(sweep), name=name))


def assumed(value: T, why: str, sweep: Iterable[Any] = (), name: str = "") -> T:
    """A value that no source gives.

    why     the reason
    sweep   other values, or Swept where a value changes more than its own parameter
    name    of the assumption in studies; '': that of the parameter
    """
    return _sourced(value, Source("assumed", why, sweep=_variants(sweep), name=name))


def derived(value: T, from_: Any) -> T:
    """A value computed from others. `from_`: a sourced value, a text that names an origin, or a list of these."""
    sources: list[Source] = []
    texts: list[str] = []
    for one in from_ if isinstance(from_, (list, tuple)) else [from_]:
        source = source_of(one)
        if source is None:
            texts.append(str(one))
            continue
        sources += source.roots or [source]
        texts += source.text.split("; ") if source.kind == "derived" else [f"{one}: {source.kind}, {source.shown}"]
    texts = list(dict.fromkeys(texts))
    more = f"; and {len(texts) - MOST_ROOTS} more" if len(texts) > MOST_ROOTS else ""
    text = "; ".join(texts[:MOST_ROOTS]) + more
    return _sourced(value, Source("derived", text, roots=tuple(dict.fromkeys(sources))), again=True)


def wired(value: T) -> T:
    """A value that follows from the connected parts: numbers of ports, indices, shares of addresses. A value with a
    source keeps it."""
    return _sourced(value, WIRING)


def with_unit(number: Any, unit: str) -> str:
    """The text of a quantity, such as '48B' for 48, derived from the number."""
    text = f"{number}{unit}"
    return derived(text, from_=number) if source_of(number) else text


def source_of(value: Any) -> Source | None:
    """The source of a value, or None."""
    return cast(Source | None, getattr(value, "_provenance", None))


def plain(value: Any) -> Any:
    """The value without its source."""
    return bool(value) if isinstance(value, Flag) else value


def _variants(sweep: Iterable[Any]) -> tuple[Swept, ...]:
    return tuple(v if isinstance(v, Swept) else Swept(_as_option(v)) for v in sweep)


def _as_option(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


class Flag(int):
    """A truth value with a source, needed because bool cannot be subclassed."""

    def __repr__(self) -> str:
        return repr(bool(self))

    __str__ = __repr__


class SourcedInt(int):
    """A whole number with a source."""


class SourcedFloat(float):
    """A number with a source."""


class SourcedFraction(Fraction):
    """A fraction with a source."""

    def __reduce__(self) -> tuple[Any, ...]:  # the one of Fraction drops attributes
        return type(self), (self.numerator, self.denominator), self.__dict__


class SourcedText(str):
    """A text with a source."""


# The type of a sourced value, by the first type in this list of which the value is an instance.
BECOMES: tuple[tuple[type, type], ...] = (
    (bool, Flag),
    (Flag, Flag),
    (int, SourcedInt),
    (float, SourcedFloat),
    (Fraction, SourcedFraction),
    (str, SourcedText),
)


def _sourced(value: T, source: Source, again: bool = False) -> T:
    if value is None or (not again and source_of(value)):
        return value
    if isinstance(value, Mapping):
        return cast(T, {key: _sourced(one, source, again) for key, one in value.items()})
    if isinstance(value, (list, tuple)):
        return cast(T, type(value)(_sourced(one, source, again) for one in value))
    if isinstance(value, os.PathLike):
        return cast(T, _sourced(os.fspath(value), source, again))
    if isinstance(value, Quantity):  # its text contains the unit
        return cast(T, _sourced(str(value), source, again))
    if isinstance(value, str) and type(value) not in (str, SourcedText):  # a Preset, which has attributes of its own
        setattr(value, "_provenance", source)
        return cast(T, value)
    for kind, becomes in BECOMES:
        if isinstance(value, kind):
            made = becomes(value)
            made._provenance = replace(source, value=str(made))
            return cast(T, made)
    raise TypeError(f"{value!r} is no value of a parameter: a source belongs to a number, a text or a truth value")


def _arithmetic(name: str, base: type) -> Any:
    plain_operation = getattr(base, name)

    def operate(self: Any, *others: Any) -> Any:
        made = plain_operation(self, *others)
        if made is NotImplemented or isinstance(made, tuple):
            return made
        return derived(made, from_=[one for one in (self, *others) if source_of(one)])

    operate.__name__ = name
    return operate


OPERATIONS = "add sub mul truediv floordiv mod pow".split()
for _base, _class in ((int, SourcedInt), (float, SourcedFloat), (Fraction, SourcedFraction)):
    for _name in (*OPERATIONS, *(f"r{name}" for name in OPERATIONS), "neg"):
        if hasattr(_base, f"__{_name}__"):
            setattr(_class, f"__{_name}__", _arithmetic(f"__{_name}__", _base))
setattr(SourcedText, "__add__", _arithmetic("__add__", str))
