"""Quantities with their unit in their type: `Bytes(4096)`, `Time.seconds(3e-6)`, `Rate.parse("6.4GB/s")`.

    from memsim import units

    mem.Cache(capacity=units.Bytes(lines * 128), latency=units.Time.cycles(12, 1.2e9))

A quantity holds a whole number of base units and is exact. A parameter takes one where it takes text. Its text, str(),
is in base units, such as '4096B'. The units of each kind are those of the compiled module (src/core/base/units.hh).
"""

import operator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

from .. import _memsim
from ..errors import Error


@dataclass(frozen=True, order=True, slots=True)
class Quantity:
    """A whole number of base units of one kind. Quantities of different kinds are neither compared nor added."""

    value: int  # in the base unit of the class

    KIND: ClassVar[str] = ""  # its name in src/core/base/units.hh

    def __post_init__(self) -> None:
        kind, value = type(self).__name__, self.value
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            text = f", or {kind}.parse({value!r})" if isinstance(value, str) else ""
            raise Error(f"{kind}({value!r}): write a whole number of {self.base()}{text}")
        object.__setattr__(self, "value", operator.index(value))  # of numpy's integers, too

    @classmethod
    def units(cls) -> dict[str, int]:
        """The units by name, each as a number of base units, from the largest to the base unit."""
        return dict(_memsim.units[cls.KIND])

    @classmethod
    def base(cls) -> str:
        """The name of the base unit, such as 'B'."""
        return list(cls.units())[-1]

    @classmethod
    def parse(cls, text: str) -> Self:
        """The quantity that a text such as '4KiB' states. Raises Error if it is not a whole number of base units."""
        return cls(_memsim.read_quantity[cls.KIND](text))

    def __str__(self) -> str:
        return f"{self.value}{self.base()}"

    def __add__(self, other: Self) -> Self:
        if type(other) is not type(self):
            return NotImplemented
        return type(self)(self.value + other.value)

    def __sub__(self, other: Self) -> Self:
        if type(other) is not type(self):
            return NotImplemented
        return type(self)(self.value - other.value)

    def __mul__(self, factor: int | float | Fraction) -> Self:
        """The product, rounded to a whole number of base units."""
        return NotImplemented if isinstance(factor, Quantity) else type(self)(round(self.value * factor))

    __rmul__ = __mul__

    def __truediv__(self, other: Self) -> Fraction:
        """The ratio of this quantity to `other`."""
        if type(other) is not type(self):
            return NotImplemented
        return Fraction(self.value, other.value)

    def __floordiv__(self, divisor: int) -> Self:
        """One of `divisor` equal parts, rounded down to a whole number of base units."""
        return type(self)(self.value // divisor) if isinstance(divisor, int) else NotImplemented


class Bytes(Quantity):
    """A size in bytes."""

    KIND = "Bytes"


class Frequency(Quantity):
    """A frequency in Hz."""

    KIND = "Frequency"


class Time(Quantity):
    """A time in femtoseconds."""

    KIND = "Time"

    @classmethod
    def seconds(cls, seconds: float | Fraction) -> Self:
        """The time of this many seconds, to the nearest femtosecond."""
        return cls(round(seconds * 10**15))

    @classmethod
    def cycles(cls, cycles: float, hertz: float) -> Self:
        """The time of this many cycles of a clock, to the nearest femtosecond."""
        return cls(round(cycles * 1e15 / hertz))

    def in_seconds(self) -> float:
        """The time as a number of seconds."""
        return self.value / 10**15


class Rate(Quantity):
    """A data rate in bytes per second."""

    KIND = "Rate"


class Energy(Quantity):
    """An energy in fJ."""

    KIND = "Energy"

    @classmethod
    def joules(cls, joules: float) -> Self:
        """The energy of this many joules, to the nearest femtojoule."""
        return cls(round(joules * 1e15))


class Power(Quantity):
    """A power in nW."""

    KIND = "Power"

    @classmethod
    def watts(cls, watts: float) -> Self:
        """The power of this many watts, to the nearest nanowatt."""
        return cls(round(watts * 1e9))


class Ratio(Quantity):
    """A share of one, in parts per billion."""

    KIND = "Fraction"

    @classmethod
    def of(cls, share: float | Fraction) -> Self:
        """The ratio nearest to a number such as 0.25."""
        return cls(round(share * 10**9))
