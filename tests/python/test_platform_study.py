"""Studies of platforms: a table of queries beside the frame of metrics."""

import argparse
import inspect

from memsim import study
from memsim.systems import ohm, sap
from memsim.systems.platform_study import PlatformStudy

ALL = [system.points.Points for system in (ohm, sap)]

RUN = """\
import memsim
root = memsim.Root()
root.gen = memsim.mem.TrafficGen(requests=5, period="10ns")
root.mem = memsim.mem.SimpleMemory()
root.gen.mem_side = root.mem.cpu_side
memsim.instantiate()
memsim.simulate()
"""


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
