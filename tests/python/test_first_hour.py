"""The first steps of a new user: the README, help texts, and messages about common mistakes."""
import ast
import re
import subprocess
from pathlib import Path

import memsim
import numpy
import pytest
from memsim.errors import did_you_mean
from memsim.study import accuracy, results
from memsim.results import diff
from memsim import mem, simt, systems, workload
from memsim.options import script_parser
from memsim.systems import ohm

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted(path.name for path in (ROOT / "configs").glob("*.py"))


def test_the_readme_states_the_number_of_met_claims():
    text = (ROOT / "README.md").read_text()
    assert text.count(accuracy.summary()) == 1
    assert accuracy.block() in text, "claims or figures have changed: run `build/memsim reproduce --page`"
    assert accuracy.summary() in (ROOT / "docs/accuracy.md").read_text()


def test_help_shows_defaults():
    parser = script_parser("A script.\n")
    parser.add_argument("--size", type=int, default=7, help="of it")
    parser.add_argument("--bare", default="x")
    parser.add_argument("--flag", action="store_true", help="or not")
    parser.add_argument_group("more").add_argument("--grouped", default=3, help="in a group")
    parser.add_mutually_exclusive_group().add_argument("--one", default=4, help="of several")
    text = " ".join(parser.format_help().split())
    for shown in (
        "of it (default: 7)",
        "--bare BARE (default: x)",
        "--flag or not",
        "in a group (default: 3)",
        "of several (default: 4)",
    ):
        assert shown in text
    assert text.count("default") == 4


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_script_uses_that_parser(script):
    text = (ROOT / "configs" / script).read_text()
    assert "ArgumentParser(" not in text


def test_no_cache_of_the_first_run_is_below_32_kib():
    program = workload.Program(name="bfs1", size=ohm.scale.KRONECKER["demo"])
    for mode in "planar", "two-level":
        size = ohm.machine_scale(mode, "ohm-base", program, **ohm.scale.DEMO_FLOORS)
        assert min(size.l1, size.l2_slice) >= 32 << 10
        assert size.l2_slice * size.controllers > size.l1 * size.sms


def test_an_error_of_a_list_of_children_shows_how_to_index_it():
    root = memsim.Root()
    root.memory = [mem.SimpleMemory() for _ in range(3)]
    with pytest.raises(
        memsim.Error, match=r"memory is a list of 3 objects and has no 'stats': index it, such as memory\[0\]\.stats"
    ):
        root.memory.stats
    assert not hasattr(root.memory, "__array__")


def test_a_size_with_a_blank_is_read_and_a_wrong_one_names_the_argument():
    assert (
        systems.gpu(sms=1, channels=1, l2="3 MiB").l2[0].capacity
        == systems.gpu(sms=1, channels=1, l2="3MiB").l2[0].capacity
    )
    with pytest.raises(memsim.Error, match=r"gpu\(\): l2: "):
        systems.gpu(sms=1, l2="1 Mib")
    with pytest.raises(memsim.Error, match=r"gpu\(\): l2\.capacity: "):
        systems.gpu(sms=1, l2=dict(capacity="1 Mib"))


def test_if_over_all_threads_names_where(tmp_path):
    def program(device):
        with device.launch("k", threads=64) as k:
            if k.thread < 10:
                k.compute(1)

    with pytest.raises(memsim.Error, match=r"with k\.where\(condition\):"):
        simt.record(str(tmp_path / "k.steps"), program)


def test_no_site_of_a_recorded_kernel_has_the_program_counter_0(tmp_path):
    def program(device):
        x = device.array("x", numpy.zeros(64, "int32"))
        for name in "first", "second":
            with device.launch(name, threads=64) as k:
                k.load(x, k.thread % 64)
                k.compute(1)

    simt.record(str(tmp_path / "k.steps"), program)
    found = [int(pc) for pc in re.findall(rb"^step \w+ (\d+) ", (tmp_path / "k.steps").read_bytes(), re.M)]
    assert len(found) == len(set(found)) == 4 and min(found) > 0


