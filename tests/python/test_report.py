"""`memsim report` and `memsim draw`: the page in headless Chromium, and the parts of the page."""
import json
import re
import sqlite3

import pytest

from memsim._memsim import database_version
from memsim.results.report import comparison, groups, plots, quantities
from memsim.results.report.run_data import open_runs
from .conftest import ROOT

MACHINE = """\
import sys
import memsim
from memsim.mem import Crossbar, SimpleMemory, TrafficGen

root = memsim.Root(seed=3)
root.sys = memsim.System()
root.sys.net = Crossbar(inputs=2, outputs=1, width="32B", clock="1GHz")
root.sys.mem = SimpleMemory(latency=sys.argv[1])
root.sys.gen = [TrafficGen(requests=500 * (i + 1), period="10ns", range="1MiB") for i in range(2)]
for i, gen in enumerate(root.sys.gen):
    gen.mem_side = root.sys.net.cpu_side[i]
root.sys.net.mem_side[0] = root.sys.mem.cpu_side
memsim.instantiate()
memsim.stats.series("500ns", ["sys.gen[*].reads", "sys.mem.reads"])
memsim.simulate()
"""


@pytest.fixture
def runs(memsim_command, tmp_path):
    """A database with two runs."""
    (tmp_path / "machine.py").write_text(MACHINE)
    for latency in ("100ns", "300ns"):
        memsim_command("-q", "--stamps", "1", "-d", "out", "machine.py", latency)
    return tmp_path / "out"


def test_objects_that_are_alike_are_a_group():
    paths = ["a[0].b[0]", "a[0].b[1]", "a[1].b[0]", "a[1].b[1]", "c[0]", "d"]
    assert groups.groups(paths) == {"a[*]": 2, "a[*].b[*]": 4}
    assert groups.shown("a[1].b[0]", set()) == "a[*].b[*]"
    assert groups.shown("a[1].b[0]", {"a[*]"}) == "a[1].b[*]"
    assert groups.closure({"a[*].b[*]"}) == {"a[*]", "a[*].b[*]"}


def test_quantities_read_well():
    assert [
        quantities.quantity(*q)
        for q in (
            (1250, "ns"),
            (0.25, "Ratio"),
            (5437106290.7, "Byte/s"),
            (12, "Count"),
            (1234567, "Count"),
            (None, "ns"),
        )
    ] == ["1.25 µs", "0.25", "5.437 GB/s", "12", "1.235 M", "–"]


def test_the_diagram_has_every_link_once_with_its_rate(memsim_command, runs):
    """A folded list is one box, an opened one is several; a link with a limited rate shows it."""
    memsim_command("draw", "out")
    folded = (runs / "machine.svg").read_text()
    assert folded.count('class="node"') == 3 and folded.count('class="edge"') == 2
    assert "gen × 2" in folded and "↑ 32 GB/s" in folded and "↓ 32 GB/s" in folded
    memsim_command("draw", "out", "--open", "sys.gen", "-o", "open.svg")
    opened = (runs.parent / "open.svg").read_text()
    assert opened.count('class="node"') == 4 and opened.count('class="edge"') == 3
    assert "gen[1]" in opened
    wrong = memsim_command("draw", "out", "--open", "sys.gem", expect=1)
    assert "no list sys.gem (did you mean 'sys.gen[*]'?)" in wrong.stderr


def test_runs_are_named_by_their_differences(runs):
    later, first = open_runs(runs, [])
    assert comparison.labels([later, first]) == ["300ns", "100ns"]
    assert comparison.parameters([later, first]) == [("sys.mem", "latency", ["300ns", "100ns"])]
    differing = {
        (group, name): (texts, changes) for group, name, texts, changes, _ in comparison.statistics([later, first])
    }
    texts, changes = differing["sys.gen[*]", "read_latency.mean"]
    assert changes[0] == 0 and -1 < changes[1] < 0, "the shorter latency is less, seen from the longer"
    assert ("sys.gen[*]", "reads") not in differing


def test_values_of_a_group_are_combined_by_their_kind(runs):
    run = open_runs(runs, [])[0]
    each = [run.by_name[f"sys.gen[{i}]", "reads"] for i in range(2)]
    assert each == [500, 1000] and run.total("sys.gen[*]", "reads") == 1500
    highest = [run.by_name[f"sys.gen[{i}]", "read_latency.max"] for i in range(2)]
    assert run.total("sys.gen[*]", "read_latency.max") == max(highest)
    means = [run.by_name[f"sys.gen[{i}]", "read_latency.mean"] for i in range(2)]
    assert run.total("sys.gen[*]", "read_latency.mean") == pytest.approx(sum(means) / 2)


