"""systems.gpu(): shapes of machines, a run of each, shared facts, and refused arguments."""
import re

import memsim
import pytest
from memsim import mem, systems, workload
from memsim.model.ports import unbind
from memsim.systems import scale
from memsim.systems.interleave import Interleave, connect, in_bytes


def machine(**arguments):
    """A small GPU with a program, by default with two SMs and two channels."""
    root = memsim.Root(seed=1)
    root.program = workload.Program(name="bfs1", size=8)
    root.gpu = systems.gpu(**{"sms": 2, "channels": 2, "l2": "64KiB", **arguments})
    root.program.dispatcher = root.gpu.dispatcher.host
    return root


def run(root):
    simulation = memsim.Simulation(root)
    assert simulation.simulate().cause == "nothing left to do"
    return simulation


def test_the_defaults_run(in_tmp):
    root = memsim.Root(seed=1)
    root.program = workload.Program(name="bfs1", size=8)
    part = root.gpu = systems.gpu()
    root.program.dispatcher = part.dispatcher.host
    assert (len(part.sm), len(part.l1), len(part.l2), len(part.memory)) == (16, 16, 16, 16)
    assert {m.timing for m in part.memory} == {"hbm2"} and not hasattr(part, "join")
    assert {c.capacity for c in part.l2} == {"384KiB"} and {c.capacity for c in part.l1} == {"48KiB"}
    run(root)
    assert part.dispatcher.stats.ipc > 0 and all(m.stats.reads for m in part.memory)


@pytest.mark.parametrize("l1, ways", [("48KiB", 6), ("32KiB", 4), ("64KiB", 4), (dict(capacity="32KiB", ways=8), 8)])
def test_an_l1_has_sets_that_divide_its_capacity(l1, ways):
    assert systems.gpu(sms=1, channels=1, l1=l1).l1[0].ways == ways


def test_a_stream_reaches_the_bandwidth_of_hbm(in_tmp):
    """The machine of docs/tutorial.md: eight pseudo-channels of 16 GB/s."""
    root = memsim.Root(seed=1)
    root.program = workload.Program(name="vadd", size=200_000)
    root.gpu = systems.gpu(sms=8, l1="48KiB", l2="2MiB", memory="hbm2", channels=8)
    root.program.dispatcher = root.gpu.dispatcher.host
    run(root)
    assert sum(m.stats.bandwidth for m in root.gpu.memory) / 1e9 == pytest.approx(111, abs=1)


def test_the_interleave_is_stated_once_for_all(in_tmp):
    root = machine(channels=3, slices=6, interleave="512B", l2="96KiB")
    part = root.gpu
    assert (part.network.outputs, part.network.granularity) == (6, "512B")
    assert {c.interleave_ways for c in part.l2} == {0}  # as the network interleaves addresses
    assert [(m.channels, m.channel, m.interleave) for m in part.memory] == [(3, i, "512B") for i in range(3)]
    assert [(j.inputs, j.outputs, j.granularity) for j in part.join] == [(2, 1, "512B")] * 3
    assert part.interleave == Interleave(6, "512B")
    # Slices i and i + 3 have the addresses of channel i, whatever the chunk.
    assert [part.l2[i].mem_side.peer for i in (1, 4)] == [part.join[1].cpu_side[0], part.join[1].cpu_side[1]]
    assert part.join[1].mem_side[0].peer == part.memory[1].cpu_side
    run(root)
    fetched = [sum(part.l2[i].stats.fetched_bytes for i in (c, c + 3)) for c in range(3)]
    assert all(fetched) and len(set(fetched)) > 1  # each channel serves its own requests
    # The DRAM of a channel reads exactly what its two slices request.
    moved = [m.stats.bytes for m in part.memory]
    written = [sum(part.l2[i].stats.written_back_bytes for i in (c, c + 3)) for c in range(3)]
    assert moved == [f + w for f, w in zip(fetched, written)]


