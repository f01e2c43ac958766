"""Every study runs at its smallest scale and, if it is about claims, judges them."""
import sqlite3
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STUDIES = sorted((ROOT / "configs" / "studies").rglob("*.py"))
NO_CLAIMS = (
    "lifetime.py",
    "sensitivity.py",
    "fig08b.py",
    "endurance.py",
    "cxl.py",
    "ohm.py",
    "policies.py",
    "run_time.py",
    "limits.py",
)
FEW = {
    ("ohm", "sensitivity.py"): ["--only", "psi"],  # of its points, which are many
    ("zng", "sensitivity.py"): ["--only", "firmware"],
    ("cmd", "sensitivity.py"): ["--only", "hash interval"],
    ("cxl", "sensitivity.py"): ["--only", "ring of ranges"],
    ("sap", "sensitivity.py"): ["--only", "lookahead"],
    ("sap", "policies.py"): ["--policies", "lru", "sap"],
    ("sap", "run_time.py", "limits.py"): ["--policies", "lru", "sap"],
}
SAP = {"cxl.py": "bfs", "ohm.py": "FDTD", "policies.py": "bfs"}  # in machines of other systems


@pytest.mark.slow
@pytest.mark.parametrize("script", STUDIES, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_study_judges_claims(script, memsim_command, tmp_path):
    takes_a_scale = "arguments(__doc__" in script.read_text() or '"--workloads"' in script.read_text()
    workload = {"zng": "bfs1-gaus", "cmd": "cfd", "ohm": "FDTD", "cxl": "bfs", "sap": SAP.get(script.name, "AES")}[
        script.parent.name
    ]
    few = ["--scale", "tiny", "--workloads", workload, *FEW.get((script.parent.name, script.name), [])]
    done = memsim_command("-q", "-d", "out", script, *(few if takes_a_scale else []))
    assert len(done.stdout.splitlines()) > 2
    with sqlite3.connect(tmp_path / "out/stats.db") as database:
        verdicts = database.execute("SELECT id, verdict FROM claim").fetchall()
    assert bool(verdicts) == (script.name not in NO_CLAIMS)
    if takes_a_scale and script.name.startswith("fig"):  # no claim is judged at this scale
        assert not [v for _, v in verdicts if v in ("met", "ordering only", "not reproduced")]


@pytest.mark.slow
@pytest.mark.parametrize(
    "script, workload, claims",
    [("ohm/fig19.py", "bfstopo", 6), ("zng/fig16b.py", "betw", 4), ("zng/fig05bc.py", "betw", 2)],
)
def test_a_study_of_two_seeds_has_a_figure_of_each(script, workload, claims, memsim_command, tmp_path):
    memsim_command(
        "-q",
        "-d",
        "out",
        ROOT / "configs" / "studies" / script,
        "--scale",
        "tiny",
        "--workloads",
        workload,
        "--seeds",
        2,
    )
    with sqlite3.connect(tmp_path / "out/stats.db") as database:
        found = database.execute("SELECT seeds, lowest, ours, highest FROM claim").fetchall()
        seeds = database.execute("SELECT DISTINCT seed FROM run ORDER BY seed").fetchall()
    assert seeds == [(1,), (2,)] and len(found) == claims
    for n, lowest, ours, highest in found:
        assert n == 2 and ours == pytest.approx((lowest + highest) / 2)
    assert any(lowest < highest for _, lowest, _, highest in found)  # another graph, another figure


@pytest.mark.slow
def test_gains_stand_beside_what_the_written_blocks_are(memsim_command):
    said = memsim_command(
        "-q",
        "-d",
        "out",
        ROOT / "configs/studies/cmd/fig19.py",
        "--scale",
        "tiny",
        "--workloads",
        "cfd",
        "bfs",
        "--seeds",
        2,
    ).stdout.splitlines()
    heading = next(i for i, line in enumerate(said) if line.startswith("% of written blocks, cmd"))
    shares = {line[:28].strip(): [float(x) for x in line[28:].split()] for line in said[heading + 1 : heading + 7]}
    assert list(shares) == [
        f"{what}, seed {seed}" for what in ("intra-duplicates", "inter-duplicates", "silent") for seed in (1, 2)
    ]
    assert shares["intra-duplicates, seed 1"][0] > 30 and shares["silent, seed 1"][1] > 30, "of cfd, and of bfs"
    assert shares["silent, seed 1"] != shares["silent, seed 2"]


def test_there_are_studies():
    assert STUDIES
