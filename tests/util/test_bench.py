"""util/bench: works, misuse, the form of its tables, and rows that stay when other works are recorded."""
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from common import load

ROOT = Path(__file__).parents[2]


@pytest.fixture
def bench(monkeypatch, tmp_path):
    """The script as a module, with its files in a separate folder."""
    module = load("bench")
    monkeypatch.setattr(module, "DATA", tmp_path / "performance.csv")
    monkeypatch.setattr(module, "obstacle", lambda: "")
    return module


@pytest.fixture
def call(bench, monkeypatch):
    def main(*arguments):
        monkeypatch.setattr("sys.argv", ["util/bench", *map(str, arguments)])
        return bench.main()

    return main


@pytest.fixture
def works(bench, monkeypatch, tmp_path):
    """Replaces the works of the list."""

    def write(text):
        (tmp_path / "works.toml").write_text(text)
        monkeypatch.setattr(bench, "WORKS", tmp_path / "works.toml")

    return write


OWN = """
[[section]]
name = "First"
[[section.work]]
name = "printed"
command = "sh -c 'echo 3,000 requests and 4000 requests in 2.0 s'"
counted = "requests"
count = '([\\d,]+) requests'
prints.seconds = 'in ([\\d.]+) s'
aim = "at least 4"
[[section.work]]
name = "faster"
command = "sh -c 'echo 7000 requests in 1.0 s'"
counted = "requests"
count = '([\\d,]+) requests'
prints.seconds = 'in ([\\d.]+) s'
[[section.work]]
name = "lines"
command = "sh -c 'echo a 1,000 +2%; echo b 7 -1%; exit 1'"
each = '^(\\S+) +([\\d,]+) +[+-]'
unit = "instructions"
by = 1
exits = [0, 1]
turns = 1
[[section]]
name = "Second"
[[section.work]]
name = "faster : printed"
ratio = ["faster", "printed"]
of = "rate"
unit = "requests a second"
[[section.work]]
name = "no trace"
command = "true"
needs = ["no_such_trace"]
[[section.work]]
name = "never"
command = "false"
long = true
[[section.work]]
name = "mute"
command = "true"
prints.seconds = 'in (.*) s'
long = true
[[section.work]]
name = "no lines"
command = "true"
each = '^(.*): (.*)$'
unit = "lines"
by = 1
long = true
"""


def test_the_cheapest_work_is_printed_and_recorded(call, bench, capsys):
    assert call("--record", "--turns", "1", "version") == 0
    table = capsys.readouterr().out.splitlines()
    assert table[:2] == ["## Start-up", ""]
    assert table[2] == "| work | unit | value | least | most | aim | turns |"
    assert [re.sub(r"[\d.]+", "N", row) for row in table[4:6]] == [
        "| version | ms of user CPU time | N | N | N |  | N |",
        "| version | ms elapsed | N | N | N |  | N |",
    ]
    rows = bench.recorded()
    assert list(rows) == [("version", "ms of user CPU time"), ("version", "ms elapsed")]
    commit, day, processor, cores = rows["version", "ms elapsed"][6:]
    assert re.fullmatch("[0-9a-f]{12}", commit) and re.fullmatch(r"\d{4}-\d\d-\d\d", day) and processor and int(cores)
    page = bench.DATA.with_suffix(".md").read_text()
    assert f"Computer: {processor}, {cores} cores." in page and f"| 1 | {commit} | {day} |" in page
    assert "Values of a shared computer vary" in page.replace("\n", " ")
    assert "## Channels\n\nNot measured: channels/stream/1, " in page


