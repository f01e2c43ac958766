"""Queries of results: kernel launches, views, frames of many runs, memsim diff, memsim plot."""
import re
import shutil
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
        subprocess.run(
            [
                ROOT / "build/memsim",
                "-q",
                "--stamps",
                "10",
                "-d",
                folder,
                PLANAR,
                "--scale",
                "tiny",
                "--platform",
                platform,
            ],
            check=True,
            capture_output=True,
        )
    return folder


def ask(runs, query):
    return memsim.results(runs).sql(query)


def test_a_launch_has_the_counts_of_its_duration(runs):
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


@pytest.mark.parametrize(
    "view, found_by",
    [("launches", "INDEX launch_of_run"), ("percentiles", "INDEX dump_of_run"), ("hit_rates", "INDEX dump_of_run")],
)
def test_rows_of_one_run_are_found_by_index(runs, view, found_by):
    plan = ask(runs, f"EXPLAIN QUERY PLAN SELECT * FROM {view} WHERE run = 'a'")["detail"]
    assert plan.str.contains(found_by).any(), list(plan)
    tables = {"run", "dump", "object", "param", "stat", "part", "value", "distribution", "launch", "total", "counted"}
    scanned, parts = (set(plan[plan.str.startswith(word)].str.split().str[1]) for word in ("SCAN", "CO-ROUTINE"))
    assert not (scanned - parts) & tables and not plan.str.contains("AUTOMATIC").any(), list(plan)


def test_hit_rates_of_all_runs_look_up_each_value_once(runs):
    """The query plan uses dump and part; a join by name alone would scan all values of the dump for each row."""
    plan = ask(runs, "EXPLAIN QUERY PLAN SELECT * FROM hit_rates")["detail"]
    assert (
        plan[plan.str.contains("SEARCH value")] == "SEARCH value USING PRIMARY KEY (dump=? AND part=?)"
    ).all(), list(plan)
    assert plan.str.contains("part_of_name").sum() >= 3, list(plan)


def test_launches_of_a_resumed_run_are_there_once(memsim_command, tmp_path):
    """A run that is interrupted in a launch has the same rows as an undisturbed run."""
    columns = "application, number, kernel, started, ended, instructions, cycles, l1_hit_rate, dram_bytes"
    memsim_command("-d", "whole", PLANAR, "--scale", "tiny")
    memsim_command("-d", "parts", "--checkpoint-at", "50us", "--checkpoint-at", "100us", PLANAR, "--scale", "tiny")
    memsim_command("--restore", next((tmp_path / "parts").glob("100us*.ckpt")))
    memsim_command("--restore", next((tmp_path / "parts").glob("50us*.ckpt")))

    def rows(folder):
        with sqlite3.connect(tmp_path / folder / "stats.db") as db:
            return db.execute(f"SELECT {columns} FROM launches ORDER BY started").fetchall()

    assert rows("parts") == rows("whole") and len(rows("whole")) > 3


def test_ipc_of_a_baseline(runs):
    table = ask(runs, "SELECT * FROM normalised_ipc WHERE baseline = 'hetero'").set_index("platform")
    assert table["ratio"]["hetero"] == 1
    assert table["ratio"]["ohm-base"] == table["ipc"]["ohm-base"] / table["ipc"]["hetero"]


def copy_with(runs, tmp_path, change, *parameters):
    """A changed copy of the database."""
    (tmp_path / "other").mkdir()
    shutil.copy(runs / "stats.db", tmp_path / "other")
    with sqlite3.connect(tmp_path / "other/stats.db") as db:
        db.execute(change, parameters)
    return tmp_path / "other"


