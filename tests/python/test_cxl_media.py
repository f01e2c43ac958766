"""Host bridge, endpoint and each medium without a link: latency and bandwidth compared with the data sheets.

`pytest -s` prints the table. A miss also includes the endpoint's controller (1 us) and its DRAM.
"""
import pytest

import memsim
from memsim import cxl, flash, mem
from memsim.systems.cxl_gpu import drives, media
from memsim.systems.drive import PRESETS

CAPACITY = "80MiB"
WINDOW = 1 << 30


def run(
    name, capacity=CAPACITY, requests=2000, pattern="random", read_share="100%", outstanding=1, used=None, **medium
):
    """A generator of 64-byte requests and a root complex with one endpoint, run to the end."""
    root = memsim.Root(seed=1)
    made = media.medium(name, capacity, **medium)
    root.gen = mem.TrafficGen(
        pattern=pattern,
        read_share=read_share,
        requests=requests,
        outstanding=outstanding,
        size=64,
        base=f"{WINDOW}B",
        range=used or capacity,
    )
    root.bridge = cxl.HostBridge(queue=64, buffer=64, outstanding=2048)
    root.firmware = cxl.Firmware(window_base=f"{WINDOW}B", window="4GiB")
    root.endpoint = cxl.Endpoint(capacity=capacity, outstanding=2048)
    root.medium = made.part
    root.gen.mem_side = root.bridge.cpu_side
    root.bridge.mem_side[0] = root.endpoint.cpu_side
    root.endpoint.mem_side = made.cpu_side
    root.firmware.bridge = root.bridge.config
    root.firmware.endpoints[0] = root.endpoint.config
    memsim.instantiate(root)
    assert memsim.simulate().getCause() == "nothing left to do"
    return root


# What data sheets say of each: read latency in ns, read and write rate in bytes a second. DRAM: tRCD + tCL + burst. 980
# Pro: one read at a time is 22,000 a second through NVMe. The 983 ZET's rates are those of its PCIe link, which an endpoint
# does not have: eight channels of 800 MB/s, and 128 planes that program 4 KiB in 100 us.
SHEET = {
    "dram": dict(read_ns=36, read=44_800_000_000, write=44_800_000_000),
    "optane": dict(read_ns=5_000, read=7_200_000_000, write=6_200_000_000),
    "z-nand": dict(read_ns=3_000, read=6_400_000_000, write=5_200_000_000),
    "nand": dict(read_ns=45_000, read=7_000_000_000, write=5_000_000_000),
}

# Time of a read in addition to the data sheet's, in ns: controller, the endpoint's DRAM, links; for flash also a
# sector of 512 B and its command on the channel. Then the least share of the data sheet's rates that is reached by
# sequential reads with units of 256 B and of 4 KiB, and by sequential writes. All were set after first runs: they
# detect changes and do not validate the model.
EXPECTED = {
    "dram": (50, (0.8, 0.8, 0.8)),
    "optane": (1_300, (0.25, 0.8, 0.25)),
    "z-nand": (2_800, (0.15, 0.7, 0.15)),
    "nand": (2_300, (0.002, 0.05, 0.002)),
}


@pytest.mark.parametrize("name", drives.MEDIA)
def test_latency_and_bandwidth(name, in_tmp, capsys):
    sheet, drive, (extra, least) = SHEET[name], name != "dram", EXPECTED[name]
    alone = run(name, requests=300).gen.stats.read_latency.mean
    stream = dict(pattern="sequential", outstanding=1024, requests=60_000)
    large = dict(unit="4KiB", depth=1024) if drive else {}
    rates = [
        run(name, **stream).gen.stats.bandwidth,
        run(name, **stream, **large).gen.stats.bandwidth,
        run(name, **stream, read_share="0%").gen.stats.bandwidth,
    ]
    limits = sheet["read"], sheet["read"], sheet["write"]
    with capsys.disabled():
        print(f"\n{name:7} a read {alone / 1000:6.2f} us (data sheet {sheet['read_ns'] / 1000:5.2f} us)", end="")
        for what, rate, limit in zip(("reads, 256 B", "reads, 4 KiB", "writes, 256 B"), rates, limits):
            print(f"; {what}: {rate / 1e9:5.2f} of {limit / 1e9:4.1f} GB/s", end="")
    assert sheet["read_ns"] < alone < sheet["read_ns"] + extra
    for rate, limit, share in zip(rates, limits, least):
        assert share * limit < rate <= limit


