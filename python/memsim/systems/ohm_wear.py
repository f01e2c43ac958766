"""How XPoint wears: writes to its media from the statistics of a run, and the years that follow."""

from dataclasses import dataclass

from .ohm_cost import CAPACITY

ENDURANCE = 1e8  # writes of a cell (Start-Gap's figure is 1e8 for PCM; sweep 1e7 to 1e8)
LINE = 256       # bytes
CONTROLLERS = 6
YEAR = 365.25 * 24 * 3600


@dataclass
class Wear:
    writes: float = 0      # to the media, gap moves included
    gap_moves: float = 0
    most: float = 0        # writes to the line that has most
    mean: float = 0        # writes to a line that was written
    years: float = 0       # of the paper's capacity, were all lines written alike

    @property
    def evenness(self):
        """1 if all lines that were written were written alike."""
        return self.mean / self.most if self.most else 1.0


def wear(values, mode):
    """Of a run, from its values by (path, name) as Study.values gives them."""
    def of(name):
        return [v for (p, n), v in values.items() if n == name and p.startswith("memory.xpoint")]

    seconds = values["gpu.dispatcher", "cycles"] / 1.2e9
    slices = sum(1 for p, n in values if n == "activates")
    writes, lines = sum(of("media_writes")), sum(of("lines_written.peak"))
    whole = CAPACITY[mode][1] * 2**30 / LINE  # lines of the paper's XPoint
    rate = writes / seconds * CONTROLLERS / slices
    return Wear(writes=writes, gap_moves=sum(of("gap_moves")), most=max(of("most_writes.peak")),
                mean=writes / lines if lines else 0.0,
                years=ENDURANCE * whole / rate / YEAR if rate else float("inf"))