def test_elements_of_a_list_are_lines_of_one_plot():
    class run:
        series = {
            (path, name): ("Count", [(10, 1.0), (20, 2.0)])
            for path in ("a[0]", "a[1]")
            for name in ("x", "y[0]", "y[1]")
        }

    made = plots.series(run)
    assert [p["title"] for p in made] == ["a[*] x", "a[*] y[*]"]
    assert [line["label"] for line in made[1]["lines"]] == ["a[0] y[0]", "a[0] y[1]", "a[1] y[0]", "a[1] y[1]"]


def test_energy_is_a_stack_of_parts(memsim_command, tmp_path):
    memsim_command("-q", "-d", "out", ROOT / "configs/cmd.py", "--scale", "tiny")
    (run,) = open_runs(tmp_path / "out", [])
    stack = plots.energy_stack([run], ["cmd"])
    assert stack["bars"] == ["cmd"] and {part["label"] for part in stack["parts"]} == {"L2", "controller", "DRAM"}


def test_an_aborted_run_has_a_page(memsim_command, tmp_path):
    """A run that only built its machine: the page has machine and parameters, but no statistics or requests."""
    (tmp_path / "machine.py").write_text(MACHINE.replace("memsim.simulate()", "import os; os._exit(3)"))
    memsim_command("-d", "out", "machine.py", "100ns", expect=3)
    memsim_command("report", "out")
    text = (tmp_path / "out/report.html").read_text()
    assert "it has not ended" in text and "Nothing was dumped." in text and "sys.mem" in text


def test_no_other_file_is_overwritten(memsim_command, runs):
    before = (runs / "stats.db").read_bytes()
    output = memsim_command("report", "out", "-o", "out/stats.db", expect=1).stderr
    assert "a file name that ends in .html" in output and (runs / "stats.db").read_bytes() == before
    assert "no run begins with 'zz'" in memsim_command("report", "out", "zz", expect=1).stderr
    assert "no such database" in memsim_command("draw", "nowhere", expect=1).stderr
    with sqlite3.connect(runs / "stats.db") as db:
        db.execute("PRAGMA user_version = 3")
    assert (
        f"its tables have version 3, and this memsim's have {database_version}: `memsim upgrade "
        in memsim_command("report", "out", expect=1).stderr
    )


# ---- in a browser


def look(browser, page, width):
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", dict(width=width, height=900, deviceScaleFactor=1, mobile=False)
    )
    browser.get(page.as_uri())


@pytest.fixture
def page(memsim_command, runs):
    """The report of the two runs, with claims, one of which has a script as its name."""
    with sqlite3.connect(runs / "stats.db") as db:
        db.execute(
            "CREATE TABLE claim(id TEXT, study TEXT, metric TEXT, subject TEXT, baseline TEXT, label TEXT,"
            " relation TEXT, unit TEXT, paper REAL, ours REAL, effect_share REAL, verdict TEXT, deviation TEXT, stated_in TEXT)"
        )
        db.executemany(
            "INSERT INTO claim VALUES(?, 'fig1', 'IPC', ?, 'y', 'measured', ?, ?, 1.2, 1.1, 0.5, ?, '', 'Fig. 3')",
            [("x-01", "a", "below", "ns", "met"), ("x-02", "<script>throw 1</script>", "gain", "%", "ordering only")],
        )
    memsim_command("report", "out")
    return runs / "report.html"


def visible(browser, selector):
    return browser.execute_script(
        "return [...document.querySelectorAll(arguments[0])].filter(e => e.checkVisibility())", selector
    )