@pytest.mark.parametrize("name", ["z-nand", "nand"])
def test_a_used_drive_collects_with_its_first_writes(name, in_tmp):
    """At default scale no drive that was written once collects, because it has six free blocks a plane."""

    def drive(state):
        return run(
            name, capacity="10MiB", requests=2_000, read_share="0%", outstanding=64, cache="256KiB", state=state
        ).medium.ssd.drive.stats

    for state in "fresh", "full":
        assert drive(state).collections == 0 and drive(state).write_amplification == 1
    used = drive("used")
    assert used.collections >= 10 and used.announcements > 0
    assert used.most_erases.peak >= 1


@pytest.mark.parametrize("name", ["z-nand", "nand"])
def test_collections_are_announced(name, in_tmp):
    """After random writes beyond its spare area, a scaled drive collects while its cache continues."""
    made = run(
        name, capacity="16MiB", requests=60_000, read_share="0%", outstanding=64, cache="256KiB", pages=4, state="full"
    )
    drive = made.medium.ssd.drive.stats
    assert drive.collections >= 10 and drive.moved_pages > 0
    assert drive.announcements > 0
    assert made.medium.merger.stats.merge_reads > 0


def test_optane_levels_its_wear(in_tmp):
    writes = run("optane", requests=5_000, read_share="0%", outstanding=64, cache="256KiB").medium.drive.stats
    assert 10 < writes.tasks <= writes.writes // 100  # each collection is announced before it begins


def test_a_smaller_drive_has_enough_blocks_and_reports_its_spare(in_tmp):
    for name in "z-nand", "nand":
        for capacity in "1MiB", "16MiB", "80MiB", "1GiB":
            made = media.medium(name, capacity)
            assert 0.07 <= made.spare < 0.98
            assert len(made.loads) == 1
    with pytest.raises(memsim.Error, match="there is no medium 'znand' .did you mean 'z-nand'"):
        media.medium("znand", "1MiB")
    with pytest.raises(memsim.Error, match="there is no state of a drive 'usde' .did you mean 'used'"):
        media.medium("z-nand", "1MiB", state="usde")


def amplification(name, part, pages):
    """The write amplification of uniform random writes of whole pages, three times the drive's capacity."""
    sectors = media.in_bytes(PRESETS[media.FLASH[name]]["drive"]["page"], "page") // 512
    root = memsim.Root(seed=1)
    root.host = flash.BlockTraffic(
        read_share="0%", sectors=sectors, range=pages * sectors, outstanding=256, requests=3 * pages
    )
    root.ssd = part
    root.host.drive = part.drive.host[0]
    memsim.instantiate(root)
    memsim.simulate()
    return part.drive.stats.write_amplification


@pytest.mark.parametrize(
    "name,capacity,spare,expected",
    [
        ("z-nand", "10MiB", 72, (1.0, 1.2)),
        ("nand", "10MiB", 84, (1.0, 1.1)),
        ("z-nand", "80MiB", 23, (2.3, 2.9)),
        ("nand", "80MiB", 37, (1.6, 2.1)),
    ],
)
def test_spare_and_write_amplification(name, capacity, spare, expected, in_tmp, capsys):
    """A drive smaller than the data sheet's has more spare area and moves fewer pages: docs/models/cxl-root.md."""
    size = media.in_bytes(capacity, "capacity")
    part, actual = drives.drive_of(name, size, "used")
    page = media.in_bytes(PRESETS[media.FLASH[name]]["drive"]["page"], "page")
    amplified = amplification(name, part, size // page)
    with capsys.disabled():
        print(f"\n{name:7} of {capacity}: spare {float(actual):.0%}, write amplification {amplified:.2f}", end="")
    assert spare == int(100 * actual)
    assert expected[0] <= amplified <= expected[1]