def test_values_are_those_that_the_command_prints(works, bench, call):
    works(OWN)
    assert call("--record", "--turns", "2") == 0
    values = {key: row[2:6] for key, row in bench.recorded().items()}
    assert values == {
        ("printed", "thousand requests a CPU second"): ["3.5", "3.5", "3.5", "2"],
        ("faster", "thousand requests a CPU second"): ["7", "7", "7", "2"],
        ("lines", "instructions: a"): ["1000", "1000", "1000", "1"],
        ("lines", "instructions: b"): ["7", "7", "7", "1"],
        ("faster : printed", "requests a second"): ["2", "2", "2", "2"],
    }
    page = bench.DATA.with_suffix(".md").read_text()
    assert "| **3.50** | 3.50 | 3.50 | at least 4 |" in page, "a value that misses its aim is bold"
    assert page.endswith("Not measured: no trace, never, mute, no lines.\n")


def test_rows_of_other_works_stay(works, bench, call, monkeypatch):
    works(OWN)
    call("--record", "--turns", "1")
    before = bench.recorded()
    monkeypatch.setattr(bench, "computer", lambda: ("another processor", "64"))
    monkeypatch.setattr(bench, "run", lambda work, folders: {"rate": {"faster": 9000, "printed": 3000}[work["name"]]})
    call("--record", "faster : printed")
    after = bench.recorded()
    ratio = "faster : printed", "requests a second"
    assert list(after) == list(before) and after.pop(ratio)[2:6] == ["3", "3", "3", "3"]
    assert after == {key: row for key, row in before.items() if key != ratio}, "only the chosen row differs"
    assert "Computer: another processor, 64 cores: faster : printed." in bench.DATA.with_suffix(".md").read_text()


def test_the_works_of_a_section_alternate(works, bench, call, monkeypatch):
    works(OWN)
    order = []
    monkeypatch.setattr(bench, "run", lambda work, folders: order.append(work["name"]) or {"rate": 1})
    call("--turns", "2", "printed", "faster", "faster : printed")
    assert order == ["printed", "faster"] * 4, "the works of the ratio run again, beside each other"


def test_nothing_is_recorded_with_uncommitted_files(call, bench, monkeypatch, capsys):
    monkeypatch.setattr(bench, "obstacle", lambda: "files are not committed:\n M src/a.cc")
    assert call("--record", "--turns", "1", "version") == 0
    printed = capsys.readouterr()
    assert "| version |" in printed.out and "nothing is recorded, since files are not committed" in printed.err
    assert not bench.DATA.exists()


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (["no_such_work"], "there is no work 'no_such_work'; util/bench --list names them"),
        (["--turns", "0"], "--turns 0: at least 1"),
        (["--peers", "absent"], "--peers: there is no folder 'absent'"),
        (["--traces", "absent"], "--traces: there is no folder 'absent'"),
        (
            ["--peers", ROOT / "docs"],
            f"--peers: '{ROOT}/docs' has no built peer: DRAMsim3/build/dramsim3main or MQSim/",
        ),
        (["dramsim3*"], "'dramsim3/ddr4_3200/stream' runs another simulator: name the folder of the built peers"),
    ],
)
def test_misuse_is_one_sentence(call, arguments, sentence):
    with pytest.raises(SystemExit) as refused:
        call(*arguments)
    assert str(refused.value).startswith(f"util/bench: {sentence}") and "\n" not in str(refused.value)


def test_a_tree_without_a_build_is_refused(call, bench, monkeypatch, tmp_path):
    monkeypatch.setattr(bench, "ROOT", tmp_path)
    monkeypatch.setattr(bench, "DATA", tmp_path / "performance.csv")
    with pytest.raises(SystemExit, match="^util/bench: build/memsim does not exist: run scons$"):
        call("version")


def test_a_work_that_fails_is_named_and_others_are_recorded(works, bench, call, capsys):
    works(OWN)
    assert call("--record", "--turns", "1", "never", "lines", "no trace", "mute", "no lines") == 1
    errors = capsys.readouterr().err
    assert "util/bench: 'never' was not measured: 'false' ended with code 1" in errors
    assert "util/bench: 'mute' was not measured: its output has no 'in (.*) s'\n" in errors
    assert "util/bench: 'no lines' was not measured: its output has no '^(.*): (.*)$'\n" in errors
    assert "util/bench: 'no trace' was not measured: it needs no_such_trace\n" in errors
    assert {name for name, _ in bench.recorded()} == {"lines"}