def test_a_default_has_a_name(memsim_command, tmp_path):
    """The run of the README has no --platform; the script states that it is ohm-base."""
    memsim_command("-q", "-d", "out", PLANAR, "--scale", "tiny")
    memsim_command("-q", "-d", "out", PLANAR, "--scale", "tiny", "--platform", "hetero")
    made = ask(tmp_path / "out", "SELECT platform, workload, others, script FROM ipc ORDER BY platform DESC")
    assert list(made["platform"]) == ["ohm-base", "hetero"] and "scale tiny" in made["others"][0]
    assert made["others"][0] == made["others"][1] and "seed" not in made["others"][0]
    ratio = ask(tmp_path / "out", "SELECT platform FROM normalised_ipc WHERE baseline = 'ohm-base' AND ratio <> 1")
    assert list(ratio["platform"]) == ["hetero"]
    memsim_command("plot", "bars", "out", "--relative-to", "ohm-base")


@pytest.mark.parametrize("options", [("-d", "out"), ("-d", "out", "--stats-db", "own.db")])
def test_a_script_reads_the_database_of_its_process(memsim_command, tmp_path, options):
    script = (
        "import memsim\nroot = memsim.Root()\n"
        "root.gen, root.mem = memsim.mem.TrafficGen(requests=10), memsim.mem.SimpleMemory()\n"
        "root.gen.mem_side = root.mem.cpu_side\n"
        "with memsim.Simulation(root) as simulation:\n    simulation.simulate()\n"
        "print(memsim.results().value('mem', 'reads', simulation.id))\n"
    )
    (tmp_path / "own.py").write_text(script)
    assert memsim_command("-q", *options, "own.py").stdout == "10.0\n"
    assert not (tmp_path / "memsim-out").exists()


def test_arguments_are_those_given_if_the_script_passes_none(in_tmp):
    root = memsim.Root()
    root.gen, root.mem = memsim.mem.TrafficGen(requests=10), memsim.mem.SimpleMemory()
    root.gen.mem_side = root.mem.cpu_side
    with pytest.raises(memsim.Error, match="3 is neither argparse's namespace nor a dict"):
        memsim.Simulation(root, arguments=3)
    root = memsim.Root()
    root.gen, root.mem = memsim.mem.TrafficGen(requests=10), memsim.mem.SimpleMemory()
    root.gen.mem_side = root.mem.cpu_side
    with memsim.Simulation(root, arguments={"platform": "mine", "fast": True, "slow": False, "n": 3, "x": None}) as sim:
        sim.simulate("1ns")
        again = sim.checkpoint("a.ckpt")
    rows = memsim.results().sql("SELECT name, value FROM argument ORDER BY name")
    assert rows.fillna("").values.tolist() == [["fast", ""], ["n", 3], ["platform", "mine"]]
    with memsim.restore(again, outdir="other") as machine:
        machine.simulate()
    assert "mine" in list(memsim.results("other").sql("SELECT value FROM argument")["value"])
    with sqlite3.connect("memsim-out/stats.db") as db:
        db.execute("""UPDATE run SET arguments = NULL, argv = '["--platform", "old", "--fast", "--n", "3"]'""")
    rows = memsim.results().sql("SELECT name, value FROM argument ORDER BY name")
    assert rows.fillna("").values.tolist() == [["fast", ""], ["n", "3"], ["platform", "old"]]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [1.0, float("-inf")], {"a": float("nan")}])
def test_sqlite_reads_arguments_that_are_no_numbers(in_tmp, value):
    root = memsim.Root()
    root.gen, root.mem = memsim.mem.TrafficGen(requests=10), memsim.mem.SimpleMemory()
    root.gen.mem_side = root.mem.cpu_side
    with memsim.Simulation(root, arguments={"ratio": value, 2: "two"}) as sim:
        sim.simulate()
    rows = memsim.results().sql("SELECT name, value FROM argument ORDER BY name")
    assert list(rows["name"]) == ["2", "ratio"]
    assert ("nan" in rows["value"][1]) or ("inf" in rows["value"][1])


