"""Each of these parameters has the effect that its description states. Other tests do not name them."""

import pytest

import memsim
from memsim import llm
from memsim.systems import sap, scale

from . import small


def test_a_read_occupies_its_bank(in_tmp):
    """16 hits after four merged misses: each waits for the one before."""
    seconds = [small.run(small.cached(dict(read_cycles=n)))[1] for n in (1, 51)]
    assert seconds[1] - seconds[0] == pytest.approx(15 * 50 / 1.2e9, rel=0.01)


def test_wires_limit_a_channel_of_memory(in_tmp):
    of_table, same, half = (
        small.run(small.dram(**of))[1] for of in ({}, dict(channel_rate="16GB/s"), dict(channel_rate="8GB/s"))
    )
    assert of_table == same and 200 * 64 / 8e9 < half < 1.05 * 200 * 64 / 8e9


def test_every_packet_has_an_overhead(in_tmp):
    for bytes_ in (8, 24, 64):
        of = small.run(small.pcie(overhead=f"{bytes_}B"))[0].link.stats
        assert of.down_bytes == of.down_data + bytes_ * of.down_packets
        assert of.up_bytes == of.up_data + bytes_ * of.up_packets


@pytest.mark.parametrize(
    "changes, part, statistic, more",
    [
        (dict(load=dict(submission="1050ns")), "host", "write_latency", 1000),
        (dict(channel=dict(t_wb="600ns")), "channel", "program_latency", 500),
    ],
)
def test_a_time_of_a_drive_is_part_of_a_latency(in_tmp, changes, part, statistic, more):
    """Of one written page, in ns."""
    one = dict(requests=1, read_share="0%")
    means = [
        getattr(getattr(small.run(small.drive(**of))[0], part).stats, statistic).mean
        for of in (dict(load=one), changes | {"load": one | changes.get("load", {})})
    ]
    assert means[1] - means[0] == pytest.approx(more)


def test_reads_pass_programs_on_a_channel(in_tmp):
    first, by_age = (
        small.run(small.drive(channel=dict(reads_first=of)))[0].channel.stats.read_latency.mean for of in (True, False)
    )
    assert by_age > 3 * first


@pytest.mark.parametrize(
    "policy, of, hits",
    [
        ("map_replacement", dict(map_cache="180B"), "map_hits"),
        ("cache_replacement", dict(cache_reads=True), "cache_sectors"),
    ],
)
def test_a_page_policy_selects_what_a_drive_evicts(in_tmp, policy, of, hits):
    lru, fifo = (getattr(small.run(small.drive(**of, **{policy: p}))[0].drive.stats, hits) for p in ("lru", "fifo"))
    assert 0 < lru != fifo > 0


def test_large_entries_need_more_translation_pages(in_tmp):
    """110 entries in one page of 4 KiB, or in two."""
    few, many = (
        small.run(small.drive(dict(range=880), map_cache="180B", map_entry_flash=of))[0].drive.stats.map_reads
        for of in (6, 64)
    )
    assert 0 < few < many


def test_the_least_worn_block_is_allocated(in_tmp):
    writes = dict(requests=900, read_share="0%", range=200)
    levelled, not_levelled = (
        small.run(small.drive(writes, dynamic_wear_levelling=of))[0].package.stats.most_erases.mean
        for of in (True, False)
    )
    assert levelled < not_levelled


def kernel_time(**changes):
    return small.run(small.gpu(**changes))[0].gpu.dispatcher.stats.kernel_time


def test_wires_around_an_sm_delay_blocks(in_tmp):
    before = kernel_time()
    assert kernel_time(dispatcher=dict(dispatch_latency="101ns")) == pytest.approx(before + 100, abs=0.001)
    assert kernel_time(sm=dict(report_latency="100ns")) == pytest.approx(before + 100, abs=0.001)
    direct, far = (
        small.run(small.gpu(sm=dict(l1_latency=of)))[0].gpu.sm[0].stats.load_latency.min for of in ("1fs", "101ns")
    )
    assert direct + 100 <= far <= direct + 102


def test_shared_memory_is_allocated_in_units(in_tmp):
    """A block has 1 KiB, so 48 blocks fit in an SM; with units of 16 KiB three."""
    most = [
        small.run(small.gpu("reduction", 8192, dispatcher=dict(shared_unit=of)))[0].gpu.sm[0].stats.resident.peak
        for of in ("128B", "16KiB")
    ]
    assert most[1] == 3 * 8 < most[0]


def test_a_walk_pays_the_way_to_the_table(in_tmp):
    near, far = (
        small.run(small.paged("first_touch", dict(walk_latency=of)))[0].gpu.mmu.stats for of in ("1fs", "101ns")
    )
    reads = far.walk_reads / far.walks
    assert far.walk_time.mean - near.walk_time.mean == pytest.approx(101 * reads, rel=0.05)


def test_a_table_has_an_entry_for_each_page(in_tmp):
    """512 entries of a node and one of the root."""
    for entry in (16, 32):
        with pytest.raises(memsim.Error, match=f"need {513 * entry}B: use more memory"):
            memsim.Simulation(small.paged("first_touch", dict(table_entry=f"{entry}B")))


def test_shoot_downs_wait_in_a_queue_of_the_tlb(in_tmp):
    small.run(small.paged(of_tlbs=dict(shootdown_queue=3)))
    depths = memsim.results().sql("SELECT depth FROM link WHERE sender = 'gpu.mmu' AND receiver_port = 'shootdowns'")
    assert depths["depth"].tolist() == [3, 3]


