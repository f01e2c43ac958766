"""What the papers compute from their own parameters, from the same parameters (systems.hbf.PAPERS)."""

from ...model.units import Time
from ...systems import hbf
from . import values

PAGE, DAY, YEAR = hbf.PAGE, 24 * 3600, hbf.YEAR
FLINT_PAGES, FLINT_BLOCKS = 1024, 256  # of a block, of a plane


def seconds(paper: str, name: str) -> float:
    """A time among the parameters of a paper."""
    return Time.parse(str(hbf.PAPERS[paper][name])).in_seconds()


def planes(paper: str) -> int:
    """Of a stack, sub-arrays included."""
    given = hbf.PAPERS[paper]
    return hbf.CHANNELS * int(given["dies"]) * int(given["banks"])


def writes(paper: str, stacks: int = 1) -> float:
    """Bytes a second that all planes program."""
    return stacks * planes(paper) * PAGE / seconds(paper, "t_program")


def weight_load_limit() -> float:
    """HBF-Sim's loading of weights: all operations of all partitions."""
    read = Time.parse(str(values.WEIGHT_LOAD["t_read"])).in_seconds()
    partitions, banks = int(values.LOAD_GPU["channels"]), int(values.WEIGHT_LOAD["dies"]) * int(
        values.WEIGHT_LOAD["banks"]
    )
    return partitions * banks * PAGE / read


def planes_to_fill(rate: float = 3.072e12, latency: float = 15e-6) -> float:
    return rate * latency / PAGE


def rotation() -> float:
    """Seconds in which FLINT copies a plane into the phantom plane."""
    return FLINT_BLOCKS * FLINT_PAGES * seconds("flint", "t_program")


def refresh() -> float:
    """Seconds of an erase and the programs of a block (FLINT)."""
    return seconds("flint", "t_erase") + FLINT_PAGES * seconds("flint", "t_program")


def phantom_planes() -> float:
    """Bytes a second that a plane of each die programs (FLINT)."""
    return int(hbf.PAPERS["flint"]["dies"]) * PAGE / seconds("flint", "t_program")


def dash_years(capacity: float = 206.58e9, rate: float = 1015.13e6) -> float:
    """Until what two stacks leave for keys and values is worn out, with even wear."""
    return int(hbf.PAPERS["dash"]["endurance"]) * capacity / rate / YEAR


def flashaccel_written(rate: float = 988e6, years: float = 5) -> float:
    """Bytes of keys and values in five years."""
    return rate * years * YEAR


def hiding_buffer(rate: float = 1e12, latency: float = 20e-6) -> float:
    """H3: twice what is in flight."""
    return 2 * rate * latency
