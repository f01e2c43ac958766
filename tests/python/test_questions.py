"""Asking the results: kernel launches, views, frames of many runs, memsim diff, memsim plot."""
import sqlite3
import subprocess
import xml.etree.ElementTree as xml
from pathlib import Path

import memsim
import pytest

ROOT = Path(__file__).parents[2]
PLANAR = ROOT / "configs/ohm_planar.py"


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two platforms of one workload in one database, stamped."""
    folder = tmp_path_factory.mktemp("runs")
    for platform in "hetero", "ohm-base":
        subprocess.run([ROOT / "build/memsim", "-q", "--stamps", "10", "-d", folder, PLANAR, "--scale", "tiny",
                        "--platform", platform], check=True, capture_output=True)
    return folder


def ask(runs, query):
    return memsim.results(runs).sql(query)


def test_a_launch_has_what_was_counted_during_it(runs):
    launches = memsim.results(runs).launches()
    total = memsim.results(runs)
    assert list(launches["number"]) == list(range(1, len(launches) + 1)) and len(launches) > 3
    assert launches["kernel"].str.len().min() > 2
    assert (launches["started"][1:].values >= launches["ended"][:-1].values).all()
    assert launches["instructions"].sum() == total.value("gpu.dispatcher", "thread_instructions")
    assert launches["cycles"].sum() == total.value("gpu.dispatcher", "cycles")
    for level in "l1", "l2":
        assert launches[f"{level}_hit_rate"].between(0, 1).all()
    assert 0 < launches["dram_bytes"].sum() <= total.df().query("name == 'dram_bytes'")["value"].sum()


def test_launches_of_one_run_are_found_without_looking_at_all(runs):
    plan = ask(runs, "EXPLAIN QUERY PLAN SELECT * FROM launches WHERE run = 'a'")["detail"]
    assert plan.str.contains("USING INDEX launch_of_run").any()
    assert not plan.str.contains("MATERIALIZE|SCAN|AUTOMATIC", regex=True).any(), list(plan)


def test_launches_of_a_resumed_run_are_there_once(memsim_command, tmp_path):
    """Interrupted in a launch: the rows are those of the run that was not."""
    columns = "application, number, kernel, started, ended, instructions, cycles, l1_hit_rate, dram_bytes"
    memsim_command("-d", "whole", PLANAR, "--scale", "tiny")
    memsim_command("-d", "parts", "--checkpoint-at", "100us", "--checkpoint-at", "200us", PLANAR, "--scale", "tiny")
    memsim_command("--restore", next((tmp_path / "parts").glob("200us*.ckpt")))
    memsim_command("--restore", next((tmp_path / "parts").glob("100us*.ckpt")))

    def rows(folder):
        with sqlite3.connect(tmp_path / folder / "stats.db") as db:
            return db.execute(f"SELECT {columns} FROM launches ORDER BY started").fetchall()
    assert rows("parts") == rows("whole") and len(rows("whole")) > 3


def test_ipc_of_a_baseline(runs):
    table = ask(runs, "SELECT * FROM normalised_ipc WHERE baseline = 'hetero'").set_index("platform")
    assert table["ratio"]["hetero"] == 1
    assert table["ratio"]["ohm-base"] == table["ipc"]["ohm-base"] / table["ipc"]["hetero"]


def test_stages_tile_lives_and_the_slowest_come_first(runs):
    stages = ask(runs, "SELECT run, sum(mean_ns) AS mean FROM stages GROUP BY run").set_index("run")["mean"]
    lives = ask(runs, "SELECT run, value FROM result WHERE path = 'requests' AND name = 'life.mean'").set_index("run")
    assert stages.to_dict() == pytest.approx(lives["value"].to_dict())
    slowest = ask(runs, "SELECT run, rank, latency_ns FROM slowest ORDER BY run, rank")
    for run, rows in slowest.groupby("run"):
        assert len(rows) == 10 and rows["latency_ns"].is_monotonic_decreasing
        most = ask(runs, f"SELECT value FROM result WHERE run = '{run}' AND name = 'life.max'")["value"][0]
        assert rows["latency_ns"].iloc[0] == pytest.approx(most)


def test_percentiles_are_merged_over_elements(in_tmp):
    """A fast and a slow channel: the median of both is the fast one's, as it has more requests."""
    root = memsim.Root()
    root.gen = [memsim.mem.TrafficGen(requests=n, period="1us") for n in (300, 100)]
    root.mem = [memsim.mem.SimpleMemory(latency=t) for t in ("100ns", "10us")]
    for gen, mem in zip(root.gen, root.mem):
        gen.mem_side = mem.cpu_side
    with memsim.Simulation(root) as sim:
        sim.simulate()
    merged = memsim.results().sql("SELECT * FROM percentiles WHERE name = 'read_latency'").set_index("path").loc["gen[*]"]
    alone = memsim.results().df().query("path == 'gen[0]' and name == 'read_latency.p50'")["value"].iloc[0]
    assert merged["p50"] == pytest.approx(alone, rel=1 / 16)
    assert merged["p90"] > 50 * merged["p50"]


