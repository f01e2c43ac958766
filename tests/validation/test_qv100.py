"""Accel-Sim's QV100 on its own traces: our counts beside those it prints (docs/validation.md)."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TRACES = ROOT.parent / "shared" / "data" / "accelsim"
sys.path.insert(0, str(ROOT / "build" / "python"))

EXPECTED = {
    "bfs-rodinia-2.0-ft": {
        "warp instructions": 159509,
        "thread instructions": 1280630,
        "L1D reads": 72615,
        "L1D writes": 18014,
        "L1D read misses": 5277 + 9482,
        "L1D write misses": 23384 - 14759,
        "L2 reads": 14759,
        "L2 writes": 18014,
        "L2 misses": 5513,
        "DRAM reads": 4991,
        "DRAM writes": 0,
    },
    "vectoradd-50000": {
        "warp instructions": 26601,
        "thread instructions": 801056,
        "L1D reads": 12500,
        "L1D writes": 6250,
        "L1D read misses": 12500,
        "L1D write misses": 6250,
        "L2 reads": 12500,
        "L2 writes": 6250,
        "L2 misses": 18750,
        "DRAM reads": 12500,
        "DRAM writes": 0,
    },
}


@pytest.mark.parametrize("trace", EXPECTED)
def test_counts_agree_with_accelsim(trace, tmp_path, monkeypatch):
    if not (TRACES / trace).exists():
        pytest.skip("../shared/data is not here")
    import memsim
    from memsim import workload
    from memsim.systems import qv100
    monkeypatch.chdir(tmp_path)
    root = qv100.qv100(workload.TraceProgram(trace=str(TRACES / trace / "kernelslist.g")))
    with memsim.Simulation(root) as sim:
        assert sim.simulate().cause == "nothing left to do"
        found = qv100.counts(root)
    for name, theirs in EXPECTED[trace].items():
        print(f"{trace:20} {name:20} {theirs:9,} {found[name]:9,}")
        assert found[name] == pytest.approx(theirs, rel=0.05), name