def options_of(script):
    """(name, default, help) of each option of a script that takes a value, except those of groups, whose titles
    describe the default."""
    for node in ast.walk(ast.parse(script.read_text())):
        if not isinstance(node, ast.Call) or getattr(node.func, "attr", "") != "add_argument":
            continue
        name, words = ast.unparse(node.args[0]), {word.arg: word.value for word in node.keywords}
        if ast.unparse(node.func.value) == "parser" and name.startswith("'--") and "action" not in words:
            yield name, ast.unparse(words.get("default", ast.Constant(None))), ast.unparse(
                words.get("help", ast.Constant(""))
            )


@pytest.mark.parametrize("script", sorted((ROOT / "configs").glob("*.py")), ids=lambda path: path.stem)
def test_every_option_states_its_default(script):
    silent = [
        name
        for name, default, text in options_of(script)
        if default in ("None", "''") and not re.search("default|without|else|if not", text)
    ]
    assert silent == []


def test_describe_finds_dram_presets():
    output = subprocess.run(
        [ROOT / "build/memsim", "describe", "hbm2e"], capture_output=True, text=True, check=True
    ).stdout
    assert output.startswith("hbm2e, a timing table of DRAM for `timing` of mem.DramController\n") and re.search(
        r"^ +tCL +\S+$", output, re.M
    )


def test_describe_lists_the_names_that_a_parameter_accepts(capsys):
    memsim.describe("mem.DramController")
    text = capsys.readouterr().out
    assert re.search(r"timing = .*\(DRAM preset: .*ddr4_3200, .*hbm2e, hbm3, ", text)
    assert re.search(r"order = .*\(DRAM order: .*first_ready", text)


@pytest.mark.parametrize(
    "name, what, figure",
    [
        ("z_nand", "z_nand, a timing table of NAND for `media` of flash.Package, `media` of zng.Package", "tBERS +1ms"),
        ("nv_ddr2_333", "nv_ddr2_333, a timing table of a NAND channel's bus for `bus` of flash.Channel", "tWC +25ns"),
        ("mqsim", "mqsim, a format of traces for `format` of workload.TracePlayer", "line +arrival device sector"),
        ("bfs_topology", "bfs_topology, a workload for `name` of workload.Program", ""),
    ],
)
def test_describe_finds_all_names_of_parameters(name, what, figure, capsys):
    memsim.describe(name)
    text = capsys.readouterr().out
    assert text.startswith(what + "\n") and re.search(figure, text), text
    with pytest.raises(memsim.Error, match=f"did you mean '{name}'"):
        memsim.describe(name + "x")


@pytest.mark.parametrize(
    "wrong, known, near",
    [
        ("all", ["Tlb", "All"], "All"),
        ("mem", ["mum", "mem.Crossbar", "mem.Cache"], "mem.Cache"),
        ("lat", ["let", "latency"], "latency"),
        ("hb", ["hbm2", "ha"], "ha"),
        ("reeds", ["writes", "reads"], "reads"),
    ],
)
def test_a_name_in_other_letters_or_its_beginning_is_near(wrong, known, near):
    assert did_you_mean(wrong, known) == f" (did you mean '{near}'?)"


def test_a_suggestion_for_flags_folders_and_capacities(memsim_command):
    assert "did you mean 'All'?" in memsim_command("--debug-flags", "all", "x.py", expect=2).stderr
    assert (
        "'ohm' is a folder of component types: name one of ohm." in memsim_command("describe", "ohm", expect=1).stderr
    )
    with pytest.raises(memsim.Error, match="no memory of an A100 '60GB'.*: it is one of 40GB, 80GB"):
        systems.a100(memory="60GB")


@pytest.mark.parametrize("wrong", [5, None, ["dash"], b"dash"])
def test_a_name_that_is_no_text_is_refused_with_the_known_names(wrong):
    with pytest.raises(memsim.Error, match="there is no paper '.*: it is one of dash, flint"):
        systems.hbf.parameters(wrong)


