"""Accel-Sim's QV100 on its own traces: our counts compared with its output (docs/validation.md)."""

from pathlib import Path

import pytest

from validation import document

TRACES = Path(__file__).parents[3] / "shared/data/accelsim"

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
# Shown but not judged, because they depend on the times of responses.
SHOWN = {
    "bfs-rodinia-2.0-ft": {"L1D reads merged": 1632, "cycles": 42359},
    "vectoradd-50000": {"L1D reads merged": 0, "cycles": 1197},
}


@pytest.mark.parametrize("trace", EXPECTED)
def test_counts_agree_with_accelsim(trace, tmp_path, monkeypatch):
    if not (TRACES / trace).exists():
        pytest.skip("../shared/data is not here")
    import memsim
    from memsim import workload
    from memsim.systems import qv100

    monkeypatch.chdir(tmp_path)

    def played(arithmetic):
        path = str(TRACES / trace / "kernelslist.g")
        root = qv100.qv100(workload.TraceProgram(trace=path, arithmetic=arithmetic))
        with memsim.Simulation(root) as sim:
            assert sim.simulate().cause == "nothing left to do"
            return qv100.counts(root) | {"cycles": int(root.gpu.dispatcher.stats.cycles)}

    found, with_units = played("stretches"), played("units")
    document.table(
        "Accel-Sim's QV100 on its own traces",
        trace,
        ["", "Accel-Sim", "ours", "%", 'with arithmetic="units"', "%"],
        [
            [name, f"{theirs:,}"]
            + [cell for n in (found, with_units) for cell in (f"{n[name]:,}", document.percent(n[name], theirs, 5))]
            for name, theirs in (EXPECTED[trace] | SHOWN[trace]).items()
        ],
    )
    for name, theirs in EXPECTED[trace].items():
        assert found[name] == pytest.approx(theirs, rel=0.05), name
        assert with_units[name] == pytest.approx(theirs, rel=0.05), name
