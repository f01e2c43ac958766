"""Statistics of a window of a run, delimited by resets or sampled in a series, cover exactly this window."""
import re
import sqlite3
from pathlib import Path

import memsim
import pytest
from memsim import systems, workload

ROOT = Path(__file__).parents[2]
JOBS = {
    "ohm_planar.py": ("--scale tiny --platform ohm-bw", "7us"),
    "ohm_two_level.py": ("--scale tiny --platform ohm-bw", "7us"),
    "zng.py": ("--scale tiny --platform zng", "50us"),
    "cmd.py": ("--scale tiny --platform cmd", "7us"),
    "cxl_gpu.py": ("--scale tiny --platform cxl-ds", "50us"),
    "sap.py": ("--scale tiny", "50us"),
}
# Times that are summed over parts that work in parallel.
ADDED_UP = "sense_time", "program_time", "erase_time", "io_time", "media_time", "migration_time"
SHARES = re.compile("share|rate|accuracy|waste")
IN_WINDOWS = """\
import runpy
import sys
import memsim

whole, window = memsim.simulate, sys.argv.pop(1)

def simulate():
    for number in range(100000):
        end = whole(window)
        memsim.stats.dump(f"window {number}")
        memsim.stats.reset()
        if "limit" not in end.getCause():
            return end

memsim.simulate = simulate
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
ALL = """SELECT dump.label, dump.tick - dump.since_tick, path, full_name, kind, part.name, part.unit, value.value
         FROM value JOIN part ON part.id = value.part JOIN stat ON stat.id = part.stat JOIN object ON object.id = stat.object
         JOIN dump ON dump.id = value.dump"""


def values(folder):
    with sqlite3.connect(folder / "stats.db") as database:
        return database.execute(ALL).fetchall()


def parameters_of(folder):
    """{path: {name: value}} of the parameters that are numbers."""
    found = {}
    with sqlite3.connect(folder / "stats.db") as database:
        query = "SELECT path, name, value FROM param JOIN object ON object.id = object WHERE value NOT NULL"
        for path, name, value in database.execute(query):
            found.setdefault(path, {})[name] = value
    return found


@pytest.mark.slow
@pytest.mark.parametrize("script", JOBS)
def test_windows_of_every_system_are_right(script, memsim_command, tmp_path):
    arguments, window = JOBS[script]
    (tmp_path / "in_windows.py").write_text(IN_WINDOWS)
    memsim_command("-q", "-d", "whole", ROOT / "configs" / script, *arguments.split())
    memsim_command("-q", "-d", "windows", "in_windows.py", window, ROOT / "configs" / script, *arguments.split())
    whole = {
        (path, name): (value, kind, unit)
        for label, _, path, name, kind, part, unit, value in values(tmp_path / "whole")
    }
    sums, labels, times, shares, cycles = {}, set(), 0, 0, 0
    parameters = parameters_of(tmp_path / "windows")
    for label, length, path, name, kind, part, unit, value in values(tmp_path / "windows"):
        if not label.startswith("window"):
            continue
        labels.add(label)
        where = f"{path}.{name} in {label} of {length * 1e-6} ns"
        stat = name.partition("[")[0]
        if kind == "elapsed" and unit == "ns":
            times += 1
            assert value >= 0, where
            if stat not in ADDED_UP:
                assert value * 1e6 <= length + 1, f"{where}: {value} ns"
        if kind == "elapsed" and unit == "Cycle":
            cycles += 1
            own = parameters[path]
            resources = {
                "bank_busy": lambda: own["banks"] * own["bank_ports"],
                "link_busy": lambda: 4 * own["columns"] * own["rows"],
            }.get(stat, lambda: 1)()
            assert 0 <= value <= resources * (length * 1e-15 * own["clock"] + 2), where
        if kind == "formula" and unit == "Ratio" and SHARES.search(stat) and whole[path, name][0] <= 1:
            shares += 1
            assert value <= 1 + 1e-6, f"{where}: {value}"
        if kind in ("counter", "elapsed"):
            sums[path, name] = sums.get((path, name), 0) + value
    assert len(labels) > 3 and times > 20 and shares > 5 and cycles > 50
    for key, total in sums.items():
        assert total == pytest.approx(whole[key][0], abs=2e-3), f"{key}: {total} in windows, {whole[key][0]} in one"


@pytest.fixture
def gemm(in_tmp):
    root = memsim.Root(seed=1)
    root.program = workload.Program(name="gemm", size=128)
    root.gpu = systems.gpu(sms=4, l1="48KiB", l2="1MiB", memory="hbm2", channels=4)
    root.program.dispatcher = root.gpu.dispatcher.host
    with memsim.Simulation(root) as simulation:
        yield simulation, root.gpu


def test_ipc_within_a_launch_is_that_of_the_sms(gemm):
    """1.2 GHz: 12,000 cycles in 10 us."""
    simulation, gpu = gemm
    simulation.stats.series("1us", ["gpu.dispatcher.ipc", "gpu.dispatcher.cycles"])
    simulation.simulate("10us")
    began = 12_000 - gpu.dispatcher.stats.cycles  # the first launch begins a few ns after the start
    executed = sum(sm.stats.thread_instructions for sm in gpu.sm)
    assert 0 <= began < 20 and executed > 10_000
    assert gpu.dispatcher.stats.ipc == pytest.approx(executed / gpu.dispatcher.stats.cycles)
    assert gpu.dispatcher.stats.kernel_time == pytest.approx(10_000, rel=0.01) == gpu.dispatcher.stats.longest_launch
    simulation.stats.reset()
    simulation.simulate("5us")
    again = sum(sm.stats.thread_instructions for sm in gpu.sm)
    assert gpu.dispatcher.stats.cycles == pytest.approx(6000, abs=1)
    assert gpu.dispatcher.stats.ipc == pytest.approx(again / 6000, rel=1e-3)
    simulation.close()
    sampled = memsim.results().series()
    ipc = sampled[sampled["name"] == "ipc"]["value"]
    assert len(ipc) == 15 and ipc.min() > 0


def stages(latency):
    root = memsim.Root(seed=1)
    root.program = workload.Program(name="vadd", size=32)  # so few that they do not wait for each other
    root.gpu = systems.gpu(
        sms=1,
        l1=dict(capacity="48KiB", latency=latency.get("l1", "20ns")),
        l2=dict(capacity="1MiB", latency=latency.get("l2", "80ns")),
        memory="hbm2",
        channels=1,
        network=dict(latency=latency.get("network", "10ns")),
    )
    root.program.dispatcher = root.gpu.dispatcher.host
    memsim.options.options.stamps = 1
    try:
        with memsim.Simulation(root) as simulation:
            simulation.simulate()
            simulation.stats.dump("end")
    finally:
        memsim.options.options.stamps = 0
    rows = memsim.results().sql(
        "SELECT stage, mean_ns, run FROM stages WHERE run = (SELECT id FROM run ORDER BY started DESC LIMIT 1)"
    )
    return dict(zip(rows["stage"], rows["mean_ns"]))


@pytest.mark.parametrize("part, more, at_least", [("l1", "100ns", 79), ("l2", "160ns", 79), ("network", "20ns", 19)])
def test_a_latency_belongs_to_its_own_stage(in_tmp, part, more, at_least):
    before, after = stages({}), stages({part: more})
    assert after.get("response", 0) < 3, "the way from the DRAM to the L2"
    assert after[part] - before.get(part, 0) >= at_least
    for other in before.keys() - {part, "sm", "queue", "dram"}:  # these have requests that arrive at other times
        assert after[other] == pytest.approx(before[other], abs=12), other


def test_bandwidths_of_several_channels_add_up(in_tmp):
    from memsim.results.report.run_data import open_runs

    root = memsim.Root(seed=1)
    root.program = workload.Program(name="vadd", size=4096)
    root.gpu = systems.gpu(sms=2, memory="hbm2", channels=4)
    root.program.dispatcher = root.gpu.dispatcher.host
    with memsim.Simulation(root) as simulation:
        simulation.stats.series("1us", ["gpu.memory[*].bandwidth", "gpu.memory[*].bytes"])
        simulation.simulate()
    (run,) = open_runs("memsim-out/stats.db", [])
    each = [v.value for v in run.values if v.name == "bandwidth" and v.path.startswith("gpu.memory")]
    assert len(each) == 4 and run.total("gpu.memory[*]", "bandwidth") == pytest.approx(sum(each))
    over_time = memsim.results().sql(
        "SELECT path, name, tick, bytes_per_second FROM bandwidth_over_time ORDER BY path, tick"
    )
    by_name = {name: rows["bytes_per_second"].tolist() for name, rows in over_time.groupby("name")}
    assert by_name["bandwidth"] == pytest.approx(by_name["bytes"]), "sampled alone, and computed from a counter"
    grown = [value for _, value in run.series["gpu.memory[0]", "bytes"][1]]
    assert sum(grown) == pytest.approx(
        max(memsim.results().sql("SELECT value FROM samples WHERE path = 'gpu.memory[0]' AND name = 'bytes'")["value"])
    ), "a counter is shown by its growth"


def test_the_view_energy_marks_parts_that_are_not_counted(in_tmp):
    root = memsim.Root()
    root.gen, root.mem = memsim.mem.TrafficGen(requests=10), memsim.mem.SimpleMemory()
    root.gen.mem_side = root.mem.cpu_side
    with memsim.Simulation(root) as simulation:
        simulation.simulate()
    (row,) = memsim.results().sql("SELECT energy_nj, source FROM energy").to_dict("records")
    assert (
        row["energy_nj"] is None
        and row["source"] == "no object of this run counts energy: state costs with memsim.energy"
    )
