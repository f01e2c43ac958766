"""Studies of platforms: a table of queries beside the frame of metrics, and claims under variants of assumptions."""

import argparse
import inspect
import re

import pandas
import pytest
from memsim import study
from memsim.systems import cmd, cxl_gpu, ohm, sap
from memsim.systems.platform_study import PlatformStudy

ALL = [system.points.Points for system in (cmd, cxl_gpu, ohm, sap)]

RUN = """\
import memsim
root = memsim.Root()
root.gen = memsim.mem.TrafficGen(requests=5, period="10ns")
root.mem = memsim.mem.SimpleMemory()
root.gen.mem_side = root.mem.cpu_side
memsim.instantiate()
memsim.simulate()
"""


def points_of(made, column, values):
    """A study of values by (platform, workload) that were not simulated."""
    made.points = [study.Point(dict(platform=p, workload=w), "", [], [], 1) for p, w in values]
    made.args = argparse.Namespace(workloads=list(dict.fromkeys(w for _, w in values)))
    made.seeds, made.seed = [1], 1
    index = pandas.MultiIndex.from_tuples(values, names=["platform", "workload"])
    made.frames = {1: pandas.DataFrame({column: list(values.values())}, index).sort_index()}
    return made


def test_a_platform_study_has_what_a_study_has():
    for cls in ALL:
        for name, _ in inspect.getmembers(study.Study, callable):
            assert callable(getattr(cls, name)), (cls, name)
        assert str(inspect.signature(cls.measured)) == str(inspect.signature(PlatformStudy.measured)), cls


def test_queries_of_a_platform_study(in_tmp):
    (in_tmp / "run.py").write_text(RUN)

    class One(PlatformStudy):
        system = "ohm"

        def metrics(self, point):
            return {"values": len(self.values(point))}

    args = argparse.Namespace(scale="tiny", max_instructions=0, workloads=["betw"], jobs=1, seeds=1)
    fig = One("one", args, ["betw"])
    fig.point("run.py", platform="oracle", workload="betw")
    fig.run()
    reads = "SELECT value FROM result WHERE run = :run AND path = 'mem' AND name = 'reads'"
    assert fig.table(reads=reads).reads.to_dict() == {("oracle", "betw"): 5}
    assert list(fig.frame.columns) == ["values"] and list(fig.frame.index) == [("oracle", "betw")]


def test_a_claim_under_a_variant_is_of_the_platforms_that_have_it(capsys):
    made = points_of(
        object.__new__(cmd.points.Points),
        "ipc",
        {("baseline", "cfd"): 1, ("l2-5mb", "cfd"): 1, ("cmd", "cfd"): 2, ("cmd interval=1", "cfd"): 3},
    )
    assert [made.measured("cmd-02", v) for v in ("", " interval=1")] == [2, 3]
    assert made.measured("cmd-44", " interval=1") == 3
    made.show_moved(["cmd-02", "cmd-06"], [" interval=1"])
    assert re.match(r"interval=1 +cmd-02 1\.\d+: 2 -> 3 \([^;]+\)$", capsys.readouterr().out.splitlines()[1])


def test_a_claim_of_the_mean_over_media_under_a_variant():
    times = {(f"{p} {m}", "path"): 4.0 for p in ("cxl", "cxl-sr") for m in cxl_gpu.points.DRIVES}
    made = points_of(object.__new__(cxl_gpu.points.Points), "time", {**times, ("cxl-sr optane ring=1", "path"): 1.0})
    assert made.measured("cxl-34") == 1
    assert made.measured("cxl-34", " ring=1") == pytest.approx((4 + 1 + 1) / 3)
