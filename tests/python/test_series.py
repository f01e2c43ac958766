"""Series: formulas over the interval, patterns with [*], statistics in place of patterns."""
import contextlib
import copy
import sqlite3
import subprocess
import time
from pathlib import Path

import memsim
import pytest
from memsim.mem import Monitor, SimpleMemory, TrafficGen

US = 10**9
MEMSIM = Path(__file__).parents[2] / "build" / "memsim"


@pytest.fixture
def sim(in_tmp):
    """Two generators, each with a monitor and a memory; the second is twice as fast."""
    root = memsim.Root()
    root.gen = [TrafficGen(requests=400, period=period) for period in ("20ns", "10ns")]
    root.monitor = [Monitor(applications=4) for _ in range(2)]
    root.mem = [SimpleMemory() for _ in range(2)]
    for gen, monitor, mem in zip(root.gen, root.monitor, root.mem):
        gen.mem_side = monitor.cpu_side
        monitor.mem_side = mem.cpu_side
    return memsim.Simulation(root)


def rows(sim, path, name):
    """tick -> value"""
    sim.close()
    table = memsim.results().series()
    table = table[(table["path"] == path) & (table["name"] == name)]
    return dict(zip(table["tick"], table["value"]))


def test_a_formula_is_sampled_over_the_interval(sim):
    sim.stats.series("1us", ["mem[0].bandwidth", "mem[0].bytes", "gen[0].read_latency", "monitor[0].*"])
    sim.simulate()
    bytes_ = rows(sim, "mem[0]", "bytes")
    assert len(bytes_) == 8
    grown = {tick: value - bytes_.get(tick - US, 0) for tick, value in bytes_.items()}
    # Bytes of this microsecond only, divided by a microsecond.
    assert rows(sim, "mem[0]", "bandwidth") == pytest.approx({t: 1e6 * g for t, g in grown.items()})
    count, total = rows(sim, "gen[0]", "read_latency.count"), rows(sim, "gen[0]", "read_latency.sum")
    assert rows(sim, "gen[0]", "read_latency.mean") == pytest.approx(
        {t: (total[t] - total.get(t - US, 0)) / (count[t] - count.get(t - US, 0)) for t in count}
    )
    area = rows(sim, "monitor[0]", "outstanding.area")
    assert rows(sim, "monitor[0]", "outstanding.mean") == pytest.approx(
        {t: (area[t] - area.get(t - US, 0)) / 1000 for t in area}
    )
    assert rows(sim, "monitor[0]", "read_bandwidth").keys() == bytes_.keys(), "* takes formulas, too"


def test_a_reset_between_two_samples_begins_an_interval(sim):
    sim.stats.series("1us", ["mem[0].bandwidth", "mem[0].bytes"])
    sim.simulate("1600ns")
    sim.stats.reset()
    sim.simulate("2us")
    bytes_, bandwidth = rows(sim, "mem[0]", "bytes"), rows(sim, "mem[0]", "bandwidth")
    assert bandwidth[2 * US] == pytest.approx(bytes_[2 * US] / 400e-9)
    assert bandwidth[3 * US] == pytest.approx((bytes_[3 * US] - bytes_[2 * US]) / 1e-6)


def test_formulas_stay_outside_the_digest(in_tmp):
    def digest(*patterns):
        root = memsim.Root()
        root.gen, root.mem = TrafficGen(requests=400, period="10ns"), SimpleMemory()
        root.gen.mem_side = root.mem.cpu_side
        with memsim.Simulation(root) as sim:
            sim.stats.series("1us", patterns)
            sim.simulate()
            return sim.digest

    assert digest("mem.bytes", "mem.bandwidth") == digest("mem.bytes") != digest("mem.reads")


@pytest.mark.parametrize(
    "given, sampled",
    [
        ("mem[*].bandwidth", {"mem[0].bandwidth", "mem[1].bandwidth"}),
        ("mem[1].band*", {"mem[1].bandwidth"}),
        ("*.bandwidth", {"mem[0].bandwidth", "mem[1].bandwidth", "gen[0].bandwidth", "gen[1].bandwidth"}),
        ("monitor[1].application_requests[*]", {f"monitor[1].application_requests[{i}]" for i in range(4)}),
    ],
)
def test_patterns(sim, given, sampled):
    sim.stats.series("1us", given)
    sim.simulate("2us")
    sim.close()
    table = memsim.results().series()
    assert set(table["path"] + "." + table["name"]) == sampled


def test_a_statistic_in_place_of_its_name(sim):
    mem, monitor = sim.root.mem, sim.root.monitor[1]
    sim.stats.series(
        "1us",
        [
            mem[0].stats.bytes,
            mem[1].stats.bandwidth,
            monitor.stats.read_latency,
            monitor.stats.application_requests,
            sim.root.gen[0].stats,
        ],
    )
    sim.simulate("2us")
    sim.close()
    table = memsim.results().series()
    found = set(table["path"] + "." + table["name"])
    assert found >= {
        "mem[0].bytes",
        "mem[1].bandwidth",
        "monitor[1].read_latency.p99",
        "monitor[1].application_requests[3]",
        "gen[0].reads",
        "gen[0].bandwidth",
    }
    assert "mem[0].bandwidth" not in found


