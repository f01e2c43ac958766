"""memsim reproduce: figures by name, their files, --check, and the generated page of docs."""
import csv
import re
import signal
import sqlite3
import subprocess
from pathlib import Path

import pytest
from memsim.errors import Error
from memsim.results import plot
from memsim.study import accuracy, catalog, claimed, drawing, results, verdict

ROOT = Path(__file__).parents[2]
MEMSIM = ROOT / "build/memsim"
POINTS = results.RESULTS / "zng" / "points"


def test_every_study_is_listed(memsim_command):
    printed = memsim_command("reproduce", "--list").stdout
    for name in catalog.figures():
        assert f"\n{name} " in printed
    assert "ohm/fig16" in printed and "Fig. 16 of Ohm-GPU" in printed
    # Unknown costs are reported, for each figure and in total.
    unknown = re.search(r"^(\d+) of \d+ times are not known: running a figure measures them", printed, re.M)
    assert int(unknown[1] if unknown else 0) == printed.count("not measured")


def test_figures_are_chosen_by_name_paper_or_all():
    names = [f.name for f in catalog.chosen(["sap/fig06", "sap"])]
    assert names[0] == "sap/fig06" and "sap/fig02" in names and len(names) == len(set(names))
    assert not any("sensitivity" in f.name for f in catalog.chosen(["all"]))
    assert [f.name for f in catalog.chosen(["ohm/sensitivity"])] == ["ohm/sensitivity"]


def test_a_wrong_name_gives_an_error_message(memsim_command):
    printed = memsim_command("reproduce", "ohm/figg16", expect=1).stderr
    assert "there is no figure or paper 'ohm/figg16' (did you mean 'ohm/fig16'?)" in printed


def test_wrong_options_of_a_figure_are_refused_before_it_runs(memsim_command, tmp_path):
    printed = memsim_command("reproduce", "cxl/fig3b", "--frob", expect=1).stderr
    assert printed == "memsim: cxl_gpu/fig3b has no options of its own: leave out --frob\n"
    printed = memsim_command("reproduce", "cxl/fig3b", "zng/fig13", "--workload", "betw", expect=2).stderr
    assert printed.endswith("memsim reproduce zng/fig13: error: unrecognized arguments: --workload betw\n")
    printed = memsim_command("reproduce", "zng/fig13", "--workloads", "btw", expect=1).stderr
    assert "there is no workload 'btw' in 'btw' (did you mean 'betw'?)" in printed and printed.count("\n") == 1
    assert not (tmp_path / "memsim-out").exists()


def test_a_figure_leaves_its_data_and_is_not_run_twice(memsim_command, tmp_path):
    printed = memsim_command("reproduce", "cxl/fig3b", "zng/mapping", "-d", "out").stderr
    assert "1/2  cxl_gpu/fig3b" in printed and "2/2  zng/mapping" in printed
    folder = next((tmp_path / "out").glob("cxl*/fig3b"))
    with (folder / "data.csv").open() as f:
        rows = list(csv.DictReader(f))
    assert [row["controller"] for row in rows] == ["ours", "smt", "tpp"]
    with (folder / "claims.csv").open() as f:
        expected = {row["id"]: row for row in csv.DictReader(f)}
    assert set(expected) == {"cxl-03", "cxl-04", "cxl-33"}
    assert (expected["cxl-33"]["relation"], expected["cxl-33"]["unit"]) == ("below", "ns")
    with (tmp_path / "out/zng/mapping/data.csv").open() as data, (
        tmp_path / "out/zng/mapping/claims.csv"
    ).open() as judged:
        assert (
            [(row["claim"], row["value"]) for row in csv.DictReader(data)]
            == [(row["id"], row["ours"]) for row in csv.DictReader(judged)]
            != []
        )
    assert (folder / "claims.svg").read_text().startswith("<?xml") and "round_trip" in (
        folder / "output.txt"
    ).read_text()
    with sqlite3.connect(tmp_path / "out/stats.db") as db:
        runs = db.execute("SELECT count(*) FROM run").fetchone()
    memsim_command("reproduce", "cxl/fig3b", "-d", "out", "-q")
    with sqlite3.connect(tmp_path / "out/stats.db") as db:
        assert db.execute("SELECT count(*) FROM run").fetchone() == runs
    assert {row["run"] for row in rows} == {row["run"] for row in csv.DictReader((folder / "data.csv").open())}


