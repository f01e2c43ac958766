"""The tree of SimObjects: assignments, and for every mistake a sentence with its line."""
import inspect
import re

import memsim
import pytest
from memsim import mem
from memsim.model import schema
from memsim.mem import Monitor, SimpleMemory, TrafficGen


@pytest.fixture
def sys():
    root = memsim.Root()
    root.sys = memsim.System()
    return root.sys


def refused(act, *words):
    """The sentence of an error, which begins with this file and a line and contains these words."""
    with pytest.raises(memsim.Error) as caught:
        act()
    text = str(caught.value)
    assert re.match(r"\S*test_objects\.py:\d+: ", text), text
    assert "\n" not in text
    for word in words:
        assert word in text
    return text


def test_parameters_are_set_and_read_as_resolved(sys):
    sys.mem = SimpleMemory(latency="0.1us")
    assert sys.mem.latency == "100ns"
    sys.mem.queue = 7
    assert sys.mem.queue == 7
    assert sys.mem.bandwidth == "64GB/s"
    sys.gen = TrafficGen(read_share=0.25)
    assert sys.gen.read_share == "25%"


def test_paths(sys):
    sys.ch = [memsim.Group() for _ in range(2)]
    sys.ch[1].mem = [SimpleMemory()]
    sys.ch[1].mem.append(SimpleMemory())
    assert sys.ch[1].mem[1].path == "sys.ch[1].mem[1]"
    sys.ch += [memsim.Group()]
    assert [c.path for c in sys.children] == ["sys.ch[0]", "sys.ch[1]", "sys.ch[2]"]
    assert SimpleMemory().path == "mem.SimpleMemory"


def test_a_subclass_has_other_defaults(sys):
    class Slow(SimpleMemory):
        latency = "1us"

    sys.slow, sys.other = Slow(), SimpleMemory()
    assert (sys.slow.latency, sys.other.latency) == ("1us", "100ns")


def test_signature_and_documentation():
    parameters = inspect.signature(SimpleMemory).parameters
    assert parameters["latency"].default == "100ns"
    assert parameters["queue"].default == 32 and parameters["queue"].annotation is int
    assert "Time from the data path to the response" in SimpleMemory.__doc__
    assert "tunable" in SimpleMemory.latency.__doc__
    assert memsim.SimpleMemory is memsim.mem.SimpleMemory is SimpleMemory
    assert SimpleMemory.__module__ == "memsim.mem"


def test_wrong_values_give_error_messages(sys):
    sys.mem, sys.gen = SimpleMemory(), TrafficGen()
    mem = sys.mem
    refused(lambda: setattr(mem, "latency", "190"), "sys.mem.latency", "no unit of Time")
    refused(lambda: setattr(mem, "latency", 190), "sys.mem.latency", "190' has no unit of Time")
    refused(lambda: setattr(mem, "latency", 1.5), "has no unit of Time")
    refused(lambda: setattr(mem, "latency", True), "True is no Time")
    refused(lambda: setattr(mem, "latency", "1s"), "outside its range")
    refused(lambda: setattr(mem, "queue", 1.5), "1.5 is no int")
    refused(lambda: setattr(mem, "queue", 0), "outside its range")
    refused(lambda: setattr(sys.gen, "pattern", "randm"), "'randm' is not one of", "'random'")
    refused(lambda: SimpleMemory(latncy="1ns"), "no parameter, port or child 'latncy'", "did you mean 'latency'")
    refused(lambda: mem.latncy, "did you mean 'latency'")
    refused(lambda: mem.stats.red, "no statistic 'red'", "did you mean 'reads'")
    refused(lambda: mem.stats.reads, "before instantiate()")
    refused(lambda: setattr(sys, "speed", 3), "sys has no child 'speed': a child is a component or a list of", "not 3")
    refused(lambda: memsim.Root(sed=1), "Root has no child 'sed' (did you mean 'seed'?)")
    assert not hasattr(mem, "latncy")


def test_an_attribute_of_a_list_is_refused(sys):
    sys.gen, sys.mem = [TrafficGen() for _ in range(2)], SimpleMemory()
    refused(lambda: setattr(sys.gen, "requests", 3), "sys.gen is a list of 2 objects and has no 'requests'")
    refused(lambda: setattr(sys.gen, "mem_side", sys.mem.cpu_side), "index it, such as sys.gen[0].mem_side")


def test_wrong_children_give_error_messages(sys):
    sys.mem = SimpleMemory()
    refused(
        lambda: setattr(sys, "other", sys.mem), "sys.other", "is already in the tree as 'sys.mem': make another one"
    )
    refused(lambda: setattr(sys, "mem", SimpleMemory()), "exists already")
    refused(lambda: setattr(sys.mem, "latency", SimpleMemory()), "is a parameter")
    refused(lambda: setattr(sys, "stats", SimpleMemory()), "is reserved")
    refused(lambda: setattr(sys, "root2", memsim.Root()), "a Root cannot be a child")
    refused(lambda: memsim.Root(seed=-1), "seed")


