"""How XPoint wears, from the statistics of a run, and the years that follow.

Start-Gap moves each line by one place in a round of psi x (lines + 1) writes to a module. So a line with the share f of
the writes causes f x psi x (lines + 1) writes of each place in turn. If the endurance of a cell is larger, all places
wear equally in the long run; if it is smaller, that place fails as early as without Start-Gap.
"""

from dataclasses import dataclass
from math import sqrt

from .cost import CAPACITY
from .energy import Values

ENDURANCE = 1e8  # writes of a cell (Start-Gap's figure is 1e8 for PCM; sweep 1e7 to 1e8)
LINE = 256  # bytes
CONTROLLERS = 6
MODULES = 2  # of a controller
YEAR = 365.25 * 24 * 3600


@dataclass
class Wear:
    """Writes of all modules of a run; years of a module of the paper's capacity."""

    writes: float = 0  # to the media, gap moves included
    gap_moves: float = 0
    most: float = 0  # writes to the most written line
    mean: float = 0  # writes to a line that has at least one
    spread: float = 0  # standard deviation / mean of the writes to lines that have at least one
    hottest: float = 0  # writes to the most written logical line; without Start-Gap they wear one place
    years: float = 0  # of the paper's capacity, if all lines wear equally
    years_fixed: float = 0  # until the place of the hottest line fails, if no line moves
    years_levelled: float = 0  # with Start-Gap, at the paper's number of lines


def levelled_years(share: float, rate: float, lines: float, psi: int = 100, endurance: float = ENDURANCE) -> float:
    """Of a module of so many lines under `rate` writes a second (gap moves included), of which the
    hottest line gets `share`."""
    if not rate:
        return float("inf")
    even = endurance * lines / rate / YEAR
    stay = share * psi * (lines + 1)  # writes to a place before the line moves to the next
    return even if stay <= endurance else min(even, endurance / (share * rate) / YEAR)


def wear(values: Values, mode: str, seconds: float, psi: int = 100, endurance: float = ENDURANCE) -> Wear:
    """Of a run, from its values by (path, name) and the seconds that it simulated."""

    def of(name: str) -> list[float]:
        return [v for (p, n), v in values.items() if n == name and p.startswith("memory.xpoint")]

    slices = sum(1 for p, n in values if n == "activates")
    writes, lines = sum(of("media_writes")), sum(of("lines_written.peak"))
    whole = CAPACITY[mode][1] * 2**30 / LINE  # lines of the paper's XPoint
    modules = CONTROLLERS * MODULES
    rate = writes / seconds / (slices * MODULES)  # of a module; as many of them as the paper has
    hottest, mean = max(of("hottest.peak"), default=0), writes / lines if lines else 0.0
    variance = sum(of("wear_squares.peak")) / lines - mean**2 if lines else 0.0
    share = hottest / seconds / rate if rate else 0.0  # of its module's writes
    return Wear(
        writes=writes,
        gap_moves=sum(of("gap_moves")),
        most=max(of("most_writes.peak")),
        mean=mean,
        spread=sqrt(max(0.0, variance)) / mean if mean else 0.0,
        hottest=hottest,
        years=endurance * whole / modules / rate / YEAR if rate else float("inf"),
        years_fixed=endurance / (hottest / seconds) / YEAR if hottest else float("inf"),
        years_levelled=levelled_years(share, rate, whole / modules, psi, endurance),
    )
