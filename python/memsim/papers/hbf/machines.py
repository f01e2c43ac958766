"""The machines of the papers on HBF, one of each paper's own parameters.

hbf-sim, hbf-sim-8      a V100 of 80 or 8 SMs with one stack, or one of each partition (HBF-Sim)
hbf-sim-dram            the latter without flash
tilelens, tilelens-hbm  a sixth of an H200 with a stack of HBF, or of HBM, for weights (TileLens)
tilelens-page           flash that is read by the page: the L2's share of pages in front of it
decode-flint            a sixth of an H100 that decodes, its weights in a stack of FLINT's
stream-...              a sequential stream from a stack of each paper in systems.hbf
"""

import contextlib
import os
import tempfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from ... import Port, Root, SimObject, flash, llm, mem
from ...errors import check_known, user_error
from ...model.provenance import assumed, derived, wired
from ...model.units import Bytes
from ...run.session import session
from ...systems import hbf, nvidia, placed
from ...systems.interleave import Interleave
from ...systems.parameters import Parameters, described_by, of_region
from . import kernels, values, workloads
from .values import STREAMS

PRODUCTS = "tilelens", "tilelens-hbm", "tilelens-page"
LAYOUTS = "row", "column", "tile"
AHEAD = "none", "prefetch"
V100 = nvidia.chip("v100-pcie")
H200 = replace(nvidia.H100_SXM, peak=values.TILE_PEAK, slices=16 * values.STACKS)


@dataclass(frozen=True)
class MachineParameters:
    """Parameters of machine().

    platform    one of platforms()
    workload    one of workloads.names() that the platform runs
    channels    of the stack of hbf-sim; slots: operations at once of each
    layout      of the weights of a product: row, column, tile; none: tile
    ahead       prefetch: tiles are read ahead as by TileLens' prefetcher; none
    latency     tR in us of tilelens
    chunk       of decode-flint: bytes of consecutive addresses in a channel; '': a page, as FLINT's
    folder      of the file of the program; '': one of the user's for temporary files
    """

    platform: str
    workload: str
    scale: str = "tiny"
    channels: int = 16
    slots: int = 32
    layout: str = "none"
    ahead: str = "none"
    latency: int = 5
    chunk: str = ""
    seed: int = 1
    folder: str = ""
    dispatcher: Parameters = field(default_factory=dict)


def platforms() -> list[str]:
    return ["hbf-sim", "hbf-sim-8", "hbf-sim-dram", *PRODUCTS, "decode-flint", *(f"stream-{name}" for name in STREAMS)]


def groups(platform: str) -> tuple[str, ...]:
    """The workloads that a platform runs."""
    check_known("platform", platform, platforms())
    if platform.startswith("hbf-sim"):
        return workloads.GROUPS["pages" if platform == "hbf-sim" else "weights"]
    return workloads.GROUPS["products" if platform in PRODUCTS else platform.partition("-")[0]]


@described_by(MachineParameters)
def machine(p: MachineParameters) -> Root:
    """The machine of one platform with a program: a Root with `program` and `gpu`; or with `generator`. The stack is
    `hbf`, gpu.memory[i].far of each partition, or gpu.drive.stack."""
    if p.workload not in groups(p.platform):
        raise user_error(f"{p.platform} does not run '{p.workload}': of {', '.join(groups(p.platform))}")
    root = Root(seed=p.seed)
    if p.platform.startswith("stream-"):
        return _stream(root, p)
    if p.platform == "decode-flint":
        return _decode(root, p)
    program, size, name = workloads.program(p.workload, p.scale, _layout(p), _depth(p))
    folder = p.folder or os.path.join(tempfile.gettempdir(), f"memsim-hbf-{os.getuid()}")
    own = repr((replace(p, folder="", dispatcher={}), session.options.changes))  # no other point has the same
    root.program = kernels.recorded(f"{name}-{zlib.crc32(own.encode()):08x}", program, folder)
    root.gpu = (_product if p.platform in PRODUCTS else _hbf_sim)(root, p, size)
    if p.platform == "tilelens-page":
        _behind(root, p, size)
    root.program.dispatcher = root.gpu.dispatcher.host
    return root


