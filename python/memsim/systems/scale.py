"""How a paper's machine is made smaller without becoming another machine: shared by the modules scale.py of the papers.

Latencies, page and line sizes, thresholds and ratios are never scaled; capacities shrink with the footprint. A capacity
that cannot shrink as much (an L1 has a floor) is listed as a broken Invariant.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from fractions import Fraction

from .. import SimObject, _memsim, workload
from ..errors import Error, user_error
from ..run.session import session

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30


@dataclass
class Invariant:
    """A proportion of the paper's machine and of this one; broken if they differ by more than a tenth."""

    name: str
    paper: float
    here: float

    @property
    def broken(self) -> bool:
        """Whether the two differ by more than a tenth."""
        return abs(self.here - self.paper) > 0.1 * self.paper

    def __str__(self) -> str:
        state = "off" if self.broken else "kept"
        return f"{self.name}: paper {self.paper:.4g}, here {self.here:.4g} ({state})"


def components(invariants: Iterable[Invariant]) -> list[SimObject]:
    """The objects that a machine holds for a list of Invariant, to be added as children: a run's results have them."""
    return [
        workload.Invariant(name=i.name, paper=f"{i.paper:.6g}", here=f"{i.here:.6g}", kept=not i.broken)
        for i in invariants
    ]


def print_proportions(invariants: Collection[Invariant]) -> None:
    """Prints one line if the machine's proportions are not the paper's; with -v each of them."""
    off = sum(i.broken for i in invariants)
    if session.options.verbosity > 0:
        print(*(f"scale: {i}" for i in invariants), sep="\n")
    elif off and session.options.verbosity == 0:
        print(
            f"note: at this scale {off} of {len(invariants)} capacity ratios differ from the paper's by more than 10 % "
            "(memsim -v SCRIPT lists them)"
        )


def footprint(program: SimObject) -> int:
    """Bytes that a program puts into device memory. Its input is read or generated for it, and kept
    for the machine that it is built into.

    Raises memsim.Error if the input cannot be read.
    """
    if program._type is None:
        raise user_error(f"footprint(): {program!r} is no program: give a workload.Program or the like")
    try:
        given = list(program._values.items())
        if program._prepared is None or program._prepared.params != given:
            program._prepared = _memsim.Prepared(program._type, given)
        return int(program._prepared.footprint)
    except Error as e:  # about a parameter or, with its own place, about the graph's file
        name = str(e).removeprefix(".").partition(":")[0]
        if name not in program._params:
            raise
        raise user_error(
            f"{program.path}.{name}{str(e).partition(name)[2]}", program._places.get(name, program._created)
        ) from None


def up_to(value: float | Fraction, step: int) -> int:
    """Value without its fraction, rounded up to a multiple of step, at least one step."""
    return max(1, -(-int(value) // step)) * step