def test_claims_are_drawn_by_unit_and_data_by_platform(tmp_path, monkeypatch):
    made = {}
    monkeypatch.setattr(plot, "beside", lambda path, panels, title: made.update(panels))
    monkeypatch.setattr(plot, "bars", lambda path, table, y, title: made.update(table=table, y=y, path=path))
    row = dict(metric="IPC", subject="ours", baseline="base", relation="gain", unit="%", paper=1.4, ours=1.2)
    rows = [
        row | dict(id="ohm-01"),
        row | dict(id="ohm-05", relation="below", unit="ns", baseline=""),
        row | dict(id="ohm-06", ours=None),
    ]
    figure = catalog.figures()["ohm/fig16"]
    drawing.draw(figure, rows, tmp_path)
    assert list(made) == ["ratio", "ns"]
    assert list(made["ratio"].columns) == ["IPC, ours / base\n(ohm-01, abstract)"] and list(
        made["ratio"].loc["paper"]
    ) == [1.4]
    assert list(made["ns"].columns) == ["IPC, ours\n(ohm-05, Fig. 16a, paper: below)"]
    drawing.draw_data(figure, tmp_path)
    assert "table" not in made  # without data
    (tmp_path / "data.csv").write_text(
        "seed,mode,platform,workload,cycles,ipc\n1,planar,x,bfs,5,2\n2,planar,x,bfs,7,4\n"
        "1,planar,y,bfs,5,8\n2,planar,y,bfs,5,8\n"
    )
    drawing.draw_data(figure, tmp_path)
    assert made["table"].to_dict() == {"planar bfs": {"x": 6, "y": 5}} and made["y"] == "cycles"  # what is shown first


def test_claims_lie_below_each_other(tmp_path):
    import pandas
    from PIL import Image

    of = pandas.DataFrame({f"IPC, subject {i} / base\n(x-{i})": dict(paper=1.0, ours=1.5) for i in range(20)})
    plot.beside(tmp_path / "a.png", {"ratio": of, "ns": of.iloc[:, :1]}, title="Figure")
    width, height = Image.open(tmp_path / "a.png").size
    assert width < 150 * 12 and height > 150 * 10


def test_check_finds_a_claim_that_is_not_met_any_more(memsim_command, tmp_path):
    memsim_command("reproduce", "cxl/fig3b", "-d", "out", "--check")
    script = tmp_path / "worse.py"  # the same, if our claim was met with another value
    script.write_text(
        "from memsim.study import catalog, claimed, reproduce\n"
        "claim = claimed.claims('cxl_gpu')['cxl-33']\n"
        "row = dict(ours=120.0, comparison=claim.compare(120.0), paper=claim.expected, metric=claim.metric,\n"
        "           subject=claim.subject)\n"
        "print(reproduce.check({'cxl-33': (row, catalog.figures()['cxl_gpu/fig3b'])}, 'quick'))\n"
    )
    printed = memsim_command("-d", "out", script).stdout
    assert "cxl-33 was met with 68.46 and is not met any more: cxl_gpu/fig3b gives 120" in printed and printed.endswith(
        "\n1\n"
    )


def test_figures_at_judge_are_recorded_with_their_seeds(monkeypatch, tmp_path):
    """With three seeds the file has all figures; a figure with only some workloads does not change the file."""
    file = tmp_path / "sap" / "judged.csv"
    file.parent.mkdir()
    file.write_text("id,ours,scale,workloads,source\nsap-02,0.5,judge,,fig06.py\n")
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    figure = catalog.figures()["sap/fig06"]

    def row(ours, lowest, highest, seeds, word):
        return dict(ours=ours, lowest=lowest, highest=highest, seeds=seeds, verdict=word), figure

    results.record(
        {
            "sap-02": row(0.9, 0.9, 0.9, 1, verdict.TOO_SMALL),
            "sap-03": row(1.02, 1.01, 1.04, 3, verdict.MET),
            "sap-04": row(1.125, 1.125, 1.125, 1, verdict.NOT_REPRODUCED),
        },
        "judge",
    )
    rows = results.rows_of(file)
    assert {id: r["ours"] for id, r in rows.items()} == {"sap-02": "0.5", "sap-03": "1.01 1.02 1.04", "sap-04": "1.125"}
    assert rows["sap-03"]["scale"] == "judge" and rows["sap-03"]["source"] == "sap/fig06"
    assert results.recorded("judge")  # the page is written from the file
    assert "| 1.02 (1.01 to 1.04) |" in accuracy.page() and "| 1.125 |" in accuracy.page()
    results.record({"sap-03": row(1.07, 1.07, 1.07, 1, verdict.TOO_SMALL)}, "half")
    assert "### SAP: other sizes of inputs" in accuracy.page()
    assert "| 1.07 | 1.02 (1.01 to 1.04) | - |" in accuracy.page()
    results.record({"sap-03": row(None, None, None, 0, verdict.NOT_MODELLED)}, "judge")
    assert results.rows_of(file)["sap-03"]["ours"] == "" and "| not modelled |" in accuracy.page()


