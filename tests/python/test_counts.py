"""Each of these statistics counts what its description states. Other tests do not name them."""

import pytest

import memsim
from memsim import flash, mem

from . import small


@pytest.fixture(autouse=True)
def _in_tmp(in_tmp):
    """All machines here write into the test's directory."""


def test_reads_of_a_sector_that_is_being_fetched():
    together, apart = (
        small.run(small.cached(requests=4, period=of))[0].cache.stats.pending_read_sectors for of in ("0fs", "1us")
    )
    assert (together, apart) == (3, 0)


def test_a_crossbar_s_ports():
    root = memsim.Root()
    root.gen = [mem.TrafficGen(requests=100, size=128, outstanding=64, range="4KiB") for _ in "ab"]
    root.network = mem.Crossbar(inputs=2, outputs=2, width="32B")
    root.memory = [mem.SimpleMemory(bandwidth="1000GB/s") for _ in "ab"]
    for i in (0, 1):
        root.gen[i].mem_side, root.network.mem_side[i] = root.network.cpu_side[i], root.memory[i].cpu_side
    root, seconds = small.run(root)
    of = root.network.stats
    assert of.request_bandwidth == pytest.approx(of.request_bytes / seconds)
    assert list(of.slice_busy) == list(of.slice_requests), "a cycle for each read"
    assert list(of.requester_stalls) == [0, 0], "responses have reserved places"


def test_both_directions_of_a_link():
    root, seconds = small.run(small.pcie())
    of = root.link.stats
    assert of.down_bytes / of.down_busy == pytest.approx(of.up_bytes / of.up_busy) == pytest.approx(15.7538, rel=1e-4)
    assert of.down_bandwidth == pytest.approx(of.down_data / seconds)
    assert of.up_bandwidth == pytest.approx(of.up_data / seconds)


def test_block_traffic_and_the_channel_of_a_drive():
    root, seconds = small.run(small.drive())
    of = root.host.stats
    assert of.read_rate == pytest.approx(of.reads / seconds) and of.write_rate == pytest.approx(of.writes / seconds)
    assert of.reads + of.writes == 300
    programs = root.channel.stats.program_latency
    assert programs.count == root.package.stats.programs > 0 and programs.min > 300_000  # SLC programs in 300 us


def test_pages_wait_for_room_in_their_plane():
    crowded = dict(requests=600, read_share="0%", range=880, outstanding=64)
    assert small.run(small.drive(crowded, gc_stop=3))[0].drive.stats.room_waits > 0
    assert small.run(small.drive(dict(requests=20, read_share="0%")))[0].drive.stats.room_waits == 0


@pytest.mark.parametrize("pages, blocks", [(1, 1), (4, 4), (16, 4), (17, 5)])
def test_blocks_are_touched(pages, blocks):
    """Each of four planes has a block open, of four pages."""
    written = dict(requests=pages, read_share="0%", pattern="sequential", range=880)
    assert small.run(small.drive(written))[0].package.stats.touched_blocks.peak == blocks


def test_a_stack_of_flash():
    geometry = dict(channels=2, dies=2, banks=2, blocks=14, pages=4)
    root = memsim.Root()
    root.host = flash.BlockTraffic(requests=400, read_share="0%", sectors=8, range=400)
    sizes = dict(page="4KiB", over_provisioning="50%", cache="64KiB", write_buffer="32KiB")
    root.drive = flash.Drive(channels=2, packages=1, dies=2, planes=2, blocks=14, pages=4, **sizes)
    root.stack = flash.HbfStack(written=False, **geometry)
    root.host.drive = root.drive.host[0]
    for i in (0, 1):
        root.drive.channel[i] = root.stack.host[i]
    root, seconds = small.run(root)
    of = root.stack.stats
    assert of.erase_rate == pytest.approx(of.erases / seconds) and of.erases > 0
    assert of.wire_bandwidth == 192e9  # 2 channels of 96 GB/s


def test_a_program_on_an_sm():
    root, _ = small.run(small.gpu("bfs1", 8))
    sm, dispatcher = root.gpu.sm[0].stats, root.gpu.dispatcher.stats
    assert sm.requests_per_access == pytest.approx(sm.requests / sm.memory_instructions) and sm.requests_per_access > 1
    assert dispatcher.application_executed[0] == dispatcher.executed == sm.thread_instructions
    assert (
        sm.stalled_by_accesses
        < small.run(small.gpu("bfs1", 8, dict(accesses=32)))[0].gpu.sm[0].stats.stalled_by_accesses
    )


def test_walks_faults_and_shoot_downs():
    root, seconds = small.run(small.paged())
    of, host, tlbs = root.gpu.mmu.stats, root.host.stats, [tlb.stats for tlb in root.gpu.tlb]
    assert of.hit_rate == pytest.approx(of.hits / of.requests) and 0 < of.hit_rate < 1
    assert of.walk_time.count == of.walks and of.walking.mean * seconds == pytest.approx(
        of.walk_time.sum * 1e-9, rel=0.01
    )
    assert of.shootdown_time.count == of.shootdowns == of.evictions
    for tlb in tlbs:
        assert tlb.drain_time.count == tlb.shootdowns == of.shootdowns
        assert tlb.drain_time.max <= of.shootdown_time.max
    assert sum(tlb.upgrades for tlb in tlbs) > 0
    assert host.faults_per_batch == pytest.approx(host.batched_faults / host.batches) and host.faults_per_batch > 1
    assert host.bandwidth_in == pytest.approx(host.bytes_in / seconds)
    assert host.batch_time.count == host.batches and host.batch_time.min > host.fault_time.min * 0.5


