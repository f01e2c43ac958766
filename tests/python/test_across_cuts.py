"""Cuts, findings and envelope of `memsim across`, on tables that are made up."""

from dataclasses import replace

import pytest

import memsim
from memsim.across import cuts, envelope, findings, prices, sections
from memsim.across.machine import Assumed
from memsim.across.points import Row
from memsim.across.ways import KNOWN

FOREVER = float("inf")


def row(way: str, microseconds: float, dollars: float, ratio: int = 8, **more) -> Row:
    return Row(way, ratio, microseconds, 1000 / microseconds, FOREVER, dollars, **more)


TABLE = [
    row("hbm", 10, 100, joules={"HBM": 1.0}),
    row("hbf-beside", 15, 60, joules={"HBM": 1.0, "HBF cells": 2.0}),
    row("c2c", 18, 70, joules={"C2C": 2.0}),
    row("cxl", 30, 70, joules={"DDR5": 2.5}),
    row("ssd-behind", 90, 20, joules={"drive": 30.0}),
]


def test_a_way_is_dominated_by_the_fastest_that_is_no_worse() -> None:
    assert cuts.dominated(TABLE) == {"c2c": "hbf-beside", "cxl": "hbf-beside"}
    equal = [row("pcie", 10, 100), row("hbm", 10, 100)]
    assert cuts.dominated(equal) == {}
    assert cuts.dominated([row("pcie", 10, 100), row("hbm", 10, 90)]) == {"pcie": "hbm"}


def test_times_lie_on_a_line_in_the_local_share() -> None:
    points = {1: 100.0, 2: 200.0, 4: 250.0}
    assert cuts.between(points, 1) == 100 and cuts.between(points, 4) == 250
    # 5/8 of the data are local at 1.6: a quarter of the way from 1/2 to 1.
    assert cuts.between(points, 1.6) == pytest.approx(175)
    assert cuts.between(points, 3) == pytest.approx(200 + (1 / 2 - 1 / 3) / (1 / 4) * 50)


@pytest.mark.parametrize("ratio", [0.5, 5])
def test_no_time_is_extrapolated(ratio: float) -> None:
    with pytest.raises(memsim.Error, match=f"a ratio of {ratio:g} is not between .*1 to 4"):
        cuts.between({1: 1.0, 4: 2.0}, ratio)
    with pytest.raises(memsim.Error, match="none"):
        cuts.between({}, ratio)


def test_a_budget_buys_local_memory_and_then_far_memory() -> None:
    hbm, hbf = prices.HBM.middle, prices.HBF.middle
    assert cuts.capacity(KNOWN["hbm"], 1400) == 80
    assert cuts.capacity(KNOWN["hbf-beside"], 80 * hbm + 10 * hbf) == pytest.approx(90)
    # Behind a cache the far memory holds all data.
    assert cuts.capacity(KNOWN["hbf-behind"], 80 * hbm + 100 * hbf) == pytest.approx(100)
    assert cuts.capacity(KNOWN["hbf-behind"], 80 * hbm + 10 * hbf) == 80
    assert cuts.capacity(KNOWN["zng"], 105) == pytest.approx(100)
    with pytest.raises(memsim.Error, match="100 dollars do not buy 80 GB .* 1400"):
        cuts.capacity(KNOWN["cxl"], 100)


def test_equal_cost_reads_times_between_ratios_and_leaves_dollars() -> None:
    # A footprint of 1 MB: 10 GB/s in 100 us, on a tenth of a GPU.
    rows = [Row("hbf-beside", ratio, us, 1000 / us, FOREVER, 0) for ratio, us in ((1, 100.0), (2, 200.0))]
    [one] = cuts.equal_cost(rows, KNOWN, 1400 + 40 * prices.HBF.middle, 1 / 10)
    assert (one.gigabytes, one.ratio, one.left) == (pytest.approx(120), pytest.approx(1.5), pytest.approx(0))
    assert one.rate == pytest.approx(10 * 1000 / (100 + 100 * 2 / 3))
    assert one.milliseconds == pytest.approx(120 / one.rate * 1e3)
    [most] = cuts.equal_cost(rows, KNOWN, 1400 + 100 * prices.HBF.middle, 1 / 10)
    assert most.gigabytes == 160 and most.left == pytest.approx(20 * prices.HBF.middle)
    assert most.least < most.gigabytes == most.most