def discard(root: Root) -> None:
    """Removes the file of the program, unless a checkpoint of the run may need it."""
    given = session.options
    if given.checkpoint_at or given.checkpoint_sim_period or given.checkpoint_wall_period:
        return
    if file := getattr(getattr(root, "program", None), "file", ""):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(file)


# ---- HBF-Sim -------------------------------------------------------------------------------------


def _hbf_sim(root: Root, p: MachineParameters, size: int) -> Any:
    dispatcher = of_region(p.dispatcher)
    far = [placed.Range(0, size)]
    if p.platform == "hbf-sim":
        dies = derived(min(16, p.slots), from_=values.SLOTS)
        banks = derived(p.slots // dies, from_=values.SLOTS)
        root.hbf = flash.HbfStack(
            channels=derived(p.channels, from_="HBF-Sim: 1 to 16 channels"),
            dies=dies,
            banks=banks,
            queue=values.STACK["queue"],
            **values.WHOLE,
            **values.READ_ONLY,
            **values.HBF_SIM,
        )
        root.join = mem.Crossbar(
            inputs=wired(V100.slices), **Interleave(1, values.HBM_CHUNK).crossbar, **placed.CROSSBAR
        )
        root.join.mem_side[0] = root.hbf.cpu_side

        def entrance(i: int, interleave: Interleave) -> Port:
            port: Port = root.join.cpu_side[i]
            return port

        memory = placed.beside(entrance, far, V100.memory())
        return V100.gpu(memory=memory, dispatcher=dispatcher, **values.SCALING_GPU)
    given = dict(values.LOAD_GPU, l2={"capacity": values.LOAD_GPU["l2"], **values.LOAD_L2}, dispatcher=dispatcher)
    if p.platform == "hbf-sim-dram":
        return V100.gpu(memory=dict(V100.memory(), changes=values.LOAD_DRAM), interleave=values.HBM_CHUNK, **given)

    def stack(i: int, interleave: Interleave) -> SimObject:
        return _share(i, interleave, **values.WEIGHT_LOAD)

    return V100.gpu(memory=placed.beside(stack, far, _local), interleave=values.CHUNK, **given)


def _share(i: int, interleave: Interleave, **given: Any) -> SimObject:
    """A stack of each of the partitions that share the addresses."""
    made: SimObject = flash.HbfStack(**interleave.share(i), **values.STACK, **values.READ_ONLY, **given)
    return made


def _local(i: int, interleave: Interleave) -> SimObject:
    made: SimObject = mem.SimpleMemory(**values.LOCAL)
    return made


# ---- TileLens ------------------------------------------------------------------------------------


def _layout(p: MachineParameters) -> str:
    check_known("layout", p.layout, ("none", *LAYOUTS))
    return "tile" if p.layout == "none" else p.layout


def _depth(p: MachineParameters) -> int:
    """Tiles that a block reads at once."""
    check_known("way to read ahead", p.ahead, AHEAD)
    if p.ahead == "none" or p.platform not in PRODUCTS:
        return values.STAGES
    of = workloads.product(p.workload, p.scale)
    blocks = min(of.blocks, int(values.TILE_SMS)) if p.workload == "qwen" else of.blocks
    return kernels.depth_of(of, values.TILE_PEAK * 1e9 / values.STACKS, p.latency * 1e-6, blocks)


def _stack(p: MachineParameters) -> Parameters:
    return dict(
        dies=values.TILE_DIES,
        banks=derived(int(values.TILE_BANKS_OF_US) * p.latency, from_=values.TILE_BANKS_OF_US),
        t_read=derived(f"{p.latency}us", from_=f"{values.TILELENS}: 1 to 20 us, headline 5"),
        rate=values.TILE_RATE,
        retry_chance=values.NO_RETRY_KNOWN,
    )


def _product(root: Root, p: MachineParameters, size: int) -> Any:
    given: dict[str, Any] = dict(
        sms=values.TILE_SMS,
        slices=values.TILE_CHANNELS,
        channels=values.TILE_CHANNELS,
        clock=values.TILE_CLOCK,
        sm=values.TILE_SM,
        l1=values.TILE_L1,
        network=values.TILE_NETWORK,
        dispatcher=of_region(p.dispatcher),
    )
    if p.platform == "tilelens-hbm":
        l2 = {**values.TILE_L2, **values.TILE_LINES}
        return H200.gpu(l2=l2, interleave=values.HBM_CHUNK, memory=H200.memory(), **given)
    memory = None
    if p.platform == "tilelens":

        def stack(i: int, interleave: Interleave) -> SimObject:
            return _share(i, interleave, channels=wired(1), **_stack(p))

        memory = placed.beside(stack, [placed.Range(0, size)], _local, **values.ROUTER)
    return H200.gpu(l2={**values.TILE_L2, **values.TILE_PAGES}, interleave=values.CHUNK, memory=memory, **given)


def _behind(root: Root, p: MachineParameters, size: int) -> None:
    """A store of pages between the L2 and flash, which is read by the page."""
    given: Parameters = {**_stack(p), **values.WHOLE, "queue": values.STACK["queue"]}
    drive = hbf.drive(size + (1 << 20), channels=int(values.TILE_CHANNELS), **given)
    store = values.PAGE_STORE if p.scale in ("default", "judge") else values.SMALL_PAGE_STORE

    def local(i: int, interleave: Interleave) -> SimObject:
        made: SimObject = mem.SimpleMemory(**values.PAGE_LOCAL)
        return made

    placed.behind(root.gpu, drive, store, local)


# ---- streams, and a decode step ------------------------------------------------------------------


def _stream(root: Root, p: MachineParameters) -> Root:
    """The stack of a paper. Wires are no limit where the printed bandwidth is the array's."""
    root.generator = mem.TrafficGen(
        requests=derived(workloads.STREAM[p.scale] // 128, from_="the scale"),
        range=derived(Bytes(workloads.STREAM[p.scale]), from_="the scale"),
        **values.STREAM,
    )
    name = p.platform.partition("-")[2]
    fixed: Parameters = {**values.STREAM_STACK, **values.WHOLE, **values.READ_ONLY}
    given = hbf.parameters(name, retry_chance=values.NO_RETRY_OF_STREAM, **fixed)
    if name in values.UNBOUND:
        given["rate"] = values.WIDE
    root.hbf = flash.HbfStack(**given)
    root.generator.mem_side = root.hbf.cpu_side
    return root


def _decode(root: Root, p: MachineParameters) -> Root:
    model = workloads.DECODE[p.scale]
    root.program = llm.decoder(
        model,
        layers=assumed(1, "all layers take the same time"),
        context=assumed(40, "a short one: weights dominate"),
        **values.DECODE,
    )
    if model == "tiny":
        for name in ("hidden", "heads", "kv_heads", "head_dim", "ffn"):
            setattr(root.program, name, assumed(int(getattr(root.program, name)), "a model for tests"))
    root.program.vocabulary = derived(0, from_="a layer without the output head")
    weights = placed.arrays(root.program, "weights.")
    chip = nvidia.chip("h100-sxm")
    l2 = derived("8000KiB", from_="a share of the L2")
    shape = dict(sms=values.DECODE_SMS, channels=wired(16), slices=wired(16), l2=l2)
    stack = hbf.channel(
        "flint", retry_chance=values.NO_RETRY_OF_STREAM, queue=values.STACK["queue"], **values.READ_ONLY
    )
    root.gpu = chip.gpu(
        memory=placed.beside(stack, weights, _local),
        interleave=assumed(p.chunk, "chosen by the caller") if p.chunk else values.FLINT_CHUNK,
        dispatcher=of_region(p.dispatcher),
        **shape,
    )
    root.program.dispatcher = root.gpu.dispatcher.host
    return root


def each(scale: str = "tiny") -> Iterator[tuple[str, str, Root]]:
    """(mode, platform, machine) of each platform, with its last workload; of tilelens with each layout that a study of
    assumptions has."""
    ways = {"tilelens": [("row", "none"), ("column", "none"), ("tile", "prefetch")]}
    with tempfile.TemporaryDirectory() as folder:
        for platform in platforms():
            for layout, ahead in ways.get(platform, [("none", "none")]):
                label = " ".join([platform, *(word for word in (layout, ahead) if word != "none")])
                given = dict(layout=layout, ahead=ahead, folder=folder)
                yield "", label, machine(platform, groups(platform)[-1], scale, **given)
