"""Quantities: exact, each of one kind, and accepted by parameters."""

from fractions import Fraction

import memsim
import numpy
import pytest
from memsim import units


def test_a_quantity_is_exact_and_shows_base_units():
    assert str(units.Bytes(4096)) == f"{units.Bytes(4096)}" == "4096B"
    assert units.Bytes.parse("4KiB") == units.Bytes(4096)
    assert units.Time.parse("1.2GHz") == units.Time.cycles(1, 1.2e9) == units.Time(833333)
    assert str(units.Time.seconds(3e-6)) == "3000000000fs" and units.Time.parse("3us").in_seconds() == 3e-6
    assert str(units.Ratio.of(Fraction(1, 3))) == "333333333ppb"
    assert isinstance(units.Rate(1), memsim.Quantity) and units.Rate.base() == "B/s"


def test_integers_of_numpy_are_whole_numbers():
    size = units.Bytes(numpy.int64(4096))
    assert size == units.Bytes(4096) and str(size) == "4096B" and type(size.value) is int
    assert type(memsim.Root(seed=numpy.int64(3)).seed) is int
    for wrong in True, numpy.float64(1):
        with pytest.raises(memsim.Error, match="write a whole number of B$"):
            units.Bytes(wrong)
    for wrong in True, -1, numpy.int64(-1), 1.0:
        with pytest.raises(memsim.Error, match="is not an integer from 0"):
            memsim.Root(seed=wrong)


def test_arithmetic_stays_within_a_kind():
    page = units.Bytes(4096)
    assert page + page == 2 * page == page * 2 and page * 1.5 // 2 == units.Bytes(3072)
    assert units.Bytes(10) / units.Bytes(4) == Fraction(5, 2) and units.Bytes(1) < page
    for wrong in (lambda: page + units.Time(1), lambda: page < units.Time(1), lambda: page * page, lambda: page + 1):
        with pytest.raises(TypeError):
            wrong()
    assert page != units.Time(4096)


def test_fractions_of_base_units_are_rejected():
    with pytest.raises(memsim.Error, match=r"Bytes\(1.5\): write a whole number of B"):
        units.Bytes(1.5)
    with pytest.raises(memsim.Error, match=r"Time\('3ns'\): write a whole number of fs, or Time.parse\('3ns'\)$"):
        units.Time("3ns")
    with pytest.raises(memsim.Error, match="'4 apples' has no unit"):
        units.Bytes.parse("4 apples")


def test_a_parameter_takes_a_quantity_of_its_kind():
    assert memsim.SimpleMemory(latency=units.Time.parse("100ns")).latency == "100ns"
    assert memsim.systems.interleave.in_bytes(units.Bytes(48), "x") == 48
    with pytest.raises(memsim.Error, match="SimpleMemory.latency"):
        memsim.SimpleMemory(latency=units.Bytes(100))
