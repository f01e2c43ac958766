"""util/instructions: no fixed work takes 3 % more instructions than recorded."""
import os
import subprocess
from pathlib import Path

import pytest
from common import load

ROOT = Path(__file__).parents[2]


@pytest.fixture
def instructions(monkeypatch):
    module = load("instructions")
    monkeypatch.setattr("sys.argv", ["util/instructions"])
    return module


@pytest.mark.parametrize("growth, code", [(0.029, 0), (0.031, 1), (-0.5, 0)])
def test_a_work_may_grow_by_three_percent(instructions, monkeypatch, capsys, growth, code):
    before = instructions.recorded()
    grows = next(iter(before))
    monkeypatch.setattr(instructions, "count", lambda work: int(before[work] * (1 + growth * (work == grows))))
    assert instructions.main() == code
    assert (f"1 of {len(before)} works" in (error := capsys.readouterr().err)) == (grows in error) == bool(code)


def test_new_counts_are_recorded(instructions, monkeypatch, tmp_path):
    works = instructions.recorded()
    (tmp_path / "instructions.csv").write_bytes(instructions.FILE.read_bytes())
    monkeypatch.setattr(instructions, "FILE", tmp_path / "instructions.csv")
    monkeypatch.setattr(instructions, "count", lambda work: 7)
    monkeypatch.setattr("sys.argv", ["util/instructions", "--record"])
    assert instructions.main() == 0
    assert instructions.recorded() == dict.fromkeys(works, 7)


def test_works_are_chosen_by_parts_of_their_names(instructions, monkeypatch, capsys):
    monkeypatch.setattr(instructions, "count", instructions.recorded().__getitem__)
    monkeypatch.setattr("sys.argv", ["util/instructions", "drive", "tiny"])
    assert instructions.main() == 0
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == sum("drive" in work or "tiny" in work for work in instructions.recorded())
    monkeypatch.setattr("sys.argv", ["util/instructions", "nothing"])
    with pytest.raises(SystemExit):
        instructions.main()
    assert "no work contains nothing: the works are " in capsys.readouterr().err


@pytest.mark.parametrize(
    "valgrind, sentence",
    [
        (None, "valgrind is not installed: run apt-get install valgrind"),
        (
            "echo ==1== leaving >&2; echo memsim: no such scale >&2; exit 3",
            "'a work' ended with code 3: memsim: no such",
        ),
        ("echo 'totals: 0' >${2#*=}", "'a work' did not call memsim::Machine::run"),
    ],
)
def test_a_work_that_cannot_be_counted_is_one_sentence(instructions, monkeypatch, tmp_path, valgrind, sentence):
    if valgrind:
        (tmp_path / "valgrind").write_text(f"#!/bin/sh\n{valgrind}\n")
        (tmp_path / "valgrind").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match="^util/instructions: " + sentence) as refused:
        instructions.count("a work")
    assert "\n" not in str(refused.value)


@pytest.mark.long
def test_no_work_has_grown():
    done = subprocess.run([ROOT / "util/instructions"], capture_output=True, text=True, env=os.environ)
    assert done.returncode == 0, done.stdout + done.stderr
