"""What stands behind a CXL endpoint: DRAM, or a drive with DRAM as its cache.

    made = media.medium("z-nand", capacity="80MiB", cache="8MiB")
    root.medium = made.part
    root.endpoint.mem_side = made.cpu_side
    for load in made.loads:
        root.device_port.medium_load = load

Every drive is one of MEDIA, whose figures are a data sheet's. A machine that is smaller than the paper's has a drive
of the same times, channels and dies with smaller and fewer blocks, and so with more spare: Medium.spare says how
much. It begins in the state that long use leaves (DRIVES).
"""

from dataclasses import dataclass
from fractions import Fraction

from ... import flash, mem
from ...errors import check_known
from ...model.objects import System
from ...model.provenance import assumed, cited, derived, inferred, options, source_of, stated, swept, wired
from ...systems.drive import PRESETS, solid_state_drive
from ...systems.interleave import Interleave, in_bytes

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
# The paper announces a task that reduces the throughput. One plane of 128 that collects does not. Chosen after first runs.
ANNOUNCE_FROM = inferred(
    "12.5%",
    "CXL-GPU: the media report an internal task that is expected to reduce throughput",
    sweep=[swept(n, f"port[*].medium.ssd.drive.announce_from={n}") for n in ("0%", "50%")],
    name="planes whose collections are announced",
)
# A load is light as long as the medium has bandwidth left, as the paper defines it: up to the bytes that are under way at its
# full rate. Light is a quarter of the full load.
FULL_LOAD = "CXL-GPU, load control: light while the media have bandwidth left; rate times latency of the data sheet"
# What leaves the endpoint's cache: all written units of a flash page together, as drives gather them.
WRITE_GROUP = "drives gather the written units of a flash page before they program it"
# A store is complete when its unit is in the endpoint's DRAM. Stores that were complete before could not be delayed.
EARLY_WRITES = inferred(
    False,
    "CXL-GPU, Fig. 9e: delayed write requests fill the endpoint's ingress queue",
    sweep=[swept(True, "port[*].medium.cache.early_writes=true")],
    name="writes answered before their unit has come",
)


def data_path(iops, rate):
    """Time of the data path for a request beside its 4 KiB of data, so that both figures of a data sheet hold."""
    return f"{round((1 / Fraction(iops) - Fraction(4096) / Fraction(rate)) * 10**15)}fs"


def full_load(rate, latency, unit):
    """Units under way that are a full load, for a medium of so many bytes a second and so many microseconds."""
    return derived(int(4 * rate * latency / unit / 1_000_000), from_=FULL_LOAD)


P5800X = "data sheet of the Optane P5800X 1.6 TB"
# Data sheets: Optane P5800X 1.6 TB (read and write 5 us at 4 KiB, 1.5 and 1.35 million requests of 4 KiB a second,
# 7.2 and 6.2 GB/s); units of 256 bytes as in Optane DIMMs (Izraelevitz et al., 2019). 983 ZET and 980 Pro: drive.py.
OPTANE = dict(
    block=cited("256B", "Izraelevitz et al., 2019: units of Optane DIMMs"),
    **cited(dict(read_latency="5us", write_latency="5us", bandwidth="7.2GB/s", write_bandwidth="6.2GB/s"), P5800X),
    read_time=derived(data_path(1_500_000, 7_200_000_000), from_=f"{P5800X}: 1.5 million reads a second"),
    write_time=derived(data_path(1_350_000, 6_200_000_000), from_=f"{P5800X}: 1.35 million writes a second"),
    queue=assumed(1024, "more than an endpoint has under way"),
)
RAM_DRIVE = dict(
    **assumed(dict(read_latency="100ns", write_latency="100ns"), "a drive as fast as the endpoint's DRAM"),
    bandwidth=stated("44.8GB/s", "CXL-GPU's table 10a: DDR5-5600, two sub-channels of 32 bit"),
)
# Its fine-grained wear levelling: a unit moves each 100 writes (Start-Gap, MICRO'09), which takes a read and a write,
# 10 us, of one of the 7.5 units that the drive has at work (5 us x 1.5 million a second): assumption.
OPTANE_WEAR = assumed(
    dict(task_writes=100, task_time="1333ns"),
    "Start-Gap, MICRO'09: a unit moves each 100 writes, for 10 us of one of 7.5 units at work",
)

