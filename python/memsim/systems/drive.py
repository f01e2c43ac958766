"""A solid-state drive from flash parts: packages on channels, a drive in front.

`solid_state_drive(...)` builds it; presets name whole drives with their sources.
"""

from typing import Any, NamedTuple

from .. import System, flash
from ..errors import check_known
from ..model.provenance import assumed, cited, derived, stated, wired

# mqsim: MQSim (FAST'18), its default ssdconfig.xml, with its policies: one die of a package at a time,
#        no time of cores, a 2 MiB cache of the map, which is on the flash.
# z_ssd: the drive of ZnG (ISCA'20), Table I.
# z_nand_983_zet, nand_980_pro: drives behind a CXL endpoint, so without NVMe's times; DRAM as z_ssd's. The data sheet's
#        read rate of the 983 ZET is what PCIe 3.0 x4 carries, so it limits the host's port and not the channels. Each
#        channel of the 980 Pro carries an eighth of its read rate. The SLC cache of the 980 Pro is not modelled.
# slc_mt29f: eight channels of one MT29F64G08 each, the drive around it as those behind an endpoint, its spare (7.2 %)
#        enough for their collection's target and the blocks that are open.
MQSIM = "MQSim, ssdconfig.xml"
FLASHARRAY = "FlashGPU's flasharray-src (ZnG's first author), config/flasharray.cfg"
ZNG = "ZnG table I"
ZET = "as the vendor states it for the 983 ZET 480 GB: 3.4 GB/s of reads; not looked up"
PRO = "Samsung 980 Pro, specifications of the 1 TB model: 7,000 MB/s of reads"
AN_EIGHTH = "an eighth of the drive's read rate for each channel"
MT29F = "SAP table I: MT29F64G08, SLC pages of 8 KiB, tR 50 us, tPROG 550 us, 5 ns a byte"
DRIVE_DRAM = assumed(
    dict(dram_rate="6.4GB/s", dram_latency="27500ps"), "32 bit x 1600 MT/s; 13.75 ns each for tRCD, tCL"
)
ENDPOINT = dict(
    preconditioned=assumed("100%", "the readings: start preconditioned"),
    unwritten=assumed("past", "a drive that has been used"),
    completion=derived("1fs", from_="a drive behind an endpoint, without NVMe's times"),
    **DRIVE_DRAM,
    **assumed(dict(gc_threshold="5%", gc_target="7%"), "MQSim's threshold, and a little above"),
    queue_depth=assumed(1024, "more than an endpoint has outstanding"),
)
# Of a channel and of a package, with controllers that pass a page's data while its plane works.
BUS_QUEUE = assumed(256, "more than the dies of a channel take")
PLANES_ALONE = assumed(True, "each plane has a row decoder")
# Reads interrupt erases; otherwise a read of a plane that is erased waits a millisecond and more.
SUSPENSION: dict[str, Any] = dict(
    suspend=assumed(
        "erases", f"{MQSIM}: CMD_Suspension_Support ERASE; not in a data sheet", sweep=["none", "programs_and_erases"]
    ),
    suspend_time=assumed("20us", "a small part of an erase; MQSim's default is 700 of 3800", sweep=["5us", "100us"]),
)
TWO_REGISTERS = stated(2, "ZnG table I: 2 registers of a plane")


class Geometry(NamedTuple):
    """Of a drive: channels, packages of a channel, dies, planes of a die, blocks of a plane, pages of a block."""

    channels: int
    packages: int
    dies: int
    planes: int
    blocks: int
    pages: int