def test_a_file_that_was_cut_off_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    whole = "id,ours,scale,workloads,source\nsap-03,1.07,judge,,sap/fig03\n"
    file = tmp_path / "sap/judged.csv"
    file.parent.mkdir()
    file.write_text(whole)
    assert results.rows_of(file)["sap-03"]["ours"] == "1.07"
    file.write_text(whole[:-20])
    with pytest.raises(Error, match=r"sap/judged.csv:2: the last line is cut off: restore the file, or delete it"):
        accuracy.page()


def test_a_figure_that_only_computes_leaves_a_whole_database(memsim_command, tmp_path):
    memsim_command("reproduce", "zng/mapping", "-d", "out", "-q")
    memsim_command("reproduce", "cxl/fig3b", "-d", "out", "-q")
    assert memsim_command("sql", "out", "SELECT count(*) > 0 FROM run").stdout.endswith("\n1\n")


def test_a_cost_is_that_of_a_figure_of_which_no_point_had_been_run(memsim_command, tmp_path):
    for _ in range(2):
        memsim_command("reproduce", "cxl/fig3b", "-d", "out", "-q")
        costs = (tmp_path / "out/costs.csv").read_text()
        (tmp_path / "out/costs.csv").write_text(costs.replace("quick,", "quick,1000"))
    assert "quick,1000" in costs


@pytest.mark.parametrize("option", ["--jobs", "--seeds"])
def test_no_jobs_or_seeds_are_refused(option, memsim_command):
    assert (
        f"argument {option}: '0' is not an integer of at least 1"
        in memsim_command("reproduce", "cxl/fig3b", option, 0, expect=2).stderr
    )


def test_points_at_judge_are_kept_without_their_runs(monkeypatch, tmp_path):
    (tmp_path / "data.csv").write_text("seed,platform,ipc,run\n1,zng,0.123456789,abc\n")
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    results.record_points(catalog.figures()["zng/fig14"], tmp_path / "data.csv")
    assert (tmp_path / "zng/points/fig14.csv").read_text() == "seed,platform,ipc\n1,zng,0.123457\n"


def judged(id):
    """The stored figures of a claim: one, or the minimum, median and maximum over three seeds."""
    rows = results.rows_of(results.file_of(id.split("-")[0], "judge"))
    return [float(figure) for figure in rows[id]["ours"].split()]


@pytest.mark.parametrize(
    "id, figure, ours, base, seeds",
    [
        ("zng-22", "fig14", "zng fcnet", "zng swnet", 1),
        ("zng-23", "fig14", "zng", "zng fcnet", 1),
        ("zng-38", "fig16b", "zng predict-4KBpref", "zng 4KBpref", 1),
        ("cmd-02", "fig14", "cmd", "baseline", 3),
        ("cmd-06", "fig14", "l2-5mb", "baseline", 3),
    ],
)
def test_judged_figures_follow_from_the_points_that_are_kept(id, figure, ours, base, seeds):
    """For claims about the IPC of all workloads: geometric means for ZnG, arithmetic ones for CMD."""
    import pandas

    paper = id.split("-")[0]
    points = pandas.read_csv(results.RESULTS / paper / "points" / f"{figure}.csv").pivot(
        index=["seed", "workload"], columns="platform", values="ipc"
    )
    ratios = (points[ours] / points[base]).groupby("seed")
    assert (ratios.size() == {"zng": 12, "cmd": 13}[paper]).all() and len(ratios) == seeds
    means = ratios.mean() if paper == "cmd" else ratios.apply(lambda each: each.prod() ** (1 / len(each)))
    assert sorted(means) == pytest.approx(judged(id), rel=1e-4)


