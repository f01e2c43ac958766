"""Lifetime of XPoint from the statistics of a run."""

from math import inf, isclose

from memsim.systems import ohm
from memsim.systems.ohm.wear import YEAR, levelled_years


def test_a_line_within_the_endurance_of_a_cell_is_levelled_and_another_is_not():
    lines, rate = 1000, 1e6
    even = 1e8 * lines / rate / YEAR
    # All writes to one line: 100 x 1001 of them before the line moves, far fewer than 1e8.
    assert levelled_years(1.0, rate, lines) == even
    # The paper's module of 32 GiB: 100 x 2^27 writes a round. One in a hundred may be to the same line.
    lines = 2**27
    most = 1e8 / (100 * (lines + 1))
    assert levelled_years(0.99 * most, rate, lines) == 1e8 * lines / rate / YEAR
    assert isclose(levelled_years(0.5, rate, lines), 1e8 / (0.5 * rate) / YEAR)
    assert levelled_years(0.5, rate, lines, psi=1) == 1e8 * lines / rate / YEAR
    assert levelled_years(0.5, 0, lines) == inf


def test_spread_and_years_follow_from_the_statistics_of_the_modules():
    def module(writes, lines, squares, most, hottest):
        return {
            "media_writes": writes,
            "lines_written.peak": lines,
            "wear_squares.peak": squares,
            "most_writes.peak": most,
            "hottest.peak": hottest,
            "gap_moves": 0,
        }

    values = {("gpu.dispatcher", "cycles"): 1.2e9, ("memory.controller[0]", "activates"): 1}
    for i, stats in enumerate((module(4, 2, 10, 3, 4), module(4, 2, 8, 2, 2))):  # 3+1 and 2+2
        values |= {(f"memory.xpoint[{i}]", name): v for name, v in stats.items()}
    wear = ohm.wear.wear(values, "two-level", 1.0)
    assert (wear.writes, wear.most, wear.mean, wear.hottest) == (8, 3, 2, 4)
    assert isclose(wear.spread, 0.5**0.5 / 2)  # deviations 1, -1, 0, 0 of a mean of 2
    assert isclose(wear.years, 1e8 * 2**27 / 4 / YEAR)
    assert isclose(wear.years_fixed, 1e8 / 4 / YEAR)
    assert isclose(wear.years_levelled, wear.years_fixed)  # all writes: a stay of 1.3e10
