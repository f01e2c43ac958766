"""A GPU of any shape, `memsim.systems.gpu(...)`: the start of a machine of your own.

    root.program = workload.Program(name="bfs1", size=12)
    root.gpu = systems.gpu(sms=8, l1="48KiB", l2="2MiB", memory="hbm2", channels=8)
    root.program.dispatcher = root.gpu.dispatcher.host
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

from .. import SimObject, System, mem
from .. import gpu as parts
from ..errors import Error, did_you_mean, user_error
from ..model.attributes import resolve
from ..model.provenance import assumed, cited, derived, source_of, stated, wired
from ..model.units import Bytes, Frequency, Quantity
from . import mmu as translation
from .interleave import Interleave, connect, in_bytes, join
from .parameters import made_by
from .scale import up_to

# Values that Ohm-GPU's Table I does not give are assumptions: a latency of the L2 of 80 ns (sweep 40 to 160 ns), 64
# outstanding misses of a slice, 16 requests for one of them.
# Sets are hashed, as in GPGPU-Sim's tested configurations: words of a warp's local memory and rows of matrices lie at
# strides of powers of two.
QV100_L2 = "GPGPU-Sim, SM7_QV100/gpgpusim.config: gpgpu_cache:dl2 with the set index P"
L1 = dict(stage=wired("l1"), set_hash=assumed("polynomial", "as the L2; SM7_QV100 has an L1 of linear sets"))
L2 = dict(
    **stated(dict(capacity="6MiB", ways=8, write_policy="write_back", write_allocate=True), "Ohm-GPU table I"),
    latency=assumed("80ns", "a usual latency of an L2; range 40 to 160 ns"),
    mshrs=assumed(64, "misses of a slice at once"),
    targets=assumed(16, "requests for one miss"),
    stage=wired("l2"),
    set_hash=cited("polynomial", QV100_L2),
)
# 64 B a cycle and slice: Fermi's L2 gives 384 B a clock from six partitions.
NETWORK = dict(width=assumed("64B", "as Fermi's L2 is known for: 384 B a clock from six partitions; not looked up"))
MEMORY = assumed(dict(timing="hbm2", map="RoRaBaCoChCl"), "one stack of HBM2")
JOIN = assumed(
    dict(width="64B", latency="1fs"), "as wide as a slice, without a time of its own"
)  # wires and arbitration, no place of its own

Parameters = dict[str, Any]  # of a component, by name


class Gpu(System):
    """A GPU, which gpu() has built."""

    _interleave: Interleave

    @property
    def interleave(self) -> Interleave:
        """The Interleave over its L2 slices, for parts that the caller puts behind them."""
        return self._interleave


@dataclass(frozen=True, kw_only=True)
class GpuParameters:
    """Parameters of gpu().

    sms         SMs, 1 to 256
    l1          capacity of each SM's L1, such as '48KiB', or a dict of parameters of mem.Cache. Without
                `ways` sets have 6 lines, or 4 if the capacity is no multiple of sets of 6
    l2          capacity of all L2 slices together, such as '6MiB', or a dict of parameters of mem.Cache whose
                `capacity` is that of all slices together
    memory      a preset of mem.DramController's `timing`, such as 'hbm2' or a memsim.dram.Preset; a dict of its
                parameters; a function of a channel's index and the Interleave over the channels that returns
                a component with a port `cpu_side`; or None: the caller binds l2[i].mem_side
    channels    memory controllers
    slices      L2 slices, a multiple of `channels`; None: one for each. Where a channel has several, a
                crossbar joins them
    interleave  bytes of a chunk; consecutive chunks belong to consecutive slices and channels
    hash_rounds rounds over the slices that a hash deals at a time (mem.Crossbar); 0: in turn. With a hash there are as
                many slices as channels
    clock       of SMs, caches and crossbar
    sm, network, dispatcher   dicts of parameters of gpu.Sm, mem.Crossbar and gpu.Dispatcher
    mmu         None, or a dict of arguments of systems.mmu.translate() without `walks`, such as
                dict(footprint=scale.footprint(program), page="64KiB"): there are TLBs and an MMU

    Other parameters have the component's defaults, or L1, L2, NETWORK and MEMORY of this module. These are
    Ohm-GPU's Table I (16 SMs of 1.2 GHz, L1s of 48 KiB, an L2 of 6 MiB and 8 ways), SMs of a GTX 480's class,
    and one stack of HBM2: eight channels of two pseudo-channels (JESD235).
    """

    sms: int = 16
    l1: str | Bytes | Parameters | None = None
    l2: str | Bytes | Parameters | None = None
    memory: str | Parameters | Callable[[int, Interleave], SimObject] | None = "hbm2"
    channels: int = 16
    slices: int | None = None
    interleave: str | Bytes = "256B"
    hash_rounds: int = 0
    clock: str | Frequency = "1200MHz"
    sm: Parameters | None = None
    network: Parameters | None = None
    dispatcher: Parameters | None = None
    mmu: Parameters | None = None


ARGUMENTS = {field.name: None for field in fields(GpuParameters)}


def gpu(parameters: GpuParameters = GpuParameters(), **changes: Any) -> Gpu:
    """SMs with their L1s, a crossbar, L2 slices and memory controllers, as a Gpu, a System that goes into a Root.

    parameters  fields of GpuParameters
    changes     fields of GpuParameters that replace those of `parameters`: gpu(sms=8, l2="2MiB")

    It has `dispatcher`, `network`, the lists `sm`, `l1`, `l2` and `memory`; `join`, `mmu` and `tlb` if the parameters
    require them; and `interleave`, the distribution of addresses over the slices. The caller binds programs to
    dispatcher.host, and may replace any connection (memsim.ports.unbind).
    Caches are cold.

    Raises memsim.Error, a sentence that names the argument, for anything that makes no machine.
    """
    for name in changes.keys() - ARGUMENTS.keys():
        raise user_error(f"gpu() has no argument '{name}'{did_you_mean(name, ARGUMENTS)}")
    p = replace(parameters, **changes)
    sms, channels = _count("sms", p.sms), _count("channels", p.channels)
    slices = _count("slices", channels if p.slices is None else p.slices)
    _check_slices(p, slices, channels)
    clock = resolve(parts.Sm, "clock", p.clock, "gpu().clock")
    clocked = dict(clock=derived(clock, from_=p.clock) if source_of(p.clock) else clock)
    sm = _group("sm", p.sm, parts.Sm, clocked)
    slots = {name: sm[name] for name in ("warp_slots", "block_slots") if name in sm}
    dispatcher = _group(
        "dispatcher",
        p.dispatcher,
        parts.Dispatcher,
        {**clocked, **slots},
        sms="sms",
        translated="mmu",
        **{name: "sm" for name in ("warp_slots", "block_slots")},
    )
    l1 = _group("l1", p.l1, mem.Cache, {**clocked, **L1}, short="capacity")
    l1.setdefault("ways", derived(_ways(l1), from_="the capacity of an L1"))
    l2 = _group(
        "l2",
        p.l2,
        mem.Cache,
        {**clocked, **L2},
        short="capacity",
        interleave_ways="slices",
        interleave_index="slices",
        interleave_granularity="interleave",
    )
    network = _group(
        "network",
        p.network,
        mem.Crossbar,
        {**clocked, **NETWORK},
        inputs="sms",
        outputs="slices",
        granularity="interleave",
        hash_rounds="hash_rounds",
    )
    over_slices = _interleave(p.interleave, slices, l2, p.hash_rounds)
    l2["capacity"] = _slice(l2, slices)

    part = Gpu()
    part._interleave = over_slices
    part.dispatcher = parts.Dispatcher(sms=wired(sms), **dispatcher)
    part.sm = [parts.Sm(**sm) for _ in range(sms)]
    part.l1 = [mem.Cache(**l1) for _ in range(sms)]
    part.network = mem.Crossbar(inputs=wired(sms), **over_slices.crossbar, **network)
    part.l2 = [mem.Cache(**l2, **over_slices.slice(i, l2.get("partitions", 1))) for i in range(slices)]
    for i in range(sms):
        part.dispatcher.sm_side[i] = part.sm[i].blocks
        part.sm[i].mem_side = part.l1[i].cpu_side
        part.l1[i].mem_side = part.network.cpu_side[i]
    for i in range(slices):
        part.network.mem_side[i] = part.l2[i].cpu_side
    if p.memory is not None:
        if slices > channels:
            part.join = join(slices, channels, over_slices, **clocked, **JOIN)
        part.memory = _controllers(p.memory, over_slices.over(channels))
        connect(part.l2, part.memory, part.join if slices > channels else ())
    if p.mmu is not None:
        translation.translate_gpu(part, p.mmu)
    return part


def _check_slices(p: GpuParameters, slices: int, channels: int) -> None:
    if p.memory is not None and slices % channels:
        raise user_error(
            f"gpu(): slices={slices} do not divide among channels={channels}: make them a multiple, "
            f"such as slices={up_to(slices, channels)}"
        )
    if p.memory is not None and p.hash_rounds and slices != channels:
        raise user_error(f"gpu(): hash_rounds: the {slices} slices need as many channels, not {channels}")


def _count(argument: str, value: Any) -> int:
    most = int(mem.Crossbar._params["inputs"]["max"])
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise user_error(f"gpu(): {argument}={value!r}: write a whole number from 1 to {most}")
    return value


def _group(
    argument: str, given: Any, cls: type[SimObject], defaults: Parameters, short: str = "", **follows: str
) -> Parameters:
    """The parameters of a part: the defaults, and the caller's values in their place.

    short    the parameter that a bare string sets
    follows  parameters that gpu() sets, and the argument that they follow from
    """
    bare = short and isinstance(given, (str, Quantity))
    if given is None:
        given = {}
    elif bare:
        given = {short: given}
    if not isinstance(given, dict):
        example = f"a string, its {short}, or " if short else ""
        other = ", or a function memory(i, interleave)" if argument == "memory" else ""
        raise user_error(f"gpu(): {argument}={given!r}: write {example}a dict of {cls._type}'s parameters{other}")
    for name, value in given.items():
        if name in follows:
            raise user_error(f"gpu(): {argument}: {name!r} is not given here: it follows from {follows[name]}=")
        if name not in cls._params:
            raise user_error(
                f"gpu(): {argument}: {cls._type} has no parameter '{name}'"
                f"{did_you_mean(name, set(cls._params) - set(follows))}"
            )
        try:
            resolve(cls, name, value, f"gpu(): {argument}.{name}")
        except Error as e:
            if not bare:
                raise
            raise Error(str(e).replace(f"{argument}.{name}", argument, 1)) from None  # the caller's name of it
    return {**defaults, **given}


def _interleave(chunk: str | Bytes, slices: int, l2: Parameters, hash_rounds: int) -> Interleave:
    line = _of_cache("l2", l2, "line")
    if in_bytes(chunk, "gpu(): interleave") % line:
        raise user_error(
            f"gpu(): interleave={chunk!r} is no multiple of the L2's line of {line}B: a line lies in one slice"
        )
    return Interleave(slices, chunk, hash_rounds)


def _of_cache(argument: str, cache: Parameters, name: str) -> int:
    """A size among a cache's parameters, or its default."""
    return in_bytes(cache.get(name, mem.Cache._params[name]["initial"]), f"gpu(): {argument}: {name}")