def test_the_page_works_in_a_browser(browser, page):
    look(browser, page, 1280)
    assert browser.find_element("tag name", "h1").text == "machine 300ns"
    # Folding: a list of the machine, by its button and by its box.
    assert len(visible(browser, ".drawing .node")) == 3
    browser.find_element("css selector", '#folds button[data-group="sys.gen[*]"]').click()
    assert len(visible(browser, ".drawing .node")) == 4
    browser.find_element("css selector", '#folds button[data-group="sys.gen[*]"]').click()
    assert len(visible(browser, ".drawing .node")) == 3
    browser.find_element("id", "node:sys.gen[*]").click()
    chosen = browser.find_element("id", "chosen")
    assert "requests" in chosen.text and "read_latency.mean" in chosen.text
    chosen.find_element("tag name", "button").click()
    assert len(visible(browser, ".drawing .node")) == 4
    # Search in the statistics: words in any order; hits are opened, the rest is hidden.
    assert not visible(browser, "#statistics tbody tr")
    browser.find_element("css selector", "#statistics input[type=search]").send_keys("LATENCY.mean gen")
    rows = visible(browser, "#statistics tbody tr")
    assert [row.text.split()[0] for row in rows] == ["read_latency.mean", "write_latency.mean"][: len(rows)] and rows
    assert browser.find_element("css selector", "#statistics .found").text == f"{len(rows)} found"
    each = rows[0].find_element("css selector", "details.each summary")
    each.click()
    assert "sys.gen[1]" in rows[0].text
    # Parameters: only those that differ from their defaults, with their descriptions.
    browser.find_element("css selector", "#parameters input.all").click()
    browser.find_element("css selector", "#parameters button.open").click()
    text = browser.find_element("id", "parameters").text
    assert "300ns" in text and "outstanding" not in text
    # Plots have been drawn, the claims are shown as text.
    browser.execute_script("document.getElementById('series').scrollIntoView()")
    drawn = browser.execute_async_script(
        """
        const done = arguments[0];
        setTimeout(() => done([...document.querySelectorAll("canvas")].map(c => Chart.getChart(c) !== undefined)), 300)"""
    )
    assert len(drawn) >= 4 and all(drawn)
    claims = browser.find_element("id", "claims").text
    assert "<script>throw 1</script>" in claims and "below 1.2 ns 1.1 ns" in claims and "1.2 × 1.1 ×" in claims
    assert "Fig. 3; fig1" in claims
    assert "sys.mem latency 300ns 100ns" in browser.find_element("id", "runs").text
    assert browser.get_log("browser") == []


def test_values_beside_each_other_can_be_read_on_a_small_screen(browser, page):
    """Plots of runs and of claims: each value is inside the window, to the right of the name of its run."""
    look(browser, page, 400)
    for section, named in (("runs", "100ns"), ("claims", "paper")):
        cells = browser.execute_script(
            "return [...document.querySelectorAll(`#${arguments[0]} td.value`)].filter(e => e.textContent.trim())"
            ".map(e => [e.getBoundingClientRect().left, e.getBoundingClientRect().right,"
            " getComputedStyle(e, '::before').content])",
            section,
        )
        assert len(cells) > 3 and all(0 <= left < right <= 400 for left, right, _ in cells)
        assert any(named in text for *_, text in cells)


def test_the_page_compares_runs_of_its_script(memsim_command, runs, tmp_path):
    """The page shows values of other runs only if these are named. It shows nothing about objects that only other
    runs have."""
    (tmp_path / "other.py").write_text(
        MACHINE.replace("root.sys.mem =", "root.sys.spare = SimpleMemory()\nroot.sys.mem =").replace(
            "gen.mem_side = root.sys.net.cpu_side[i]",
            "gen.mem_side = root.sys.net.cpu_side[i]\n"
            "root.extra = TrafficGen(requests=5)\nroot.extra.mem_side = root.sys.spare.cpu_side",
        )
    )
    memsim_command("-q", "-d", "out", "other.py", "50ns")
    memsim_command("-q", "-d", "out", "machine.py", "200ns")
    memsim_command("report", "out")
    own, other = (next(r for r in open_runs(runs, []) if r.info["name"] == name) for name in ("machine", "other"))
    page = (runs / "report.html").read_text()
    assert page.count('data-is="300ns"') and "sys.spare" not in page and 'data-is="50ns"' not in page
    memsim_command("report", "out", own.id, other.id)
    assert 'data-is="other 50ns"' in (runs / "report.html").read_text()
    assert not any(
        "spare" in row[0] or "extra" in row[0]
        for row in [*comparison.parameters([own, other]), *comparison.statistics([own, other])]
    )
    assert comparison.statistics([own, other]) and any("spare" in row[0] for row in comparison.statistics([other, own]))
    assert comparison.labels([own, other]) == ["machine 200ns", "other 50ns"]