def test_a_hash_is_stated_once_for_all(in_tmp):
    """Each controller refuses addresses that are not its own."""
    root = machine(channels=3, slices=3, hash_rounds=1, interleave="512B", l2="96KiB")
    part = root.gpu
    assert part.network.hash_rounds == 1 and part.interleave == Interleave(3, "512B", hash_rounds=1)
    assert [(c.interleave_ways, c.interleave_index, c.hash_rounds) for c in part.l2] == [(3, i, 1) for i in range(3)]
    assert [(m.channels, m.channel, m.interleave, m.hash_rounds) for m in part.memory] == [
        (3, i, "512B", 1) for i in range(3)
    ]
    run(root)
    assert [m.stats.bytes for m in part.memory] == [c.stats.fetched_bytes + c.stats.written_back_bytes for c in part.l2]
    assert all(m.stats.bytes for m in part.memory)


def test_a_function_makes_controllers_that_know_their_channel(in_tmp):
    seen = []

    def half_a_simple_memory(i, interleave):
        seen.append((i, interleave))
        return (
            mem.SimpleMemory(latency="50ns") if i else mem.DramController(**interleave.channel(i), map="RoRaBaCoChCl")
        )

    root = machine(memory=half_a_simple_memory, interleave="1KiB")
    assert seen == [(0, Interleave(2, "1KiB")), (1, Interleave(2, "1KiB"))]
    assert root.gpu.memory[0].interleave == "1KiB"
    run(root)
    assert all(m.stats.reads for m in root.gpu.memory)


def test_a_dict_gives_parameters_and_a_part_can_be_replaced(in_tmp):
    root = machine(
        memory=dict(timing="gddr6", read_queue=64),
        l1=dict(capacity="12KiB", ways=4),
        sm=dict(warp_slots=32, block_slots=4, schedulers=2),
        network=dict(latency="10ns"),
        l2=dict(capacity="64KiB", mshrs=32),
        dispatcher=dict(max_instructions=50_000),
        clock="1GHz",
    )
    part = root.gpu
    assert {(m.timing, m.read_queue) for m in part.memory} == {("gddr6", 64)}
    assert {(c.capacity, c.ways, c.clock) for c in part.l1} == {("12KiB", 4, "1GHz")}
    assert {(c.capacity, c.mshrs, c.clock) for c in part.l2} == {("32KiB", 32, "1GHz")}
    assert {(s.warp_slots, s.schedulers, s.clock) for s in part.sm} == {(32, 2, "1GHz")}
    # The dispatcher uses the slots that the SM states.
    assert (part.dispatcher.warp_slots, part.dispatcher.block_slots) == (32, 4)
    assert (part.network.latency, part.network.clock, part.dispatcher.clock) == ("10ns", "1GHz", "1GHz")
    root.monitor = mem.Monitor()
    root.monitor.mem_side = unbind(part.l2[0].mem_side)
    part.l2[0].mem_side = root.monitor.cpu_side
    run(root)
    assert root.monitor.stats.read_bytes == part.l2[0].stats.fetched_bytes > 0


def test_without_memory_the_caller_binds_the_slices(in_tmp):
    root = machine(memory=None, slices=3, l2="96KiB")
    share = root.gpu.interleave
    root.controller = [mem.DramController(**share.channel(i), map="RoRaBaCoChCl") for i in range(share.ways)]
    connect(root.gpu.l2, root.controller)
    assert len(root.gpu.l2) == 3 and not hasattr(root.gpu, "memory")
    run(root)
    assert all(c.stats.reads for c in root.controller)


def test_translation_goes_in_with_sizes_in_units(in_tmp):
    footprint = scale.footprint(workload.Program(name="bfs1", size=8))
    root = machine(mmu=dict(footprint=memsim.units.Bytes(footprint), page="64KiB", memory=None))
    assert root.gpu.mmu.page == "64KiB" and len(root.gpu.tlb) == 2 and root.gpu.dispatcher.translated
    run(root)
    assert root.gpu.mmu.stats.walks > 0


