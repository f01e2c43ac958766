"""A solid-state drive from flash parts: packages on channels, a drive in front.

`solid_state_drive(...)` builds it; presets name whole drives with their sources.
"""

from typing import Any

from .. import System, flash
from ..errors import check_known

# Geometry: channels, packages of a channel, dies, planes, blocks of a plane, pages of a block.
# mqsim: MQSim (FAST'18), its default ssdconfig.xml, with its policies: one die of a package at a time,
#        no time of cores, a 2 MiB cache of the map, which is on the flash.
# z_ssd: ZnG (ISCA'20), Table I: 16 channels of one package, 8 dies x 8 planes, 1024 blocks x 384 pages
#        of 4 KB, 800 MT/s; 5 cores with 5 us a request and 22.3 % over-provisioning are assumptions
#        (docs/models/flash.md); DRAM buffer of 32 bit x 1600 MT/s, 13.75 ns each for tRCD and tCL.
# z_nand_983_zet, nand_980_pro: drives behind a CXL endpoint, so without NVMe's times; DRAM as z_ssd's; collection from
#        5 % free blocks to 7 % (6.8 % where the spare and the open blocks leave no more), 100 % preconditioned. Each
#        channel carries an eighth of the data sheet's read rate. 983 ZET 480 GB: 3.4 and 3.0 GB/s, 750,000 reads and 60
#        to 75,000 writes a second, spare 7 %; tR 3 us and tPROG 100 us are ZnG's, tBERS 1 ms; 64 dies of 64 Gbit, 2
#        planes a die are assumptions. 980 Pro 1 TB: 7 and 5 GB/s, spare 9 %, 1 GB of DRAM; TLC pages of 16 KiB with one
#        time each, tR 45 us, tPROG 500 us, tBERS 5 ms, 3,000 erases; 32 dies of 2 planes are assumptions. Its SLC cache
#        is not modelled.
ENDPOINT = dict(
    preconditioned="100%",
    unwritten="past",
    completion="1fs",
    dram_rate="6.4GB/s",
    dram_latency="27500ps",
    gc_threshold="5%",
    gc_target="7%",
    queue_depth=1024,
)
# slc_mt29f: eight channels of one MT29F64G08 each (SAP's Table I): SLC pages of 8 KiB, tR 50 us, tPROG 550 us, tBERS
#        1.5 ms, 5 ns a byte; two dies of two planes are assumptions, the drive around it as those behind an endpoint,
#        its spare (7.2 %) enough for their collection's target and the blocks that are open.
PRESETS: dict[str, dict[str, Any]] = {
    "mqsim": dict(
        geometry=(8, 4, 2, 2, 2048, 256),
        drive=dict(
            page="8KiB",
            over_provisioning="7%",
            unwritten="past",
            map_cache="2MiB",
            keep_rewritten=True,
            commands=4096,
            queue_depth=4096,
        ),
        channel=dict(bus="nv_ddr2_333", dies_at_once=1, queue=4096),
        package=dict(media="mlc"),
        registers=1,
    ),
    "z_ssd": dict(
        geometry=(16, 1, 8, 8, 1024, 384),
        drive=dict(
            page="4KiB",
            over_provisioning="22.3%",
            preconditioned="100%",
            cores=5,
            firmware="5us",
            cache="33MiB",
            cache_reads=True,
            write_buffer="1MiB",
            dram_rate="6.4GB/s",
            dram_latency="27500ps",
        ),
        channel=dict(bus="nv_ddr3_800", queue=256),
        package=dict(media="z_nand"),
        registers=2,
    ),
    "z_nand_983_zet": dict(
        geometry=(8, 1, 8, 2, 2730, 384),
        drive=dict(ENDPOINT, page="4KiB", over_provisioning="7%", gc_target="6.8%", host_rate="3.4GB/s"),
        channel=dict(bus="nv_ddr3_800", rate="425MB/s", queue=256, independent_planes=True, join_reads=True),
        package=dict(media="z_nand", independent_planes=True),
        registers=2,
    ),
    "nand_980_pro": dict(
        geometry=(8, 1, 4, 2, 1024, 1024),
        drive=dict(ENDPOINT, page="16KiB", over_provisioning="9%", host_rate="7GB/s"),
        channel=dict(bus="nv_ddr3_800", rate="875MB/s", queue=256, independent_planes=True, join_reads=True),
        package=dict(
            media="tlc",
            independent_planes=True,
            timing_changes=("types=1 tR0=45us tPROG0=500us tBERS=5ms endurance=3000"),
        ),
        registers=2,
    ),
    "slc_mt29f": dict(
        geometry=(8, 1, 2, 2, 2048, 128),
        drive=dict(ENDPOINT, page="8KiB", over_provisioning="7.2%"),
        channel=dict(bus="nv_ddr3_800", rate="200MB/s", queue=256, join_reads=True),
        package=dict(media="tlc", timing_changes=("types=1 tR0=50us tPROG0=550us tBERS=1500us endurance=100000")),
        registers=2,
    ),
}


def solid_state_drive(
    preset: str,
    queues: int = 1,
    channels: int | None = None,
    geometry: tuple[int, int, int, int, int, int] | None = None,
    **drive: Any,
) -> System:
    """A System with `drive` (a flash.Drive: bind its host ports), `channel` and `package`.

    preset   one of PRESETS
    queues   host ports of the drive
    channels how many, if not the preset's
    geometry of a smaller drive, as in PRESETS
    drive    parameters of flash.Drive that replace the preset's

    Raises Error for a preset that does not exist.
    """
    check_known("drive", preset, PRESETS)
    p = PRESETS[preset]
    preset_channels, packages, dies, planes, blocks, pages = geometry or p["geometry"]
    channels = channels or preset_channels
    shape = dict(dies=dies, planes=planes)
    part = System()
    part.drive = flash.Drive(
        channels=channels,
        packages=packages,
        blocks=blocks,
        pages=pages,
        queues=queues,
        **shape,
        **{**p["drive"], **drive},
    )
    part.channel = [
        flash.Channel(packages=packages, registers=p["registers"], **shape, **p["channel"]) for _ in range(channels)
    ]
    part.package = [
        flash.Package(blocks=blocks, pages=pages, registers=p["registers"], **shape, **p["package"])
        for _ in range(channels * packages)
    ]
    for c, channel in enumerate(part.channel):
        part.drive.channel[c] = channel.controller
        for i in range(packages):
            channel.package[i] = part.package[c * packages + i].io[0]
    return part
