"""Papers as data: all names in their tables exist, and unknown names are refused with a sentence."""

import os
import re
import shutil
import sqlite3
import types
from collections import Counter

import pandas
import pytest
from memsim.errors import Error
from memsim.papers import zng
from memsim.study import accuracy, combine, paper, results, sensitivity, verdict
from memsim.study.command import parsed
from memsim.study.figure import Figure
from memsim.study.metric import Run, convert

CONVERTED = paper.names()


@pytest.mark.parametrize("name", CONVERTED)
def test_each_claim_is_judged_by_one_figure(name):
    judged = Counter(id for figure in paper.load(name).figures.values() if not figure.sweep for id in figure.claims)
    shown_by_tests = {
        id for id, row in results.rows_of(results.file_of(name, "judge")).items() if row["source"].startswith("tests/")
    }
    judged.update(shown_by_tests - judged.keys())
    assert judged == Counter(list(paper.load(name).claims))


@pytest.mark.parametrize("name", CONVERTED)
def test_each_metric_has_a_unit_and_is_shown_judged_or_a_column(name):
    for metric in paper.load(name).metrics.values():
        assert metric.unit and metric.title and metric.of.__annotations__["return"] is float, metric.name


@pytest.fixture
def broken(tmp_path, monkeypatch):
    """ZnG's tables, with a text in one file replaced."""

    def made(file, old, new):
        folder = tmp_path / "zng"
        shutil.copytree(paper.FOLDER / "zng", folder)
        text = (folder / file).read_text()
        assert old in text
        (folder / file).write_text(text.replace(old, new, 1))
        return paper.Paper("zng", folder)

    return made


@pytest.mark.parametrize(
    "file, old, new, sentence",
    [
        ("claims.toml", "baseline", "basline", "zng/claims.toml: [zng-01]: there is no key 'basline' (did you mean"),
        (
            "claims.toml",
            'metric = "ipc"',
            'metric = "ipcc"',
            "[zng-01]: there is no metric 'ipcc' (did you mean 'ipc'?)",
        ),
        (
            "claims.toml",
            '"zng"',
            '"zgn"',
            "[zng-01]: there is no platform among the points of fig10 'zgn' (did you mean",
        ),
        ("claims.toml", '"ratio"', '"ratoi"', "[zng-01]: there is no relation 'ratoi' (did you mean 'ratio'?)"),
        ("claims.toml", "7.5", '"7.5"', "[zng-01]: 'value' is a number, not '7.5'"),
        ("claims.toml", 'workloads = "betw pairs"', 'workloads = ["betw-bakc"]', "there is no workload 'bakc'"),
        ("claims.toml", 'stated = "abstract"\n', "", "[zng-01]: the key 'stated' is missing"),
        ("figures.toml", '"hetero"', '"hetreo"', "[fig10]: there is no platform 'hetreo' (did you mean 'hetero'?)"),
        ("figures.toml", '"engine_share"', '"engine"', "[fig04d]: there is no metric 'engine'"),
        ("figures.toml", '"zng-01"', '"zng-001"', "[fig10]: there is no claim 'zng-001' (did you mean 'zng-01'?)"),
        (
            "figures.toml",
            '"table II"',
            '"table I"',
            "there is no group of workloads 'table I' (did you mean 'table II'?)",
        ),
        ("figures.toml", '"wasted"', '"wastde"', "there is no function in zng/special.py 'wastde' (did you mean"),
        ("paper.toml", "optane = ", "optan = ", "[paper]: there is no platform 'optan' (did you mean 'optane'?)"),
        ("paper.toml", "width", "widht", "zng/paper.toml: [paper]: there is no key 'widht' (did you mean 'width'?)"),
    ],
)
def test_unknown_names_are_rejected_with_the_nearest(file, old, new, sentence, broken):
    with pytest.raises(Error) as e:
        broken(file, old, new)
    assert sentence in str(e.value)


def test_a_platform_is_one_entry(broken, monkeypatch):
    """A figure names a platform that only the table of machines has, and its title is its name."""
    monkeypatch.setitem(zng.machines.PLATFORMS, "zng-new", zng.machines.PLATFORMS["zng"])
    made = broken("figures.toml", '"ideal", "zng-base"', '"ideal", "zng-base", "zng-new"')
    assert made.figures["fig05a"].points[0].platforms == ["ideal", "zng-base", "zng-new"]
    assert made.title_of("zng-new prefetch") == "zng-new prefetch" and made.title_of("zng") == "ZnG"
    assert "zng-new" in {platform for _, platform, _ in zng.machines.each()}


