"""How Ohm-GPU's machine is made smaller than the paper's without becoming another machine.

The paper's machine is sliced: SMs, memory controllers, virtual channels and footprint are divided by
one number, so that bandwidth per SM, latencies and reuse stay. Below a slice of one controller only
capacities shrink further, all of them with the footprint.
"""

import re
from dataclasses import dataclass, field, replace
from fractions import Fraction

from ...model.provenance import derived, stated
from ...systems.scale import GIB, KIB, MIB, Invariant, up_to

# Vertices of the generated graph as a power of two, for each named scale. demo is a first look: a part of a large graph
# on caches of a usual size; default gives about 3.7 million requests of bfs_topology; judge has more than 4,000 groups,
# below which no claim is judged.
KRONECKER = {"tiny": 10, "small": 13, "demo": 18, "default": 16, "judge": 20, "paper": 26}
DEMO_INSTRUCTIONS = 30_000_000  # of threads: a few seconds
DEMO_FLOORS = {"l1_floor": 32 * KIB, "l2_floor": 256 * KIB}
LEAST_GROUPS = 4000
SHARE = "the share of the paper's footprint that the program has"


@dataclass
class Paper:
    """Counts and capacities of a paper's machine, after its own scaling; in bytes, l1 of one SM, others of all."""

    sms: int
    controllers: int
    footprint: int
    l1: int
    l2: int
    dram: int
    xpoint: int
    l1_floor: int = 8 * KIB
    l2_floor: int = 0  # of one controller's slice


TABLE_I, TABLE_III = "Ohm-GPU table I", "Ohm-GPU table III"
OHM_PLANAR = Paper(
    **stated(dict(sms=16, controllers=6, l1=48 * KIB, l2=6 * MIB), TABLE_I),
    footprint=stated(8 * GIB, "Ohm-GPU VI: the paper's own scaling"),
    **stated(dict(dram=1 * GIB, xpoint=8 * GIB), f"{TABLE_I}: 1:8"),
)

# Two-level DRAM is inclusive: the capacity of the machine is that of its XPoint (Table III: 6 x 1 GiB and 12 x 32 GiB).
OHM_TWO_LEVEL = replace(OHM_PLANAR, **stated(dict(dram=GIB // 2, xpoint=32 * GIB), f"{TABLE_III}: 1:64"))

# Origin is a K80's 24 GiB over 12; the oracles have as much DRAM as the others have of both. No XPoint.
OHM_ORIGIN = replace(OHM_PLANAR, dram=stated(2 * GIB, f"{TABLE_III}: a K80's 24 GiB over 12"), xpoint=0)
_BOTH = "as much DRAM as the others have of both"
OHM_ORACLE = {
    "planar": replace(OHM_PLANAR, dram=derived(9 * GIB, from_=_BOTH), xpoint=0),
    "two-level": replace(OHM_TWO_LEVEL, dram=derived(32 * GIB + GIB // 2, from_=_BOTH), xpoint=0),
}


@dataclass
class Scaled:
    """A machine at some scale: counts, capacities in bytes, and the invariants beside the paper's."""

    sms: int
    controllers: int
    footprint: int  # of the program
    l1: int  # of one SM
    l2_slice: int  # of one controller
    dram: int  # of one controller
    xpoint: int  # of one controller
    invariants: list[Invariant] = field(default_factory=list)


def kronecker_scale(name: str) -> int:
    """The generated graph's size for '--scale NAME', or for a ratio of the paper's footprint such as
    '1/512' (then the largest power of two that fits).

    Raises ValueError for anything else.
    """
    if name in KRONECKER:
        return KRONECKER[name]
    try:  # no exponents: Fraction("1e-999999999") would be computed exactly, for hours
        ratio = Fraction(name) if re.fullmatch(r"[\d./]+", name) else Fraction(0)
    except (ValueError, ZeroDivisionError):
        ratio = Fraction(0)
    if not 0 < ratio <= 1:
        known = ", ".join(KRONECKER)
        raise ValueError(f"--scale {name}: write one of {known}, or a ratio such as 1/512")
    scale = 1
    # 32 arcs of 4 bytes and two words for each vertex, before repeated arcs are removed.
    while scale < 28 and (2 << scale) * (32 * 4 + 8) <= ratio * OHM_PLANAR.footprint:
        scale += 1
    return scale


def slices(paper: Paper, footprint: int) -> int:
    """By how much controllers are divided: the largest divisor of their number that does not shrink
    the machine more than the footprint."""
    fits = [
        k for k in range(1, paper.controllers + 1) if paper.controllers % k == 0 and k * footprint <= paper.footprint
    ]
    return max(fits, default=1)


def scale(
    paper: Paper,
    footprint: int,
    page: int,
    modules: int = 1,
    line: int = 128,
    l1_ways: int = 6,
    l2_ways: int = 8,
    controllers: int | None = None,
) -> Scaled:
    """The paper's machine for a program of `footprint` bytes, as a Scaled; any footprint from 1 byte
    on gives one. `page` (bytes) is the unit in which DRAM and XPoint are divided into groups; their
    number is a multiple of the XPoint `modules` of a controller. `controllers` overrides how many
    the slice has. Sizes are rounded up to whole cache sets and pages, so that the footprint fits.
    """
    share = Fraction(footprint, paper.footprint)
    count = controllers or paper.controllers // slices(paper, footprint)
    sms = max(1, round(Fraction(paper.sms * count, paper.controllers)))
    per_controller = share / count
    pages_of_dram = up_to(paper.dram * per_controller, page * modules) // page
    ratio = paper.xpoint // paper.dram
    l1_exact = paper.l1 * paper.sms * share / sms
    made = Scaled(
        sms=sms,
        controllers=count,
        footprint=footprint,
        l1=derived(up_to(max(Fraction(paper.l1_floor), l1_exact), l1_ways * line), from_=[paper.l1, SHARE]),
        l2_slice=derived(
            up_to(max(Fraction(paper.l2_floor), paper.l2 * per_controller), l2_ways * line), from_=[paper.l2, SHARE]
        ),
        dram=derived(pages_of_dram * page, from_=[paper.dram, SHARE]),
        xpoint=derived(pages_of_dram * ratio * page, from_=[paper.xpoint, SHARE]),
    )
    made.invariants = [
        Invariant("SMs a controller", paper.sms / paper.controllers, sms / count),
        Invariant("footprint / DRAM", paper.footprint / paper.dram, footprint / (made.dram * count)),
        Invariant("footprint / L2", paper.footprint / paper.l2, footprint / (made.l2_slice * count)),
        Invariant("L2 / all L1", paper.l2 / (paper.l1 * paper.sms), made.l2_slice * count / (made.l1 * sms)),
    ]
    if paper.xpoint:
        made.invariants.append(Invariant("XPoint / DRAM", ratio, made.xpoint / made.dram))
    groups = pages_of_dram * count
    if paper.xpoint and groups < LEAST_GROUPS:
        made.invariants.append(Invariant("groups, of the 4000 that a verdict needs", LEAST_GROUPS, groups))
    return made
