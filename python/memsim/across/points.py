"""The points of `memsim across`: a way at a ratio, run, as a row."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace

from .. import Root, SimObject, llm, workload
from ..run.session import session
from ..run.simulation import Simulation
from ..systems import hbf
from ..systems.scale import footprint
from .machine import Machine
from .ways import KNOWN

RATIOS = 1, 2, 4, 8, 16  # footprint over local memory
CONTEXT = 64  # tokens in the cache of keys and values
STACKS, STACK = 5, 512 << 30  # of HBF in place of the HBM's sites; bytes of one (generation 1)
ENDURANCE = 100000  # erases: FLINT, DASH, HBFlex
HBM_BIT = 4.3e-12  # J: an HBM2e device, measured on an A100 (SC'25)


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
    """A point: microseconds of a decode step, GB/s of weights, nJ of memory for a byte of weights where
    they are counted (HBM and HBF),
    years until the flash is worn out (infinite: it is not written), dollars of memory for a terabyte."""

    way: str
    ratio: int
    microseconds: float
    rate: float
    energy: float
    years: float
    dollars: float


def measure(point: tuple[str, int, str]) -> Row:
    """Runs a way at a ratio and a scale: the second of two tokens, when caches of pages are warm."""
    name, ratio, scale_name = point
    way, scale = KNOWN[name], SCALES[scale_name]
    root = Root(seed=1, contents=way.contents)
    root.model = workload.LanguageModel(
        layers=scale.layers, context=CONTEXT, tokens=2, launch_latency=llm.GRAPH_LAUNCH, **scale.model
    )
    size = footprint(root.model)
    first_token = scale.layers * llm.LAUNCHES_OF_LAYER
    way.build(root, Machine(scale.share, scale.sms, scale.channels, ratio, size, first_token))
    root.model.dispatcher = root.gpu.dispatcher.host
    arguments = dict(way=name, ratio=ratio, scale=scale_name)
    with Simulation(root, replace(session.options, verbosity=-1), arguments) as machine:
        machine.simulate()
        machine.stats.reset()
        begin = machine.curTick()
        machine.simulate()
        machine.stats.dump("end")
        seconds = (machine.curTick() - begin) * 1e-15
        joules, programmed = spent(root)
    return Row(
        name,
        ratio,
        seconds * 1e6,
        size / seconds / 1e9,
        joules / size * 1e9,
        years(programmed, seconds, scale),
        way.dollars(ratio),
    )


def years(programmed: float, seconds: float, scale: Scale) -> float:
    """Years until the five stacks of an H100 are worn out, evenly, if so many bytes are programmed into their share."""
    return hbf.years(ENDURANCE, STACKS, programmed / scale.share / STACK, seconds)


def spent(root: Root) -> tuple[float, float]:
    """Joules of the memories whose energy is known, and bytes programmed into HBF."""
    joules, programmed = 0.0, 0.0
    for one in _below(root.gpu):
        if one._type == "mem.DramController":
            joules += 8 * float(one.stats.bus_bytes) * HBM_BIT
        elif one._type == "flash.HbfStack":
            joules += (float(one.stats.cell_energy) + float(one.stats.wire_energy)) * 1e-9
            programmed += float(one.stats.programs) * hbf.PAGE
    return joules, programmed


def _below(part: SimObject) -> Iterator[SimObject]:
    yield part
    for child in part._children.values():
        for one in [child] if isinstance(child, SimObject) else child:
            yield from _below(one)


def rows(scale: str, ways: Sequence[str], ratios: Sequence[int], processes: int) -> Iterator[Row]:
    """A row of each way at each ratio, in order."""
    with ProcessPoolExecutor(processes) as pool:
        points = [(way, ratios[0] if KNOWN[way].steady else ratio, ratio) for way in ways for ratio in ratios]
        keys = dict.fromkeys((way, run) for way, run, _ in points)
        runs = {key: pool.submit(measure, (*key, scale)) for key in keys}
        for way, run, ratio in points:
            yield replace(runs[way, run].result(), ratio=ratio, dollars=KNOWN[way].dollars(ratio))