def test_the_judged_threshold_follows_from_the_points_that_are_kept():
    import numpy
    import pandas

    ipc = pandas.read_csv(POINTS / "fig16a.csv").pivot(index="platform", columns="workload", values="ipc")
    ipc = ipc[ipc.index.str.contains("high")]
    means = numpy.log(ipc).mean(axis="columns")
    assert ipc.shape == (5, 12) and [int(means.idxmax().split()[2]) / 100] == judged("zng-25")


@pytest.mark.parametrize(
    "id, metric, ours, base",
    [
        ("zng-16", "re_accesses", "zng STT-MRAM", "zng SRAM"),
        ("zng-17", "re_accesses", "zng prefetch", "zng STT-MRAM"),
        ("zng-18", "re_accesses", "zng", "zng prefetch"),
        ("zng-20", "writes_per_page", "zng network", "zng baseline"),
    ],
)
def test_judged_ratios_of_means_follow_from_the_points_that_are_kept(id, metric, ours, base):
    import pandas

    figure = "fig12" if metric == "re_accesses" else "fig13"
    points = pandas.read_csv(POINTS / f"{figure}.csv")
    mean = points.groupby(["platform", "seed"])[metric].mean()
    assert sorted((mean[ours] / mean[base]).dropna()) == pytest.approx(judged(id), rel=1e-4)


def test_the_page_is_that_of_the_figures():
    assert (
        accuracy.PAGE.read_text() == accuracy.page()
    ), "claims or figures have changed: run `build/memsim reproduce --page`"


def test_the_page_has_every_claim_and_hides_none():
    text = accuracy.PAGE.read_text()
    for system in claimed.PAPERS:
        for id in claimed.claims(system):
            assert f"\n| {id} |" in text
    assert text.count("| not reproduced") > 10


def test_a_figure_without_a_scale_is_the_same_at_quick_and_judge():
    quick, judged = (
        {id: row for system in claimed.PAPERS for id, row in results.rows_of(results.file_of(system, scale)).items()}
        for scale in ("quick", "judge")
    )
    without = {figure.name for figure in catalog.figures().values() if not figure.takes_a_scale}
    both = {
        id: (float(row["ours"]), float(judged[id]["ours"]))
        for id, row in quick.items()
        if row["source"] in without and row["ours"]
    }
    assert len(both) > 15
    assert {id: pair for id, pair in both.items() if pair[0] != pytest.approx(pair[1], rel=0.01)} == {}


@pytest.mark.slow
@pytest.mark.parametrize("figure", ["cxl/fig3b", "ohm/optics", "zng/mapping", "sap/fig02"])
def test_the_quick_figures_are_true(figure, memsim_command, tmp_path):
    """A new run gives the figures in docs/results."""
    memsim_command("reproduce", figure, "-d", "out", "--check")
    (known,) = catalog.chosen([figure])
    with (tmp_path / "out" / known.name / "claims.csv").open() as f:
        ours = {row["id"]: row["ours"] for row in csv.DictReader(f)}
    quick = results.rows_of(results.file_of(known.system, "quick"))
    recorded = {id: row["ours"] for id, row in quick.items() if row["source"] == known.name}
    assert recorded.keys() <= ours.keys() and recorded
    assert {id: f"{float(ours[id]):.6g}" if ours[id] else "" for id in recorded} == recorded


@pytest.mark.slow
def test_a_sigterm_ends_the_study_and_the_same_command_continues_it(memsim_command, tmp_path):
    command = [MEMSIM, "reproduce", "ohm/fig17", "-d", "out", "--jobs", "1"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    while not re.match(r"fig17: 2/", line := process.stderr.readline()):
        assert line, "it ended early"
    process.send_signal(signal.SIGTERM)
    rest = process.stderr.read()
    assert process.wait() == 143 and "the same command continues with the others" in rest
    with sqlite3.connect(tmp_path / "out/stats.db") as db:
        assert db.execute("SELECT count(*) FROM run WHERE finished IS NOT NULL").fetchone()[0] >= 2