def test_bytes_of_dram_are_unknown_where_nothing_counts_them(runs, tmp_path):
    """A launch without traffic has 0. A machine without a counting memory has no figure; for a plain memory, the
    requests of the cache in front of it count."""
    assert not ask(runs, "SELECT dram_bytes FROM launches")["dram_bytes"].isna().any()
    none = copy_with(
        runs,
        tmp_path,
        "UPDATE object SET type = 'mem.SimpleMemory' WHERE type GLOB 'ohm.*' OR type = 'mem.DramController'",
    )
    assert ask(none, "SELECT dram_bytes FROM launches")["dram_bytes"].isna().all()
    with sqlite3.connect(none / "stats.db") as db:
        db.execute(
            "UPDATE object SET type = 'mem.PageCache' WHERE id IN (SELECT object FROM total WHERE name = 'dram_bytes')"
        )
    assert (
        ask(none, "SELECT sum(dram_bytes) AS s FROM launches")["s"]
        == ask(none, "SELECT sum(value) AS s FROM launch_results WHERE name = 'dram_bytes'")["s"]
    ).all()
    with sqlite3.connect(none / "stats.db") as db:
        db.execute("DELETE FROM counted")
    assert set(ask(none, "SELECT dram_bytes FROM launches")["dram_bytes"]) == {0.0}


def test_stages_cover_requests_and_the_slowest_are_first(runs):
    stages = ask(runs, "SELECT run, sum(mean_ns) AS mean FROM stages GROUP BY run").set_index("run")["mean"]
    life = ask(runs, "SELECT run, value FROM result WHERE path = 'requests' AND name = 'life.mean'").set_index("run")
    assert stages.to_dict() == pytest.approx(life["value"].to_dict())
    slowest = ask(runs, "SELECT run, rank, latency_ns FROM slowest ORDER BY run, rank")
    for run, rows in slowest.groupby("run"):
        assert len(rows) == 10 and rows["latency_ns"].is_monotonic_decreasing
        most = ask(runs, f"SELECT value FROM result WHERE run = '{run}' AND name = 'life.max'")["value"][0]
        assert rows["latency_ns"].iloc[0] == pytest.approx(most)


def test_percentiles_are_merged_over_elements(in_tmp):
    """A fast and a slow channel: the median over both is that of the fast one, which has more requests."""
    root = memsim.Root()
    root.gen = [memsim.mem.TrafficGen(requests=n, period="1us") for n in (300, 100)]
    root.mem = [memsim.mem.SimpleMemory(latency=t) for t in ("100ns", "10us")]
    for gen, mem in zip(root.gen, root.mem):
        gen.mem_side = mem.cpu_side
    with memsim.Simulation(root) as sim:
        sim.simulate()
    merged = (
        memsim.results().sql("SELECT * FROM percentiles WHERE name = 'read_latency'").set_index("path").loc["gen[*]"]
    )
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


def test_hit_rates_of_page_buffers_and_those_stated_by_components(memsim_command, tmp_path):
    memsim_command("-q", "-d", "out", ROOT / "configs/zng.py", "--platform", "hybridgpu", "--scale", "tiny")
    memsim_command("-q", "-d", "out", ROOT / "configs/cmd.py", "--scale", "tiny")
    rates = (
        memsim.results(tmp_path / "out")
        .sql("SELECT path, what, rate FROM hit_rates")
        .set_index(["path", "what"])["rate"]
    )
    buffer = (
        memsim.results(tmp_path / "out")
        .sql("SELECT name, value FROM result WHERE path = 'memory.buffer' AND name IN ('hits', 'reads', 'writes')")
        .set_index("name")["value"]
    )
    of_buffer = rates[rates.index == ("memory.buffer", "hits")]
    assert list(of_buffer) == [buffer["hits"] / (buffer["reads"] + buffer["writes"])]
    assert any(what == "map hit rate" for _, what in rates.index) and rates.dropna().between(0, 1).all()


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