def test_a_wrong_figure_gives_an_error_message(memsim_command):
    assert (
        "zng has no figure 'fig100' (did you mean 'fig10'?)" in memsim_command("sweep", "zng/fig100", expect=1).stderr
    )


def made(values, figure="fig10"):
    """A figure of ZnG with given values of ipc by (platform, workload)."""
    zng = paper.load("zng")
    workloads = list(dict.fromkeys(w for _, w in values))
    fig = Figure(zng, zng.figures[figure], parsed(zng, zng.figures[figure], ["--workloads", *workloads]))
    for platform, workload in values:
        fig.point("x.py", platform=platform, workload=workload)
    index = pandas.MultiIndex.from_tuples(values, names=fig.index)
    fig._frames = {1: pandas.DataFrame({"ipc": list(values.values())}, index).sort_index()}
    return fig


def test_a_claim_compares_its_subject_with_its_baseline():
    fig = made({("zng", "betw"): 4, ("zng", "back"): 9, ("hybridgpu", "betw"): 1, ("hybridgpu", "back"): 1})
    assert fig.measured("zng-01") == pytest.approx(6)  # the geometric mean of 4 and 9
    assert fig.measured("zng-02") is None  # hetero is missing
    assert fig.measured("zng-04") is None


def test_a_claim_under_a_variant_is_of_the_platforms_that_have_it():
    fig = made({("zng", "betw"): 4, ("hybridgpu", "betw"): 1, ("hybridgpu firmware=1us", "betw"): 2})
    assert [fig.measured("zng-01", v) for v in ("", " firmware=1us")] == [4, 2]


def test_envelopes_name_the_assumption_that_moves_a_claim_most():
    fig = made({("zng", "betw"): 4, ("hybridgpu", "betw"): 1})
    figures = {"zng-01": {"": 4.0, " a=1": 3.0, " b=2": 7.0}, "zng-03": {"": 2.0}}
    most, unmoved = sensitivity.envelopes(fig, figures, 2)
    assert (most.least, most.ours, most.greatest, most.assumption, most.verdict) == (3, 4, 7, "b=2", "met")
    assert (unmoved.least, unmoved.greatest, unmoved.assumption) == (2, 2, "")
    assert most.text == "4 (3 to 7, most by b=2: met; default, betw)" and "most by" not in unmoved.text


def test_a_claim_whose_figure_is_0_is_swept():
    fig = types.SimpleNamespace(
        labels=list, table_of=types.SimpleNamespace(claims=["x", "y"]), over_seeds=lambda figure: [figure()]
    )
    fig.measured = lambda id, variant: 0.0 if id == "x" else None
    assert sensitivity.figures_of(fig, []) == {"x": {"": 0.0}}


def test_a_figure_that_is_0_moves_without_end():
    assert sensitivity.relative_change(1, 0) == float("inf") and sensitivity.relative_change(0, 0) == 0
    assert sensitivity.relative_change(3, 4) == pytest.approx(0.25)


@pytest.mark.parametrize(
    "how, expected",
    [
        ("geometric mean of ratios", 2),
        ("mean of ratios", 2.5),
        ("mean of inverse ratios", 0.625),
        ("ratio of means", 3),
        ("most of ratios", 4),
        ("least of ratios", 1),
        ("most of inverse ratios", 1),
        ("farthest of ratios", 4),
    ],
)
def test_combination_of_values(how, expected):
    subject, baseline = pandas.Series({"a": 1.0, "b": 8.0}), pandas.Series({"a": 1.0, "b": 2.0})
    assert combine.COMPARED[how](subject, baseline) == pytest.approx(expected)


def test_a_share_is_stated_in_per_cent():
    assert convert(0.25, "1", "%") == 25 and convert(3, "GB/s", "GB/s") == 3


def test_a_value_that_a_run_lacks_is_refused_with_the_nearest():
    run = Run.of({("gpu.l2[0]", "misses"): 1.0}, 1e9)
    with pytest.raises(Error, match=re.escape("no value 'gpu.l2[0].mises' (did you mean 'gpu.l2[0].misses'?)")):
        run.value("gpu.l2[0]", "mises")


