"""How addresses go round over the parts that share them: said once, and given to all of them."""

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from .. import mem
from ..errors import user_error
from ..model.provenance import wired

UNITS = {
    "B": 1,
    **{f"{p}B": 1000**i for i, p in enumerate("kMGT", 1)},
    **{f"{p}iB": 1024**i for i, p in enumerate("KMGT", 1)},
}


def in_bytes(text, what):
    """The whole number of bytes that a size such as '48KiB' is; `what` begins the error's sentence."""
    found = isinstance(text, str) and re.fullmatch(r"(\d+(?:\.\d+)?) ?([a-zA-Z]+)", text)
    size = Fraction(found[1]) * UNITS.get(found[2], 0) if found else 0
    if size < 1 or size.denominator != 1:
        raise user_error(
            f"{what}: {text!r} is no size: write whole bytes with a unit of {', '.join(UNITS)}, " "such as '48KiB'"
        )
    return int(size)


@dataclass(frozen=True)
class Interleave:
    """Neighbouring chunks of addresses belong to neighbouring parts, round and round.

    ways   parts that share the addresses
    chunk  size of what lies in one part, such as '256B'

    A machine states it once. Caches and memory controllers behind a crossbar take it from the connection.
    """

    ways: int
    chunk: str

    def __post_init__(self):
        most = int(mem.Crossbar._params["outputs"]["max"])
        if isinstance(self.ways, bool) or not isinstance(self.ways, int) or not 1 <= self.ways <= most:
            raise user_error(f"Interleave: ways={self.ways!r}: addresses go round over 1 to {most} parts")
        in_bytes(self.chunk, "Interleave: chunk")

    def over(self, ways):
        """An Interleave of the same chunks over another number of parts."""
        return replace(self, ways=ways)

    @property
    def crossbar(self):
        """The parameters of the mem.Crossbar in front of the parts."""
        return wired(dict(outputs=self.ways, granularity=self.chunk))

    def channel(self, index):
        """The parameters of the mem.DramController with this index, whose map ends in ChCl (in Ch if a chunk is one burst).

        For controllers that no crossbar deals addresses out to; behind one they may be left out."""
        return wired(dict(channels=self.ways, channel=index, interleave=self.chunk))


def join(slices, channels, interleave, **crossbar):
    """A mem.Crossbar in front of each memory controller that several L2 slices share, for connect()."""
    return [
        mem.Crossbar(**{**interleave.over(1).crossbar, "inputs": wired(slices // channels), **crossbar})
        for _ in range(channels)
    ]


def connect(slices, controllers, joins=()):
    """Binds L2 slices to the controllers of their addresses: slice i to controller i modulo their number,
    through joins of that index where several slices share one."""
    n = len(controllers)
    for i, l2 in enumerate(slices):
        l2.mem_side = joins[i % n].cpu_side[i // n] if joins else controllers[i].cpu_side
    for one, controller in zip(joins, controllers):
        one.mem_side[0] = controller.cpu_side
