"""The drives behind CXL endpoints and of GPU-direct storage.

Every drive is one of MEDIA, with the figures of a data sheet. A machine that is smaller than the paper's has a drive
with the same times, channels and dies, but with smaller and fewer blocks, and so with a larger share of spare. It
starts in the state of a drive in long use (DRIVES).
"""

from fractions import Fraction
from typing import Any

from ... import Port, flash
from ...errors import check_known
from ...model.objects import System
from ...model.provenance import assumed, cited, derived, options, stated
from ...model.units import Bytes
from ...model.units import Rate
from ...systems.drive import PRESETS, Geometry, solid_state_drive
from ...systems.interleave import in_bytes
from ...systems.parameters import Parameters


def data_path(iops: int, rate: int) -> str:
    """Time of the data path for a request beside its 4 KiB of data, so that both figures of a data sheet hold."""
    return f"{round((1 / Fraction(iops) - Fraction(4096) / Fraction(rate)) * 10**15)}fs"


P5800X = "as the vendor states it for the Optane P5800X 1.6 TB; not looked up"
# Data sheets: Optane P5800X 1.6 TB (read and write 5 us at 4 KiB, 1.5 and 1.35 million requests of 4 KiB a second,
# 7.2 and 6.2 GB/s); units of 256 bytes as in Optane DIMMs (Izraelevitz et al., 2019). 983 ZET and 980 Pro: drive.py.
OPTANE: Parameters = dict(
    block=cited("256B", "Izraelevitz et al., arXiv 1903.05714, section 2: Optane DIMMs access their media by 256 B"),
    **assumed(dict(read_latency="5us", write_latency="5us", bandwidth="7.2GB/s", write_bandwidth="6.2GB/s"), P5800X),
    read_time=derived(data_path(1_500_000, 7_200_000_000), from_=f"1.5 million reads a second, {P5800X}"),
    write_time=derived(data_path(1_350_000, 6_200_000_000), from_=f"1.35 million writes a second, {P5800X}"),
    queue=assumed(1024, "more than an endpoint has outstanding"),
)
RAM_DRIVE: Parameters = dict(
    **assumed(dict(read_latency="100ns", write_latency="100ns"), "a drive as fast as the endpoint's DRAM"),
    bandwidth=stated("44.8GB/s", "CXL-GPU's table 10a: DDR5-5600, two sub-channels of 32 bit"),
)
# Its fine-grained wear levelling: a unit moves each 100 writes (Start-Gap, MICRO'09), which takes a read and a write,
# 10 us, of one of the 7.5 units that the drive has at work (5 us x 1.5 million a second): assumption.
OPTANE_WEAR: Parameters = assumed(
    dict(task_writes=100, task_time="1333ns"),
    "Start-Gap, MICRO'09: a unit moves each 100 writes, for 10 us of one of 7.5 units at work",
)

# States in which a flash drive begins: never written, written once in order, or full and overwritten at random, as many
# pages as its flash has: then collections begin with the first writes. (The readings: start preconditioned.) Blocks of
# a fresh drive have the data sheet's pages, so that it never collects.
USED = "the readings: start preconditioned; the paper evaluates stores after a collection has begun"
LINKED = "cxl", "cxl-naive", "cxl-dyn", "cxl-sr", "cxl-ds"  # platforms with endpoints
USES = options("--drive", "full", "fresh", platforms=LINKED)
DRIVES: dict[str, Parameters] = {
    "fresh": assumed(dict(preconditioned="0%"), USED),
    "full": assumed(dict(preconditioned="100%"), USED),
    "used": dict(
        preconditioned=assumed("100%", USED),
        overwritten=assumed("100%", USED, sweep=USES, name="what the drive was used for"),
    ),
}

SMALL_BLOCK = assumed(8, "blocks of a used drive are small, so that collections begin within a run")
FLASH = {"z-nand": "z_nand_983_zet", "nand": "nand_980_pro"}
MEDIA = "dram", "optane", *FLASH


# Microseconds of a miss: the read of a medium (OPTANE; tR of the packages in systems/drive.py), and 1 of the endpoint's
# controller (media.CONTROLLER).
MISS = {"optane": 5 + 1, "z-nand": 3 + 1, "nand": 45 + 1}


def read_rate(media: str) -> int:
    """Bytes a second that a medium gives at most: the data sheet's of Optane, what the channels of flash carry."""
    if media == "optane":
        return Rate.parse(OPTANE["bandwidth"]).value
    preset = PRESETS[FLASH[media]]
    channels: int = preset["geometry"].channels
    return channels * Rate.parse(preset["channel"]["rate"]).value


def check(media: str, state: str = "used") -> None:
    """Refuses the name of an unknown medium or state."""
    for what, given, known in ("medium", media, MEDIA), ("state of a drive", state, DRIVES):
        check_known(what, given, known)


def blocks_of(preset: str, capacity: int, pages: int, spare: Fraction) -> tuple[int, Fraction]:
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


SMALLER = "fewer and smaller blocks than the data sheet's, for the program's footprint"
OWN_DRAM = "1 GB a TB of flash, or a page of each plane (MQSim's default)"


def drive_of(
    media: str, capacity: int, state: str, pages: int | None = None, spare: str | None = None, **drive: Any
) -> tuple[System, Fraction]:
    """The scaled drive of a flash medium in one of the states of DRIVES, as a System, and its spare. `pages` of a
    block; None: the data sheet's of a fresh drive, otherwise SMALL_BLOCK."""
    preset = FLASH[media]
    known = PRESETS[preset]
    channels, packages, dies, planes, _, sheet = known["geometry"]
    pages = pages or (sheet if state == "fresh" else SMALL_BLOCK)
    nominal = Fraction(in_percent(known["drive"]["over_provisioning"] if spare is None else spare), 100)
    blocks, actual = blocks_of(preset, capacity, pages, nominal)
    # The drive's own DRAM: 1 GB a TB of flash, or a page of each plane (MQSim's default).
    page = in_bytes(known["drive"]["page"], "page")
    own = max(capacity // 1024, channels * packages * dies * planes * page)
    smaller = Geometry(channels, packages, dies, planes, derived(blocks, from_=SMALLER), derived(pages, from_=SMALLER))
    scaled: Parameters = {
        # Rounded down by a little, so that no page is lost to the rounding of a fraction.
        "over_provisioning": derived(f"{int(actual * 10**9)}ppb", from_=SMALLER),
        **derived(dict.fromkeys(("cache", "write_buffer"), Bytes(own // page * page)), from_=OWN_DRAM),
    }
    return solid_state_drive(preset, geometry=smaller, **{**scaled, **DRIVES[state], **drive}), actual


def in_percent(text: object) -> Fraction:
    """The number before a percent sign."""
    return Fraction(str(text).rstrip("%"))


def drive(media: str, capacity: int, state: str = "used", **changes: Any) -> tuple[System, Port]:
    """A medium as a drive without an endpoint, for GPU-direct storage: a System, and its port for block requests.

    media       one of MEDIA; 'dram' is a drive as fast as the endpoint's DRAM
    capacity    bytes that the host sees, a whole number
    state       of flash: one of DRIVES
    changes     arguments of drive_of(), or parameters of the drive
    """
    check(media, state)
    if media in FLASH:
        part, _ = drive_of(media, capacity, state, **changes)
        host: Port = part.drive.host[0]
        return part, host
    part = System()
    part.drive = flash.FixedDrive(
        **{
            **(OPTANE if media == "optane" else RAM_DRIVE),
            "block": derived("512B", from_="a sector of a drive"),
            **changes,
        }
    )
    requests: Port = part.drive.requests
    return part, requests
