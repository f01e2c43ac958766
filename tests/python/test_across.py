"""`memsim across`: kinds of larger memories compared on equal work, and their page."""

from pathlib import Path

import pytest

import memsim
from memsim.across import envelope, page, prices
from memsim.across.machine import Assumed
from memsim.across.points import SCALES, Point, Row, measure, years
from memsim.across.ways import WAYS
from memsim.cli import across
from memsim.results import plot

ROOT = Path(__file__).parents[2]


def row(way: str = "hbf-beside", ratio: int = 4, rate: float = 50) -> Row:
    return Row(way, ratio, 100.0, rate, float("inf"), 6000.0, {"HBM": 1e-6})


def test_more_memory_costs_time_and_fewer_dollars(in_tmp) -> None:
    best, beside, far = (measure(Point(way, 8, "quick")) for way in ("hbm", "hbf-beside", "cxl"))
    assert best.rate > beside.rate > far.rate
    # 7/8 of the weights are read over a x16 port.
    scale = SCALES["quick"]
    weights = 2 * 512 * (2 * 512 + 2 * 128 + 3 * 1792)
    assert far.microseconds > 7 / 8 * weights / (63e3 * scale.share)
    assert best.energy == pytest.approx(8 * 4.3e-3, rel=0.2)
    assert beside.energy > best.energy and beside.years == float("inf")
    assert beside.dollars < best.dollars


def test_dollars_are_those_of_local_and_far_memory() -> None:
    hbm = prices.HBM.middle
    assert WAYS["hbm"].dollars(16) == 1000 * hbm
    assert WAYS["cxl"].dollars(4) == 1000 * (hbm / 4 + prices.CXL.middle * 3 / 4)
    assert WAYS["hbf-behind"].dollars(4) == 1000 * (hbm / 4 + prices.HBF.middle)
    assert WAYS["zng"].dollars(4) == 1000 * prices.ZNAND.middle
    assert WAYS["ohm-planar"].dollars(4) == 1000 * (prices.DDR5.middle / 4 + prices.XPOINT.middle * 3 / 4)


def test_years_follow_from_the_programmed_bytes() -> None:
    # 5 x 512 GiB of 1e5 cycles take 2.7e17 bytes; a twentieth of an H100 programs 1 MB in a millisecond.
    scale = SCALES["quick"]
    assert years("HBF", 1e6, 1e-3, scale) == pytest.approx(5 * (512 << 30) * 1e5 / 20e9 / (365.25 * 86400))
    assert years("XPoint", 1e6, 1e-3, scale) == pytest.approx(1000 * years("HBF", 1e6, 1e-3, scale))
    assert years("HBF", 0, 1, scale) == float("inf")


def test_a_page_has_a_line_for_each_way_and_each_price(tmp_path) -> None:
    rows = [row(), row(ratio=8, rate=40), row("hbm", 4, 100), row("hbm", 8, 100)]
    file = page.write("quick", rows, tmp_path / "across")
    text = file.read_text()
    assert "| hbf-beside | 50.0 | 40.0 |" in text and "| hbf-beside | - | - |" in text
    assert "- hbf-beside: HBF, a range of addresses." in text and "- cxl: " not in text
    assert "## What is assumed" in text
    assert "| HBF | 0.5 to 4 | assumed: " in text
    assert (tmp_path / "across" / "quick.svg").exists()


def test_a_page_cuts_at_the_ratio_and_the_budgets(tmp_path) -> None:
    rows = [row(ratio=1, rate=100), row(), row(ratio=8, rate=40), row("hbm", 1, 100), row("hbm", 4, 100)]
    text = page.write("quick", rows, tmp_path, page.Cut(4, (2000, 100))).read_text()
    assert "## Equal capacity: 4 times local memory" in text
    assert "| hbf-beside | 347 (230 to 640) | 4.3 |" in text
    assert "No table for 100 dollars: 100 dollars do not buy 80 GB of local memory" in text
    assert "## Envelope" not in text and "Turned by" not in text
    assert "| PCIe | data; with a CXL-SSD all bits on the wires | 5.5 |" in text
    linked = {line.split("./")[1].rstrip(")") for line in text.splitlines() if line.startswith("![")}
    assert linked == {"quick.svg", "quick-cost.svg", "quick-energy.svg"} == {p.name for p in tmp_path.glob("*.svg")}


