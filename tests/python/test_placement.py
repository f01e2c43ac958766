"""memsim.llm.placement: policies, their ranges, and the traffic of each array in each memory."""

from pathlib import Path

import pytest

import memsim
from memsim import llm, systems
from memsim.llm import placement
from memsim.systems import far, placed
from memsim.systems.placed import Range

CONFIGS = Path(__file__).parents[2] / "configs"
LOAD = dict(requests=3, prompt=21, prompt_spread=9, tokens=14, arrival_gap=1)


def engine(model: str = "tiny-moe", **parameters):
    return llm.engine(model, **LOAD | parameters)


def held(program, ranges) -> set[str]:
    """The arrays that lie in the ranges as a whole."""
    data = placement.Data(program)
    return {name for name, of in data._arrays.items() if any(_within(of, one) for one in ranges)}


def _within(of: Range, whole: Range) -> bool:
    return whole.base <= of.base and of.base + of.bytes <= whole.base + whole.bytes


def test_weights_and_the_last_layers() -> None:
    model = llm.decoder("tiny", context=40, head=True)
    all_of_them = held(model, placement.far(model, "weights"))
    assert {"weights.0.qkv", "weights.1.down", "weights.head", "weights.embedding"} <= all_of_them
    assert not {"kv.0", "activations.hidden"} & all_of_them
    last = held(model, placement.far(model, "layers(last=1)"))
    assert "weights.1.qkv" in last and not {"weights.0.qkv", "weights.head"} & last
    assert placement.far(model, "layers(last=9)") == placement.far(model, "layers(last=2)")


def test_the_busiest_experts_stay() -> None:
    program = engine()
    routed = placement.Data(program).routed
    data = placement.Data(program)
    assert [sum(of) for of in routed] == [2 * len(data.values("inputs.position"))] * 2  # two experts a token
    assert len(routed[0]) == 4
    far_ones = held(program, placement.far(program, "experts(local=3)"))
    for layer, of in enumerate(routed):
        last = max(range(4), key=lambda e: (-of[e], e))
        names = {f"weights.{layer}.experts.{e}.up" for e in range(4)}
        assert names & far_ones == {f"weights.{layer}.experts.{last}.up"}
    assert "weights.0.router" not in far_ones


def test_popularity_may_be_given() -> None:
    program = engine()
    given = [[0, 5, 5, 1], [9, 0, 0, 0]]
    ranges = placement.far(program, lambda data: placement.experts(data, local=2, popularity=given))
    names = {name.removesuffix(".gate") for name in held(program, ranges) if name.endswith("gate")}
    assert names == {f"weights.{layer}.experts.{e}" for layer, e in ((0, 0), (0, 3), (1, 2), (1, 3))}


def test_old_blocks_of_the_cache_are_those_of_no_requests_last_tokens() -> None:
    program = engine()
    tables = placement.Data(program).tables
    assert [len(table) for table in tables] == [3, 2, 2]
    ranges = placement.far(program, "old_kv(recent=1)")
    old = {block for table in tables for block in table[:-1]} - {table[-1] for table in tables}
    block = 2 * 16 * 2 * 16 * 2  # keys and values, tokens, heads, dimensions, bytes
    assert sum(one.bytes for one in ranges) == 2 * block * len(old)
    base = placement.Data(program).arrays("kv.0")[0].base
    assert ranges[0].base == base + block * min(old)
    assert not placement.far(program, "old_kv(recent=9)")
    model = llm.decoder("tiny", context=100)
    assert sum(one.bytes for one in placement.far(model, "old_kv(recent=3)")) == 2 * block * (7 - 3)


def test_policies_add_up_without_overlaps() -> None:
    program = engine()
    ranges = placement.far(program, "weights", "layers(last=1)", "kv")
    assert all(a.base + a.bytes < b.base for a, b in zip(ranges, ranges[1:]))
    assert {"weights.1.qkv", "kv.0", "kv.1"} <= held(program, ranges)
    assert "kv.block_table" not in held(program, ranges)


def test_a_policy_is_a_function() -> None:
    @placement.policy
    def largest(data, number: int = 1):
        return sorted(data.arrays("weights."), key=lambda one: -one.bytes)[:number]

    try:
        program = llm.decoder("tiny", context=40, head=True)
        (one,) = placement.far(program, "largest")
        assert one.bytes == max(array.bytes for array in placement.Data(program).arrays("weights."))
        assert placement.parsed("largest( number = 3 )") == ("largest", {"number": 3})
    finally:
        del placement.POLICIES["largest"]


@pytest.mark.parametrize(
    "wrong, right",
    [
        ("weight.0.up", "weights.0.up"),
        ("weights.9.", "weights.0."),
        ("weights.0.experts.", "weights.0.output"),
        ("kv.", None),
        ("", None),
    ],
)
def test_a_name_without_an_array_is_refused(wrong, right) -> None:
    model = llm.decoder("tiny", context=40)
    data = placement.Data(model)
    if wrong == "kv.":
        assert len(data.arrays(wrong)) == 3
        return
    why = f"has no array '{wrong}'" + (f" \\(did you mean '{right}'" if right else "")
    with pytest.raises(memsim.Error, match=rf"test_placement\.py:\d+: arrays\(\): .*{why}"):
        placement.far(model, lambda data: data.arrays("kv.0", wrong))
    assert data.arrays(wrong, optional=True) == []