# States in which a flash drive begins: never written, written once in order, or full and overwritten at random, as many
# pages as its flash has: then collections begin with the first writes. (The readings: start preconditioned.)
USED = "the readings: start preconditioned; the paper evaluates stores after a collection has begun"
LINKED = "cxl", "cxl-naive", "cxl-dyn", "cxl-sr", "cxl-ds"  # platforms with endpoints
USES = options("--drive", "full", "fresh", platforms=LINKED)
DRIVES = {
    "fresh": assumed(dict(preconditioned="0%"), USED),
    "full": assumed(dict(preconditioned="100%"), USED),
    "used": dict(
        preconditioned=assumed("100%", USED),
        overwritten=assumed("100%", USED, sweep=USES, name="what the drive was used for"),
    ),
}

# Bytes a second and microseconds of a read, with the endpoint's controller.
RATE_AND_LATENCY = {
    "optane": (7_200_000_000, 5 + 1),
    "z-nand": (3_400_000_000, 3 + 1),
    "nand": (7_000_000_000, 45 + 1),
}
FLASH = {"z-nand": "z_nand_983_zet", "nand": "nand_980_pro"}
MEDIA = "dram", "optane", *FLASH


@dataclass(frozen=True)
class Medium:
    part: System  #: to be put into the tree
    cpu_side: object  #: takes the endpoint's requests
    loads: tuple  #: ports that tell a device's load
    spare: Fraction = Fraction(0)  #: of the flash, what the host does not see


def check(media, state="used"):
    for what, given, known in ("medium", media, MEDIA), ("state of a drive", state, DRIVES):
        check_known(what, given, known)


def ddr5(part, capacity, inputs=1):
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
            capacity=derived(f"{each}B", from_="whole rows of what is asked for"),
            map=MAP,
            **share.channel(i),
        )
        for i in range(SUBCHANNELS)
    ]
    for i, dram in enumerate(part.dram):
        part.crossbar.mem_side[i] = dram.cpu_side
    return part.crossbar.cpu_side[0]


