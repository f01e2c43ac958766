"""Running machines: events, statistics, series, several machines, the oracle's options."""
import os
import subprocess

import memsim
import pytest
from memsim.mem import SimpleMemory, TrafficGen
from memsim.run.running import check_end
from memsim.units import Time

from .conftest import MEMSIM, ROOT


def machine(seed=1, options=None, **traffic):
    root = memsim.Root(seed=seed)
    root.gen = TrafficGen(**{"requests": 500, "period": "10ns", **traffic})
    root.mem = SimpleMemory()
    root.gen.mem_side = root.mem.cpu_side
    return memsim.Simulation(root, options)


def test_simulate_in_pieces(in_tmp):
    with machine() as sim:
        event = sim.simulate("1us")
        assert event.getCause() == event.cause == "simulate() limit reached"
        assert event.tick == sim.curTick() == 10**9
        assert sim.simulate(10**9).tick == 2 * 10**9
        assert sim.simulate(Time.parse("1us")).tick == 3 * 10**9
        assert sim.simulate().cause == "nothing left to do"
        stats = sim.root.mem.stats
        assert stats.reads == 500 and isinstance(stats.reads, int)
        assert stats.bytes == 500 * 64
        latency = sim.root.gen.stats.read_latency
        assert latency.min >= 100 and latency.p99 >= latency.min and latency.count == 500
        with pytest.raises(memsim.Error, match="has no part 'p98': it has count, sum, min, .*, p99, mean"):
            latency.p98
        with pytest.raises(memsim.Error, match="mem.reads has no part 'mean': it is one number"):
            stats.reads.mean
        with pytest.raises(memsim.Error, match="'mean': it has count, sum, and no sample yet"):
            sim.root.gen.stats.write_latency.mean
        with pytest.raises(memsim.Error, match="simulate.*no unit of Time"):
            sim.simulate("200")
        with pytest.raises(memsim.Error, match="1.5 is no time"):
            sim.simulate(1.5)


def test_libraries_may_ask_a_statistic_for_attributes(in_tmp):
    """matplotlib's bar() asks numbers for `to_numpy` and `values`."""
    with machine() as sim:
        sim.simulate()
        stats = sim.root.mem.stats
        for value in stats.reads, stats.bandwidth, sim.root.gen.stats.read_latency:
            assert not hasattr(value, "to_numpy") and getattr(value, "values", None) is None
        assert not hasattr(sim.root.gen.stats.write_latency, "mean")  # without a sample


def test_a_run_without_end_is_announced_once(in_tmp, memsim_command):
    (in_tmp / "endless.py").write_text(
        "import memsim, os, signal, threading\n"
        "from memsim.mem import SimpleMemory, TrafficGen\n"
        "root = memsim.Root()\n"
        "root.gen, root.mem = TrafficGen(period='10ns'), SimpleMemory()\n"
        "root.gen.mem_side = root.mem.cpu_side\n"
        "memsim.instantiate()\n"
        "memsim.simulate('1us')\n"
        "print('limited', file=__import__('sys').stderr, flush=True)\n"
        "threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGTERM)).start()\n"
        "memsim.simulate()\n"
    )
    first, *others = memsim_command("endless.py", expect=143).stderr.splitlines()
    assert first == "limited" and others[0].startswith(
        "memsim: warning: this simulate() has no duration, and gen sends requests without a limit: "
    )
    assert not any("limit" in line for line in others[1:])


@pytest.mark.parametrize("limit, endless", [({}, ["load"]), ({"requests": 9}, []), ({"until": "1us"}, [])])
def test_block_traffic_without_a_limit_is_endless(in_tmp, limit, endless):
    root = memsim.Root()
    root.load, root.drive = memsim.flash.BlockTraffic(**limit), memsim.flash.FixedDrive()
    root.load.drive = root.drive.requests
    with memsim.Simulation(root) as sim:
        assert sim._machine.endless == endless


def test_reset_dump_and_series_reach_the_database(in_tmp):
    with machine() as sim:
        sim.stats.series(Time.parse("1us"), ["mem.*"])
        sim.simulate("2us")
        sim.stats.dump("first")
        sim.stats.reset()
        assert sim.root.mem.stats.reads == 0
        sim.simulate()
        digest = sim.digest
    results = memsim.results("memsim-out")
    run = results.runs().iloc[-1]
    assert run["exit_cause"] == "nothing left to do" and run["digest"] and run["digest"] != digest
    assert list(results.sql("SELECT label FROM dump ORDER BY id")["label"]) == ["first", "end"]
    first = results.df(all_dumps=True)
    assert 0 < results.value("mem", "reads") < 500
    assert set(first["unit"]) >= {"Count", "Byte", "ns"}
    assert len(results.series()) > 4
    params = results.params().set_index(["path", "name"])["text"]
    assert params["mem", "latency"] == "100ns"


