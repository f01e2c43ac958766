"""The medium of a CXL endpoint: DRAM, or a drive with DRAM as its cache.

    made = media.medium(media.MediumParameters("z-nand", "80MiB", cache="8MiB"))
    root.medium = made.part
    root.endpoint.mem_side = made.cpu_side
    for load in made.loads:
        root.device_port.medium_load = load

Medium.spare is the spare of the drive, of which a machine that is smaller than the paper's has more (drives.py).
"""

from dataclasses import dataclass, field
from fractions import Fraction

from ... import Port, SimObject, flash, mem
from ...model.objects import System
from ...model.provenance import assumed, derived, inferred, source_of, stated, swept, wired
from ...model.units import Bytes
from ...systems.drive import PRESETS
from ...systems.interleave import Interleave, in_bytes
from ...systems.parameters import Parameters, described_by
from .drives import FLASH, MISS, OPTANE, OPTANE_WEAR, RAM_DRIVE, check, drive_of, read_rate

# The DRAM of an endpoint, and its cache before a drive: DDR5-5600, two sub-channels of 32 bit, 44.8 GB/s, 46-45-45 at
# 2.8 GHz, tRFC 295 ns (the paper's Table 10a; timing: src/mem/dram/presets/ddr.cc). Neighbouring bursts go to the other
# sub-channel and the next bank group, as writes of one group are 20 ns apart.
DRAM = stated("ddr5_5600", "CXL-GPU's table 10a: DDR5-5600, 46-45-45, tRFC 295 ns")
SUBCHANNELS, CHUNK = 2, "64B"
MAP = assumed("RoRaBaCoBgCh", "neighbouring bursts in other bank groups, as writes of one group are 20 ns apart")
SUBCHANNEL_ROWS = 32 * 4096  # bytes that a row of all banks holds

# A miss in the endpoint's cache pays for its controller and FTL (assumption, sweep 0.5 to 5 us); a task of the
# drive's own is announced before it begins (assumption, 0 to 100 us).
CONTROLLER = assumed("1us", "the endpoint's controller and FTL; range 0.5 to 5 us")
ANNOUNCE = assumed("10us", "from the announcement of a task to its beginning; range 0 to 100 us")
# The paper announces a task that reduces the throughput. One plane of 128 that collects does not. Chosen after first
# runs.
ANNOUNCE_FROM = inferred(
    "12.5%",
    "CXL-GPU: the media report an internal task that is expected to reduce throughput",
    sweep=[swept(n, f"port[*].medium.ssd.drive.announce_from={n}") for n in ("0%", "50%")],
    name="planes whose collections are announced",
)
# A load is light while the medium has bandwidth left, as the paper defines it: up to the bytes outstanding at its full
# rate. Light is a quarter of the full load.
FULL_LOAD = "CXL-GPU, load control: light while the media have bandwidth left; highest rate of the medium times latency"
# The endpoint's cache writes back all dirty units of a flash page together, as drives gather them.
WRITE_GROUP = "drives gather the written units of a flash page before they program it"
# A store is complete when its unit is in the endpoint's DRAM. Stores that complete earlier could not be delayed. Chosen
# after runs of cxl-sr and cxl-ds on vadd, cfd and bfs.
EARLY_WRITES = inferred(
    False,
    "CXL-GPU, Fig. 9e: delayed write requests fill the endpoint's ingress queue",
    sweep=[swept(True, "port[*].medium.cache.early_writes=true")],
    name="writes answered before their unit has come",
)


@dataclass(frozen=True)
class Medium:
    """A medium with its ports, as medium() returns it."""

    part: System  #: to be put into the tree
    cpu_side: Port  #: takes the endpoint's requests
    loads: tuple[Port, ...]  #: ports that report a device's load
    spare: Fraction = Fraction(0)  #: share of the flash that the host does not see