def blocks_of(preset, capacity, pages, spare):
    """Blocks of a plane and the spare that they make, for a drive that shows `capacity` bytes in blocks of so many
    pages: the preset's spare, or as much as collection needs."""
    geometry = PRESETS[preset]["geometry"]
    channels, packages, dies, planes = geometry[:4]
    page = in_bytes(PRESETS[preset]["drive"]["page"], "page")
    all_planes = channels * packages * dies * planes
    shown = -(-capacity // page)
    full = -(-(-(-shown // all_planes)) // pages)
    # Beside the data: three open blocks, one more of wear levelling, and those that collection keeps free.
    blocks = max(-(-full * 100 // (100 - int(spare * 100))), full + 6)
    while full + 4 + max(2, blocks * 7 // 100) > blocks:
        blocks += 1
    return blocks, min(1 - Fraction(shown, all_planes * blocks * pages), Fraction(9, 10))  # the most that a drive hides


SMALLER = "fewer and smaller blocks than the data sheet's, for what the program needs"
OWN_DRAM = "1 GB a TB of flash, or a page of each plane (MQSim's default)"


def drive_of(media, capacity, pages=8, spare=None, **drive):
    """The scaled drive of a flash medium, as a System, and its spare."""
    preset = FLASH[media]
    known = PRESETS[preset]
    channels, packages, dies, planes, _, _ = known["geometry"]
    nominal = Fraction(in_percent(known["drive"]["over_provisioning"] if spare is None else spare), 100)
    blocks, actual = blocks_of(preset, capacity, pages, nominal)
    # The drive's own DRAM: 1 GB a TB of flash, or a page of each plane (MQSim's default).
    page = in_bytes(known["drive"]["page"], "page")
    own = max(capacity // 1024, channels * packages * dies * planes * page)
    made = solid_state_drive(
        preset,
        geometry=(channels, packages, dies, planes, derived(blocks, from_=SMALLER), derived(pages, from_=SMALLER)),
        **{
            # Rounded down by a little, so that no page is lost to the rounding of a fraction.
            "over_provisioning": derived(f"{int(actual * 10**9)}ppb", from_=SMALLER),
            **derived(dict.fromkeys(("cache", "write_buffer"), f"{own // page * page}B"), from_=OWN_DRAM),
            **drive,
        },
    )
    return made, actual


def in_percent(text):
    return Fraction(str(text).rstrip("%"))


def medium(
    media,
    capacity,
    cache=None,
    unit="256B",
    replacement="lru",
    prefetch="none",
    controller=CONTROLLER,
    announce=ANNOUNCE,
    wear=True,
    pages=8,
    spare=None,
    state="used",
    depth=256,
    group=None,
    early_writes=EARLY_WRITES,
    announce_from=ANNOUNCE_FROM,
    **drive,
):
    """What takes the requests of an endpoint with `capacity` of the named medium.

    media           one of MEDIA
    capacity        bytes that the endpoint shows, such as '80MiB'
    cache           of the DRAM before a drive; none: a tenth of the capacity (the paper's share)
    unit            what comes into that cache and goes as a whole
    replacement     page policy of that cache
    prefetch        page prefetcher of that cache
    controller      time of the endpoint's controller and FTL for what goes to the drive
    announce        from the announcement of an internal task to its beginning
    wear            whether Optane levels its wear
    pages, spare    of flash: pages of a block, and what the host does not see (the data sheet's)
    state           of flash: one of DRIVES
    depth           requests that the cache has under way
    group           bytes of the drive whose written units leave the cache together, such as '4KiB'; '0B': each unit
                    alone; none: a flash page
    early_writes    whether a write is answered before its unit has come from the drive
    announce_from   share of a flash drive's planes whose collections are announced
    drive           parameters of the drive that replace others
    """
    check(media, state)
    part, size = System(), in_bytes(capacity, "medium: capacity")
    if media == "dram":
        return Medium(part, ddr5(part, size), ())
    cached = in_bytes(cache, "medium: cache") if cache else size // 10
    step = in_bytes(unit, "medium: unit")
    cached = max(1, cached // step) * step
    if group is None:
        page = in_bytes(PRESETS[FLASH[media]]["drive"]["page"], "page") if media in FLASH else 0
        group = derived(f"{max(page, step) if page else 0}B", from_=WRITE_GROUP)
    part.cache = mem.PageCache(
        capacity=derived(
            f"{cached}B", from_=cache if source_of(cache) else "CXL-GPU, evaluation: a tenth of the capacity"
        ),
        unit=stated(
            unit,
            "CXL-GPU: unnecessary data occupies internal DRAM capacity",
            sweep=options("--unit", "4KiB"),
            name="what a miss brings",
        ),
        line=stated("64B", "CXL.mem: 64 B"),
        **assumed(
            dict(replacement=replacement, prefetch=prefetch), "no source gives the policy of the endpoint's cache"
        ),
        prefetch_end=derived(f"{size}B", from_="the end of the endpoint's memory"),
        write_group=group,
        full_load=full_load(*RATE_AND_LATENCY[media], step),
        early_writes=early_writes,
        batch=derived(max(1, 4096 // step), from_="4 KiB of units"),
        **assumed(dict(requests=depth, queue=64, drive_queue=256, dram_queue=256), "what an endpoint has under way"),
        drive_latency=controller,
    )
    part.cache.dram_side = ddr5(part, cached)
    if media == "optane":
        part.drive = flash.FixedDrive(**{**OPTANE, **(OPTANE_WEAR if wear else {}), "announce": announce, **drive})
        part.cache.drive_side = part.drive.requests
        if wear:
            part.cache.drive_load = part.drive.load
        return Medium(part, part.cache.cpu_side, (part.cache.load,))
    announcements = dict(announce=announce, announce_from=announce_from)
    part.ssd, actual = drive_of(media, size, pages, spare, **announcements, **{**DRIVES[state], **drive})
    host = part.ssd.drive.host[0]
    if step < 512:
        part.merger = flash.SectorMerger(
            block=derived(unit, from_="the unit of the endpoint's cache"),
            group=derived(f"{max(512, in_bytes(group, 'medium: group'))}B", from_=WRITE_GROUP),
            **assumed(dict(jobs=512, queue=256), "more than the endpoint has under way"),
        )
        part.cache.drive_side = part.merger.requests
        part.merger.drive = host
    else:
        part.cache.drive_side = host
    part.cache.drive_load = part.ssd.drive.load
    return Medium(part, part.cache.cpu_side, (part.cache.load,), actual)


def drive(media, capacity, state="used", **changes):
    """A medium as a drive by itself, as GPU-direct storage has it: a System, and its port for block requests.

    media       one of MEDIA; 'dram' is a drive as fast as the endpoint's DRAM
    capacity    bytes that it shows, a whole number
    state       of flash: one of DRIVES
    changes     arguments of drive_of(), or parameters of the drive
    """
    check(media, state)
    if media in FLASH:
        made, _ = drive_of(media, capacity, **{**DRIVES[state], **changes})
        return made, made.drive.host[0]
    part = System()
    part.drive = flash.FixedDrive(
        **{
            **(OPTANE if media == "optane" else RAM_DRIVE),
            "block": derived("512B", from_="a sector of a drive"),
            **changes,
        }
    )
    return part, part.drive.requests
