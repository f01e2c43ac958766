"""ZnG's platforms: differences and workloads."""
import memsim
import pytest
from memsim.systems import zng
from memsim.systems.interleave import in_bytes
from memsim.systems.scale import GIB, MIB, footprint


def machine(platform, text="betw-back", most=30_000, **options):
    return zng.machine(platform, zng.workloads.programs(text, "tiny"), max_instructions=most, **options)


def run(root):
    simulation = memsim.Simulation(root)
    assert simulation.simulate().cause == "nothing left to do"
    if root.contents:
        assert simulation.check_contents()["bytes"] > 0
    return float(root.gpu.dispatcher.stats.ipc)


def test_workloads_of_table_ii_pairs_and_multiples():
    assert len(zng.workloads.TABLE_II) == 16
    assert zng.workloads.names("betw") == ["betw"]
    assert zng.workloads.names("betw-back") == ["betw", "back"]
    assert zng.workloads.names("betw*8") == ["betw"] * 8
    for pair in zng.workloads.PAIRS:
        first, second = (zng.workloads.TABLE_II[n] for n in zng.workloads.names(pair))
        assert first["read_ratio"] > second["read_ratio"], pair
    assert {n for p in zng.workloads.PAIRS for n in p.split("-")} == set(zng.workloads.TABLE_II)


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("betw-bakc", "there is no workload 'bakc' in 'betw-bakc' .did you mean 'back'"),
        ("btw*8", "there is no workload 'btw' in 'btw\\*8'"),
        ("betw*0", "'betw\\*0' runs 0 applications at once: give it 1 to 64"),
        ("betw*65", "'betw\\*65' runs 65 applications at once"),
        ("betw*99999999999", "runs 99999999999 applications"),
        ("", "there is no workload ''"),
        ("betw-", "there is no workload '' in 'betw-'"),
        ("betw*-1", "there is no workload 'betw\\*' in"),
    ],
)
def test_a_wrong_workload_gives_an_error_message(text, sentence):
    with pytest.raises(memsim.Error, match=sentence):
        zng.workloads.programs(text, "tiny")


def test_an_unknown_platform_or_scale_gives_an_error_message():
    with pytest.raises(memsim.Error, match="there is no platform 'optan' .did you mean 'optane'"):
        machine("optan")
    with pytest.raises(memsim.Error, match="there is no scale 'huge'"):
        zng.workloads.programs("betw", "huge")


def test_a_slice_keeps_the_resources_of_an_sm():
    for size_of_program, k in ((2 * MIB, 8), (24 * MIB, 8), (48 * MIB, 4), (96 * MIB, 2), (192 * MIB, 1), (8 * GIB, 1)):
        size = zng.scale.scale(size_of_program)
        assert size.k == k and size.sms == 16 // k == size.channels
        assert size.controllers * size.of_controller * k == 6
        # Pages per second that the cores serve, for each SM.
        rate = zng.scale.cores(size) / zng.scale.firmware(size) / size.sms
        assert rate == pytest.approx(5 / 4.1e-6 / 16)
    whole = zng.scale.scale(zng.scale.FOOTPRINT)
    assert (whole.l2_slice, whole.buffer) == (1 * MIB, 32 * MIB)
    assert not [i for i in whole.invariants if i.broken]
    assert zng.scale.scale(8 * GIB).l2_slice == 1 * MIB  # never more than the paper's


def test_platforms_in_the_paper_s_order(in_tmp):
    ipc = {p: run(machine(p)) for p in ("hetero", "hybridgpu", "optane", "ideal")}
    assert ipc["hetero"] < ipc["hybridgpu"] < ipc["optane"] < ipc["ideal"]


def test_hybridgpu_brings_pages_through_its_firmware(in_tmp):
    root = machine("hybridgpu", most=0)
    run(root)
    buffer, drive = root.memory.buffer.stats, root.ssd.drive.stats
    assert buffer.pages_in == drive.reads > 10
    assert drive.host_page_reads == sum(c.stats.reads for c in root.ssd.channel) > 10
    # The latency of each read page includes a core's time.
    assert buffer.drive_time.mean / 1e3 > zng.scale.firmware(zng.scale.scale(MIB)) * 1e6


