"""The points of `memsim across`: a way at a ratio, run, as a row."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from .. import Root, llm, workload
from ..model.provenance import assumed, cited
from ..run.simulation import Simulation
from ..systems import hbf
from ..systems.scale import footprint
from . import energy
from .machine import Assumed, Machine
from .ways import KNOWN

RATIOS = 1, 2, 4, 8, 16  # footprint over local memory
CONTEXT = 64  # tokens in the cache of keys and values
STACKS, STACK = 5, 512 << 30  # of HBF in place of the HBM's sites; bytes of one (generation 1)
LINE = 256  # bytes of XPoint that are written together
# Times that a cell is erased or written. Drives of one write a day have a write amplification within that.
ENDURANCE = {
    "HBF": cited(100_000, "erases: FLINT, DASH, HBFlex"),
    "TLC": assumed(1825, "no source: an SSD that is written once a day for five years"),
    "XPoint": assumed(100_000_000, "writes: as Ohm-GPU's model has it"),
}


@dataclass(frozen=True)
class Scale:
    """How large the GPU and the model are.

    share           of an H100 SXM
    sms, channels   of the GPU
    layers, model   parameters of the workload.LanguageModel
    """

    share: float
    sms: int
    channels: int
    layers: int
    model: dict[str, int]


SCALES = {
    "quick": Scale(1 / 20, 6, 4, 1, dict(hidden=512, heads=4, kv_heads=1, head_dim=128, ffn=1792)),
    "default": Scale(1 / 10, 13, 8, 2, dict(hidden=2048, heads=16, kv_heads=4, head_dim=128, ffn=7168)),
}


@dataclass(frozen=True)
class Row:
    """A point: microseconds of a decode step, GB/s of the footprint, years until the far medium is worn out (infinite:
    it is not written), dollars of memory for a terabyte, joules of each medium and link."""

    way: str
    ratio: int
    microseconds: float
    rate: float
    years: float
    dollars: float
    joules: Mapping[str, float] = field(default_factory=dict)

    @property
    def total(self) -> float:
        """Joules of the step."""
        return sum(self.joules.values())

    @property
    def energy(self) -> float:
        """nJ for a byte of the footprint."""
        return self.of_byte(self.total)

    def of_byte(self, joules: float) -> float:
        """nJ for a byte of the footprint."""
        return joules * 1e9 / (self.rate * self.microseconds * 1e3)

    @property
    def watts(self) -> float:
        """Of the share of the GPU."""
        return self.total / (self.microseconds * 1e-6)

    @property
    def millijoules(self) -> float:
        """Of the step: a token."""
        return self.total * 1e3


@dataclass(frozen=True)
class Point:
    """A way at a ratio of the footprint to local memory and at a scale, under assumptions."""

    way: str
    ratio: int
    scale: str
    assumed: Assumed = Assumed()


def measure(point: Point, keep: Callable[[str, Row], object] = lambda run, row: None) -> Row:
    """Runs a point: the second of two tokens, when caches of pages are warm. `keep` receives the run's UUID and the row
    before the run counts as finished."""
    way, scale = KNOWN[point.way], SCALES[point.scale]
    root = Root(seed=1, contents=way.contents)
    root.model = workload.LanguageModel(
        layers=scale.layers, context=CONTEXT, tokens=2, launch_latency=llm.GRAPH_LAUNCH, **scale.model
    )
    size = footprint(root.model)
    first_token = scale.layers * llm.LAUNCHES_OF_LAYER
    way.build(
        root,
        Machine(scale.share, scale.sms, scale.channels, point.ratio, size, first_token, assumed=point.assumed),
    )
    root.model.dispatcher = root.gpu.dispatcher.host
    arguments = dict(way=point.way, ratio=point.ratio, scale=point.scale, **point.assumed.changes)
    with Simulation(root, arguments=arguments) as run:
        run.simulate()
        run.stats.reset()
        begin = run.curTick()
        run.simulate()
        run.stats.dump("end")
        seconds = (run.curTick() - begin) * 1e-15
        lifetimes = [years(medium, count, seconds, scale) for medium, count in written(root).items()]
        row = Row(
            point.way,
            point.ratio,
            seconds * 1e6,
            size / seconds / 1e9,
            min(lifetimes, default=float("inf")),
            way.dollars(point.ratio),
            energy.spent(root, point.way, seconds),
        )
        keep(run.id, row)
    return row


def years(medium: str, programmed: float, seconds: float, scale: Scale) -> float:
    """Years until the capacity of five stacks of HBF is worn out, evenly, if so many bytes are programmed into a share
    of that medium."""
    return hbf.years(ENDURANCE[medium], STACKS, programmed / scale.share / STACK, seconds)


def written(root: Root) -> dict[str, float]:
    """Bytes that were programmed or written in each medium of ENDURANCE."""
    total: dict[str, float] = {}
    for medium, size in _written(root):
        total[medium] = total.get(medium, 0.0) + size
    return total


def _written(root: Root) -> Iterator[tuple[str, float]]:
    for one in energy.below(root):
        if one._type == "flash.HbfStack":
            yield "HBF", float(one.stats.programs) * hbf.PAGE
        elif one._type == "flash.FixedDrive":
            requests = float(one.stats.reads) + float(one.stats.writes)
            yield "TLC", float(one.stats.bytes) * float(one.stats.writes) / max(1.0, requests)
        elif one._type == "ohm.XpointModule":
            yield "XPoint", float(one.stats.media_writes) * LINE