def test_the_command_prints_a_line_for_each_point(memsim_command) -> None:
    done = memsim_command("across", "--way", "hbm", "--ratio", "1", "--jobs", "1")
    lines = done.stdout.splitlines()
    assert lines[0] == page.HEADING
    assert lines[1].split()[:2] == ["hbm", "1"]


def test_finished_points_are_kept_and_not_run_again(memsim_command, in_tmp) -> None:
    command = "across", "-d", "out", "--way", "hbm", "--way", "cxl", "--ratio", "1", "--jobs", "1"
    first = memsim_command(*command)
    assert "quick: 2/2  cxl 1" in first.stderr
    again = memsim_command(*command)
    assert again.stderr.count("finished before") == 2 and again.stdout == first.stdout
    kept = next((in_tmp / "out/points").glob("*.json"))
    for damage in lambda: kept.write_bytes(kept.read_bytes()[:40]), kept.unlink:
        damage()
        error = memsim_command(*command, expect=1).stderr
        assert f"{kept.name}: the row of a finished run is missing or damaged" in error and "Traceback" not in error


def test_a_point_continues_from_its_checkpoint(memsim_command, in_tmp) -> None:
    """The row of a run that was interrupted within its second token is that of an uninterrupted run."""
    script = str(ROOT / "configs/across.py"), "--way", "hbf-behind", "--ratio", "4"
    whole = memsim_command("-q", "-d", "whole", "--checkpoint-at", "400us", *script)
    (saved,) = (in_tmp / "whole").glob("400us-*.ckpt")
    resumed = memsim_command("-q", "-d", "resumed", "--restore", str(saved))
    assert resumed.stdout == whole.stdout
    rows = [next((in_tmp / folder).glob("*.json")).read_text() for folder in ("whole", "resumed")]
    assert rows[0] == rows[1]


def test_a_way_that_is_not_known() -> None:
    class Arguments:
        scale, way, ratio, jobs, write, envelope = "quick", ["hfb"], None, 1, None, False

    with pytest.raises(memsim.Error, match="there is no way 'hfb'"):
        across.main(Arguments())


@pytest.mark.parametrize("assumed", [dict(optics=0), dict(packages=0), dict(links=-1), dict(links=float("nan"))])
def test_a_factor_of_an_assumption_is_above_zero(assumed) -> None:
    with pytest.raises(memsim.Error, match=f"{[*assumed][0]}=.*: write a finite factor above 0"):
        Assumed(**assumed)


def test_the_script_takes_each_value_of_the_envelope() -> None:
    """An option has the type of its default."""
    for one in envelope.ASSUMPTIONS:
        assert {type(value) for value in one.values} == {type(getattr(Assumed(), one.field))}, one.field


def test_an_envelope_needs_the_rows_of_its_ratio(memsim_command) -> None:
    done = memsim_command("across", "--way", "hbm", "--ratio", "1", "--envelope", expect=1)
    assert "--envelope compares the ways at 8 with their rows: add --ratio 8" in done.stderr


def test_a_ratio_of_the_cut_is_above_one(memsim_command) -> None:
    done = memsim_command("across", "--at", "1", expect=2)
    assert "'1' is not an integer of at least 2" in done.stderr


def test_a_picture_is_the_same_each_time(tmp_path):
    for name in "first", "second":
        plot.places(tmp_path / f"{name}.svg", {"hbm": (17500, 69), "cxl": (21000, 1900)}, "dollars", "us")
    assert (tmp_path / "first.svg").read_bytes() == (tmp_path / "second.svg").read_bytes()
