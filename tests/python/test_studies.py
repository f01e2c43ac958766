"""Every figure runs at its smallest scale and judges its claims, if it has any."""
import re
import sqlite3

import pytest
from memsim.study import catalog

NO_CLAIMS = (
    "cmd/fifo",
    "ohm/lifetime",
    "ohm/limits",
    "zng/fig08b",
    "zng/endurance",
    "sap/cxl",
    "sap/ohm",
    "sap/policies",
    "sap/run_time",
)
FEW = {  # arguments that limit the number of points
    "ohm/sensitivity": ["--only", "psi"],
    "zng/sensitivity": ["--only", "firmware"],
    "cmd/sensitivity": ["--only", "hash interval"],
    "cxl_gpu/sensitivity": ["--only", "ring of ranges"],
    "sap/sensitivity": ["--only", "lookahead"],
    "hbf/sensitivity": ["--only", "missing pages"],
    "sap/policies": ["--policies", "lru", "sap"],
    "sap/run_time": ["--policies", "lru", "sap"],
}
WORKLOAD = {"zng": "bfs1-gaus", "cmd": "cfd", "ohm": "FDTD", "cxl_gpu": "bfs", "sap": "AES", "hbf": "pages-1024"}
WORKLOAD_OF = {  # in machines of other systems; of papers whose figures have programs of their own
    "sap/cxl": "bfs",
    "sap/ohm": "FDTD",
    "sap/policies": "bfs",
    "hbf/weights": "weights-1",
    "hbf/tiles": "qwen",
    "hbf/latencies": "llama",
    "hbf/decode": "decode",
    "hbf/streams": "stream",
    "hbf/sensitivity": "qwen",
}


@pytest.mark.slow
@pytest.mark.parametrize("figure", catalog.figures().values(), ids=lambda figure: figure.name)
def test_a_figure_judges_claims(figure, memsim_command, tmp_path):
    """At its smallest scale, on one workload."""
    workload = WORKLOAD_OF.get(figure.name, WORKLOAD[figure.system])
    few = ["--scale", "tiny", "--workloads", workload, *FEW.get(figure.name, [])] if figure.takes_a_scale else []
    done = memsim_command("sweep", "-q", "-d", "out", figure.name, *few)
    assert len(done.stdout.splitlines()) > 2
    with sqlite3.connect(tmp_path / "out/stats.db") as database:
        verdicts = database.execute("SELECT id, verdict FROM claim").fetchall()
    assert bool(verdicts) == (figure.name not in NO_CLAIMS and not figure.is_sweep)
    if figure.takes_a_scale and figure.figure.startswith("fig"):  # claims are not judged at this scale
        assert not [v for _, v in verdicts if v in ("met", "ordering only", "not reproduced")]


@pytest.mark.slow
@pytest.mark.parametrize(
    "figure, workload, claims", [("ohm/fig19", "bfstopo", 6), ("zng/fig16b", "betw", 4), ("zng/fig05bc", "betw", 2)]
)
def test_a_figure_of_two_seeds_has_a_value_of_each(figure, workload, claims, memsim_command, tmp_path):
    (known,) = catalog.chosen([figure])
    few = ["--scale", "tiny", "--workloads", workload, "--seeds", 2]
    memsim_command("sweep", "-q", "-d", "out", known.name, *few)
    with sqlite3.connect(tmp_path / "out/stats.db") as database:
        found = database.execute("SELECT seeds, lowest, ours, highest FROM claim").fetchall()
        seeds = database.execute("SELECT DISTINCT seed FROM run ORDER BY seed").fetchall()
    assert seeds == [(1,), (2,)] and len(found) == claims
    for n, lowest, ours, highest in found:
        assert n == 2 and ours == pytest.approx((lowest + highest) / 2)
    assert any(lowest < highest for _, lowest, _, highest in found)  # another graph, another figure


KINDS = "intra-duplicates", "inter-duplicates", "equal to another block", "silent"


@pytest.mark.slow
def test_gains_are_printed_with_the_types_of_written_blocks(memsim_command):
    (fig19,) = catalog.chosen(["cmd/fig19"])
    few = ["--scale", "tiny", "--workloads", "cfd", "bfs", "--seeds", 2]
    printed = memsim_command("sweep", "-q", "-d", "out", fig19.name, *few).stdout.splitlines()
    heading = next(i for i, line in enumerate(printed) if line.startswith("% of written blocks, cmd"))
    rows = (re.match(r"(.*, seed \d) +(.*)", line) for line in printed[heading + 1 : heading + 9])
    shares = {row[1]: [float(x) for x in row[2].split()] for row in rows}
    assert list(shares) == [f"{what}, seed {seed}" for what in KINDS for seed in (1, 2)]
    assert shares["intra-duplicates, seed 1"][0] > 30 and shares["silent, seed 1"][1] > 20, "of cfd, and of bfs"
    assert shares["silent, seed 1"] != shares["silent, seed 2"]