FILES = """
[[section]]
name = "Files"
[[section.work]]
name = "fails"
command = "false"
files = ["result"]
counted = "requests"
[[section.work]]
name = "writes nothing"
command = "true"
files = ["result*"]
counted = "requests"
"""


def test_a_work_without_its_file_is_named(works, call, capsys):
    works(FILES)
    assert call("--turns", "1") == 1
    errors = capsys.readouterr().err
    assert "util/bench: 'fails' was not measured: 'false' ended with code 1" in errors
    assert "util/bench: 'writes nothing' was not measured: 'true' did not write 'result*'\n" in errors


PEER = """
[[section]]
name = "Peers"
[[section.work]]
name = "theirs"
peer = "P/run"
command = "{program} {peer} {out}"
files = ["result"]
counted = "requests"
count = '"done": (\\\\d+)'
prints.seconds = 'in ([\\\\d.]+) s'
scenario = 1
[[section.work]]
name = "ours"
command = "sh -c 'echo done: 50 in 1.0 s'"
counted = "requests"
count = 'done: (\\\\d+)'
prints.seconds = 'in ([\\\\d.]+) s'
[[section.work]]
name = "ours : theirs"
ratio = ["ours", "theirs"]
of = "rate"
unit = "requests a second"
[[section.work]]
name = "absent"
peer = "Q/run"
command = "{program}"
""".replace(
    "\\\\", "\\"
)


def test_a_peer_runs_beside_ours(works, call, bench, tmp_path):
    works(PEER)
    (tmp_path / "P").mkdir()
    (tmp_path / "P/workload.xml").write_text("<all><flow>first</flow><flow>second</flow></all>")
    program = tmp_path / "P/run"
    # It fails unless the workload is the second one of the peer's own.
    program.write_text(
        "#!/bin/sh\ngrep -q 'second' $2/workload.xml && ! grep -q first $2/workload.xml || exit 3\n"
        """echo '"done": 4, "done": 6' > $2/result; echo in 2.0 s\n"""
    )
    program.chmod(0o755)
    assert call("--record", "--turns", "1", "--peers", tmp_path) == 0
    assert {key[0]: row[2] for key, row in bench.recorded().items()} == {
        "theirs": "0.005",
        "ours": "0.05",
        "ours : theirs": "10",
    }
    assert bench.DATA.with_suffix(".md").read_text().endswith("\nNot measured: absent.\n")


def test_the_recorded_page_is_that_of_its_rows(bench, monkeypatch):
    monkeypatch.setattr(bench, "DATA", ROOT / "docs/results/performance.csv")
    listed, rows = bench.sections(), bench.recorded()
    units = {(name, unit) for works in listed.values() for name, work in works.items() for unit in bench.units(work)}
    stale = {key for key in rows if key not in units and not key[0] == "instructions"}
    assert not stale, f"no work has these rows: {stale}"
    assert (ROOT / "docs/results/performance.md").read_text() == bench.page(
        listed, rows
    ), "run util/bench --record version"


def test_every_work_of_the_list_exists(bench):
    """Scripts, benchmarks and operands that the list names are there."""
    listed = subprocess.run(
        [ROOT / "build/bench", "--benchmark_list_tests"], capture_output=True, text=True, check=True
    )
    benchmarks = {re.sub("/min_time.*", "", name) for name in listed.stdout.split()}
    sections = bench.sections()
    works = {name: work for works in sections.values() for name, work in works.items()}
    assert len(works) > 60 and len(works) == sum(map(len, sections.values())), "names occur once"
    for name, work in works.items():
        assert ("benchmark" in work) + ("command" in work) + ("ratio" in work) == 1, name
        assert work.get("benchmark", next(iter(benchmarks))) in benchmarks
        assert set(work.get("ratio", [])) <= works.keys(), name
        scripts = [word for word in shlex.split(work.get("command", "")) if re.match(r"(configs|tests|util)/", word)]
        assert all((ROOT / script).exists() for script in scripts), name