def test_findings_follow_from_the_table() -> None:
    found = {one.kind: one for one in findings.all_of(TABLE, 8)}
    assert found["fastest"].subject == ("hbf-beside",)
    assert "c2c 1.20 (8)" in found["fastest"].text and "1.50 times HBM's time" in found["fastest"].text
    assert found["fastest of what is sold"].subject == ("c2c",)
    assert found["cheapest within twice HBM's time"].subject == ("hbf-beside",)
    assert found["not dominated"].subject == ("hbf-beside", "hbm", "ssd-behind")
    assert found["least and most energy"].subject == ("c2c", "ssd-behind")
    assert "first worn out" not in found
    assert all(one.limit for one in found.values())


def test_a_table_without_hbm_or_other_ways_has_fewer_findings() -> None:
    assert findings.all_of([TABLE[0]], 8) == []
    assert findings.all_of(TABLE, 4) == []
    assert {one.kind for one in findings.all_of(TABLE[1:3], 8)} == {"fastest", "not dominated", "least and most energy"}
    far = [TABLE[0], row("cxl", 21, 1)]
    assert "At 8 no way is within 2 times HBM's time." in [one.text for one in findings.all_of(far, 8)]


def test_pairs_that_change_their_order_are_named_once() -> None:
    before = dict(a=1.0, b=2.0, c=3.0)
    assert envelope.turned(before, before) == []
    assert envelope.turned(before, dict(a=2.5, b=2.0, c=3.0)) == [("a", ("b",), ())]
    assert envelope.turned(before, dict(a=1.0, b=2.0, c=0.5)) == [("c", (), ("a", "b"))]
    assert envelope.turned(before, dict(a=5.0, b=2.0, c=0.5)) == [("a", ("b", "c"), ()), ("c", (), ("b",))]
    assert envelope.turned(before, dict(a=2.001, b=2.0, c=3.0)) == []  # within 1 %: no order


def test_an_outcome_names_the_findings_that_become_others() -> None:
    after = [replace(one, microseconds=40.0) if one.way == "hbf-beside" else one for one in TABLE]
    made = envelope.outcome("tR of HBF", "30us", "us", TABLE, after, 8)
    assert made.changed == {"hbf-beside": (15, 40)} and made.pairs == [("hbf-beside", ("c2c", "cxl"), ())]
    assert dict(made.findings)["fastest"] == "c2c"
    lines = sections.findings(TABLE, 8, envelope.Envelope(8, [made], 1, 2.0))
    assert "   Turned by: tR of HBF at 30us: c2c." in lines
    assert "   No value of the envelope turns it." in lines
    table = "\n".join(sections.envelope(envelope.Envelope(8, [made], 1, 2.0)))
    assert "| tR of HBF | 30us | hbf-beside 15 to 40 | hbf-beside is now above c2c, cxl |" in table


def test_prices_and_energies_of_the_envelope_need_no_run() -> None:
    table = [replace(one, dollars=KNOWN[one.way].dollars(8)) for one in TABLE]
    made = [*envelope._of_prices(table, 8), *envelope._of_energy(table, 8)]
    cheap = next(one for one in made if one.what.startswith("price of HBF") and one.value == "0.5")
    assert cheap.changed["hbf-beside"][1] == pytest.approx(1000 * (prices.HBM.middle / 8 + 0.5 * 7 / 8))
    assert not any(one.what.startswith("price of XPoint") for one in made)  # no way of the table has it
    drive = [one for one in made if one.what == "energy of drive"]
    assert [one.value for one in drive] == ["0 times", "2 times"]
    assert drive[0].changed["ssd-behind"][1] == 0


def test_each_assumption_of_a_machine_has_other_values() -> None:
    assert {one.field for one in envelope.ASSUMPTIONS} == set(Assumed.__dataclass_fields__)
    for one in envelope.ASSUMPTIONS:
        assert all(one.changed(value) != Assumed() for value in one.values)
        assert set(one.ways) <= set(KNOWN) and one.concerns(f"{one.ways[0]}+cmd")


def test_a_machine_of_the_envelope_runs_with_the_value(in_tmp) -> None:
    found = envelope.envelope("quick", [row("hbf-beside", 124.2, 4000)], 8, "out", 1)
    slow = next(one for one in found.outcomes if one.value == "30us")
    assert found.runs == 4 and slow.changed["hbf-beside"][1] > 200