@pytest.mark.parametrize(
    "name", ["", "a b", "a.b", "line\nfeed", "\x1b[31m", "<b>", "größe", "1st", "a[0]b", "\ud800", "a\0b"]
)
def test_a_name_is_letters_digits_and_underscores(sys, name):
    why = "': a component's name consists of letters (a to z, A to Z), digits and underscores, and begins with a letter"
    for child in (SimpleMemory(), memsim.System(), [SimpleMemory()]):
        refused(lambda: setattr(sys, name, child), why)


def test_ports_bind_in_either_direction(sys):
    sys.gen, sys.mon, sys.mem = TrafficGen(), Monitor(), SimpleMemory()
    names = list(Monitor._ports)
    requester = next(n for n in names if Monitor._ports[n]["role"] == "requester")
    responder = next(n for n in names if Monitor._ports[n]["role"] == "responder")
    setattr(sys.mon, responder, sys.gen.mem_side)
    setattr(sys.mon, requester, sys.mem.cpu_side)
    assert sys.mem.cpu_side.peer == getattr(sys.mon, requester)
    assert sys.gen.mem_side.peer == getattr(sys.mon, responder)


def test_vector_ports_append(sys):
    dispatcher = memsim.gpu.Dispatcher(sms=3)
    sms = [memsim.gpu.Sm() for _ in range(3)]
    dispatcher.sm_side = sms[0].blocks
    dispatcher.sm_side.append(sms[1].blocks)
    sms[2].blocks = dispatcher.sm_side
    assert [p.name for p in dispatcher.sm_side] == ["sm_side[0]", "sm_side[1]", "sm_side[2]"]
    assert sms[1].blocks.peer == dispatcher.sm_side[1]
    refused(lambda: setattr(dispatcher, "sm_side", [sms[0].blocks]), "is bound twice")


@pytest.mark.parametrize("many, has", [(0, "0 ports"), (1, "1 port"), (2, "2 ports")])
def test_a_port_beyond_a_vector_names_the_number(many, has):
    """It is a parameter of the component, so no nearest name helps."""
    root = memsim.Root()
    root.cache, root.mem = mem.Cache(hint_ports=many), SimpleMemory()
    root.cache.mem_side = root.mem.cpu_side
    root.gen = [TrafficGen() for _ in range(many + 1)]
    root.cache.hints = [gen.mem_side for gen in root.gen]
    why = (
        f"has no port 'hints\\[{many}\\]': this vector has {has}, and a parameter sets .*: `memsim describe mem.Cache`"
    )
    with pytest.raises(memsim.Error, match=why):
        memsim.Simulation(root)


def test_optional_ports(sys):
    """The schema marks them. A component asks the port whether it is bound, so no parameter restates it."""
    mmu, host = memsim.gpu.Mmu(), memsim.host.PagingHost()
    assert mmu._ports["fault_side"]["optional"] and not mmu._ports["walk_side"]["optional"]
    assert type(mmu).fault_side.__doc__.endswith("(optional port: requester of protocol.Faults)")
    mmu.fault_side = host.faults
    assert mmu.fault_side.peer == host.faults
    refused(lambda: host.drive_side[0], "drive_side is a single port: write it without an index")
    refused(lambda: host.drive_side.__setitem__(0, host.faults), "drive_side is a single port")
    for part, name in ((mmu, "hosts"), (mmu, "movers"), (host, "drives"), (memsim.mem.PageCache(), "prefetchers")):
        refused(lambda: setattr(part, name, 1), f"has no parameter, port or child '{name}'")


def test_wrong_bindings_give_error_messages(sys):
    sys.gen, sys.mem, sys.other = TrafficGen(), SimpleMemory(), TrafficGen()
    sys.gen.mem_side = sys.mem.cpu_side
    first = inspect.currentframe().f_lineno - 1
    refused(
        lambda: setattr(sys.other, "mem_side", sys.mem.cpu_side),
        "sys.mem.cpu_side is bound twice: it was bound to sys.gen.mem_side",
        f"test_objects.py:{first}",
    )
    refused(lambda: setattr(sys.other, "mem_side", sys.gen.mem_side), "is bound twice")
    refused(lambda: setattr(sys.other, "mem_side", TrafficGen().mem_side), "requester port is bound to a responder")
    refused(lambda: setattr(sys.other, "mem_side", memsim.gpu.Sm().blocks), "has messages of", "the same family")
    refused(lambda: setattr(sys.other, "mem_side", SimpleMemory()), "itself", "cpu_side")
    refused(lambda: setattr(sys.other, "mem_side", 3), "not 3")