def test_a_statistic_of_elements_is_a_sequence(sim):
    requests = sim.root.monitor[1].stats.application_requests
    assert len(requests) == 4 and sum(requests) == 0
    sim.simulate("2us")
    counts = list(requests)
    assert requests[0] == requests[-4] == counts[0] == sum(counts) > 0
    assert repr(requests) == f"<monitor[1].application_requests[*]: {counts}>"
    with pytest.raises(IndexError, match=r"monitor\[1\].stats.application_requests\[4\] is outside of its 4 elements"):
        requests[4]
    assert not sim._journal.failed
    assert repr(memsim.mem.Monitor().stats.application_requests) == "<mem.Monitor.application_requests[*]: not built>"


def test_all_statistics_of_an_object(sim):
    sim.simulate("2us")
    values = dict(sim.root.mem[0].stats.items())
    assert list(values) == list(sim.root.mem[0].stats) and values["reads"] == sim.root.mem[0].stats.reads > 0
    assert repr(sim) == "<Simulation at 2us, open>"
    sim.close()
    assert repr(sim) == "<Simulation at 2us, closed>"
    for kind in memsim.model.schema.TYPES.values():
        assert not {"items"} & kind._stats.keys(), "the name of a method"


def test_one_statistic_and_none(sim):
    sim.stats.series("1us", sim.root.mem[0].stats.bandwidth)
    for wrong in (7, [7.5], [sim.root.mem[0]], None):
        with pytest.raises(memsim.Error, match=r"test_series.py:\d+: series\(\): .* is no statistic: give"):
            sim.stats.series("1us", wrong)


@pytest.mark.parametrize(
    "wrong, meant",
    [
        ("mem[0].bandwith", "mem[0].bandwidth"),
        ("mem[*].bandwith", "mem[*].bandwidth"),
        ("mems[0].*", "mem[0].*"),
        ("mem[7].reads", "mem[0].reads"),
    ],
)
def test_a_pattern_of_nothing_names_the_nearest(sim, wrong, meant):
    with pytest.raises(memsim.Error) as refused:
        sim.stats.series("1us", wrong)
    assert f"no statistic is named '{wrong}' (did you mean '{meant}'?): " in str(refused.value)
    sim.simulate("2us")  # and nothing is sampled
    sim.close()
    assert memsim.results().series().empty


def test_the_value_of_a_counter_is_a_number(sim):
    sim.simulate("2us")
    reads = sim.root.mem[0].stats.reads
    assert isinstance(reads, int) and type(copy.copy(reads)) is int and type(reads + 1) is int
    assert type(copy.deepcopy(sim.root.mem[0].stats.bandwidth)) is float


def test_a_resumed_run_has_the_same_samples(memsim_command, script, tmp_path):
    """A kernel between two samples, without a reset, which would set all totals to 0."""
    text = script.read_text().replace('"50us", "sys.gen.*"', '"7us", "sys.*"').replace('"30us"', '"3us"')
    script.write_text(text.replace("        memsim.stats.reset()\n", ""))
    query = "SELECT path, name, tick, value FROM samples ORDER BY 1, 2, 3"
    memsim_command("-d", "whole", script, 3000)
    memsim_command("-d", "cut", "--checkpoint-at", "12us", script, 3000)
    (resumed,) = (tmp_path / "cut").glob("*.ckpt")
    memsim_command("--restore", resumed)
    whole = memsim_command("sql", "whole", query).stdout
    assert memsim_command("sql", "cut", query).stdout == whole and "bandwidth" in whole


LONG = """\
import resource
import sys
import memsim
from memsim.mem import SimpleMemory, TrafficGen

root = memsim.Root()
root.gen, root.mem = TrafficGen(requests=int(sys.argv[1]), period="10ns"), SimpleMemory()
root.gen.mem_side = root.mem.cpu_side
memsim.instantiate()
memsim.stats.series("1ns", ["gen.*"])
memsim.simulate()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, memsim.default().digest)
"""


def samples_of(path):
    """The samples of the last run of a database; none while its tables are being created."""
    if not path.exists():
        return []
    with contextlib.closing(sqlite3.connect(path)) as db:
        if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'samples'").fetchone():
            return []
        return db.execute(
            "SELECT path, name, tick, value FROM samples WHERE run = "
            "(SELECT id FROM run ORDER BY started DESC LIMIT 1) ORDER BY path, name, tick"
        ).fetchall()


def test_memory_for_samples_does_not_grow_with_the_run(memsim_command, tmp_path):
    script = tmp_path / "long.py"
    script.write_text(LONG)
    short, long = (int(memsim_command("-q", script, n).stdout.split()[0]) for n in (5_000, 20_000))
    assert long < short + 100, "MiB; 20,000 requests took 450 MiB while samples waited for the end"


def test_a_killed_run_keeps_its_samples_and_its_resumption_equals_the_run(memsim_command, tmp_path):
    script = tmp_path / "long.py"
    script.write_text(LONG)
    database = tmp_path / "killed" / "stats.db"
    run = subprocess.Popen([MEMSIM, "-q", "-d", "killed", "--checkpoint-at", "8us", script, "10000"], cwd=tmp_path)
    try:
        for _ in range(500):
            if any(tick > 10 * US for _, _, tick, _ in samples_of(database)[-1:]):
                break
            assert run.poll() is None, "the run ended before its samples were seen"
            time.sleep(0.1)
    finally:
        run.kill()
        run.wait()
    assert samples_of(database)[-1][2] > 10 * US
    (checkpoint,) = database.parent.glob("*.ckpt")
    resumed = memsim_command("-q", "--restore", checkpoint)
    whole = memsim_command("-q", "-d", "whole", script, 10000)
    assert resumed.stdout.split()[-1] == whole.stdout.split()[-1]
    assert samples_of(database) == samples_of(tmp_path / "whole" / "stats.db")
