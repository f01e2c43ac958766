"""`memsim workloads`, and workload.Program in scripts."""
import subprocess

import memsim
import pytest
from memsim import _memsim, workload
from memsim.cli.subcommands import SUBCOMMANDS
from memsim.model import workloads
from memsim.systems import ohm

command = SUBCOMMANDS["workloads"].run


def test_the_list_has_a_row_for_each_and_all_are_right(capsys):
    assert command(["--check"]) == 0
    lines = capsys.readouterr().out.splitlines()
    every = _memsim.workloads()
    assert lines[0].startswith("name") and len(lines) == len(every) + 2
    assert [line.split()[0] for line in lines[1:-1]] == [w["names"][0] for w in every]
    assert lines[-1] == f"{len(every)} of {len(every)} workloads give the results of their references"


def test_graph_files_are_checked(tmp_path, capsys):
    lines = [f"{v}\t{t}" for v in range(0, 300, 3) for t in (v + 1, v + 2)]
    lines += [f"{s}\t{v + 3}" for v in range(0, 300, 3) for s in (v + 1, v + 2)]
    (tmp_path / "long.txt").write_text("\n".join(lines))
    (tmp_path / "short.gr").write_text("p sp 3 2\na 1 2 1\na 2 3 1\n")
    files = [str(tmp_path / "long.txt"), str(tmp_path / "short.gr")]
    assert command(["--check", "betw", "bfs1", "--graph", files[0], "--graph", files[1]]) == 0
    out = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in out] == [
        "name",
        f"{files[0]}:",
        "betw",
        "bfs1",
        f"{files[1]}:",
        "betw",
        "bfs1",
        "4",
    ]
    graphs = [w["names"][0] for w in workloads.chosen([], of_graphs=True)]
    assert command(["--check", "--graph", files[0]]) == 0
    rows = capsys.readouterr().out.splitlines()[2:-1]
    assert [row.split()[0] for row in rows] == graphs and "betw" in graphs and "vadd" not in graphs


def test_a_graph_for_a_workload_that_reads_none_is_rejected(capsys):
    with pytest.raises(memsim.Error, match="vadd reads no graph: leave it out, or --graph"):
        command(["--check", "bfs1", "vadd", "--graph", "g.txt"])
    with pytest.raises(memsim.Error, match="no.txt: cannot be opened"):
        command(["bfs1", "--graph", "no.txt"])


def test_memory_operations_of_a_search():
    p = workloads.profile("bfs1", 9)
    assert 0.9 < p["read_ratio"] < 1 and p["load_requests"] > p["store_requests"] > 0
    assert p["atomic_requests"] == 0 and p["launches"] == 5


def test_an_unknown_name_is_refused_with_the_nearest():
    with pytest.raises(memsim.Error, match=r"there is no workload 'bfs11' \(did you mean 'bfs1'\?\)"):
        command(["bfs11"])
    with pytest.raises(
        memsim.Error,
        match=r"test_workloads.py:\d+: workload.Program.name: there is no "
        r"workload 'pagernk' \(did you mean 'pagerank'\?\)",
    ):
        ohm.planar("ohm-base", workload.Program(name="pagernk"))


def test_a_size_that_does_not_fit_is_refused():
    with pytest.raises(memsim.Error, match="^workload.Program.size: 29 is out of range for pr"):
        command(["pr", "--size", "29"])
    for words in (["--size", "0"], ["--size", "3", "--full"]):  # both had no effect
        with pytest.raises(SystemExit):
            command(["vadd", *words])
    with pytest.raises(
        memsim.Error,
        match=r"workload.Program.size: 29 is out of range for pr, whose size is "
        "the binary logarithm of the number of vertices: from 1 to 28",
    ):
        ohm.planar("ohm-base", workload.Program(name="pr", size=29))


def test_the_input_that_a_footprint_needed_is_not_made_again(in_tmp):
    program = workload.Program(name="bfs1", size=8)
    root = ohm.planar("ohm-base", program)
    prepared = program._prepared
    assert prepared.given is False
    with memsim.Simulation(root) as sim:
        assert prepared.given is True
        sim.simulate("1us")
    assert program._prepared is None


def test_other_parameters_than_those_of_the_footprint_are_taken(in_tmp):
    program = workload.Program(name="bfs1", size=8)
    root = ohm.planar("ohm-base", program)
    program.size = 7
    with memsim.Simulation(root) as sim:
        sim.simulate()
        assert not sim.root.program.stats.launches == 0


def test_the_command_line(tmp_path):
    from misuse.conftest import MEMSIM

    done = subprocess.run(
        [MEMSIM, "workloads", "deg", "--describe"], cwd=tmp_path, text=True, capture_output=True, check=True
    )
    assert done.stdout.startswith("deg\n    Degree centrality")
    done = subprocess.run([MEMSIM, "workloads", "degg"], cwd=tmp_path, text=True, capture_output=True)
    assert done.returncode == 1
    assert done.stderr == ("memsim: there is no workload 'degg' (did you mean 'deg'?); `memsim workloads` lists them\n")


def test_the_longest_workloads_start_first():
    every = workloads.chosen(["vadd", "cp", "saxpy"])
    assert workloads.longest_first(every, 1)[0] == 1
    jobs = [(w["names"][0], w["check_size"], False) for w in every]
    assert [p["name"] for p in workloads.profiles(jobs, 1, [1, 2, 0])] == ["vadd", "cp", "saxpy"]


# For each kind a file that no reader accepts.
NO_FILE = {"a graph": "p sp x\n", "a bitmap": "BM", "a network": "[net]\nwidth=x\n"}


@pytest.mark.parametrize("w", _memsim.workloads(), ids=lambda w: w["names"][0])
def test_a_file_is_read_or_refused(w, tmp_path):
    """No workload accepts a file without reading it."""
    file = tmp_path / "input"
    file.write_text(NO_FILE.get(w["reads"], "anything"))
    with pytest.raises(memsim.Error) as refused:
        workloads.profile(w["names"][0], input=str(file))
    if w["reads"]:
        assert str(file) in str(refused.value)
    else:
        assert str(refused.value).endswith(
            f".input: {w['names'][0]} reads no input file: remove '{file}'; the input is generated "
            "from size and seed"
        )


def test_an_error_names_the_line_of_a_file_that_is_not_read(tmp_path):
    (tmp_path / "key").touch()
    with pytest.raises(
        memsim.Error, match=r"test_workloads.py:\d+: workload.Program.input: aes reads no input file: remove '"
    ):
        ohm.planar("ohm-base", workload.Program(name="aes", input=str(tmp_path / "key")))