def test_instantiate_checks_all(sys, in_tmp):
    root = sys.root()
    refused(lambda: memsim.Simulation(root), "nothing to simulate")
    sys.gen, sys.mem = TrafficGen(requests=1), SimpleMemory()
    created = inspect.currentframe().f_lineno - 1
    refused(lambda: memsim.Simulation(root), "sys.gen.mem_side is not bound", f"test_objects.py:{created}")
    sys.gen.mem_side = sys.mem.cpu_side
    with memsim.Simulation(root):
        refused(lambda: setattr(sys.mem, "queue", 3), "after instantiate()")
        refused(lambda: setattr(sys, "more", SimpleMemory()), "after instantiate()")
        refused(lambda: memsim.Simulation(root), "this machine has been built already: another run needs another Root")


def test_an_object_outside_the_tree_is_found(sys, in_tmp):
    sys.gen = TrafficGen(requests=1)
    sys.gen.mem_side = SimpleMemory().cpu_side
    refused(lambda: memsim.Simulation(sys.root()), "is not in the tree")
    assert not (in_tmp / "memsim-out").exists()


# Beginnings without a subject, and references to another text, which are not allowed.
NO_SUBJECT = re.compile(
    r"(Of|From|To|As|Along|In|On|Over|Found|At|By|For|With|Without|Within|Between|Towards|Behind|Before|After|Whose|Such|Also|Each of|"
    r"The same|The others?|Those|These|They|It|Its|Their|All that|One way|How many|How much|How often|When|Joined|false|true|"
    r"(Where|Whether|Which|What|The time) (they|it|that|this))\b"
)
OF_ANOTHER = re.compile(
    r"\b(of|in|by|to|from|among|on|behind|over|for) (it|them|both|these|those|each|one's)(?=$|[,;:)]| \()|"
    r"\b(served|answered|done|went) (so|this way)\b|\b(one's|there|here|such)$|"
    # A pronoun among the first words, before any noun that it could refer to; a noun of another text.
    r"^(\S+ ){1,5}(that|which) (they|it|both|this)\b(?! (direction|machine|controller|cache))|"
    r"^\w+ of them\b|\bthose (requests|accesses|blocks|lines)\b(?! that)|\bthat memory\b|\bwhich some were$|"
    r"^\w+ ones\b|\b(from|of|to) (there|that \w+ing)\b|\bnever were$|: it has none$"
)


def test_a_parameter_whose_text_explains_zero_accepts_it():
    explained = [
        (f"{kind}.{name}", declared["min"])
        for kind, made in schema.TYPES.items()
        for name, declared in made._params.items()
        if re.search(r"(?<![\w.])0(%|[A-Za-z]{1,3})?( for|:)", declared["doc"])
    ]
    assert len(explained) > 50
    assert not [name for name, least in explained if least and not least.startswith("0")]


def test_texts_stand_alone():
    """Each text is shown alone in the database and on the reference page, so it names its subject."""
    texts = [
        (f"{kind}.{name}", declared["doc"])
        for kind, made in schema.TYPES.items()
        for declarations in (made._params, made._ports, made._stats)
        for name, declared in declarations.items()
    ]
    for policy in memsim._memsim.policies():
        of = f"{policy['family']} {policy['name']}"
        texts += [(of, policy["doc"]), *((f"{of}.{p['name']}", p["doc"]) for p in policy["params"])]
    assert len(texts) > 1500
    faults = [f"{name}: {doc}" for name, doc in texts if NO_SUBJECT.match(doc) or OF_ANOTHER.search(doc)]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    "text",
    [
        "Of reads",
        "From a read to its answer",
        "Those of reads",
        "Its capacity",
        "How many; 0: without end",
        "Bytes in them, headers included",
        "Lines on their way to each (assumption)",
        "Orders answered so",
        "Chunk of addresses that is one's",
        "Bytes that they ask for",
        "Where they go in the device",
        "The time they waited",
        "Joined a walk or fault of their page",
        "Lines at which it ends (assumption: 1/4; sweep 0-63)",
        "Misses at which they do no more (assumption)",
        "Lines of them that L1 or L2 held",
        "Whether they agree within a tenth",
        "Within it a trace's addresses stay together",
        "Whether that memory reports its misses",
        "Over which back-pressure is taken",
        "Found in the L2 TLB",
        "Prefetched ones that no access had asked for",
        "Bytes from there that are touched",
        "Chunk of that sharing: the crossbar's",
        "Reads of blocks that never were",
        "Writes from one task to the next; 0: it has none",
        "Memory accesses of single threads in those blocks",
        "Cycles of shared memory's port that they took",
        "Bytes that both ask for",
        "How often it was begun again",
    ],
)
def test_texts_without_a_subject_are_found(text):
    assert NO_SUBJECT.match(text) or OF_ANOTHER.search(text)


@pytest.mark.parametrize(
    "text",
    [
        "Blocks found again in the place that they were mapped to already",
        "Flits kept until they are acknowledged",
        "Share of the energy that this machine spends",
        "Time that this direction was taken",
    ],
)
def test_texts_with_a_subject_may_have_a_pronoun(text):
    assert not NO_SUBJECT.match(text) and not OF_ANOTHER.search(text)
