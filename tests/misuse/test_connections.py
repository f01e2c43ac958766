"""Facts that two connected components share: adopted from the connection, or compared before time 0."""
from pathlib import Path

import pytest

import memsim
from memsim import cmd, flash, gpu, link, mem, systems, workload, zng

CONFIGS = Path(__file__).parents[2] / "configs"


@pytest.fixture(autouse=True)
def in_tmp(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def message(root):
    """The sentence with which a machine is refused, without the place in the script."""
    with pytest.raises(memsim.Error) as e:
        memsim.instantiate(root)
    text = str(e.value)
    assert "\n" not in text and "Traceback" not in text
    return text.split(": ", 1)[1]


def behind_crossbar(below, outputs=4, granularity="256B", size=128, requests=16384):
    """A generator, a crossbar and the component below(i) at each output. 1 MiB is read twice, one request at a time."""
    root = memsim.Root()
    root.gen = mem.TrafficGen(pattern="sequential", size=size, range="1MiB", requests=requests, outstanding=1)
    root.x = mem.Crossbar(inputs=1, outputs=outputs, granularity=granularity)
    root.gen.mem_side = root.x.cpu_side[0]
    root.below = [below(i) for i in range(outputs)]
    for i, part in enumerate(root.below):
        root.x.mem_side[i] = part.cpu_side
    return root


def slices(outputs=4, granularity="256B", below=lambda i: mem.SimpleMemory(), **changes):
    root = behind_crossbar(lambda i: mem.Cache(**{"capacity": "256KiB", "ways": 8, **changes}), outputs, granularity)
    root.memory = [below(i) for i in range(outputs)]
    for cache, memory in zip(root.below, root.memory):
        cache.mem_side = memory.cpu_side
    return root


def hits(root):
    memsim.instantiate(root)
    memsim.simulate()
    return sum(int(c.stats.hits) for c in root.below)


# ---- shares of the addresses -----------------------------------------------------------------


def test_slices_take_their_share_from_the_crossbar():
    assert hits(slices()) == 8192
    assert hits(slices(interleave_ways=4, interleave_granularity="256B")) == 8192
    assert hits(slices(outputs=3, capacity="384KiB", granularity="512B")) == 8192


@pytest.mark.parametrize(
    "stated, text",
    [
        (
            dict(interleave_ways=5),
            "below[0].interleave_ways: it states part 0 of 5 in chunks of 256B, but x sends it part 0 of 6 in chunks of 256B: "
            "give both the same",
        ),
        (dict(interleave_ways=1), "below[0].interleave_ways: it states all addresses, but x sends it part 0 of 6 "),
        (
            dict(interleave_granularity="512B"),
            "below[0].interleave_granularity: it states part 0 of 6 in chunks of 512B, but x ",
        ),
        (
            dict(interleave_ways=6, interleave_index=2),
            "below[0].interleave_index: it states part 2 of 6 in chunks of 256B, but x ",
        ),
        (dict(line="512B", capacity="512KiB"), "below[0].line: 512B do not divide the chunks of 256B of its addresses"),
    ],
)
def test_a_cache_that_states_another_share(stated, text):
    assert text in message(slices(outputs=6, **stated))


def test_default_controllers_use_all_their_rows():
    """Behind a crossbar that interleaves addresses, the address map covers only the controller's own addresses."""

    def counts(**stated):
        root = behind_crossbar(
            lambda i: mem.DramController(
                map="RoRaBaCoChCl", **{k: v(i) if callable(v) else v for k, v in stated.items()}
            )
        )
        memsim.instantiate(root)
        memsim.simulate()
        return [(int(m.stats.activates), int(m.stats.row_hits), int(m.stats.reads)) for m in root.below]

    alone = counts()
    assert alone == counts(channels=4, channel=lambda i: i, interleave="256B")
    assert all(reads == 4096 and hits > 3900 for _, hits, reads in alone)


@pytest.mark.parametrize(
    "stated, text",
    [
        (
            dict(channels=2, channel=0, interleave="256B"),
            "below[0].channels: it states part 0 of 2 in chunks of 256B, but x sends it part 0 of 4 ",
        ),
        (
            dict(channels=1),
            "below[0].channels: it states all addresses, but x sends it part 0 of 4 in chunks of 256B: give both the same",
        ),
        (
            dict(channels=4, interleave="128B"),
            "below[0].interleave: it states part 0 of 4 in chunks of 128B, but x sends it part 0 of 4 in chunks of 256B",
        ),
        (dict(channels=4, channel=3, interleave="256B"), "below[0].channel: it states part 3 of 4 "),
        (
            dict(channels=4, channel=0, interleave="256B", hash_rounds=4),
            "below[0].hash_rounds: x sends it part 0 of 4 in chunks of 256B in turn: give both the same",
        ),
        (dict(channels=4, map="ChRoRaBaCo"), "below[0].interleave: it states part 0 of 4 in chunks of 16GiB, but x "),
    ],
)
def test_a_controller_that_states_another_share(stated, text):
    assert text in message(behind_crossbar(lambda i: mem.DramController(**{"map": "RoRaBaCoChCl", **stated})))


def test_a_burst_is_not_split():
    assert (
        "below[0].timing: a burst of 64B would be split: x sends this channel part 0 of 4 in chunks of 32B"
        in message(behind_crossbar(lambda i: mem.DramController(), granularity="32B", size=32))
    )


def test_a_share_passes_caches_and_joins():
    """Slices i and i + 2 of four share controller i, which has every second chunk."""
    root = behind_crossbar(lambda i: mem.Cache(capacity="256KiB", ways=8))
    root.join = [mem.Crossbar(inputs=2) for _ in range(2)]
    root.dram = [mem.DramController(channels=2, channel=1 - i, map="RoRaBaCoChCl", interleave="256B") for i in range(2)]
    for i, cache in enumerate(root.below):
        cache.mem_side = root.join[i % 2].cpu_side[i // 2]
    for join, dram in zip(root.join, root.dram):
        join.mem_side[0] = dram.cpu_side
    assert "dram[0].channel: it states part 1 of 2 in chunks of 256B, but join[0] sends it part 0 of 2 " in message(
        root
    )


def test_ohm_controllers_state_the_crossbars_share():
    def machine(build, mode):
        program = workload.Program(name="bfs1", size=8)
        return build("hetero", program, systems.ohm.machine_scale(mode, "hetero", program, controllers=2))

    root = machine(systems.ohm.planar, "planar")
    root.memory.controller[1].index = 0
    assert (
        "memory.controller[1].index: it states part 0 of 2 in chunks of 2KiB, but gpu.network sends it part 1 of 2"
        in message(root)
    )
    root = machine(systems.ohm.planar, "planar")
    root.memory.controller[0].controllers = 1
    assert "memory.controller[0].controllers: it states all addresses, but gpu.network sends it part 0 of 2" in message(
        root
    )
    root = machine(systems.ohm.two_level, "two-level")
    root.memory.controller[0].interleave = "4KiB"
    assert (
        "memory.controller[0].interleave: it states part 0 of 2 in chunks of 4KiB, but gpu.network sends it part 0 of 2 in chunks of 2KiB"
        in message(root)
    )


def test_a_deduplicator_states_the_crossbars_share():
    root = memsim.Root(contents=True)
    root.program = workload.Program(name="bfs_rodinia", size=9)
    root.gpu = systems.gpu(
        sms=1,
        l2=dict(capacity="16KiB", control_ports=1),
        channels=2,
        memory=lambda i, over: cmd.Deduplicator(capacity="1MiB", slices=1),
    )
    root.dram = [mem.DramController() for _ in range(2)]
    root.program.dispatcher = root.gpu.dispatcher.host
    for front, l2, dram in zip(root.gpu.memory, root.gpu.l2, root.dram):
        front.caches[0], front.mem_side = l2.control[0], dram.cpu_side
    assert (
        "gpu.memory[0].channels: it states all addresses, but gpu.network sends it part 0 of 2 in chunks of 256B"
        in message(root)
    )


def test_saps_manager_looks_into_the_right_slice():
    root = systems.sap.machine("sap", workload.Program(name="bfs1", size=8))
    root.manager.interleave = "512B"
    with pytest.raises(
        memsim.Error,
        match=r"manager.interleave: address 512 is looked up by l2\[1\] in gpu.l2\[1\], which does not serve it: give both the same",
    ):
        memsim.instantiate(root)
        memsim.simulate()


def test_pages_are_not_split_over_page_caches():
    root = behind_crossbar(lambda i: mem.PageCache(unit="4KiB", capacity="64KiB"))
    root.dram = [mem.SimpleMemory() for _ in range(4)]
    root.drive = [flash.FixedDrive() for _ in range(4)]
    for cache, dram, drive in zip(root.below, root.dram, root.drive):
        cache.dram_side, cache.drive_side = dram.cpu_side, drive.requests
    assert (
        "below[0].unit: it holds 4KiB as a whole, but x sends it part 0 of 4 in chunks of 256B: make the chunks a multiple"
        in message(root)
    )


@pytest.mark.parametrize(
    "platform, setting, text",
    [
        (
            "zng",
            "memory.network",
            "flash.controller[0].mem[0]: it holds 4KiB as a whole, but memory.network sends it part 0 of 6",
        ),
    ],
)
def test_flash_pages_lie_in_one_controller(platform, setting, text):
    root = systems.zng.machine(platform, [workload.Program(name="back", size=8)])
    for x in (root.gpu.network, root.memory.network):
        x.granularity = "1KiB"
    assert text.replace("6", str(len(root.flash.controller))) in message(root)


# ---- lines -----------------------------------------------------------------------------------


def lines(sm="128B", l1="128B", l2="128B", granularity="256B", outputs=2):
    root = memsim.Root()
    root.program = workload.Program(name="vadd", size=256)
    root.dispatcher = gpu.Dispatcher(sms=1)
    root.sm = gpu.Sm(line=sm, sector="32B")
    root.l1 = mem.Cache(line=l1, capacity="48KiB", ways=6)
    root.x = mem.Crossbar(outputs=outputs, granularity=granularity)
    root.l2 = [mem.Cache(line=l2, capacity="64KiB", ways=8) for _ in range(outputs)]
    root.memory = [mem.SimpleMemory() for _ in range(outputs)]
    root.program.dispatcher = root.dispatcher.host
    root.dispatcher.sm_side[0] = root.sm.blocks
    root.sm.mem_side, root.l1.mem_side = root.l1.cpu_side, root.x.cpu_side[0]
    for i in range(outputs):
        root.x.mem_side[i], root.l2[i].mem_side = root.l2[i].cpu_side, root.memory[i].cpu_side
    return root


@pytest.mark.parametrize(
    "machine, text",
    [
        (
            dict(l1="64B"),
            "l1.line: a request must lie within 64B, but those of sm may span 128B: give both the same line",
        ),
        (
            dict(l2="64B"),
            "l2[0].line: a request must lie within 64B, but those of l1 may span 128B: give both the same line",
        ),
        (dict(l1="512B", l2="512B"), "x.granularity: 256B is not a multiple of the 512B that a request of l1 may span"),
    ],
)
def test_a_line_over_two_blocks(machine, text):
    assert text in message(lines(**machine))


def test_smaller_lines_above_are_no_fault():
    memsim.instantiate(lines(sm="32B", l1="64B"))
    assert memsim.simulate().cause == "nothing left to do"


def test_lines_over_a_block_of_the_deduplicator():
    root = systems.cmd.machine("baseline", systems.cmd.workloads.program("bfs", "tiny")[0])
    for part in (root.gpu.l2, root.gpu.l1):
        for cache in part:
            cache.line, cache.capacity = "256B", "24KiB"
    assert "front.cpu_side: a request must lie within 128B, but those of gpu.l2[0] may span 256B" in message(root)


def test_lines_over_a_block_of_ohm_and_zng():
    for root, text in [
        (systems.ohm.planar("ohm-base", workload.Program(name="bfs1", size=8)), "memory.controller[0].cpu_side"),
        (systems.ohm.two_level("ohm-base", workload.Program(name="bfs1", size=8)), "memory.controller[0].cpu_side"),
        (systems.zng.machine("zng-base", [workload.Program(name="back", size=8)]), "flash.controller[0].mem[0]"),
    ]:
        for cache in root.gpu.l2:
            cache.line, cache.capacity = "256B", "32KiB"
        assert f"{text}: a request must lie within 128B, but those of gpu.l2[0] may span 256B" in message(root)


# ---- pages, slots, flash ---------------------------------------------------------------------


def paged(**mmu):
    root = memsim.Root()
    root.program = workload.Program(name="vadd", size=256)
    root.gpu = systems.gpu(sms=2, channels=1, l2="64KiB", mmu=dict(footprint=1 << 20, **mmu))
    root.program.dispatcher = root.gpu.dispatcher.host
    return root


def test_tlbs_of_one_mmu_name_pages_alike():
    root = paged()
    root.gpu.tlb[1].stripe = 2
    assert (
        "gpu.tlb[1].stripe: 2 pages in units of 4KiB, but gpu.tlb[0] has 1 pages in units of 4KiB: give all TLBs of an MMU "
        "the same stripe and stripe_unit"
    ) in message(root)
    root = paged()
    root.gpu.tlb[1].page = "64KiB"
    assert "gpu.tlb[1].page: must equal that of gpu.mmu, 4KiB" in message(root)


@pytest.mark.parametrize("slots", ["warp_slots", "block_slots"])
def test_a_dispatcher_fills_no_more_than_the_slots_of_an_sm(slots):
    root = lines()
    setattr(root.dispatcher, slots, 64)
    setattr(root.sm, slots, 4)
    assert f"dispatcher.{slots}: 64, but sm has only 4: give both the same" in message(root)
    root = lines()
    setattr(root.dispatcher, slots, 8)
    memsim.instantiate(root)


@pytest.mark.parametrize(
    "part, name, value, text",
    [
        ("channel", "packages", None, ""),
        ("channel", "dies", 1, "drive.dies: 8, but drive.channel[0] has 1"),
        ("package", "planes", 4, "planes: 8, but drive.package"),
        ("package", "blocks", 512, "drive.drive.blocks: 1024, but drive.channel[0] has 512: give both the same"),
        ("package", "pages", 768, "drive.drive.pages: 384, but drive.channel[0] has 768: give both the same"),
        ("package", "registers", 1, "registers: 2, but drive.package[0] has 1: give both the same"),
        (
            "package",
            "independent_planes",
            True,
            "channel[0].independent_planes: it differs from that of drive.package[0]: give both the same",
        ),
    ],
)
def test_one_geometry_of_flash(part, name, value, text):
    root = memsim.Root()
    root.load = flash.BlockTraffic(requests=10, range=1000)
    root.drive = systems.drive.solid_state_drive("z_ssd")
    root.load.drive = root.drive.drive.host[0]
    if value is None:
        memsim.instantiate(root)
        return
    for one in getattr(root.drive, part):
        setattr(one, name, value)
    assert text in message(root)


def test_blocks_of_a_drive_are_sectors():
    root = memsim.Root()
    root.load = flash.BlockTraffic(requests=10, range=1000)
    root.drive = flash.FixedDrive(block="256B")
    root.load.drive = root.drive.requests
    assert (
        "load.drive: it counts in sectors of 512B, but drive in blocks of 256B: give the drive blocks of 512B"
        in message(root)
    )


def test_a_ring_of_crossbars_is_no_endless_question():
    root = memsim.Root()
    root.gen = mem.TrafficGen(requests=1)
    root.x = [mem.Crossbar(inputs=2) for _ in range(2)]
    root.gen.mem_side = root.x[0].cpu_side[0]
    root.other = mem.TrafficGen(requests=1)
    root.other.mem_side = root.x[1].cpu_side[0]
    root.x[0].mem_side[0], root.x[1].mem_side[0] = root.x[1].cpu_side[1], root.x[0].cpu_side[1]
    memsim.instantiate(root)


# ---- through components in between -----------------------------------------------------------


@pytest.mark.parametrize(
    "between",
    [lambda i: mem.Monitor(), lambda i: mem.VictimBuffer(), lambda i: workload.TraceRecorder(file=f"trace{i}")],
    ids=["monitor", "victim_buffer", "recorder"],
)
def test_a_share_passes(between):
    root = behind_crossbar(between)
    root.cache = [mem.Cache(capacity="256KiB", ways=8, interleave_ways=3) for _ in range(4)]
    root.memory = [mem.SimpleMemory() for _ in range(4)]
    for part, cache, memory in zip(root.below, root.cache, root.memory):
        part.mem_side, cache.mem_side = cache.cpu_side, memory.cpu_side
    assert "cache[0].interleave_ways: it states part 0 of 3 in chunks of 256B, but x sends it part 0 of 4 " in message(
        root
    )


def test_a_line_passes_tlb_and_router():
    root = paged()
    for l1 in root.gpu.l1:
        l1.line = "64B"
    assert "gpu.l1[0].line: a request must lie within 64B, but those of gpu.sm[0] may span 128B" in message(root)
    root = lines(outputs=1, l2="64B")
    memsim.ports.unbind(root.l2[0].cpu_side)
    root.router = link.AddressRouter(ranges="0B 1GiB 0")
    root.x.mem_side[0], root.router.mem_side[0] = root.router.cpu_side, root.l2[0].cpu_side
    assert "l2[0].line: a request must lie within 64B, but those of l1 may span 128B" in message(root)


@pytest.mark.parametrize(
    "granularity, block, text",
    [
        ("1KiB", "512B", "below[0].page: it holds 4KiB as a whole, but x sends it part 0 of 4 in chunks of 1KiB"),
        ("4KiB", "256B", "below[0].drive_side: it counts in sectors of 512B, but drive[0] in blocks of 256B"),
    ],
)
def test_zngs_page_buffer(granularity, block, text):
    root = behind_crossbar(lambda i: zng.PageBuffer(), granularity=granularity)
    root.dram = [mem.SimpleMemory() for _ in range(4)]
    root.drive = [flash.FixedDrive(block=block) for _ in range(4)]
    for buffer, dram, drive in zip(root.below, root.dram, root.drive):
        buffer.dram_side, buffer.drive_side = dram.cpu_side, drive.requests
    assert text in message(root)


def test_a_paging_host_has_space_on_its_drive_for_each_application(refused):
    assert "host.drive_space: 4KiB is less than the address space of " in refused(
        "-q", "--set", "host.drive_space=4KiB", CONFIGS / "paged_gpu.py", "--placement", "faults", "--source", "drive"
    )


@pytest.mark.parametrize("base, refuses", [("4KiB", False), ("3968B", True), ("0B", True), ("68KiB", False)])
def test_a_buffer_of_lines_read_ahead_is_not_among_the_arrays(base, refuses):
    root = memsim.Root()
    root.gen = mem.TrafficGen(range="4KiB", size=128, requests=10)
    root.ahead = mem.ReadAhead(arrays="0B 4KiB; 64KiB 4KiB", base=base, capacity="4KiB")
    root.memory = mem.SimpleMemory()
    root.gen.mem_side = root.ahead.cpu_side
    root.ahead.mem_side = root.memory.cpu_side
    if refuses:
        assert "ahead.base: the buffer from " in message(root)
    else:
        memsim.instantiate(root)


def test_a_paging_host_counts_in_sectors(refused):
    assert "host.drive_side: it counts in sectors of 512B, but " in refused(
        "-q", "--set", "drive.block=256B", CONFIGS / "paged_gpu.py", "--placement", "faults", "--source", "drive"
    )