def test_a_run_without_values_gives_an_error_message(in_tmp):
    root = memsim.Root()
    root.gen, root.mem = memsim.mem.TrafficGen(requests=10), memsim.mem.SimpleMemory()
    root.gen.mem_side = root.mem.cpu_side
    with memsim.Simulation(root) as sim:
        sim.simulate()
        for ask_for in ({}, dict(wide=True), dict(run="all", wide=True)):
            with pytest.raises(
                memsim.Error, match=f"there are no values yet of run {sim.id}: memsim.stats.dump.. writes"
            ):
                memsim.results().df(**ask_for)
        sim.stats.dump("now")
        assert not memsim.results().df(wide=True).empty


def test_diff_names_the_differences(runs, memsim_command):
    ids = list(ask(runs, "SELECT run FROM ipc ORDER BY platform")["run"])
    assert "Nothing differs" in memsim_command("diff", runs, f"{runs}:{ids[1]}").stdout
    output = memsim_command("diff", f"{runs}:{ids[0][:8]}", runs, "--most", 5).stdout
    assert (
        '["--scale","tiny"' in output
        and "memory.controller[0].routes" in output
        and "others, " in output
        and "in one run alone" in output
    )
    output = memsim_command("diff", f"{runs}:{ids[0][:8]}", runs, "--match", "gpu.", "--most", 9).stdout
    changes = [abs(float(line.split()[-1].rstrip("%"))) for line in output.splitlines() if line.endswith("%")]
    assert len(changes) > 3 and changes == sorted(changes, reverse=True)
    last = memsim_command("diff", f"{runs}:{ids[0][:8]}", runs, "--most", 0).stdout.splitlines()[-1]
    assert last.split()[1] == "-" or last.split()[2] == "-"  # values that only one run has are last
    output = memsim_command("diff", runs, "nowhere", expect=1).stderr
    assert "name a database or an output directory" in output


def test_diff_shows_changes(memsim_command, tmp_path):
    config = ROOT / "configs/dram_traffic.py"
    memsim_command("-d", "a", config, "--requests", 100, "--period", "40ns")
    memsim_command("-d", "b", config, "--requests", 200, "--period", "40ns")
    output = memsim_command("diff", "a", "b", "--match", "requests").stdout.split()
    at = output.index("generator.requests")
    assert output[at : at + 4] == ["generator.requests", "100", "200", "+100.00%"]


@pytest.fixture
def drawn(runs, monkeypatch, tmp_path):
    """The data that `memsim plot` draws: the table, or the groups, and the label of the y axis."""
    from memsim.cli.subcommands import SUBCOMMANDS
    from memsim import plot

    def draw(*arguments, db=runs):
        made = {}
        for name in "bars", "stacks", "points", "lines":
            monkeypatch.setattr(
                plot, name, lambda path, table, *rest, **more: made.update(table=table, texts=rest, **more)
            )
        SUBCOMMANDS["plot"].run([arguments[0], str(db), *arguments[1:]])
        return made

    return draw


@pytest.fixture(scope="module")
def unlike(runs, tmp_path_factory):
    """Two more runs: hetero at another scale, and ohm-base with another seed."""
    folder = tmp_path_factory.mktemp("unlike")
    shutil.copy(runs / "stats.db", folder)
    for more in (
        ["--scale", "small", "--platform", "hetero"],
        ["--scale", "tiny", "--platform", "ohm-base", "--seed", "2"],
    ):
        subprocess.run(
            [ROOT / "build/memsim", "-q", "--stamps", "10", "-d", folder, PLANAR, *more],
            check=True,
            capture_output=True,
        )
    return folder


