"""Partitions that the user names: what can be named, and a sentence for what cannot."""
import re
from pathlib import Path

import memsim
import pytest
from memsim import cxl, mem

CONFIGS = Path(__file__).parents[2] / "configs"


@pytest.fixture
def pairs(in_tmp):
    """Two generators, each with a memory."""
    root = memsim.Root()
    root.side = [memsim.System() for _ in range(2)]
    for side in root.side:
        side.gen = mem.TrafficGen(requests=100, period="10ns")
        side.mem = mem.SimpleMemory(latency="100ns")
        side.gen.mem_side = side.mem.cpu_side
    return memsim.Simulation(root, memsim.Options(threads=2))


def refused(simulation, groups):
    """The sentence, without its place, which is in this file."""
    with pytest.raises(memsim.Error) as caught:
        simulation.partitions = groups
    place, sentence = re.fullmatch(r"(\S*test_partitions\.py:\d+): partitions: (.*)", str(caught.value)).groups()
    return sentence


def test_objects_and_all_below_them(pairs):
    root = pairs.root
    assert pairs.partitions == []
    pairs.partitions = [[root.side[0]], [root.side[1]]]
    assert pairs.partitions == [[root.side[0]], [root.side[1]]]
    pairs.partitions = root.side[:1], root.side[1:]
    pairs.partitions = [[root.side[0].gen, root.side[0].mem]]
    pairs.partitions = []
    assert pairs.simulate().getCause() == "nothing left to do"


def test_what_cannot_be_named(pairs):
    root = pairs.root
    example = "write a list of groups of the machine's objects, such as [[root.gpu[0]], [root.gpu[1]]]"
    other = memsim.Root()
    other.mem = mem.SimpleMemory()
    assert refused(pairs, "side[0]") == f"'side[0]' is no list of groups: {example}"
    assert refused(pairs, [root.side[0]]) == f"<System side[0]> is no group of objects: {example}"
    assert refused(pairs, [[]]) == f"[] is no group of objects: {example}"
    assert refused(pairs, [["side[0]"]]) == f"'side[0]' is no object of this machine: {example}"
    assert refused(pairs, [[other.mem]]) == f"<mem.SimpleMemory mem> is no object of this machine: {example}"
    assert refused(pairs, [[root]]).endswith(f"is no object of this machine: {example}")


def test_what_cannot_be_divided(pairs):
    root = pairs.root
    assert refused(pairs, [[root.side[0]], [root.side[0].mem]]) == (
        "side[0].mem is in two of them, 0 and 1: name each object once"
    )
    assert refused(pairs, [[root.side[0], root.side[1]]]) == (
        "all components are in one: name a group that leaves some out, or a second one"
    )
    assert refused(pairs, [[root.side[0].mem]]) == (
        "side[0].gen and side[0].mem have a link without latency (mem_side): put both into one partition"
    )
    assert pairs.partitions == []


def test_a_link_of_cxl_is_in_one_partition(in_tmp):
    root = memsim.Root()
    root.gen, root.mem = mem.TrafficGen(requests=1), mem.SimpleMemory()
    root.host, root.device = cxl.RootPort(), cxl.DevicePort()
    root.gen.mem_side, root.device.mem_side = root.host.cpu_side, root.mem.cpu_side
    root.host.flits_out, root.device.flits_out = root.device.flits_in, root.host.flits_in
    simulation = memsim.instantiate(root)
    assert refused(simulation, [[root.host, root.gen]]) == (
        "host and device send CXL flits, which refer to one store of bytes in all links: put both into one partition"
    )


def test_gpus_in_partitions_of_the_user_have_the_serial_digest(memsim_command):
    size = "--gpus 3 --sms 2 --channels 4 --kernel bfs1 --size 8".split()
    digests = set()
    for name, words in {"serial": (), "own": ("--threads", "2"), "hand": ("--threads", "2")}.items():
        by_hand = ("--by-hand", 2) if name == "hand" else ()
        memsim_command("-d", name, *words, CONFIGS / "eight_gpus.py", *size, *by_hand)
        digests.add(memsim_command("sql", name, "select digest from run").stdout.split()[-1])
    assert len(digests) == 1