def test_hit_rates_and_bandwidth(in_tmp):
    root = memsim.Root()
    root.gen = memsim.mem.TrafficGen(requests=500, period="20ns", read_share="100%")
    root.dram = memsim.mem.DramController(timing="ddr4_3200", map="RoRaBaCoCh")
    root.gen.mem_side = root.dram.cpu_side
    with memsim.Simulation(root) as sim:
        sim.stats.series("1us", ["dram.bytes"])
        sim.simulate()
    results = memsim.results()
    value = {name: results.value("dram", name) for name in ("row_hits", "row_misses", "row_conflicts", "bandwidth")}
    rates = results.sql("SELECT path, rate FROM hit_rates").set_index("path")["rate"]
    assert rates["dram"] == value["row_hits"] / sum(value[n] for n in ("row_hits", "row_misses", "row_conflicts"))
    assert any(path.startswith("dram.bank[") for path in rates.index)
    of = results.sql("SELECT bytes_per_second FROM bandwidth WHERE path = 'dram' AND name = 'bytes'")
    assert of["bytes_per_second"][0] == pytest.approx(value["bandwidth"])
    series = results.sql("SELECT * FROM bandwidth_over_time")
    samples = results.series()["value"]
    assert series["bytes_per_second"].sum() * 1e-6 == pytest.approx(samples.max())


def test_many_runs_in_one_frame(runs):
    frame = memsim.results(runs).df("all", wide=True)
    assert list(frame["platform"]) == ["hetero", "ohm-base"] and set(frame["script"]) == {"ohm_planar"}
    assert frame["gpu.dispatcher.ipc"].notna().all()
    assert list(memsim.results(runs).df(list(frame.index)[::-1], wide=True).index) == list(frame.index)[::-1]
    dumps = memsim.results(runs).df(list(frame.index)[::-1], all_dumps=True, wide=True)
    assert list(dumps.index.get_level_values("run").unique()) == list(frame.index)[::-1]
    long = memsim.results(runs).df(list(frame.index))
    assert set(long["run"]) == set(frame.index)
    assert len(memsim.results(runs).df()) < len(long)


def test_diff_names_what_differs(runs, memsim_command):
    ids = list(ask(runs, "SELECT run FROM ipc ORDER BY platform")["run"])
    assert "Nothing differs" in memsim_command("diff", runs, f"{runs}:{ids[1]}").stdout
    said = memsim_command("diff", f"{runs}:{ids[0][:8]}", runs, "--most", 5).stdout
    assert '["--scale","tiny"' in said and "memory.controller[0].routes" in said and "changed less" in said
    said = memsim_command("diff", f"{runs}:{ids[0][:8]}", runs, "--match", "gpu.", "--most", 9).stdout
    changes = [abs(float(line.split()[-1].rstrip("%"))) for line in said.splitlines() if line.endswith("%")]
    assert len(changes) > 3 and changes == sorted(changes, reverse=True)
    said = memsim_command("diff", runs, "nowhere", expect=1).stderr
    assert "name a database or an output directory" in said


def test_diff_says_by_how_much(memsim_command, tmp_path):
    config = ROOT / "configs/dram_traffic.py"
    memsim_command("-d", "a", config, "--requests", 100, "--period", "40ns")
    memsim_command("-d", "b", config, "--requests", 200, "--period", "40ns")
    said = memsim_command("diff", "a", "b", "--match", "requests").stdout.split()
    at = said.index("generator.requests")
    assert said[at:at + 4] == ["generator.requests", "100", "200", "+100.00%"]


def test_diff_knows_a_cost_of_energy_by_what_it_says(memsim_command, tmp_path):
    """One more cost in front of the others is one that differs, not a shift of all."""
    for name, costs in ("a", "[second]"), ("b", "[first, second]"):
        (tmp_path / f"{name}.py").write_text(f"""
import memsim
from memsim.energy import Cost, components
from memsim.mem import DramController, TrafficGen
root = memsim.Root()
root.gen, root.dram = TrafficGen(requests=100), DramController()
root.gen.mem_side = root.dram.cpu_side
first = Cost("DRAM", "dram", "a data sheet", statistic="activates", each=2e-9)
second = Cost("DRAM", "dram", "another", power=0.5)
root.energy = components({costs})
memsim.instantiate()
memsim.simulate()
""")
        memsim_command("-q", "-d", name, f"{name}.py")
    said = memsim_command("diff", "a", "b", "--match", "energy").stdout
    assert "energy(DRAM, dram.activates).each" in said and "dram.time" not in said and "energy[" not in said


@pytest.mark.parametrize("arguments", [
    ["bars", "--relative-to", "hetero"], ["bars", "--statistic", "gpu.l2[*].hits", "--over", "scale"],
    ["stages", "--by", "platform"], ["latency", "--bandwidth", "gpu.network.response_bandwidth", "--latency", "stages.l2.mean"]])
@pytest.mark.parametrize("ending, begin", [(".svg", b"<?xml"), (".png", b"\x89PNG"), (".pdf", b"%PDF")])
def test_plots(arguments, ending, begin, runs, memsim_command, tmp_path):
    memsim_command("plot", arguments[0], runs, *arguments[1:], "-o", "figure" + ending)
    made = (tmp_path / ("figure" + ending)).read_bytes()
    assert made.startswith(begin)
    if ending == ".svg":
        xml.fromstring(made)


def test_what_cannot_be_plotted_is_a_sentence(runs, memsim_command):
    for arguments, said in ((["bars", "--statistic", "gpu.ipc"], "no run of the database has a statistic 'gpu.ipc'"),
                            (["bars", "--relative-to", "ohm"], "no run has platform 'ohm': of hetero, ohm-base"),
                            (["bars", "--by", "colour"], "runs are told apart by 'colour', which no run here has"),
                            (["bars", "-o", "ipc.jpg"], "a plot is written as .svg, .png, .pdf"),
                            (["series"], "has no series")):
        assert said in memsim_command("plot", arguments[0], runs, *arguments[1:], expect=1).stderr
