"""Energy of a machine's parts: costs in its tree, and the view `energy`."""
import contextlib
import sqlite3

import pytest

import memsim
from memsim import energy
from memsim.link import AddressRouter
from memsim.mem import EnergyCost, SimpleMemory, TrafficGen
from memsim.results.database import connect
from memsim.systems import cmd, ohm
from memsim.units import Energy

from .conftest import ROOT

COSTS = [
    energy.Cost("memory", "mem", "a data sheet", statistic="reads", each=2e-9, share=0.5),
    energy.Cost("memory", "mem", "assumption", power=0.25),
]


def machine(costs=COSTS):
    root = memsim.Root()
    root.gen, root.mem = TrafficGen(requests=1000, period="10ns"), SimpleMemory()
    root.gen.mem_side = root.mem.cpu_side
    root.energy = energy.components(costs)
    return root


def by_part(database):
    with contextlib.closing(connect(database)) as db:
        return dict(db.execute("SELECT part, sum(energy_nj) FROM energy GROUP BY part"))


def values_of(database):
    with contextlib.closing(connect(database)) as db:
        return {(path, name): value for path, name, value in db.execute("SELECT path, name, value FROM result")}


def test_counts_and_time_cost_energy(in_tmp):
    """1000 reads at half of 2 nJ, and 0.25 W since statistics were reset."""
    root = machine()
    with memsim.Simulation(root) as simulation:
        simulation.simulate("5us")
        before = root.mem.stats.reads
        simulation.stats.reset()
        simulation.simulate()
    with contextlib.closing(connect("memsim-out")) as db:
        rows = db.execute("SELECT path, part, statistic, energy_nj, source FROM energy ORDER BY statistic").fetchall()
        tick, since = db.execute("SELECT tick, since_tick FROM dump ORDER BY id DESC LIMIT 1").fetchone()
    assert rows[0][:3] == ("mem", "memory", "reads") and rows[0][3:] == (1000 - before, "a data sheet")
    assert 0 < before < 1000 and since == 5e9 < tick
    assert rows[1] == ("mem", "memory", "time", pytest.approx(0.25 * (tick - since) * 1e-6), "assumption")


def test_a_cost_is_a_number_a_text_or_a_quantity():
    for each in 12e-12, "12pJ", Energy.parse("12pJ"):
        cost = energy.Cost("memory", "mem", "s", statistic="reads", each=each)
        assert cost.component().each == "12pJ"
        assert energy.spent([cost], {("mem", "reads"): 5}, 1.0) == {"memory": pytest.approx(60e-12)}
    assert energy.Cost("memory", "mem", "s", power="3W") == energy.Cost("memory", "mem", "s", power=3)
    for given in dict(each="12"), dict(power="3J"), dict(each=None):
        (name,) = given
        with pytest.raises(memsim.Error, match=rf"test_energy.py:\d+: Cost of 'memory': {name}: "):
            energy.Cost("memory", "mem", "s", **given)


def test_an_object_is_not_matched_by_a_common_prefix(in_tmp):
    """A cost for `mem` covers its list elements and the objects below it, but not `mem2`."""
    assert [energy._spends("gpu.l2", path) for path in ("gpu.l2", "gpu.l2[3]", "gpu.l2.tags", "gpu.l2b", "gpu")] == [
        True,
        True,
        True,
        False,
        False,
    ]
    root = machine(COSTS[:1])
    root.gen2, root.mem2 = TrafficGen(requests=400, period="10ns"), SimpleMemory()
    root.gen2.mem_side = root.mem2.cpu_side
    with memsim.Simulation(root) as simulation:
        simulation.simulate()
    assert by_part("memsim-out") == {"memory": 1000}
    assert energy.spent(COSTS[:1], values_of("memsim-out"), 1.0) == {"memory": pytest.approx(1e-6)}


@pytest.mark.parametrize(
    "cost, why",
    [
        (dict(statistic="raeds", each="1nJ"), "no object of mem has a statistic 'raeds' (did you mean 'reads'?)"),
        (dict(objects="memm", statistic="reads", each="1nJ"), "there is no object 'memm' (did you mean 'mem'?)"),
        (dict(each="1nJ"), "without a statistic to multiply"),
        (dict(statistic="reads", power="1W"), "although a statistic is multiplied"),
        (dict(statistic="reads"), "cost.each: is 0: set the energy of each count of 'reads'"),
        (dict(), "cost.power: is 0, and there is no statistic: set one of the two"),
        (
            dict(objects="gen", statistic="read_latency", each="1nJ"),
            "cost.statistic: 'read_latency' is a distribution: name a statistic with a single value, such as 'reads'",
        ),
        (
            dict(objects="router", statistic="requests", each="1nJ"),
            "cost.statistic: 'requests' is a value for each index: name a statistic with a single value",
        ),
    ],
)
def test_an_invalid_cost_gives_an_error_message(in_tmp, cost, why):
    root = machine([])
    if cost.get("objects") == "router":
        root.router = AddressRouter()
    root.cost = EnergyCost(**{"part": "memory", "objects": "mem", **cost})
    with pytest.raises(memsim.Error) as refused:
        memsim.Simulation(root)
    assert why in str(refused.value) and "test_energy.py:" in str(refused.value)


@pytest.mark.parametrize(
    "script, arguments, parts",
    [
        (
            "ohm_planar.py",
            ["--platform", "ohm-bw"],
            {"DRAM static", "DRAM accesses", "lasers", "ring tuning", "memory.xpoint"},
        ),
        ("ohm_two_level.py", ["--platform", "hetero"], {"DRAM static", "DRAM accesses", "wires", "memory.xpoint"}),
        ("ohm_planar.py", ["--platform", "origin"], {"DRAM static", "DRAM accesses", "wires"}),
        ("cmd.py", [], {"L2", "controller", "DRAM"}),
    ],
)
def test_a_paper_s_energy_model_agrees_with_the_view(memsim_command, tmp_path, script, arguments, parts):
    """The studies compute energy from values over the time of kernels; the view covers the whole run."""
    memsim_command("-q", "-d", "out", ROOT / "configs" / script, "--scale", "tiny", *arguments)
    found, values = by_part(tmp_path / "out"), values_of(tmp_path / "out")
    assert found.keys() == parts
    if script == "cmd.py":
        with contextlib.closing(connect(tmp_path / "out")) as db:
            ((run,),) = db.execute("SELECT id FROM run")
            costs = cmd.energy.recorded(db, run)
        made = energy.spent(costs, values, values["gpu.dispatcher", "cycles"] / 1.365e9)
        assert found == {part: pytest.approx(joules * 1e9, rel=0.02) for part, joules in made.items()}
    else:
        seconds = values["gpu.dispatcher", "cycles"] / 1.2e9
        made = ohm.energy.energy(values, "planar" if "planar" in script else "two-level", arguments[1], seconds)
        assert sum(found.values()) == pytest.approx(made.total * 1e9, rel=0.02)
        assert found["DRAM accesses"] == pytest.approx(made.dram_dynamic * 1e9, rel=1e-6)
        assert found.get("memory.xpoint", 0) == pytest.approx(made.xpoint * 1e9)


def test_an_older_database_gets_the_view(in_tmp):
    """A database of version 4 is upgraded when it is opened for a run."""
    for _ in range(2):
        with memsim.Simulation(machine()) as simulation:
            simulation.simulate()
        with contextlib.closing(sqlite3.connect("memsim-out/stats.db")) as db, db:
            assert db.execute("SELECT count(*) FROM energy").fetchone()[0]
            db.execute("DROP VIEW energy")
            db.execute("PRAGMA user_version = 4")
