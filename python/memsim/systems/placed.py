"""The place of memory beside a GPU's own: a range of addresses of its own, or behind local memory that is its cache.

    root.gpu = systems.h100(memory=placed.beside(hbf.channel(), placed.arrays(root.model, "weights.")))

    root.gpu = systems.h100(memory=None)
    placed.behind(root.gpu, hbf.drive(capacity), "16MiB")
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from .. import Port, SimObject, link, mem
from ..errors import did_you_mean, user_error
from ..model.provenance import assumed, derived, wired
from .interleave import Interleave
from .parameters import check_makes_memory
from .scale import footprint, up_to

ALIGNED = 256  # bytes: arrays of a program begin at a multiple
END = 1 << 50  # behind all addresses
Memory = Callable[[int, Interleave], SimObject | Port]  # of a channel, for systems.gpu(memory=)

ROUTER = assumed(
    dict(latency="1fs", queue=256, buffer=256, outstanding=4096),
    "a look-up without a time of its own; with 64 places it bounded a stream of an H100, whose way to memory is long",
)
UNIT = assumed("4KiB", "a page of HBF")
CACHE = assumed(
    dict(queue=1024, requests=65536, dram_queue=8192, drive_queue=8192, batch=16), "as many as the L2's misses"
)
CROSSBAR = assumed(
    dict(clock="100GHz", width="256B", latency="1fs", queue=64, buffer=256, outstanding=4096),
    "wires without a limit of their own",
)


class Range(NamedTuple):
    """Addresses from `base` on."""

    base: int
    bytes: int


def arrays(program: SimObject, *prefixes: str, share: float = 1.0) -> list[Range]:
    """The arrays of a program with names that begin with one of `prefixes`, such as 'weights.': of each the last
    `share`. The rest of an array stays in local memory.

    Raises memsim.Error if there is no such array.
    """
    if not isinstance(share, (int, float)) or not 0 < share <= 1:
        raise user_error(f"arrays(): share={share!r}: write a number above 0 and up to 1")
    footprint(program)
    all_of_them = program._prepared.allocations
    found = [(base, size) for name, base, size, _ in all_of_them if size and name.startswith(prefixes)]
    if not found:
        names = {name: None for name, *_ in all_of_them}
        wanted = prefixes[0] if prefixes else ""
        raise user_error(f"arrays(): no array of {program.path} begins with '{wanted}'{did_you_mean(wanted, names)}")
    ranges = []
    for base, size in found:
        here = int(size * (1 - share)) // ALIGNED * ALIGNED
        ranges.append(Range(base + here, up_to(size - here, ALIGNED)))
    return ranges


def divided(ranges: Iterable[Range], share: float) -> tuple[list[Range], list[Range]]:
    """Two lists in which each range has its first part and its last `share`; without those that are empty."""
    first, last = [], []
    for base, size in ranges:
        here = int(size * (1 - share)) // ALIGNED * ALIGNED
        first.append(Range(base, here))
        last.append(Range(base + here, size - here))
    return [one for one in first if one.bytes], [one for one in last if one.bytes]


def beside(
    far: Memory, ranges: Iterable[Range], local: Any = "hbm2", counted: SimObject | None = None, **router: Any
) -> Memory:
    """The memory of a channel, for systems.gpu(memory=): these addresses lie in `far`, all others in local memory.

    far     a function of the channel's index and the Interleave that returns a memory with a port `cpu_side`, or the
            port of a memory that channels share
    ranges  of `far`, in ascending order
    local   a preset of mem.DramController's `timing`, or its parameters, such as nvidia.chip("h100-sxm").memory();
            or a function as `far`
    counted a program: each router counts the bytes of each of its arrays, in each memory (traffic())
    router  parameters of the link.AddressRouter that replace ROUTER's
    """
    return spread([(far, ranges)], local, counted, **router)


def spread(
    fars: Sequence[tuple[Memory, Iterable[Range]]],
    local: Any = "hbm2",
    counted: SimObject | None = None,
    **given: Any,
) -> Memory:
    """As beside(), with several far memories, each with its own ranges. No two ranges overlap."""
    for far, _ in fars:
        check_makes_memory("placed: far", far)
    parts = _parts(fars)
    if counted is not None:
        parts, names = _divided_by_arrays(parts, counted)
        given = dict(names=wired(",".join(names))) | given
    text = ", ".join(f"{base}B {size}B {target}" for base, size, target in parts)

    def channel(i: int, interleave: Interleave) -> SimObject:
        router: SimObject = link.AddressRouter(
            ranges=derived(text, from_="the arrays that lie in far memory"),
            entries=wired(max(16, len(parts))),
            **{**ROUTER, **given},
        )
        router.local = local_memory(local, i, interleave)
        router.mem_side[0] = router.local.cpu_side
        made = [far(i, interleave) for far, _ in fars]
        own = [one for one in made if isinstance(one, SimObject)]
        if own:
            router.far = own[0] if len(own) == 1 else own
        for target, one in enumerate(made, 1):
            router.mem_side[target] = one.cpu_side if isinstance(one, SimObject) else one
        return router

    return channel


Part = tuple[int, int, int]  # first address, bytes and memory, of which 0 is local


def _parts(fars: Sequence[tuple[Memory, Iterable[Range]]]) -> list[Part]:
    """All addresses in order."""
    try:
        owned = sorted((int(base), int(size), i) for i, (_, ranges) in enumerate(fars, 1) for base, size in ranges)
    except (TypeError, ValueError):
        raise user_error(
            "placed: ranges are pairs of an address and a number of bytes, such as placed.arrays(program, 'weights.')"
        ) from None
    parts, at = [], 0
    for base, size, target in owned:
        if base < 0 or size < 1 or base + size > END:
            raise user_error(f"placed: {size} bytes at {base} are no range of addresses: they begin at 0, up to 2^50")
        if base > at:
            parts.append((at, base - at, 0))
        parts.append((base, size, target))
        at = base + size
    parts.append((at, END - at, 0))
    return parts


def _divided_by_arrays(parts: Iterable[Part], program: SimObject) -> tuple[list[Part], list[str]]:
    """The same addresses in parts of one array each, and a name for each part, such as 'far kv.0'."""
    end = up_to(footprint(program), ALIGNED)
    arrays = [(base, name) for name, base, size, _ in program._prepared.allocations if size] + [(end, OTHER)]
    bases = [base for base, _ in arrays]
    divided, names = [], []
    for base, size, target in parts:
        cuts = [base, *(at for at in bases if base < at < base + size), base + size]
        for at, following in zip(cuts, cuts[1:]):
            divided.append((at, following - at, target))
            names.append(f"{_memory(target)} {arrays[bisect_right(bases, at) - 1][1]}")
    return divided, names


OTHER = "other"  # than the arrays of a program


def _memory(target: int) -> str:
    return ("local", "far")[target] if target < 2 else f"far {target}"


def traffic(gpu: Any) -> dict[str, dict[str, float]]:
    """Bytes that were requested since the last reset of statistics, by memory ('local', 'far') and array. Of a GPU
    whose memory is beside(counted=)."""
    found: dict[str, dict[str, float]] = {}
    for part in gpu.memory:
        router = getattr(part, "router", part)  # behind a mem.ReadAhead
        for name, count in zip(str(router.names).split(","), router.stats.bytes):
            memory, _, array = name.rpartition(" ")
            of = found.setdefault(memory, {})
            of[array] = of.get(array, 0.0) + float(count)
    return found


def local_memory(local: Any, i: int, interleave: Interleave) -> SimObject:
    """Local memory of a channel, from the argument `local` of beside()."""
    if callable(local):
        made: SimObject = local(i, interleave)
        return made
    given: dict[str, Any] = local if isinstance(local, dict) else dict(timing=local)
    controller: SimObject = mem.DramController(**{**dict(map="RoRaBaCoChCl"), **given}, **interleave.channel(i))
    return controller


def behind(
    gpu: Any,
    drive: SimObject,
    capacity: str,
    local: Any = "hbm2",
    interleave: Interleave | None = None,
    **cache: Any,
) -> None:
    """Puts local memory as a page cache between the L2 slices of `gpu` and a drive.

    gpu         from systems.gpu(memory=None)
    drive       with a port `requests`, or `host` as flash.Drive has it, or a group with such a child `drive`, as from
                solid_state_drive(); becomes gpu.drive
    capacity    of local memory, such as '64MiB'
    local       as of beside(), for as many channels as there are slices
    interleave  over the channels of local memory; None: that of the slices
    cache       parameters of the mem.PageCache, which becomes gpu.cache

    gpu.memory are the controllers of local memory, gpu.join and gpu.spread the crossbars before and behind the cache.
    """
    source = drive._children.get("drive", drive) if isinstance(drive, SimObject) else None
    if source is None or not {"requests", "host"} & source._ports.keys():
        raise user_error(
            f"placed.behind(): {drive!r} has no port 'requests' or 'host': give a flash.Drive, hbf.drive() or "
            "solid_state_drive()"
        )
    slices, interleave = len(gpu.l2), interleave or gpu.interleave
    given: dict[str, Any] = dict(CACHE)
    given |= {"unit": UNIT, **cache}
    gpu.cache = mem.PageCache(
        capacity=derived(capacity, from_="the local memory that its caller names"),
        **given,
    )
    gpu.join = mem.Crossbar(inputs=wired(slices), **gpu.interleave.over(1).crossbar, **CROSSBAR)
    gpu.spread = mem.Crossbar(inputs=wired(1), **interleave.crossbar, **CROSSBAR)
    gpu.memory = [local_memory(local, i, interleave) for i in range(slices)]
    gpu.drive = drive
    for i, l2 in enumerate(gpu.l2):
        l2.mem_side = gpu.join.cpu_side[i]
        gpu.spread.mem_side[i] = gpu.memory[i].cpu_side
    gpu.join.mem_side[0] = gpu.cache.cpu_side
    gpu.cache.dram_side = gpu.spread.cpu_side[0]
    gpu.cache.drive_side = source.requests if "requests" in source._ports else source.host[0]