PRESETS: dict[str, dict[str, Any]] = {
    "mqsim": dict(
        geometry=Geometry(
            *cited(
                (8, 4, 2, 2), f"{MQSIM}: Flash_Channel_Count, Chip_No_Per_Channel, Die_No_Per_Chip, Plane_No_Per_Die"
            ),
            *cited((2048, 256), f"{MQSIM}: Block_No_Per_Plane, Page_No_Per_Block"),
        ),
        drive=dict(
            page=cited("8KiB", f"{MQSIM}: Page_Capacity 8192"),
            over_provisioning=cited("7%", f"{MQSIM}: Overprovisioning_Ratio 0.07"),
            unwritten=cited("past", "MQSim, Address_Mapping_Unit_Page_Level.cpp: online_create_entry_for_reads()"),
            map_cache=cited("2MiB", f"{MQSIM}: CMT_Capacity 2097152"),
            keep_rewritten=cited(True, "MQSim, Data_Cache_Manager_Flash_Advanced.cpp: bloom_filter"),
            **assumed(
                dict(commands=4096, queue_depth=4096), "no limit that is reached; MQSim has IO_Queue_Depth 65535"
            ),
        ),
        channel=dict(
            bus=cited("nv_ddr2_333", f"{MQSIM}: Flash_Comm_Protocol NVDDR2, Channel_Transfer_Rate 333"),
            dies_at_once=cited(1, "MQSim, TSU_Base.cpp: issue_command_to_chip() issues to one die"),
            queue=assumed(4096, "no limit that is reached; MQSim's queues have none"),
        ),
        package=dict(media=cited("mlc", f"{MQSIM}: Flash_Technology MLC and its latencies")),
        registers=assumed(1, "as in MQSim, which models one page at a time in a plane"),
    ),
    "z_ssd": dict(
        geometry=Geometry(*stated((16, 1, 8, 8, 1024, 384), ZNG)),
        drive=dict(
            page=stated("4KiB", ZNG),
            over_provisioning=cited("22.3%", f"{FLASHARRAY}: OverProvisioningRatio 0.22265625"),
            preconditioned=assumed("100%", "its data is there at the start"),
            cores=assumed(5, "ZnG: 2 to 5 low-power embedded processor cores"),
            firmware=assumed("5us", "a core's time for a request; sweep in ZnG's machine"),
            **assumed(dict(cache="33MiB", cache_reads=True, write_buffer="1MiB"), "a DRAM buffer as HybridGPU's"),
            **DRIVE_DRAM,
        ),
        channel=dict(bus=stated("nv_ddr3_800", "ZnG table I: 800 MT/s"), queue=BUS_QUEUE),
        package=dict(media=stated("z_nand", "ZnG table I: tR 3 us, tPROG 100 us")),
        registers=TWO_REGISTERS,
    ),
    "z_nand_983_zet": dict(
        geometry=Geometry(
            *assumed((8, 1, 8, 2), "64 dies of 64 Gbit, 2 planes a die"),
            *derived((2730, 384), from_="480 GB in blocks of ZnG's 384 pages"),
        ),
        drive=dict(
            ENDPOINT,
            page=stated("4KiB", ZNG),
            over_provisioning=assumed("7%", "a usual share; the vendor states the capacity alone"),
            gc_target=derived("6.8%", from_="the spare and the open blocks leave no more"),
            host_rate=assumed("3.4GB/s", ZET),
        ),
        channel=dict(
            bus=assumed("nv_ddr3_800", "as ZnG's Z-NAND; `rate` is that of its table"),
            rate=stated("800MB/s", "ZnG table I: 800 MT/s"),
            queue=BUS_QUEUE,
            independent_planes=PLANES_ALONE,
            join_reads=assumed(True, "a page's register serves the reads that wait for it"),
        ),
        package=dict(
            media=stated("z_nand", "ZnG table I: tR 3 us, tPROG 100 us"),
            independent_planes=PLANES_ALONE,
            **SUSPENSION,
        ),
        registers=TWO_REGISTERS,
    ),
    "nand_980_pro": dict(
        geometry=Geometry(
            *assumed((8, 1, 4, 2), "32 dies of 2 planes"), *derived((1024, 1024), from_="1 TB in pages of 16 KiB")
        ),
        drive=dict(
            ENDPOINT,
            page=assumed("16KiB", "a usual page of TLC flash of that generation"),
            over_provisioning=derived("9%", from_="1 TB of 1 TiB of flash"),
            host_rate=cited("7GB/s", PRO),
        ),
        channel=dict(
            bus=assumed("nv_ddr3_800", "as the other drives'; `rate` replaces its rate"),
            rate=derived("875MB/s", from_=AN_EIGHTH),
            queue=BUS_QUEUE,
            independent_planes=PLANES_ALONE,
            join_reads=assumed(True, "a page's register serves the reads that wait for it"),
        ),
        package=dict(
            media=assumed("tlc", "TLC flash; one time for each operation, which timing_changes gives"),
            independent_planes=PLANES_ALONE,
            **SUSPENSION,
            timing_changes=assumed(
                "types=1 tR0=45us tPROG0=500us tBERS=5ms endurance=3000", "usual times of TLC flash of that generation"
            ),
        ),
        registers=TWO_REGISTERS,
    ),
    "slc_mt29f": dict(
        geometry=Geometry(
            *assumed((8, 1, 2, 2), "eight channels of one package; two dies of two planes"),
            *assumed((2048, 128), "blocks and pages of Micron's SLC parts of that size; not looked up"),
        ),
        drive=dict(
            ENDPOINT,
            page=stated("8KiB", MT29F),
            over_provisioning=assumed("7.2%", "enough for the collection's target and the open blocks"),
        ),
        channel=dict(
            bus=assumed("nv_ddr3_800", "as the other drives'; `rate` replaces its rate"),
            rate=stated("200MB/s", MT29F),
            queue=BUS_QUEUE,
            join_reads=assumed(True, "a page's register serves the reads that wait for it"),
        ),
        package=dict(
            media=stated("tlc", "SAP table I: one time for each operation, which timing_changes gives"),
            timing_changes=stated("types=1 tR0=50us tPROG0=550us tBERS=1500us endurance=100000", MT29F),
        ),
        registers=TWO_REGISTERS,
    ),
}


def solid_state_drive(
    preset: str, queues: int = 1, channels: int | None = None, geometry: Geometry | None = None, **drive: Any
) -> System:
    """A System with `drive` (a flash.Drive: bind its host ports), `channel` and `package`.

    preset   one of PRESETS
    queues   host ports of the drive
    channels how many, if not the preset's
    geometry of a smaller drive, as in PRESETS
    drive    parameters of flash.Drive that replace the preset's
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
        queues=wired(queues),
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