def test_a_run_that_has_ended_takes_no_more_results(in_tmp):
    with machine() as sim:
        sim.simulate("2us")
    for call in (sim.simulate, sim.checkpoint, sim.stats.dump, sim.stats.reset, lambda: sim.stats.series("1us")):
        with pytest.raises(
            memsim.Error, match=r"test_run.py:\d+: \w+: this run has ended: call it before close\(\) or in"
        ):
            call()
    assert sim.curTick() == 2 * 10**9 and sim.root.mem.stats.reads > 0
    run = memsim.results("memsim-out").runs().iloc[-1]
    assert run["sim_time_fs"] == 2 * 10**9


def test_a_wrong_series_names_its_statistic(in_tmp):
    with machine() as sim:
        with pytest.raises(memsim.Error, match=r"test_run.py:\d+: .*'mem.rads'"):
            sim.stats.series("1us", "mem.rads")


def digest(**arguments):
    with machine(**arguments) as sim:
        while sim.simulate("1.7us").cause == "simulate() limit reached":
            sim.stats.dump()
        return sim.digest


def test_two_machines_interleaved_give_the_digests_of_each_alone(in_tmp):
    alone = [digest(seed=s, read_share="50%") for s in (1, 2)]
    assert alone[0] != alone[1]
    both = [machine(seed=s, read_share="50%") for s in (1, 2)]
    running = list(both)
    while running:
        for sim in list(running):
            if sim.simulate("1.7us").cause == "simulate() limit reached":
                sim.stats.dump()
            else:
                running.remove(sim)
    assert [sim.digest for sim in both] == alone
    for sim in both:
        sim.close()


@pytest.mark.parametrize("changed", [{"event_queue": "naive"}, {"perturb": 7}, {"stamps": 1}])
def test_the_oracle_s_options_change_nothing(in_tmp, changed):
    assert digest(options=memsim.Options(**changed)) == digest()


def test_a_hang_prints_the_waiting_components():
    class Stuck:
        now, pending, exit_cause = 10**9, True, ""
        wait_report = staticmethod(lambda: ["gen.mem_side waits for 3 answers from mem"])
        imbalances = staticmethod(lambda: ["mem: 5 bytes went in and 4 came out"])

    with pytest.raises(memsim.Error, match="(?s)has stalled at 1us.*waits for 3 answers"):
        check_end(Stuck, "idle")
    Stuck.pending = False
    with pytest.raises(memsim.Error, match="(?s)inconsistent counts.*5 bytes"):
        check_end(Stuck, "idle")


def test_an_unfinished_run_keeps_its_results(in_tmp):
    with pytest.raises(ZeroDivisionError):
        with machine() as sim:
            sim.simulate("1us")
            sim.stats.dump("kept")
            1 / 0
    results = memsim.results()
    assert results.runs().iloc[-1]["finished"] is None
    assert list(results.sql("SELECT label FROM dump")["label"]) == ["kept", "ZeroDivisionError: division by zero"]


def test_missing_results_give_an_error_message(in_tmp):
    with pytest.raises(memsim.Error, match="no such database"):
        memsim.results("nowhere")
    (in_tmp / "x.db").write_text("not a database, but long enough to be looked at as one" * 30)
    with pytest.raises(memsim.Error, match="no database of results"):
        memsim.results("x.db")


def test_every_component_can_be_made_and_described(capsys):
    from memsim.model.schema import TYPES

    assert len(TYPES) > 5
    for name, cls in TYPES.items():
        assert cls().path == name
        memsim.describe(name)
        assert cls._schema["doc"] in capsys.readouterr().out


def test_warnings_that_differ_in_an_index_alone_become_one():
    from memsim.run.progress import grouped

    alike = [f"gpu.l2[{i}].cpu_side holds 64 messages" for i in range(3)]
    assert grouped([*alike, "dram holds 4"]) == ["gpu.l2[*].cpu_side holds 64 messages (3 alike)", "dram holds 4"]
    assert grouped(alike[:1]) == alike[:1]


PROMPT = """\
1/0
import memsim
root = memsim.Root()
root.gen, root.mem = memsim.mem.TrafficGen(requests=100), memsim.mem.SimpleMemory()
root.gen.mem_side = root.mem.cpu_side
simulation = memsim.instantiate(root)
simulation.simulate("10ns").cause, simulation.checkpoint("a.ckpt")
simulation.simulate()
"""


@pytest.mark.parametrize("command", [[MEMSIM, "-q", "-i"], ["/usr/bin/python3", "-i"]], ids=["memsim", "python3"])
@pytest.mark.parametrize("end", ["", "quit()\n"])
def test_an_error_at_a_prompt_does_not_end_its_machines(memsim_command, tmp_path, command, end):
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "build/python"))
    done = subprocess.run(command, input=PROMPT + end, cwd=tmp_path, env=environment, text=True, capture_output=True)
    assert done.returncode == 0 and "ZeroDivisionError" in done.stderr
    (run,) = memsim.results(tmp_path / "memsim-out").runs().to_dict("records")
    assert run["exit_cause"] == "nothing left to do" and run["finished"] and not run["script"]
    refused = memsim_command("--restore", "a.ckpt", expect=1).stderr
    assert "was written without a script: open it in Python with memsim.restore(FILE)" in refused