def test_only_seeds_are_averaged(unlike, drawn, capsys):
    with pytest.raises(memsim.Error, match=r"the runs differ in 'scale' \(small, tiny\).*--only scale=tiny"):
        drawn("bars", "--relative-to", "hetero", db=unlike)
    with pytest.raises(memsim.Error, match="the runs differ in 'scale'"):
        drawn("stages", "--by", "platform", db=unlike)
    made = drawn("bars", "--relative-to", "hetero", "--only", "scale=tiny", "--only", "seed=1", db=unlike)
    ratio = ask(
        unlike, "SELECT ratio FROM normalised_ipc WHERE baseline = 'hetero' AND platform = 'ohm-base' AND seed = 1"
    )
    assert made["table"].loc["ohm-base"].iloc[0] == pytest.approx(ratio["ratio"][0])
    made = drawn("bars", "--only", "scale=tiny", db=unlike)
    ipc = ask(unlike, "SELECT avg(ipc) AS ipc FROM ipc WHERE platform = 'ohm-base'")["ipc"][0]
    assert (
        made["table"].loc["ohm-base"].iloc[0] == pytest.approx(ipc)
        and "mean, least and greatest of 2 seeds" in made["texts"][0]
    )
    made = drawn("bars", "--over", "scale", "--only", "platform=hetero", db=unlike)
    assert list(made["table"].columns) == ["tiny", "small"]
    assert not capsys.readouterr().err


def test_parameters_that_options_set_distinguish_runs(drawn, tmp_path):
    """`--set` is not an argument of the script, but runs that differ in it are not repetitions of one run."""
    for latency in "20ns", "40ns":
        subprocess.run(
            [ROOT / "build/memsim", "-q", "-d", tmp_path, "--set", f"gpu.l2[*].latency={latency}", PLANAR]
            + ["--scale", "tiny"],
            check=True,
            capture_output=True,
        )
    with pytest.raises(memsim.Error, match=r"differ in 'gpu\.l2\[\*\]\.latency' \(20ns, 40ns\), which the figure"):
        drawn("bars", db=tmp_path)
    made = drawn("bars", "--by", "gpu.l2[*].latency", db=tmp_path)
    assert list(made["table"].index) == ["20ns", "40ns"] and made["table"].iloc[:, 0].nunique() == 2
    assert ask(tmp_path, "SELECT DISTINCT others FROM ipc").shape[0] == 2
    assert ask(tmp_path, "SELECT ratio FROM normalised_ipc")["ratio"].tolist() == [1, 1]  # of each to itself alone


def test_bars_of_machines_without_a_workload_are_grouped_by_script(drawn, tmp_path, capsys):
    for period in "10ns", "20ns":
        subprocess.run(
            [ROOT / "build/memsim", "-q", "-d", tmp_path, ROOT / "configs/dram_traffic.py"]
            + ["--requests", "100", "--period", period],
            check=True,
            capture_output=True,
        )
    made = drawn("bars", "--statistic", "dram.bandwidth", "--by", "period", db=tmp_path)
    assert list(made["table"].index) == ["10ns", "20ns"] and list(made["table"].columns) == ["dram_traffic"]
    assert capsys.readouterr().err == ""
    with sqlite3.connect(tmp_path / "stats.db") as db:
        db.execute("UPDATE run SET finished = NULL WHERE json_extract(arguments, '$.period') = '20ns'")
    drawn("bars", "--statistic", "dram.bandwidth", "--by", "period", db=tmp_path)
    assert "memsim: 1 of 2 runs have not finished: their values are those of their last" in capsys.readouterr().err


def test_omitted_runs_are_reported(runs, unlike, drawn, tmp_path, capsys):
    subprocess.run(
        [ROOT / "build/memsim", "-q", "-d", tmp_path, ROOT / "configs/dram_traffic.py", "--requests", "100"],
        check=True,
        capture_output=True,
    )
    memsim_merge = subprocess.run([ROOT / "build/memsim", "merge", tmp_path, runs], capture_output=True)
    assert memsim_merge.returncode == 0
    made = drawn("bars", "--by", "platform", "--statistic", "requests.life.mean", db=tmp_path)
    assert sorted(made["table"].index) == ["hetero", "ohm-base"]
    with sqlite3.connect(tmp_path / "stats.db") as db:  # a run with stages and no platform; and a repeated run
        db.execute(
            "UPDATE run SET arguments = json_remove(arguments, '$.platform') "
            "WHERE json_extract(arguments, '$.platform') = 'hetero'"
        )
    assert list(drawn("stages", "--by", "platform", db=tmp_path)["table"].index) == ["ohm-base"]
    assert "1 of 2 runs have no 'platform' and are omitted" in capsys.readouterr().err
    bars = drawn("stages", db=tmp_path)["table"]
    assert len(bars) == 2 and set(bars.columns[:4]) == {"sm", "l1", "network", "l2"}
    with sqlite3.connect(tmp_path / "stats.db") as db:
        db.execute("""UPDATE run SET arguments = json_set(arguments, '$.platform', 'ohm-base')""")
    made = drawn("bars", "--statistic", "gpu.dispatcher.ipc", db=tmp_path)
    assert "1 runs were made again with equal arguments and seed: the latest counts" in capsys.readouterr().err
    latest = ask(tmp_path, "SELECT ipc FROM ipc JOIN run ON id = run ORDER BY started DESC LIMIT 1")["ipc"][0]
    assert made["table"].loc["ohm-base"].iloc[0] == latest


