"""Ways at equal capacity and at equal cost, and their order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..errors import Error
from . import prices
from .machine import Way
from .points import Row
from .prices import PriceOf, middle

LOCAL = 80.0  # GB of local memory: an H100 has that much HBM


def at(rows: Sequence[Row], ratio: int) -> list[Row]:
    """The rows of a ratio, the fastest first."""
    return sorted((row for row in rows if row.ratio == ratio), key=lambda row: row.microseconds)


def dominated(rows: Sequence[Row]) -> dict[str, str]:
    """Of each way for which another takes no more time and no more dollars, and less of one: the fastest such way."""
    by = {}
    for row in rows:
        better = [
            other
            for other in rows
            if other.microseconds <= row.microseconds
            and other.dollars <= row.dollars
            and (other.microseconds, other.dollars) != (row.microseconds, row.dollars)
        ]
        if better:
            by[row.way] = min(better, key=lambda other: other.microseconds).way
    return by


def between(points: Mapping[int, float], ratio: float) -> float:
    """A time at a ratio that was not simulated: linear in 1 / ratio, the share of the data that is local, between the
    nearest ratios that were."""
    if not points or not min(points) <= ratio <= max(points):
        ends = f"{min(points)} to {max(points)}" if points else "none"
        raise Error(f"a ratio of {ratio:g} is not between those that were simulated ({ends})")
    low = max(one for one in points if one <= ratio)
    high = min(one for one in points if one >= ratio)
    if low == high:
        return points[low]
    part = (1 / low - 1 / ratio) / (1 / low - 1 / high)
    return points[low] + part * (points[high] - points[low])


@dataclass(frozen=True)
class Bought:
    """What a budget buys on a way, beside LOCAL.

    gigabytes      of data; no more than the largest ratio that was simulated
    least, most    of data at the highest and at the lowest price of far memory, with the same limit
    ratio          of the data to LOCAL
    rate           GB/s of the whole GPU
    left           dollars that this ratio leaves
    """

    way: str
    gigabytes: float
    least: float
    most: float
    ratio: float
    rate: float
    left: float

    @property
    def milliseconds(self) -> float:
        """Of a step that reads all data once."""
        return self.gigabytes / self.rate * 1e3


def capacity(way: Way, dollars: float, price: PriceOf = middle) -> float:
    """GB of data that the memory holds which so many dollars buy, with LOCAL of local memory where there is any."""
    if way.far is None:
        return dollars / price(prices.HBM)
    rest = dollars - LOCAL * middle(way.local) if way.local else dollars
    if rest < 0:
        assert way.local
        raise Error(
            f"{dollars:g} dollars do not buy {LOCAL:g} GB of local memory: "
            f"the least budget is {LOCAL * middle(way.local):g}"
        )
    far = rest / price(way.far)
    return max(far, LOCAL if way.local else 0.0) if way.behind else LOCAL + far


def equal_cost(rows: Sequence[Row], known: Mapping[str, Way], dollars: float, share: float) -> list[Bought]:
    """What each way gives for so many dollars of memory, the highest rate first. `share` of the GPU was simulated."""
    made = []
    for name in dict.fromkeys(row.way for row in rows):
        way, mine = known[name], [row for row in rows if row.way == name]
        times = {row.ratio: row.microseconds for row in mine}
        data = mine[0].rate * mine[0].microseconds  # of the footprint: GB/s x us
        limit = float("inf") if way.steady else max(times) * LOCAL
        held = capacity(way, dollars)
        gigabytes = min(held, limit)
        microseconds = mine[0].microseconds if way.steady else between(times, gigabytes / LOCAL)
        least, upper = (min(limit, capacity(way, dollars, of)) for of in (high, low))
        left = (held - gigabytes) * middle(way.far or prices.HBM)
        ratio, rate = gigabytes / LOCAL, data / microseconds / share
        made.append(Bought(name, gigabytes, least, upper, ratio, rate, left))
    return sorted(made, key=lambda one: -one.rate)


def low(price: prices.Price) -> float:
    """The lowest of the range of a far memory."""
    return price.low


def high(price: prices.Price) -> float:
    """The highest."""
    return price.high
