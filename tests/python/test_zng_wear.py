"""Endurance of ZnG's flash from the statistics of a run."""

from math import inf, isclose

from memsim.systems import zng
from memsim.systems.zng.backbone import GEOMETRY
from memsim.systems.zng.wear import YEAR


def values(**collector):
    package = {"writes": 600, "write_bytes": 600 * 32, "log_programs": 20, "log_pages": 8, "moves": 40}
    made = {(f"flash.package[{i}]", name): v for i in range(2) for name, v in package.items()}
    return made | {("gpu.collector", name): v for name, v in collector.items()}


def test_wear_follows_from_the_counts_of_packages_and_collector():
    wear = zng.wear.wear(values(**{"erases": 6, "erased_blocks.peak": 4, "most_erases.peak": 3}), 0.01)
    assert wear.writes_per_page == 30
    assert wear.programs_per_page == 2.5
    assert isclose(wear.amplification, 120 * 4096 / (1200 * 32))
    assert (wear.mean_erases, wear.spread) == (1.5, 2)
    assert isclose(wear.years, 1e5 * 2 * 64 * 1024 * 384 / (120 / 0.01) / YEAR)
    assert isclose(wear.years_unlevelled, 1e5 / (3 / 0.01) / YEAR)


def test_blocks_that_are_never_erased_never_fail():
    wear = zng.wear.wear(values(**{"erases": 0, "erased_blocks.peak": 0, "most_erases.peak": 0}), 0.01)
    assert (wear.years_unlevelled, wear.spread) == (inf, 1)


def test_the_table_has_an_entry_for_each_mapped_block():
    assert zng.ftl.report(16, GEOMETRY) == ("DBMT: 815104 mapped data blocks of 1 planes x 60 bits = 5970 KiB")
    assert zng.ftl.report(16, dict(GEOMETRY, span=64)) == (
        "DBMT: 12736 mapped data blocks of 64 planes x 60 bits = 93 KiB"
    )
