"""Ohm-GPU (Zhang and Jung, MICRO'21): DRAM and XPoint on one channel, electrical or optical.

`machine(MachineParameters(mode, platform, program))` builds the whole machine of a platform, `testbed(...)` the
computer of Fig. 3a. modes.py has the values.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ... import Root, SimObject, System, ohm
from ...model.energy import components
from ...errors import check_known, user_error
from ...model.provenance import assumed, derived, inferred, wired, with_unit
from ...model.units import Bytes
from ...systems import gtx580
from ...systems.drive import solid_state_drive
from ...systems.interleave import connect
from ...systems.parameters import Parameters, described_by, of_region
from ...systems.processor import Gpu, gpu
from ...systems.scale import Invariant
from ...systems.scale import components as proportions
from ...systems.scale import footprint, up_to
from . import dram, energy, optics, scale, workloads
from .modes import (
    BLOCKS,
    CHANNELS,
    INTERLEAVE,
    MAPPED,
    MODES,
    MODULES,
    ONE_WAY,
    PAGE,
    PLANAR,
    QUEUES,
    SM,
    SWAPS,
    TURNAROUND_SINGLE_RINGS,
    TWO_LEVEL,
    XPOINT,
)
from .workloads import L2_FLOOR

OHM = {"planar": scale.OHM_PLANAR, "two-level": scale.OHM_TWO_LEVEL}


@dataclass(frozen=True)
class MachineParameters:
    """Parameters of machine().

    mode               'planar', or 'two-level': DRAM is a direct-mapped cache of XPoint, cold at the start
    platform           one of platforms(mode)
    program            a workload.Program
    size               counts and capacities of the machine; None: machine_scale(mode, platform, program)
    waveguides         side by side; each has the paper's 96 wavelengths (Fig. 20a)
    migration_channel  'shared', or 'dedicated': migration has a channel of its own (Fig. 8's oracle)
    rings              'array' of pre-tuned rings, or 'single' ones that are tuned for 500 ps (IV-C)
    host_page          bytes of a page that origin's host transfers
    contents           whether the machine carries the values of the program (docs/models/contents.md)
    dispatcher         parameters of gpu.Dispatcher, such as max_instructions
    """

    mode: str
    platform: str
    program: SimObject
    size: scale.Scaled | None = None
    seed: int = 1
    waveguides: int = 1
    migration_channel: str = "shared"
    rings: str = "array"
    host_page: int = dram.PAGE
    contents: bool = False
    dispatcher: Parameters = field(default_factory=dict)

    @property
    def invariants(self) -> Collection[Invariant]:
        """The proportions of the paper's machine that a size should keep."""
        return self.size.invariants if self.size else ()


@dataclass(frozen=True)
class TestbedParameters:
    """Parameters of testbed().

    data        where the program's data is at the start: 'resident' (in the GPU), 'host' (in host memory)
                or 'drive' (on the drive)
    program     a workload.Program
    contents    whether the machine carries the values of the program (docs/models/contents.md)
    dispatcher  parameters of gpu.Dispatcher, such as max_instructions
    """

    data: str
    program: SimObject
    seed: int = 1
    contents: bool = False
    dispatcher: Parameters = field(default_factory=dict)


def platforms(mode: str) -> list[str]:
    """The names of Ohm-GPU VI that there are in a mode."""
    check_known("mode", mode, MODES)
    return ["origin", *MODES[mode], "oracle"]


def machine_scale(
    mode: str, platform: str, program: SimObject, controllers: int | None = None, **floors: int
) -> scale.Scaled:
    """Counts and capacities of the machine for this program. `controllers` replaces the number of memory controllers
    that the scale selects (the paper has six). `floors`, in bytes: `l1_floor` is the least capacity of an L1,
    `l2_floor` that of an L2 slice."""
    paper = {"origin": scale.OHM_ORIGIN, "oracle": scale.OHM_ORACLE[mode]}.get(platform, OHM[mode])
    paper = replace(paper, **floors)
    return scale.scale(paper, footprint(program), page=PAGE, modules=MODULES, controllers=controllers)


def planar(*given: Any, **named: Any) -> Root:
    """machine() in planar mode."""
    return machine("planar", *given, **named)


def two_level(*given: Any, **named: Any) -> Root:
    """machine() in two-level mode."""
    return machine("two-level", *given, **named)


@described_by(MachineParameters)
def machine(p: MachineParameters) -> Root:
    """The machine of one platform.

    Returns a Root with `program`, `gpu`, `memory`, `optics` if it is optical, `energy` (of its parts), and
    `scale` (its proportions beside the paper's). Caches are cold. In planar mode each group's first page is in DRAM
    initially, the others in XPoint.
    """
    check_known("platform", p.platform, platforms(p.mode))
    optical = optics.design(p.mode, p.platform) is not None
    if not optical and (p.waveguides != 1 or p.rings != "array"):
        raise user_error(f"{p.platform} has no waveguides and no rings: its channels are electrical")
    if p.migration_channel != "shared" and p.platform in ("origin", "oracle"):
        raise user_error(f"{p.platform} migrates nothing: there is no dedicated channel for it")
    size = p.size or machine_scale(p.mode, p.platform, p.program)
    root = Root(seed=p.seed, contents=p.contents)
    root.program = p.program
    root.scale = proportions(size.invariants)
    _add_gpu(root, size, p.dispatcher)
    if optical:
        root.optics = optics.channel(p.mode, p.platform, p.waveguides)
    add_memory(root, size, p)
    root.energy = components(energy.costs(p.mode, p.platform, size.controllers))
    return root


def _add_gpu(root: Root, size: scale.Scaled, dispatcher: Parameters) -> None:
    """Adds the GPU, which runs root.program, and a System for its memory."""
    root.gpu = gpu_of(size, dispatcher)
    root.program.dispatcher = root.gpu.dispatcher.host
    root.memory = System()


def add_memory(root: Root, size: scale.Scaled, p: MachineParameters, joins: Sequence[SimObject] = ()) -> None:
    """The platform's memory behind the L2 slices of root.gpu, in the System root.memory; `joins` as of connect()."""
    if p.platform == "origin":
        dram.paged(root, size, ONE_WAY["hetero"], page=p.host_page)
    elif p.platform == "oracle":
        ranks = dram.RANKS[p.mode] + MODULES
        dram.resident(root, size, ONE_WAY["ohm-base"], ranks, p.waveguides, dram.COMMAND_BITS, joins)
    else:
        _add_xpoint(root, size, p, joins)


def _add_xpoint(root: Root, size: scale.Scaled, p: MachineParameters, joins: Sequence[SimObject]) -> None:
    """Controllers of DRAM and XPoint, and the XPoint modules."""
    make, changes = (controller if p.mode == "planar" else two_level_controller), _link(p)
    root.memory.controller = [make(p.platform, size, i, **changes) for i in range(size.controllers)]
    swaps = SWAPS if "swap_function" in MODES[p.mode][p.platform].controller else wired(0)
    root.memory.xpoint = [
        ohm.XpointModule(
            capacity=with_unit(size.xpoint // MODULES, "B"),
            channel_latency=ONE_WAY.get(p.platform, ONE_WAY["ohm-base"]),
            swaps=swaps,
            **XPOINT,
            **(MAPPED if p.platform == "hetero" else {}),
        )
        for _ in range(size.controllers * MODULES)
    ]
    connect(root.gpu.l2, root.memory.controller, joins)
    for i, mc in enumerate(root.memory.controller):
        for m in range(MODULES):
            device = root.memory.xpoint[i * MODULES + m]
            mc.commands[m] = device.commands
            mc.transfers[m] = device.transfers
            if swaps:
                mc.sequences[m] = device.dram[0]


@described_by(TestbedParameters)
def testbed(p: TestbedParameters) -> Root:
    """The computer of Fig. 3a: this GPU with all of its DRAM controllers and memory for everything; a host and a
    Z-SSD."""
    size = machine_scale("planar", "oracle", p.program, controllers=6, l2_floor=L2_FLOOR)
    root = Root(seed=p.seed, contents=p.contents)
    root.program = p.program
    _add_gpu(root, size, p.dispatcher)
    if p.data == "resident":
        dram.resident(root, size, ONE_WAY["hetero"], dram.RANKS["origin"])
        return root
    port = None
    if p.data == "drive":
        root.ssd = solid_state_drive("z_ssd")
        port = root.ssd.drive.host[0]
    dram.paged(root, size, ONE_WAY["hetero"], memory=up_to(size.footprint, dram.PAGE), drive=port)
    return root


def _link(p: MachineParameters) -> Parameters:
    """Parameters of a controller that modes and options of the command line change."""
    changes: Parameters = dict(dram_changes=dram.figures(dram.RANKS[p.mode], p.waveguides))
    if p.waveguides != 1:
        changes["width"] = CHANNELS["ohm-base"]["width"] * p.waveguides
    if p.rings == "single":
        changes["turnaround"] = TURNAROUND_SINGLE_RINGS
    if p.migration_channel != "shared":  # a parameter of both controllers
        changes["migration_channel"] = derived(p.migration_channel, from_="the option of Fig. 8")
    return changes


def gpu_of(size: scale.Scaled, dispatcher: Parameters) -> Gpu:
    """SMs with their L1s, the crossbar and one L2 slice for each controller (Table I); 64 B a cycle and slice,
    the default, are 77 GB/s: not slower than the channel behind it (60 GB/s)."""
    return gpu(
        sms=size.sms,
        slices=size.controllers,
        interleave=INTERLEAVE,
        memory=None,
        clock=gtx580.CLOCK,
        dispatcher=of_region(dispatcher),
        sm=SM,
        l1=dict(capacity=with_unit(size.l1, "B"), **gtx580.CACHES),
        l2=dict(capacity=with_unit(size.l2_slice * size.controllers, "B"), **gtx580.CACHES, **gtx580.L2),
    )


def controller(platform: str, size: scale.Scaled, index: int, **changes: Any) -> SimObject:
    """A memory controller in planar mode."""
    made: SimObject = ohm.PlanarController(
        controllers=wired(size.controllers),
        index=wired(index),
        dram=with_unit(size.dram, "B"),
        modules=MODULES,
        page=assumed(Bytes(PAGE), "a DRAM row", sweep=["1KiB"]),
        hot_threshold=assumed(6, "a threshold of PoM's kind (Sim et al., MICRO'14); not looked up", sweep=[1, 18, 48]),
        postponed=assumed(32, "a warp's requests", sweep=[8, 128]),
        swaps=SWAPS,
        **{**QUEUES, **PLANAR[platform].controller, **changes},
    )
    return made


def two_level_controller(platform: str, size: scale.Scaled, index: int, **changes: Any) -> SimObject:
    """A memory controller in two-level mode."""
    made: SimObject = ohm.TwoLevelController(
        controllers=wired(size.controllers),
        index=wired(index),
        dram=with_unit(size.dram, "B"),
        ratio=size.xpoint // size.dram,
        line=assumed("128B", "the L2's, one access for all", sweep=["256B"]),
        patience=inferred("0fs", f"{BLOCKS}; an eviction is a migration, too", sweep=["1us", "10us"]),
        evictions=assumed(64, "as many as the write buffer has lines", sweep=[4, 16, 128]),
        modules=MODULES,
        interleave=INTERLEAVE,
        **{**QUEUES, **TWO_LEVEL[platform].controller, **changes},
    )
    return made


def each(scale: str = "tiny") -> Iterator[tuple[str, str, Root]]:
    """(mode, platform, machine) of each platform in each mode, with a program of that scale."""
    for mode in MODES:
        for platform in platforms(mode):
            program, region = workloads.program("backp", scale)
            warm_up = workloads.warm_up(region["max_instructions"])
            dispatcher = dict(pause_at_instructions=warm_up, **region)
            yield mode, platform, machine(MachineParameters(mode, platform, program, dispatcher=dispatcher))