@pytest.mark.parametrize(
    "text, why",
    [
        ("wieghts", "no placement 'wieghts'.*'weights'"),
        ("layers(first=2)", "no argument of layers 'first'.*last"),
        ("layers(last=two)", "layers: last=two: write a whole number"),
        ("experts(popularity=2)", "no argument of experts 'popularity'"),
        ("layers(", "'layers\\(' is no policy"),
        ("experts", "experts: the model has none"),
    ],
)
def test_wrong_policies_are_refused(text, why) -> None:
    with pytest.raises(memsim.Error, match=why):
        placement.far(llm.decoder("tiny", context=40), text)


@pytest.mark.parametrize(
    "memory, ranges, why",
    [
        (
            lambda i: memsim.mem.SimpleMemory(),
            [Range(0, 4096)],
            "far is a function of other arguments: write a function ",
        ),
        ("hbf", [Range(0, 4096)], "far='hbf' is no function: write a function memory(i, interleave) that"),
        (memsim.mem.SimpleMemory(), [Range(0, 4096)], "far=<mem.SimpleMemory mem.SimpleMemory> is a single component"),
        (far.memory("cxl").channel, "weights", "ranges are pairs of an address and a number of bytes"),
        (far.memory("cxl").channel, [Range(0, -4096)], "-4096 bytes at 0 are no range of addresses"),
        (far.memory("cxl").channel, [Range(-4096, 4096)], "4096 bytes at -4096 are no range of addresses"),
        (far.memory("cxl").channel, [Range(1 << 51, 4096)], f"4096 bytes at {1 << 51} are no range of addresses"),
    ],
)
def test_wrong_memories_and_ranges_are_refused(memory, ranges, why) -> None:
    with pytest.raises(memsim.Error) as caught:
        placed.beside(memory, ranges)
    assert f": placed: {why}" in str(caught.value)


def test_traffic_of_each_array_in_each_memory(in_tmp) -> None:
    root = memsim.Root(seed=1, contents=True)
    root.model = engine()
    ranges = placement.far(root.model, "experts(local=2)", "kv")
    memory = placed.beside(far.memory("cxl").channel, ranges, counted=root.model)
    root.gpu = systems.h100(form="pcie", sms=2, channels=4, slices=4, l2="40KiB", memory=memory)
    root.model.dispatcher = root.gpu.dispatcher.host
    with memsim.Simulation(root) as machine:
        machine.simulate()
        assert machine.check_contents()["bytes"] > 50_000
        traffic = placed.traffic(root.gpu)
        assert sum(traffic["far"].values()) == sum(float(one.far.stats.bytes) for one in root.gpu.memory)
        moved = sum(float(one.local.stats.bus_bytes) for one in root.gpu.memory)  # some writes wait at the end
        assert sum(traffic["local"].values()) == pytest.approx(moved, rel=0.01)
    of_far = {name for name, size in traffic["far"].items() if size}
    assert of_far and all(".experts." in name or name in ("kv.0", "kv.1") for name in of_far)
    assert not of_far & {name for name, size in traffic["local"].items() if size}
    assert set(placement.kinds(traffic["far"])) == {"experts", "kv"}


def test_the_scripts_place_data(memsim_command) -> None:
    load = "--sms 2 --requests 2 --prompt 9 --tokens 2 --far cxl --place experts(local=2)".split()
    shown = memsim_command(CONFIGS / "llm_serve.py", *load).stdout
    assert "\nfar: " in shown and "MB of experts" in shown.split("\nfar: ")[1]
    shown = memsim_command(CONFIGS / "llm_decode.py", *"--model tiny --sms 2 --far hbf".split()).stdout
    assert "far: 0.074 MB of weights" in shown
    kv = "--sms 2 --requests 1 --prompt 9 --tokens 2 --far cxl --place kv".split()  # which stays in the L2
    assert "\nfar: no traffic\n" in memsim_command(CONFIGS / "llm_serve.py", *kv).stdout


@pytest.mark.parametrize(
    "words, why",
    [
        ("--far hbf --place kv", "'kv.0' is written by kernels, but hbf accepts only reads"),
        ("--place kv", "there is no far memory: name one with --far"),
        ("--far cxl --buffer sram", "--buffer sram: nothing is read ahead: give the size of a buffer with --ahead"),
        ("--far cxl --predict last", "--predict last: nothing is read ahead: give the size of a buffer with --ahead"),
    ],
)
def test_placements_that_no_memory_accepts_are_refused(words, why, memsim_command) -> None:
    refused = memsim_command(CONFIGS / "llm_serve.py", "--sms", "2", *words.split(), expect=1)
    assert why in refused.stderr


def test_a_router_refuses_a_negative_size(in_tmp) -> None:
    root = memsim.Root()
    root.generator, root.memory = memsim.mem.TrafficGen(requests=1), memsim.mem.SimpleMemory()
    root.router = memsim.link.AddressRouter(ranges="0B -4KiB 0")
    root.generator.mem_side, root.router.mem_side[0] = root.router.cpu_side, root.memory.cpu_side
    with pytest.raises(memsim.Error, match=r"router\.ranges: '-4KiB' is negative: write a size from 0B on"):
        memsim.instantiate(root)