def test_optane_waits_763_ns_for_every_row_or_after_a_write(in_tmp):
    from memsim import mem
    from memsim.systems import zng

    def seconds(reading, share):
        root = memsim.Root()
        root.gpu = memsim.System()
        root.gpu.l2 = [
            mem.TrafficGen(pattern="random", requests=2000, size=64, outstanding=32, read_share=share, range="4MiB")
        ]
        root.memory = memsim.System()

        class size:
            controllers, of_controller = 1, 1

        zng.memory.optane(root, size, 4 * MIB, reading)
        memsim.instantiate(root)
        memsim.simulate()
        return memsim.curTick() * 1e-15

    reads, writes = 2000 / seconds("measured", "100%"), 2000 / seconds("measured", "0%")
    assert reads > 8 / 250e-9 * 0.7  # 8 partitions, 190 ns and the data
    assert writes == pytest.approx(8 / 970e-9, rel=0.2)
    # 32 requests use 14 of 16 banks, and each opens a row. A row that was written, or with `printed` any row, takes 763 ns
    # to close.
    assert 2000 / seconds("table", "100%") == pytest.approx(
        14 / 200e-9, rel=0.2
    )  # the wires are used at 59 % of their rate
    assert 2000 / seconds("table", "0%") == pytest.approx(14 / 983e-9, rel=0.15)
    assert 2000 / seconds("printed", "100%") == pytest.approx(14 / 953e-9, rel=0.15)

    class whole:
        controllers, of_controller = 6, 1

    figures = {reading: zng.memory.optane_table(whole, reading).figures for reading in zng.memory.OPTANE}
    assert {r: (int(f["banks_per_group"]), f["row"]) for r, f in figures.items()} == {
        "table": (16, "2KiB"),
        "printed": (16, "2KiB"),
        "dimm": (16, "8KiB"),
        "measured": (8, "256B"),
    }
    # No row is divided between two controllers.
    assert [zng.memory.chunk("optane", r) for r in zng.memory.OPTANE] == ["2048B", "2048B", "4096B", "256B"]
    assert zng.memory.chunk("ideal") == "2048B" == f"{machine('ideal').gpu.interleave.chunk}"
    assert zng.memory.chunk("zng") == "4096B" == f"{machine('zng').gpu.interleave.chunk}"


def test_hetero_holds_a_share_and_faults_for_the_rest(in_tmp):
    data = sum(map(footprint, zng.workloads.programs("back", "tiny")))
    root = machine("hetero", "back", most=0, size=zng.scale.scale(data, 8 * GIB))
    run(root)
    assert root.host.stats.faults > 0 and root.gpu.mmu.stats.evictions > 0
    assert root.host.stats.drive_reads == root.host.stats.faults


def test_copies_have_address_spaces_of_their_own(in_tmp):
    root = machine("ideal", "betw*3", most=90_000)
    run(root)
    assert len(root.program) == 3
    instructions = [int(root.gpu.dispatcher.stats.application_instructions[i]) for i in range(3)]
    assert min(instructions) > 0


def test_a_prefetcher_beside_the_l2(in_tmp):
    without = machine("ideal", "back", most=0)
    run(without)
    with_it = machine("ideal", "back", most=0, prefetch="4KBpref")
    run(with_it)
    assert with_it.gpu.prefetcher.stats.hints > 0
    used = sum(c.stats.prefetches_used for c in with_it.gpu.l2)
    assert used > 0
    assert with_it.gpu.l2[0].stats.accesses <= without.gpu.l2[0].stats.accesses * 1.1


OWN = ["zng-base", "zng-rdopt", "zng-wropt", "zng"]