def test_elements_are_combined_by_their_kind(runs, drawn):
    """Counts are added, ratios and times are averaged, maxima are compared; the axis names the method."""
    for name, how, output in (
        ("hits", "sum", "sum of gpu.l1[*]"),
        ("miss_rate", "mean", "mean of gpu.l1[*]"),
        ("miss_latency.mean", "mean", "mean of gpu.l1[*]"),
        ("miss_latency.max", "max", "highest of"),
    ):
        made = drawn("bars", "--statistic", f"gpu.l1[*].{name}")
        each = ask(
            runs,
            f"SELECT platform, value FROM result JOIN ipc USING (run) WHERE path GLOB 'gpu.l1[[]*' AND name = '{name}'",
        )
        assert made["table"].iloc[:, 0].to_dict() == pytest.approx(each.groupby("platform")["value"].agg(how).to_dict())
        assert output in made["texts"][0]
    assert drawn("bars")["texts"][0] == "gpu.dispatcher.ipc"


def test_stages_are_in_the_order_of_the_request(runs, drawn):
    from memsim.results.stages import LAST, WAY, along_the_way

    assert along_the_way({"l2", "page", "network", "new", "response", "dram", "l1", "translation", "sm"}) == [
        "sm",
        "translation",
        "l1",
        "network",
        "l2",
        "page",
        "dram",
        "new",
        "response",
    ]
    reported = re.findall(
        r"`(\w+)`",
        " ".join(
            line.split("|")[1]
            for line in re.findall(r"^\| `.*", (ROOT / "docs/debugging.md").read_text().split("## ")[1], re.M)
        ),
    )
    assert along_the_way(reported) == [*WAY, *LAST]
    stages = list(drawn("stages", "--by", "platform")["table"].columns)
    assert stages == along_the_way(stages) != sorted(stages)


def test_a_series_has_units_that_people_read(in_tmp, drawn):
    root = memsim.Root()
    root.gen = memsim.mem.TrafficGen(requests=500, period="20ns", read_share="100%")
    root.dram = memsim.mem.DramController(timing="ddr4_3200", map="RoRaBaCoCh")
    root.gen.mem_side = root.dram.cpu_side
    with memsim.Simulation(root) as sim:
        sim.stats.series("1us", ["dram.bandwidth", "gen.read_latency"])
        sim.simulate()
    made = drawn("series", "--statistic", "dram.bandwidth", "--log", db="memsim-out")
    assert made["texts"][:2] == ("us", ["GB/s"]) and made["log"] == "y"
    most = memsim.results().series().query("name == 'bandwidth'")["value"].max()
    assert made["table"]["dram.bandwidth"].max().max() == pytest.approx(most / 1e9)
    assert "GB/s" in drawn("series", db="memsim-out")["table"]  # a panel for each unit
    root = memsim.Root()
    root.gen, root.mem = memsim.mem.TrafficGen(requests=5), memsim.mem.SimpleMemory()
    root.gen.mem_side = root.mem.cpu_side
    with memsim.Simulation(root) as sim:
        sim.simulate()
    assert "GB/s" in drawn("series", db="memsim-out")["table"]  # from the latest run with requests
    with pytest.raises(memsim.Error, match="has no series .*, as others have: choose --run"):
        drawn("series", "--run", sim.id, db="memsim-out")