def ddr5(part: SimObject, capacity: int, inputs: int = 1) -> Port:
    """DRAM of so many bytes in `part`, behind the inputs of `part.crossbar`; answers with the first of them."""
    share = Interleave(SUBCHANNELS, CHUNK)
    each = -(-capacity // SUBCHANNELS // SUBCHANNEL_ROWS) * SUBCHANNEL_ROWS or SUBCHANNEL_ROWS
    # A crossbar that costs no time: 4 KiB each 10 ps.
    part.crossbar = mem.Crossbar(
        inputs=wired(inputs),
        **share.crossbar,
        **wired(dict(clock="100GHz", width="4KiB", latency="1fs", queue=64, buffer=64)),
    )
    part.dram = [
        mem.DramController(
            timing=DRAM,
            capacity=derived(Bytes(each), from_="the given capacity in whole rows"),
            map=MAP,
            **share.channel(i),
        )
        for i in range(SUBCHANNELS)
    ]
    for i, dram in enumerate(part.dram):
        part.crossbar.mem_side[i] = dram.cpu_side
    first: Port = part.crossbar.cpu_side[0]
    return first


@dataclass(frozen=True)
class MediumParameters:
    """Parameters of medium().

    media           one of MEDIA
    capacity        bytes of the endpoint, such as '80MiB'
    cache           of the DRAM before a drive; None: a tenth of the capacity (the paper's share)
    unit            bytes that the cache reads and evicts as a whole
    replacement     page policy of that cache
    prefetch        page prefetcher of that cache
    controller      time of the endpoint's controller and FTL for a request to the drive
    announce        from the announcement of an internal task to its beginning
    wear            whether Optane levels its wear
    pages, spare    of flash: pages of a block (None: drives.drive_of() chooses), and the share that the host does not
                    see (None: the data sheet's)
    state           of flash: one of DRIVES
    depth           outstanding requests of the cache
    group           bytes of the drive of which all dirty units are written back together, such as '4KiB'; '0B':
                    each unit alone; None: a flash page
    early_writes    whether a write is answered before its unit has been read from the drive
    announce_from   share of a flash drive's planes whose collections are announced
    drive           parameters of the drive that replace others
    """

    media: str
    capacity: str
    cache: str | None = None
    unit: str = "256B"
    replacement: str = "lru"
    prefetch: str = "none"
    controller: str = CONTROLLER
    announce: str = ANNOUNCE
    wear: bool = True
    pages: int | None = None
    spare: str | None = None
    state: str = "used"
    depth: int = 256
    group: str | None = None
    early_writes: bool = EARLY_WRITES
    announce_from: str = ANNOUNCE_FROM
    drive: Parameters = field(default_factory=dict)


@described_by(MediumParameters, rest="drive")
def medium(p: MediumParameters) -> Medium:
    """The named medium for the requests of an endpoint, with a capacity."""
    check(p.media, p.state)
    part, size = System(), in_bytes(p.capacity, "medium: capacity")
    if p.media == "dram":
        return Medium(part, ddr5(part, size), ())
    step = in_bytes(p.unit, "medium: unit")
    part.cache, group = _cache(p, size, step)
    part.cache.dram_side = ddr5(part, _cached(p, size, step))
    if p.media == "optane":
        part.drive = flash.FixedDrive(
            **{**OPTANE, **(OPTANE_WEAR if p.wear else {}), "announce": p.announce, **p.drive}
        )
        part.cache.drive_side = part.drive.requests
        if p.wear:
            part.cache.drive_load = part.drive.load
        return Medium(part, part.cache.cpu_side, (part.cache.load,))
    announcements = dict(announce=p.announce, announce_from=p.announce_from)
    inside = dict(
        host_rate=derived(
            RAM_DRIVE["bandwidth"],
            from_="the endpoint's DRAM, as the drive has no PCIe link of its own; chosen after runs of vadd",
        )
    )
    part.ssd, actual = drive_of(p.media, size, p.state, p.pages, p.spare, **announcements, **inside, **p.drive)
    host = part.ssd.drive.host[0]
    if step < 512:
        part.merger = flash.SectorMerger(
            block=derived(p.unit, from_="the unit of the endpoint's cache"),
            group=derived(Bytes(max(512, in_bytes(group, "medium: group"))), from_=WRITE_GROUP),
            **assumed(dict(jobs=512, queue=256), "more than the endpoint has outstanding"),
        )
        part.cache.drive_side = part.merger.requests
        part.merger.drive = host
    else:
        part.cache.drive_side = host
    part.cache.drive_load = part.ssd.drive.load
    return Medium(part, part.cache.cpu_side, (part.cache.load,), actual)


def _cached(p: MediumParameters, size: int, step: int) -> int:
    """Bytes of the cache before a drive, in whole units."""
    cached = in_bytes(p.cache, "medium: cache") if p.cache else size // 10
    return max(1, cached // step) * step


def full_load(media: str, unit: int) -> int:
    """Outstanding units that are a full load of a medium."""
    full: int = derived(int(4 * read_rate(media) * MISS[media] / unit / 1_000_000), from_=FULL_LOAD)
    return full


def _cache(p: MediumParameters, size: int, step: int) -> tuple[SimObject, str]:
    """The cache before a drive, and the bytes of the drive of which all dirty units are written back together."""
    group = p.group
    if group is None:
        page = in_bytes(PRESETS[FLASH[p.media]]["drive"]["page"], "page") if p.media in FLASH else 0
        group = derived(str(Bytes(max(page, step) if page else 0)), from_=WRITE_GROUP)
    made = mem.PageCache(
        capacity=derived(
            Bytes(_cached(p, size, step)),
            from_=p.cache if source_of(p.cache) else "CXL-GPU, evaluation: a tenth of the capacity",
        ),
        unit=p.unit if source_of(p.unit) else assumed(p.unit, "the length of the shortest MemSpecRd"),
        line=stated("64B", "CXL.mem: 64 B"),
        **assumed(
            dict(replacement=p.replacement, prefetch=p.prefetch), "no source gives the policy of the endpoint's cache"
        ),
        prefetch_end=derived(Bytes(size), from_="the end of the endpoint's memory"),
        write_group=group,
        full_load=full_load(p.media, step),
        early_writes=p.early_writes,
        batch=derived(max(1, 4096 // step), from_="4 KiB of units"),
        **assumed(dict(requests=p.depth, queue=64, drive_queue=256, dram_queue=256), "outstanding requests"),
        drive_latency=p.controller,
    )
    return made, group