def test_options_of_subcommands_that_would_have_no_effect_are_refused(memsim_command):
    refused = memsim_command("describe", "mem.Cache", "--write", "page.md", expect=2).stderr
    assert "--write writes the table of --assumptions: leave it out" in refused
    refused = memsim_command("diff", "a", "b", "--most", "-1", expect=2).stderr
    assert "argument --most: '-1' is not an integer of at least 0" in refused


def test_every_named_table_is_accepted_by_a_parameter():
    """Each table is named by a parameter; otherwise it could not be used."""
    from memsim import _memsim
    from memsim.model import reference

    tables = _memsim.named_tables()
    assert len({table["what"] for table in tables}) == 3
    for table in tables:
        assert reference._takers(table["type"], table["name"]), table["name"]


def test_no_two_claims_have_the_same_text():
    """accuracy.md distinguishes claims that state the same quantity for several workloads or modes."""
    for of_paper in results.judged().values():
        texts = [(v.claim.stated_in, v.claim.metric, v.claim.subject, v.claim.baseline) for v, _ in of_paper]
        assert len(set(texts)) == len(texts)


def test_machines_of_one_process_are_distinguished(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    latencies = [f"{100 + n}ns" for n in range(70)]
    for latency in latencies:
        root = memsim.Root()
        root.gen, root.mem = mem.TrafficGen(requests=1), [mem.SimpleMemory(latency=latency)]
        root.gen.mem_side = root.mem[0].cpu_side
        with memsim.Simulation(root) as simulation:
            simulation.simulate()
    assert list(memsim.results("memsim-out").runs()["differs"]) == [f"mem[*].latency={line}" for line in latencies]


def test_diff_puts_the_greatest_change_first_and_limits_parameters(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for latency, queue, size in ("100ns", 16, "64"), ("110ns", 64, "32"):
        root = memsim.Root()
        root.gen, root.mem = mem.TrafficGen(requests=10, size=size), mem.SimpleMemory(latency=latency, queue=queue)
        root.gen.mem_side = root.mem.cpu_side
        with memsim.Simulation(root) as simulation:
            simulation.simulate()
    table = memsim.results("memsim-out").runs()
    assert list(table["differs"]) == [
        "gen.size=64, mem.latency=100ns, mem.queue=16",
        "gen.size=32, mem.latency=110ns, mem.queue=64",
    ]
    runs = list(table["id"])
    one, other = (diff.find(f"memsim-out:{run}") for run in runs)
    rows, _ = diff.parameters(one, other)
    assert [row[0] for row in rows] == ["mem.queue", "gen.size", "mem.latency"]
    diff.show(f"memsim-out:{runs[0]}", f"memsim-out:{runs[1]}", most=1)
    assert "... and 2 others: --most 0 shows them" in capsys.readouterr().out


def test_a_graph_of_the_user_s_runs_whole(tmp_path):
    """The share that the demo runs is chosen for the generated graph."""
    (tmp_path / "own.txt").write_text("0 1\n1 2\n2 0\n")
    run = [
        ROOT / "build/memsim",
        "-q",
        "-d",
        tmp_path / "out",
        ROOT / "configs/ohm_planar.py",
        "--graph",
        tmp_path / "own.txt",
    ]
    subprocess.run(run, check=True, capture_output=True)
    limits = memsim.results(tmp_path / "out").sql("SELECT text FROM param WHERE name = 'max_instructions'")["text"]
    assert list(limits) == ["0"]


def test_seeds_are_drawn_as_error_bars(tmp_path):
    import pandas
    from memsim import plot

    table = pandas.DataFrame([[1.0, 2.0]], index=["a"], columns=["x", "y"])
    plain = plot.bars(str(tmp_path / "plain.svg"), table, "y")
    spread = plot.bars(str(tmp_path / "spread.svg"), table, "y", spread=[table - 0.5, table + 0.25])
    lines = [Path(file).read_text().count("<path") for file in (plain, spread)]
    assert lines[1] > lines[0], "bars of errors are drawn"