def test_applications_share_one_machine(in_tmp):
    root = memsim.Root()
    root.program = [workload.Program(name=name, size=7) for name in ("bfs1", "pagerank")]
    footprint = max(scale.footprint(p) for p in root.program)
    root.gpu = systems.gpu(
        sms=2,
        channels=1,
        l2="64KiB",
        dispatcher=dict(applications=2, partition="shared"),
        mmu=dict(footprint=footprint),
    )
    for program in root.program:
        program.dispatcher = root.gpu.dispatcher.host
    assert root.gpu.mmu.applications == 2
    run(root)
    assert all(root.gpu.dispatcher.stats.application_ipc[i] > 0 for i in range(2))


@pytest.mark.parametrize("hash_rounds", [0, 16])
def test_warm_slices_hold_their_own_chunks(hash_rounds, in_tmp):
    root = machine(l2=dict(capacity="64KiB", warm_bytes="64KiB"), hash_rounds=hash_rounds)
    cold = machine(hash_rounds=hash_rounds)
    run(root), run(cold)
    assert sum(c.stats.misses for c in root.gpu.l2) == 0 < sum(c.stats.misses for c in cold.gpu.l2)


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (dict(channel=8), "gpu() has no argument 'channel' (did you mean 'channels'?)"),
        (dict(sms=0), "gpu(): sms=0: write a whole number from 1 to 256"),
        (dict(sms="16"), "gpu(): sms='16': write a whole number from 1 to 256"),
        (dict(sms=True), "gpu(): sms=True: write a whole number from 1 to 256"),
        (dict(channels=300), "gpu(): channels=300: write a whole number from 1 to 256"),
        (dict(slices=2.0), "gpu(): slices=2.0: write a whole number from 1 to 256"),
        (
            dict(hash_rounds=1, memory=lambda i, interleave: mem.DramController()),
            "gpu(): memory gave a controller for channel 0 that does not know its hashed addresses: make it with "
            "mem.DramController(map='RoRaBaCoChCl', **interleave.channel(i))",
        ),
        (dict(channels=2, slices=4, hash_rounds=1), "gpu(): hash_rounds: the 4 slices need as many channels, not 2"),
        (
            dict(channels=4, slices=6),
            "gpu(): slices=6 do not divide among channels=4: make them a multiple, such as slices=8",
        ),
        (
            dict(interleave="64B"),
            "gpu(): interleave='64B' is no multiple of the L2's line of 128B: a line lies in one slice",
        ),
        (dict(interleave=256), "gpu(): interleave: 256 is no size: write whole bytes with a unit of B, kB, "),
        (dict(interleave="256"), "gpu(): interleave: '256' is no size: "),
        (dict(interleave="256Kib"), "gpu(): interleave: '256Kib' is no size: "),
        (dict(clock="1200"), "gpu().clock: '1200' has no unit of Frequency"),
        (dict(l1="48"), "gpu(): l1: '48' has no unit of Bytes: write "),
        (dict(l1=48), "gpu(): l1=48: write a string, its capacity, or a dict of mem.Cache's parameters"),
        (dict(l1=dict(latncy="1ns")), "gpu(): l1: mem.Cache has no parameter 'latncy' (did you mean 'latency'?)"),
        (
            dict(l2="1001KiB"),
            "gpu(): l2: 1001KiB do not divide among 2 slices, each of whole sets of 8 lines: make it "
            "a multiple of 2048B, such as 1026048B",
        ),
        (dict(l2=dict(interleave_ways=4)), "gpu(): l2: 'interleave_ways' is not given here: it follows from slices="),
        (
            dict(network=dict(granularity="1KiB")),
            "gpu(): network: 'granularity' is not given here: it follows from interleave=",
        ),
        (dict(sm=[]), "gpu(): sm=[]: write a dict of gpu.Sm's parameters"),
        (dict(sm=["warp_slots"]), "gpu(): sm=['warp_slots']: write a dict of gpu.Sm's parameters"),
        (dict(sm=dict(warp_slots=200)), "gpu(): sm.warp_slots: "),
        (dict(dispatcher=dict(sms=4)), "gpu(): dispatcher: 'sms' is not given here: it follows from sms="),
        (dict(dispatcher=dict(warp_slots=4)), "gpu(): dispatcher: 'warp_slots' is not given here: it follows from sm="),
        (
            dict(memory="hmb2"),
            "gpu(): memory: there is no preset 'hmb2' (did you mean 'hbm2'?): it is one of cmd_gddr6, ",
        ),
        (dict(memory=dict(timing="gddr")), "gpu(): memory.timing: there is no preset 'gddr' (did you mean 'gddr5'?): "),
        (dict(memory=dict(channels=2)), "gpu(): memory: 'channels' is not given here: it follows from channels="),
        (
            dict(memory=7),
            "gpu(): memory=7: write a string, its timing, or a dict of mem.DramController's parameters, or a function ",
        ),
        (
            dict(memory=lambda i, interleave: None),
            "gpu(): memory gave None for channel 0: return a component with a port "
            "'cpu_side', such as mem.DramController(**interleave.channel(i))",
        ),
        (
            dict(memory=lambda i: mem.SimpleMemory()),
            "gpu(): memory is a function of other arguments: write a function memory(i, interleave) that returns a new ",
        ),
        (
            dict(memory=mem.SimpleMemory()),
            "gpu(): memory=<mem.SimpleMemory mem.SimpleMemory> is a single component: write a function "
            "memory(i, interleave) that returns a new component for channel i",
        ),
        (dict(mmu={}), "gpu(): mmu={}: write a dict of arguments of systems.mmu.translate(), at least footprint="),
        (dict(mmu=dict(footprint="1 Mib")), "gpu(): mmu.footprint: '1 Mib' is no size: "),
        (dict(mmu=dict(footprint=[4096])), "gpu(): mmu.footprint: [4096] is no size: "),
        (dict(mmu=dict(footprint=-1)), "gpu(): mmu.footprint=-1: write a number of bytes of at least 1"),
        (dict(mmu=dict(footprint=4096, page=0)), "gpu(): mmu.page=0: write a number of bytes of at least 1"),
        (dict(mmu=dict(footprint=4096, memory=[1])), "gpu(): mmu.memory: [1] is no size: "),
        (dict(mmu=dict(footprint=4096, tlb="64")), "gpu(): mmu.tlb='64': write a dict of gpu.Tlb's parameters"),
        (dict(mmu=dict(footprint="1MiB", walks=1)), "gpu(): mmu: 'walks' is not given here: "),
    ],
    ids=lambda value: value if isinstance(value, str) else ",".join(value),
)
def test_invalid_machines_give_an_error_message(arguments, sentence):
    with pytest.raises(memsim.Error, match=r"test_gpu\.py:\d+: " + re.escape(sentence)):
        machine(**arguments)


def test_a_preset_refuses_a_memory_function_of_other_arguments():
    with pytest.raises(memsim.Error, match=r"test_gpu\.py:\d+: gpu\(\): memory is a function of other arguments"):
        memsim.systems.h100(memory=lambda i: mem.SimpleMemory())


def test_sizes_and_interleaves_are_checked():
    assert [in_bytes(s, "x") for s in ("1B", "48KiB", "1.5MiB", "2kB")] == [1, 49152, 1572864, 2000]
    for wrong in ("0B", "0.3B", "KiB", "-1KiB", "1XB", None):
        with pytest.raises(memsim.Error, match="x: .* is no size"):
            in_bytes(wrong, "x")
    for ways in (0, 257, "4", True):
        with pytest.raises(memsim.Error, match="addresses go round over 1 to 256 parts"):
            Interleave(ways, "256B")
    assert Interleave(6, "256B").over(3).channel(2) == dict(channels=3, channel=2, interleave="256B")