def _ways(l1: Parameters) -> int:
    """Lines of a set where the caller gives none: as many as caches have by default, or 4 where only that divides."""
    usual, capacity, line = (
        int(mem.Cache._params["ways"]["initial"]),
        _of_cache("l1", l1, "capacity"),
        _of_cache("l1", l1, "line"),
    )
    return 4 if capacity % (usual * line) and capacity % (4 * line) == 0 else usual


def _slice(l2: Parameters, slices: int) -> Bytes:
    """The capacity of one of them."""
    whole, ways = _of_cache("l2", l2, "capacity"), int(l2["ways"])
    step = slices * ways * _of_cache("l2", l2, "line")
    if whole % step:
        raise user_error(
            f"gpu(): l2: {l2['capacity']} do not divide among {slices} slices, each of whole sets "
            f"of {ways} lines: make it a multiple of {step}B, such as "
            f"{Bytes(up_to(whole, step))}"
        )
    return derived(Bytes(whole // slices), from_=[l2["capacity"], "a share of each slice"])


def _controllers(memory: Any, interleave: Interleave) -> list[SimObject]:
    """A memory controller for each channel, by preset, by parameters or by the caller's function."""
    if callable(memory) or isinstance(memory, SimObject):
        return made_by(memory, interleave)
    given = _group(
        "memory",
        memory,
        mem.DramController,
        MEMORY,
        short="timing",
        channels="channels",
        channel="channels",
        interleave="interleave",
        hash_rounds="hash_rounds",
    )
    return [mem.DramController(**given, **interleave.channel(i)) for i in range(interleave.ways)]