def test_a_swap_command_occupies_the_channel(in_tmp):
    for bytes_ in (16, 256):
        of = small.run(small.optical("ohm-bw", swap_command=f"{bytes_}B"))[0].memory.controller[0].stats
        assert of.migration_bytes == bytes_ * of.swaps > 0


@pytest.mark.parametrize("two_level", [False, True])
def test_a_channel_s_dram_has_a_timing_table(in_tmp, two_level):
    slow, fast = (
        small.run(small.optical("ohm-base", two_level, dram_timing=of))[0].memory.controller[0].stats.dram_bytes
        for of in ("ohm_table1", "hbm2")
    )
    assert slow != fast


def test_reads_are_issued_while_the_channel_is_held(in_tmp):
    held, free = (small.run(small.optical("ohm-base", held_reads=of))[0].memory.xpoint[0].stats for of in (0, 32))
    assert held.read_latency.mean != free.read_latency.mean


# Of optical.Channel: thousandths of a dB by default, and their number on the way. The waveguide has 10 cm.
LOSSES = dict(
    waveguide_loss=(300, 10),
    splitter_loss=(200, 1),
    modulator_loss=(1000, 1),
    filter_loss=(1500, 1),
    detector_loss=(100, 1),
    ring_loss=(10, 1),
)


def optics(**parameters):
    root = small.cached()
    root.optics = memsim.optical.Channel(**parameters)
    return small.run(root)[0].optics.stats


@pytest.mark.parametrize("loss", LOSSES)
def test_losses_add_up(in_tmp, loss):
    default, times = LOSSES[loss]
    assert optics(**{loss: f"{default - 5}mdB"}).received - optics().received == pytest.approx(0.005 * times)


def test_rate_and_power_of_light(in_tmp):
    before, slow, better = optics(), optics(bit_rate="15GHz"), optics(wall_plug="20%")
    assert slow.rate == before.rate / 2 and slow.tuning_power == before.tuning_power / 2
    assert better.laser_power == before.laser_power / 2 == before.laser_light / 0.2
    assert before.laser_light == pytest.approx(96 * 0.73)
    assert before.controller_rings + before.dram_rings + before.xpoint_rings == before.rings < before.general_rings


def test_sync_headers_cost_two_of_130_bits(in_tmp):
    bypassed, sent = (small.run(small.cxl_link(1, sync_bypass=of))[0].gen.stats.bandwidth for of in (True, False))
    assert 0.95 * bypassed < sent < bypassed


def test_a_manager_above_an_mmu_looks_into_no_cache(in_tmp):
    """It then has no ports to caches; a platform of SAP has bound them."""
    program, _ = sap.workloads.program("BFS", "tiny", 1)
    root = sap.machine(sap.MachineParameters("sap", program, dram="16KiB"))
    root.manager.looks_into_caches = False
    with pytest.raises(memsim.Error, match=r"manager has no port 'l1\[0\]'"):
        memsim.Simulation(root)


def test_work_items_have_loop_instructions(in_tmp):
    few, many = (
        small.run(small.expanded("bfs", 20_000, item_instructions=of))[0].gpu.dispatcher.stats for of in (3, 13)
    )
    assert many.thread_instructions / many.blocks > 1.2 * few.thread_instructions / few.blocks


def test_signals_have_a_chunk_for_each_channel(in_tmp):
    def signals(**of):
        model = llm.engine("tiny-moe", requests=1, prompt=3, tokens=2, signal_channels=3, **of)
        scale.footprint(model)
        ((size),) = [size for name, _, size, _ in model._prepared.allocations if name == "inputs.signals"]
        return size

    assert signals(signal_chunk="512B") == 2 * signals(signal_chunk="256B") == 2 * signals() > 0


def test_a_flash_controller_has_ports_for_slices(in_tmp):
    root = small.on_flash(1000)
    root.flash.controller[0].mem_ports = 2
    with pytest.raises(memsim.Error, match=r"flash.controller\[0\].mem\[1\] is not bound"):
        memsim.Simulation(root)


def test_bits_of_a_table_of_blocks(in_tmp):
    """Two data blocks."""
    for bits, expected in ((60, 15), (61, 16), (600, 150)):
        root = small.on_flash()
        small.changed(root.gpu.collector, table_entry_bits=bits)
        of = small.run(root)[0].gpu.collector.stats
        assert (of.table_entries.peak, of.table_bytes.peak) == (2, expected)


def test_the_register_network_has_a_clock_of_its_own(in_tmp):
    times = []
    for clock in ("800MHz", "80MHz"):
        root = small.on_flash()
        small.changed(root.flash.package, net_clock=clock)
        times.append(small.run(root)[0].flash.package[0].stats.io_time)
    assert times[1] == pytest.approx(10 * times[0])


def test_a_counter_holds_its_threshold(in_tmp):
    for bits, threshold, fits in ((4, 14, True), (4, 15, False), (3, 6, True), (3, 7, False)):
        root = small.on_flash(1000)
        small.changed(root.gpu.prefetcher, counter_bits=bits, threshold=threshold)
        if fits:
            small.run(root)
            continue
        with pytest.raises(memsim.Error, match=f"{bits} bits"):
            small.run(root)


def test_a_copy_within_the_l2_takes_cycles(in_tmp):
    fast, slow = (small.run(small.deduplicated("cmd", "kmeans", dict(copy_cycles=of)))[0] for of in (0, 2000))
    assert fast.front.stats.copied_sectors > 0 and slow.gpu.dispatcher.stats.cycles > fast.gpu.dispatcher.stats.cycles
