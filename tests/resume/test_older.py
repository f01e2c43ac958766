"""Checkpoints of an older version, with types whose State has changed since.

The version before the change wrote older/<name>.ckpt from older/<name>.py with `--checkpoint-at`.
"""
import json
from pathlib import Path

import pytest
from resume import body

OLDER = Path(__file__).parent / "older"
GO_ON = "import memsim, sys\nwith memsim.restore(sys.argv[1], outdir='on') as machine:\n    machine.simulate()\n"


@pytest.mark.parametrize("name", ["pcie"])
def test_a_checkpoint_of_a_former_state_continues(run, name):
    run("-d", "whole", OLDER / f"{name}.py")
    (run.directory / "on.py").write_text(GO_ON)
    run("on.py", OLDER / f"{name}.ckpt")
    assert run.digest("on") == run.digest("whole")
    for table in ("SELECT path, name, value FROM result ORDER BY path, name", "SELECT tick, label FROM dump"):
        assert run.rows("on", table) == run.rows("whole", table)


def test_it_is_shown_as_the_type_is_today(run):
    state = json.loads(run("ckpt", "show", OLDER / "pcie.ckpt", "pcie").stdout)
    assert set(state) == {"down", "up"}
    up = state["up"]
    assert up["busy"] and up["free"] == [up["free_at"]] == [3000937506] and up["request"]["address"] == 267136
    assert not state["down"]["busy"] and state["down"]["free"] == [2**63 - 1]


@pytest.mark.parametrize(
    "was, became, output",
    [
        (
            b"State up_free Timer",
            b"State up_free Rimet",
            "pcie (link.Pcie): it was saved by a memsim in which State down",
        ),
        (b"statistic up_busy counter", b"statistic up_busy percent", "in which State down"),
        (
            b"State sent u64",
            b"State sent u32",
            "generator (mem.TrafficGen): it was saved by a memsim in which State sent",
        ),
    ],
)
def test_an_unknown_shape_is_refused(run, was, became, output):
    info, data = body.unpack(OLDER / "pcie.ckpt")
    assert data.count(was) == 1
    file = run.directory / "other.ckpt"
    file.write_bytes((OLDER / "pcie.ckpt").read_bytes())
    body.pack(file, info, data.replace(was, became))
    (run.directory / "on.py").write_text(GO_ON)
    assert f"{output} differs: resume with the memsim that wrote the checkpoint" in run("on.py", file, expect=1).stderr
    assert not (run.directory / "on/stats.db").exists() or not run.rows("on", "SELECT id FROM run")


def test_stamps_of_other_stages_are_refused(run):
    """A stage has another name; a run without stamps continues nevertheless."""
    script = run.directory / "script.py"
    script.write_text((OLDER / "pcie.py").read_text())
    (run.directory / "on.py").write_text(GO_ON)
    for code, stamps in enumerate(([], ["--stamps", "1"])):
        run("-d", f"out{code}", *stamps, "--checkpoint-at", "2us", script)
        (file,) = (run.directory / f"out{code}").glob("*.ckpt")
        info, data = body.unpack(file)
        assert data.count(b"translation") == 1
        body.pack(file, info, data.replace(b"translation", b"transaction"))
        output = run("on.py", file, expect=code).stderr
        assert ("stamps use other stages than this memsim" in output) == bool(code)


def test_a_former_state_that_is_damaged_is_refused(run):
    """A direction's bool of 2."""
    info, data = body.unpack(OLDER / "pcie.ckpt")
    file = run.directory / "other.ckpt"
    file.write_bytes((OLDER / "pcie.ckpt").read_bytes())
    busy = (3000937506).to_bytes(8, "little") + (2812500).to_bytes(8, "little")  # free_at and remainder precede it
    assert data.count(busy + b"\1") == 1
    body.pack(file, info, data.replace(busy + b"\1", busy + b"\2"))
    (run.directory / "on.py").write_text(GO_ON)
    output = run("on.py", file, expect=1).stderr
    assert "pcie (link.Pcie): " in output and "busy" in output and "Traceback" not in output