def test_a_page_cache_s_policy_and_limits():
    seen = {policy: small.run(small.page_cache(replacement=policy))[0].cache.stats for policy in ("lru", "arc", "car")}
    assert seen["lru"].ghost_hits == 0 < min(seen["arc"].ghost_hits, seen["car"].ghost_hits)
    stalls = [small.run(small.page_cache(requests=n))[0].cache.stats.stalled_by_requests for n in (5, 400)]
    assert stalls[0] > stalls[1] == 0


def test_a_victim_buffer_s_sectors():
    root = memsim.Root()
    root.gen = mem.TrafficGen(requests=400, outstanding=8, size=32, range="8KiB", read_share="50%", period="50ns")
    root.cache, root.buffer, root.mem = mem.Cache(capacity="1KiB", ways=2), mem.VictimBuffer(), mem.SimpleMemory()
    root.gen.mem_side, root.cache.mem_side = root.cache.cpu_side, root.buffer.cpu_side
    root.buffer.mem_side = root.mem.cpu_side
    of = small.run(root)[0].buffer.stats
    assert of.hit_rate == pytest.approx(of.hit_sectors / of.read_sectors) and of.hit_rate > 0


@pytest.mark.parametrize("platform", ["ohm-base", "auto-rw", "ohm-bw"])
def test_modules_of_xpoint(platform):
    """Snarfing needs auto-read/write, and confirmation by the DRAM reverse-write."""
    root = small.run(small.optical(platform, two_level=True))[0]
    module, controller = root.memory.xpoint[0].stats, root.memory.controller[0].stats
    assert module.sent_bytes == module.read_bytes > 0
    assert (module.in_register.mean > 0) == (module.snarfed > 0) == (platform != "ohm-base")
    assert (controller.in_register.mean > 0) == (platform == "ohm-bw")


def test_zng_s_registers_and_prefetcher():
    root = small.run(small.on_flash(100_000))[0]
    for of in (package.stats for package in root.flash.package):
        assert of.useful_share == pytest.approx(of.useful_bytes / of.sensed_bytes)
        assert of.register_hit_rate == pytest.approx(of.write_hits / of.writes)
        assert of.reads_per_page == pytest.approx(of.page_reads / of.pages_read)
        assert of.writes_per_program == (of.writes / of.programs if of.programs else 0)
        assert of.registers_used.peak >= 1 and 1 <= of.touched_blocks.peak <= of.page_reads + of.writes
    of = root.gpu.prefetcher.stats
    assert 0 < of.read_misses < of.reads


def test_hybrid_gpu_s_page_buffer_limits_requests():
    stalls = []
    for most in (256, 1):
        root = small.on_flash(platform="hybridgpu")
        small.changed(root.memory.buffer, requests=most)
        stalls.append(small.run(root)[0].memory.buffer.stats.stalled_by_requests)
    assert stalls[0] == 0 < stalls[1]


def test_cmd_s_metadata_and_compression():
    of = small.run(small.deduplicated("cmd", "bfs"))[0].front.stats
    for name in ("map", "type", "mask"):
        hits, reads = getattr(of, f"{name}_hits"), getattr(of, f"{name}_reads")
        assert reads and getattr(of, f"{name}_hit_rate") == pytest.approx(hits / reads)
    assert of.map_hit_rate + of.type_hit_rate + of.mask_hit_rate <= 3
    assert of.groups_searched >= of.borrowed > 0 and of.saved_sectors == 0
    packed = small.run(small.deduplicated("bpc", "bfs"))[0].front.stats
    assert packed.packed < packed.saved_sectors < 4 * packed.packed


def test_flits_of_a_link():
    root = small.run(small.cxl_link())[0]
    host, device = root.host.stats, root.device.stats
    assert (host.data_bytes, device.data_bytes) == (64 * host.writes, 64 * device.reads)
    assert 0 < host.control_flits < host.flits and host.replayed_flits == device.replayed_flits == 0
    assert 0 < device.control_flits < device.flits
    wrong = small.run(small.cxl_link(bit_errors=10**11))[0]
    assert wrong.host.stats.replayed_flits + wrong.device.stats.replayed_flits > 0
    assert wrong.host.stats.data_bytes == host.data_bytes


def test_speculative_reads_wait_and_the_stack_is_flushed():
    root = small.run(small.expanded())[0]
    queues, store = root.port[0].queues.stats, root.port[0].store.stats
    assert queues.sr_wait.count > 0 and store.flush_time.count == store.flushes > 0
    assert store.flush_time.min > 0