@pytest.mark.parametrize("platform", OWN)
@pytest.mark.parametrize("text", ["betw-back", "gaus*2"])
def test_zngs_flash_returns_the_written_data(in_tmp, platform, text):
    root = machine(platform, text, most=200_000, contents=True)
    run(root)
    controllers, packages = root.flash.controller, root.flash.package
    assert sum(c.stats.reads for c in controllers) > 100
    assert sum(p.stats.senses for p in packages) > 5
    assert not sum(c.stats.atomics for c in controllers)  # these programs have no such requests so early
    assert sum(c.stats.reads + c.stats.writes - c.stats.combined for c in controllers) == sum(
        p.stats.reads + p.stats.writes for p in packages
    )


def test_atomics_are_performed_by_the_l2_or_behind_a_read_only_one(in_tmp):
    for platform in "zng-base", "zng":
        root = zng.machine(platform, zng.workloads.programs("betw", "tiny"), contents=True)
        for sm in root.gpu.sm:
            sm.atomics = "performed"
        run(root)
        assert sum(c.stats.atomics for c in root.gpu.l1) > 100
        assert (sum(c.stats.atomics for c in root.flash.controller) > 100) == (platform == "zng")


def test_zngs_platforms_differ_as_in_the_paper():
    def parts(platform):
        root = machine(platform)
        return (
            str(root.gpu.l2[0].capacity),
            str(root.gpu.l2[0].write_policy),
            root.flash.package[0].registers - root.flash.package[0].data_registers,
            str(root.flash.package[0].network),
            str(root.flash.package[0].reuse),
            root.flash.controller[0].pins,
            hasattr(root.gpu, "prefetcher"),
        )

    assert parts("zng-base") == ("64KiB", "write_back", 2, "none", "none", 0, False)
    assert parts("zng-rdopt") == ("256KiB", "write_through", 2, "none", "waiting", 0, True)
    assert parts("zng-wropt") == ("64KiB", "write_back", 7, "nif", "none", 0, False)
    assert parts("zng") == ("256KiB", "write_through", 7, "nif", "waiting", 1, True)


def test_parameters_without_a_stated_difference_are_equal_on_all_platforms():
    roots = [machine(platform) for platform in zng.platforms()]

    def equal(part, *names):
        found = {tuple(str(getattr(part(root), name)) for name in names) for root in roots}
        assert len(found) == 1, found
        return found.pop()

    assert equal(lambda r: r.gpu.l2[0], "mshrs", "demand_mshrs", "mem_queue", "ways", "latency", "sector") == (
        "128",
        "64",
        "64",
        "8",
        "833334fs",
        "128B",
    )
    assert equal(lambda r: r.gpu.tlb[0], "misses", "targets", "acknowledged_stores") == ("64", "512", "True")
    equal(lambda r: r.gpu.l1[0], "capacity", "ways", "latency", "mshrs", "sector")
    assert equal(lambda r: r.gpu.sm[0], "warp_slots", "schedulers", "atomics") == ("80", "1", "loads")
    roots = [root for root in roots if hasattr(root.memory, "network")]
    assert len(roots) == len(OWN) + 1
    equal(lambda r: r.memory.network, "width", "latency", "queue")
    roots = [machine(platform) for platform in OWN]
    equal(lambda r: r.flash.package[0], "transfer", "spare", "patience", "log_reserve", "search")
    equal(lambda r: r.flash.controller[0], "combine", "window", "decode", "latency")


def test_hybridgpu_has_the_predictor_and_not_the_monitor():
    made = {p: getattr(machine(p).gpu, "prefetcher", None) for p in zng.platforms()}
    assert {p: str(m.variant) for p, m in made.items() if m} == {
        "hybridgpu": "predict-4KBpref",
        "zng-rdopt": "dyn-pref",
        "zng": "dyn-pref",
    }
    assert made["hybridgpu"].entries == 512  # "the same to [11]"
    assert (str(made["zng"].high), str(made["zng"].low)) == ("30%", "5%")  # Figs 14 and 16 run the defaults
    assert (
        not hasattr(machine("hybridgpu", prefetch="nopref").gpu, "prefetcher")
        or str(machine("hybridgpu", prefetch="nopref").gpu.prefetcher.variant) == "nopref"
    )


