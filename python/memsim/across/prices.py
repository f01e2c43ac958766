"""Dollars of a gigabyte, with dates. What has no source is an assumption."""

from collections.abc import Callable
from dataclasses import dataclass

from ..papers.ohm.scale import OHM_TWO_LEVEL


@dataclass(frozen=True)
class Price:
    """Dollars of a gigabyte from `low` to `high`, where and when they stood; `assumed` without a source."""

    low: float
    high: float
    source: str
    assumed: bool = False

    @property
    def middle(self) -> float:
        """The middle of the range."""
        return (self.low + self.high) / 2


PriceOf = Callable[[Price], float]  # dollars of a gigabyte of a memory


def middle(price: Price) -> float:
    """The middle of the range."""
    return price.middle


HBM = Price(10, 25, "a blog of 2026, low confidence")
DDR5 = Price(16.4, 18.8, "RDIMMs of 128 GB, contract, early 2026 (chinaflashmarket.com/a/183609)")
NAND = Price(0.19, 0.19, "wafers of 1 Tb TLC, early 2026 (chinaflashmarket.com/a/183609)")
CXL = Price(18, 26, "no source; DDR5 of the same date and a controller", assumed=True)
SSD = Price(0.25, 0.5, "no source; NAND wafers of the same date, controller and DRAM", assumed=True)
HBF = Price(
    0.5, 4, "no source; NAND wafers of the same date, at two to twenty times for SLC, stacking and base die", True
)
# One bit a cell, not three; a thirtieth for controller and DRAM at the least, as of an SSD.
ZNAND = Price(0.6, 1.5, "no source; NAND wafers of the same date, at three to eight times for SLC of small pages", True)
SLC_SSD = Price(0.7, 2, "no source; Z-NAND, controller and DRAM", True)
XPOINT = Price(1.3, 1.3, "Ohm-GPU, table III (2021): 125 dollars for 96 GiB; not sold any more")
XPOINT_SHARE = OHM_TWO_LEVEL.xpoint // OHM_TWO_LEVEL.dram  # XPoint to DRAM of Ohm-GPU's two-level mode
XPOINT_AND_DDR5 = Price(
    XPOINT.low + DDR5.low / XPOINT_SHARE, XPOINT.high + DDR5.high / XPOINT_SHARE, "XPoint, and DDR5 as its cache"
)
HBF_AND_CXL = Price(1.6, 5.4, "15 parts of HBF, one of CXL memory", True)