@pytest.mark.parametrize("width", [1280, 400])
def test_the_page_fits_and_can_be_read(browser, memsim_command, tmp_path, width):
    """The page of a large machine: nothing is wider than the window except scrolling elements, and no text is smaller
    than 11 pixels."""
    for seed in (1, 2):
        memsim_command(
            "-q", "--stamps", "4", "-d", "out", ROOT / "configs/cxl_gpu.py", "--scale", "tiny", "--seed", seed
        )
    memsim_command("report", "out")
    look(browser, tmp_path / "out/report.html", width)
    browser.execute_script("document.querySelectorAll('button.open').forEach(button => button.click())")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    drawn = "document.querySelector('.drawing svg').getBoundingClientRect().width"
    assert width == 400 or browser.execute_script(f"return {drawn}") <= width, "the drawing is made smaller"
    smallest = browser.execute_script(
        """
        return Math.min(...[...document.querySelectorAll("main *")].filter(e => e.offsetParent && !e.closest("svg") &&
            [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())).map(e => parseFloat(getComputedStyle(e).fontSize)))"""
    )
    assert smallest >= 11
    assert browser.get_log("browser") == []


def test_the_page_loads_no_other_file(page):
    """The page is one file: its policy forbids loading, and it refers to no address."""
    text = page.read_text()
    assert "default-src 'none'" in text
    assert " src=" not in text.partition("<script type")[0]
    data = json.loads(text.partition('id="data">')[2].partition("</script>")[0])
    assert {line["label"] for plot in data["series"] for line in plot["lines"]} >= {"sys.gen[0]", "sys.gen[1]"}
    assert data["latency"]["bars"] == ["300ns", "100ns"]


SCRIPT = "document.title = 'run'"
HOSTILE = (
    f'<<TABLE HREF="javascript:{SCRIPT}"><TR><TD>x</TD></TR></TABLE>>',
    f'"><a href="javascript:{SCRIPT}">x</a><img src=x onerror="{SCRIPT}">',
    f"</script><script>{SCRIPT}</script>",
    f"' onclick='{SCRIPT}",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_page_of_a_hostile_database_runs_no_script(browser, memsim_command, tmp_path, runs, text):
    """Every element can be clicked without an error, and the page's policy allows only its own script."""
    with sqlite3.connect(runs / "stats.db") as database:
        database.execute("UPDATE object SET path = path || ? WHERE path = 'sys.mem'", [text])
        for table, column in (
            ("connection", "source"),
            ("connection", "target"),
            ("link", "sender"),
            ("link", "receiver"),
        ):
            database.execute(f"UPDATE {table} SET {column} = {column} || ? WHERE {column} = 'sys.mem'", [text])
        for table, column in (
            ("run", "name"),
            ("run", "exit_cause"),
            ("stat", "name"),
            ("stat", "doc"),
            ("param", "text"),
        ):
            database.execute(f"UPDATE {table} SET {column} = {column} || ?", [text])
        database.execute("UPDATE part SET name = name || ?, full_name = full_name || ?", [text, text])
    database.close()
    memsim_command("report", "out")
    page = runs / "report.html"
    (policy,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page.read_text())
    assert "unsafe" not in policy and "default-src 'none'" in policy
    assert not set(re.findall(r"script-src ([^;]*)", policy)[0].split()) & {"*", "'self'", "data:"}
    browser.get(page.as_uri())
    title = browser.title
    assert text in browser.find_element("tag name", "body").get_attribute("textContent")
    clicked = browser.execute_script(
        """
        const all = [...document.querySelectorAll("a, button, svg *, td, th, li, summary, img, .node")].slice(0, 3000);
        for (const e of all) e.dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true, view: window}));
        return all.length"""
    )
    assert clicked > 100
    assert browser.title == title and browser.current_url.split("#")[0] == page.as_uri()
    links = "return [...document.querySelectorAll('a, a *')].map(e => (e.href?.baseVal ?? e.href ?? '') + '').filter(h => /^\\\\s*javascript/i.test(h))"
    assert browser.execute_script(links) == []
    # Even text that is inserted as HTML could not run a script.
    browser.execute_script(
        """
        document.body.insertAdjacentHTML("beforeend", arguments[0]);
        document.getElementById("got-in").click()""",
        f"""<a id="got-in" href="javascript:{SCRIPT}" onclick="{SCRIPT}">x</a>""",
    )
    assert browser.title == title and browser.current_url.split("#")[0] == page.as_uri()
    assert any("Content Security Policy" in line["message"] for line in browser.get_log("browser"))