def test_a_claim_that_a_value_was_inferred_from_is_used():
    claim = verdict.Claim("x-01", "Fig. 1", "IPC", "ours", "", "absolute", 1.0, "x", "used")
    assert verdict.judge(claim, [1.0]).text == "used (met)"


def test_an_envelope_is_kept_and_shown(monkeypatch, tmp_path):
    """A sweep with --record writes the page; a later sweep of fewer claims keeps the other rows."""
    shutil.copytree(results.RESULTS, tmp_path, dirs_exist_ok=True)
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    os.unlink(results.envelope_file("zng"))
    row = dict.fromkeys(results.ENVELOPE, "") | dict(ours="4", least="3", greatest="7.25", scale="small")
    results.record_envelopes("zng", {"zng-01": row | dict(claim="zng-01", assumption="firmware=1us", verdict="met")})
    results.record_envelopes("zng", {"zng-03": row | dict(claim="zng-03")})
    assert list(results.rows_of(results.envelope_file("zng"), "claim")) == ["zng-01", "zng-03"]
    page = accuracy.page().splitlines()
    (line,) = (line for line in page if line.startswith("| zng-01 |"))
    assert line.endswith("| 4 (3 to 7.25, most by firmware=1us: met; small) |")
    assert next(line for line in page if line.startswith("| zng-02 |")).endswith("| - |")


def test_a_sweep_leaves_envelopes_in_its_database(memsim_command, tmp_path):
    few = ["--scale", "tiny", "--max-instructions", 20000, "--workloads", "back", "--only", "dispatcher"]
    text = memsim_command("reproduce", "zng/sensitivity", "-q", "-d", "out", *few).stdout
    assert re.search(r"^zng-08 +[\d.e+-]+ +[\d.e+-]+ +[\d.e+-]+  (dispatcher=\d+ns|nothing)", text, re.M)
    with sqlite3.connect(tmp_path / "out/stats.db") as database:
        rows = database.execute("SELECT least <= ours AND ours <= greatest, swept, scale FROM envelope").fetchall()
    assert len(rows) > 5 and set(rows) == {(1, 2, "tiny")}


def test_a_figure_has_an_envelope_of_its_claims(memsim_command, tmp_path):
    """`--envelope` judges the figure, then sweeps its claims; `--only` requires `--envelope`."""
    few = ["cmd/fig02", "-q", "-d", "out", "--workloads", "bfs", "--only", "L2 latency"]
    text = memsim_command("reproduce", *few, "--envelope").stdout
    assert re.search(r"^cmd-22 .*\n(.*\n)*claim +ours +least +greatest .*\ncmd-22 ", text, re.M)
    with sqlite3.connect(tmp_path / "out/stats.db") as database:
        rows = dict(database.execute("SELECT claim, least <= ours AND ours <= greatest FROM envelope"))
    assert set(rows) == {"cmd-22", "cmd-23", "cmd-24", "cmd-25"} and set(rows.values()) == {1}
    assert "write it with --envelope" in memsim_command("reproduce", *few, expect=2).stderr


def test_an_assumption_about_flash_is_swept_on_flash_alone():
    cxl = paper.load("cxl_gpu")
    fig = Figure(cxl, cxl.figures["fig9c"], parsed(cxl, cxl.figures["fig9c"], ["--scale", "tiny"]))
    announced = [a for a in cxl.variants if a.name == "planes whose collections are announced"]
    swept = list(sensitivity.points_of(fig, announced))
    assert len(announced) == 2 and {one.parameters["media"] for one in swept} == {"z-nand", "nand"}
    # Claims of the figure name cxl and cxl-sr on fresh drives, but not cxl-ds.
    fresh = [one for one in swept if one.variant.startswith("fresh planes")]
    assert len(fresh) == 4 and all(one.platforms == ["cxl", "cxl-sr"] for one in fresh)


@pytest.mark.parametrize("figure", ["sap/run_time", "zng/sensitivity", "zng/fig01b"])
def test_a_figure_without_an_envelope_is_refused(memsim_command, figure):
    assert "envelope" in memsim_command("reproduce", figure, "--envelope", expect=1).stderr