def test_panels_name_their_own_lines_unless_they_are_too_many(tmp_path):
    import pandas
    from memsim import plot

    def drawn(*panels):
        file = plot.lines(
            tmp_path / "a.svg",
            {title: pandas.DataFrame({1: 1.0, 2: 2.0}, index=names) for title, names in panels},
            "us",
            "y",
        )
        return Path(file).read_text()

    many = [f"bank {i}" for i in range(plot.MOST_NAMED + 1)]
    output = drawn(("Count", ["hits", "misses"]), ("GB/s", ["bandwidth"]), ("Banks", many))
    assert all(f"<!-- {name} -->" in output for name in ("hits", "misses", "bandwidth", "Banks (13 lines)"))
    assert "<!-- bank 1 -->" not in output


def test_many_bars_have_a_width_that_can_be_read(tmp_path):
    import pandas
    from memsim import plot
    from PIL import Image

    table = pandas.DataFrame({f"workload{i}": {f"platform{j}": i + j + 1 for j in range(12)} for i in range(40)})
    plot.bars(tmp_path / "a.png", table, "y" * 200)
    width, height = Image.open(tmp_path / "a.png").size
    assert width <= 150 * (plot.WIDEST + 2) and height <= 1500
    plot.bars(tmp_path / "b.svg", table, "y", log=True)
    assert "10^{" in (tmp_path / "b.svg").read_text() or "mathdefault" in (tmp_path / "b.svg").read_text()


def test_diff_identifies_a_cost_of_energy_by_its_contents(memsim_command, tmp_path):
    """A cost inserted in front of the others is one difference; the others are not shifted."""
    for name, costs in ("a", "[second]"), ("b", "[first, second]"):
        (tmp_path / f"{name}.py").write_text(
            f"""
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
"""
        )
        memsim_command("-q", "-d", name, f"{name}.py")
    output = memsim_command("diff", "a", "b", "--match", "energy").stdout
    assert "energy(DRAM, dram.activates).each" in output and "dram.time" not in output and "energy[" not in output


@pytest.mark.parametrize(
    "arguments",
    [
        ["bars", "--relative-to", "hetero"],
        ["bars", "--statistic", "gpu.l2[*].hits", "--over", "scale"],
        ["stages", "--by", "platform"],
        ["latency", "--bandwidth", "gpu.network.response_bandwidth", "--latency", "stages.l2.mean"],
    ],
)
@pytest.mark.parametrize("ending, begin", [(".svg", b"<?xml"), (".png", b"\x89PNG"), (".pdf", b"%PDF")])
def test_plots(arguments, ending, begin, runs, memsim_command, tmp_path):
    memsim_command("plot", arguments[0], runs, *arguments[1:], "-o", "figure" + ending)
    made = (tmp_path / ("figure" + ending)).read_bytes()
    assert made.startswith(begin)
    if ending == ".svg":
        xml.fromstring(made)


def test_a_failed_plot_gives_an_error_message(runs, memsim_command):
    for arguments, output in (
        (["bars", "--statistic", "gpu.ipc"], "no run of the database has a statistic 'gpu.ipc'"),
        (["bars", "--relative-to", "ohm"], "no run has platform 'ohm': of hetero, ohm-base"),
        (
            ["bars", "--by", "colour"],
            "no run here has the argument 'colour' to distinguish runs (--by, --over, --only): ",
        ),
        (["bars", "--only", "hetero"], "--only hetero: use NAME=VALUE"),
        (["bars", "-o", "ipc.jpg"], "plots are written as .svg, .png, .pdf"),
        (["series"], "has no series: memsim.stats.series() samples statistics in the script"),
    ):
        assert output in memsim_command("plot", arguments[0], runs, *arguments[1:], expect=1).stderr