@pytest.mark.parametrize("platform, evictions", [("zng", 1024), ("zng-wropt", 256)])  # L2s of 256 and 64 KiB
def test_the_access_monitor_looks_at_evictions_of_half_the_l2(platform, evictions):
    gpu = machine(platform, prefetch="dyn-pref").gpu
    assert gpu.prefetcher.window == evictions
    assert 2 * evictions == sum(in_bytes(one.capacity, "L2") // 128 for one in gpu.l2)


def test_a_mapped_block_extends_over_64_planes_of_all_packages():
    # The table has the paper's size: 10,923 entries of 60 bits for 1 TiB.
    root = machine("zng")
    size = zng.scale.scale(sum(footprint(p) for p in root.program))
    assert in_bytes(root.gpu.mmu.page, "page") == 64 * size.data_pages * 4096
    for part in (*root.flash.controller, root.gpu.collector):
        assert (part.span, part.across) == (64, True)
    assert zng.scale.scale(192 * MIB).data_pages == 384
    geometry = dict(zng.backbone.GEOMETRY, span=zng.flash.SPAN)
    assert zng.ftl.block_bytes(geometry) == 96 * MIB
    assert zng.ftl.table_bytes(2**40, geometry) == pytest.approx(80 * 1024, rel=1e-4)


@pytest.mark.parametrize("span, across", [(1, False), (64, False), ("all", True)])
def test_other_spans_of_a_mapped_block_return_the_written_data(in_tmp, span, across):
    root = machine("zng", "back", most=100_000, contents=True, on_flash=dict(span=span, across=across))
    size = zng.scale.scale(sum(footprint(p) for p in root.program))
    planes = 64 * size.channels if span == "all" else span
    assert in_bytes(root.gpu.mmu.page, "page") == planes * size.data_pages * 4096
    run(root)


def test_a_mapped_block_extends_over_all_planes_of_the_papers_machine(in_tmp):
    root = machine("zng", "back", most=20_000, size=zng.scale.scale(192 * MIB), on_flash=dict(span="all"))
    assert in_bytes(root.gpu.mmu.page, "page") == 1024 * 384 * 4096
    run(root)


def test_consecutive_pages_are_written_to_different_planes(in_tmp):
    """`span` determines the number of planes of an address range: with blocks of one plane, it is 1."""
    busy = {}
    for span in (1, 64):
        size = zng.scale.scale(MIB)
        size.data_pages = zng.scale.PAGES  # so the program is in one block of a plane
        root = machine("zng", "back", most=100_000, size=size, on_flash=dict(span=span, across=span > 1))
        run(root)
        busy[span] = sum(1 for p in root.flash.package for n in range(64) if int(p.stats.plane_writes[n]))
    assert busy[64] > busy[1] == 1


def test_a_span_that_does_not_divide_the_planes_gives_an_error_message():
    with pytest.raises(memsim.Error, match="a mapped block of 3 planes does not divide the 128 planes"):
        machine("zng", on_flash=dict(span=3))


def test_data_are_in_as_many_blocks_as_the_papers(in_tmp):
    for whole, of_plane in ((192 * MIB, 1 / 8), (8 * GIB, 16 / 3)):
        for part in (64, 8, 1):
            size = zng.scale.scale(whole // part, whole)
            blocks = whole / part / (size.data_pages * 4096) / (size.channels * 64)
            assert blocks == pytest.approx(of_plane, rel=0.2), (whole, part)


def test_written_lines_are_redirected_while_registers_thrash(in_tmp):
    root = machine("zng", "back", most=0, on_flash=dict(registers=2, network="none"), contents=True)
    for controller in root.flash.controller:  # two registers a plane suffice for this small program
        controller.thrash_window, controller.thrash_high = 64, "1%"
        controller.thrash_low = "0%"
    run(root)
    assert sum(c.stats.thrashes for c in root.flash.controller) > 0
    assert sum(c.stats.kept_writes for c in root.gpu.l2) > 0


def test_only_zngs_platforms_have_flash_registers():
    with pytest.raises(
        memsim.Error,
        match="registers: platform 'optane' has no flash registers; those that "
        "have are zng-base, zng-rdopt, zng-wropt, zng",
    ):
        machine("optane", on_flash=dict(registers=8))
