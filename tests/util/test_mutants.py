"""tests/mutants: every patch applies and names an existing test. util/mutants: its verdicts and errors."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from common import load

ROOT = Path(__file__).parents[2]


@pytest.fixture
def mutants(monkeypatch, tmp_path):
    """util/mutants as a module, with two patches."""
    module = load("mutants")
    for name in "first", "second":
        (tmp_path / f"{name}.patch").write_text(f"Mechanism: The {name} one.\nTest: a test\n\n")
    monkeypatch.setattr(module, "PATCHES", tmp_path)
    monkeypatch.setattr(module, "copy", lambda: None)
    monkeypatch.setattr(sys, "argv", ["mutants"])
    return module


def test_every_patch_applies_and_names_a_test():
    patches = list((ROOT / "tests/mutants").glob("*.patch"))
    assert len(patches) > 40
    listing = subprocess.run(
        [ROOT / "build/unit_tests", "--list-test-names-only"], capture_output=True, text=True
    ).stdout
    cases = {line.strip() for line in listing.splitlines()}
    for patch in patches:
        test = load("mutants").Mutant(patch).test
        file, _, function = test.partition("::")
        known = f"def {function}(" in (ROOT / file).read_text() if function else test in cases
        assert known, f"{patch}: there is no test '{test}'"
        applied = subprocess.run(["git", "apply", "--check", patch], cwd=ROOT, capture_output=True, text=True)
        assert applied.returncode == 0, f"{patch} does not apply: make it again\n{applied.stderr}"
        changed = re.findall(r"^\+\+\+ b/(\w+)/", patch.read_text(), re.M)
        assert changed in (["src"], ["python"]), f"{patch} changes more than one file of src or python"


@pytest.mark.parametrize(
    "without, survivors, error",
    [
        (True, [], None),
        (True, ["second"], "passes with the patch: second (a test)"),
        (False, [], "fails without the patch: first\nfails without the patch: second"),
    ],
)
def test_the_verdict(mutants, monkeypatch, capsys, without, survivors, error):
    """A mutant is caught if its test passes without the patch and fails with it."""
    applied = []
    monkeypatch.setattr(mutants.Mutant, "apply", lambda m, *options: applied.append((m.name, *options)))
    monkeypatch.setattr(mutants.Mutant, "passes", lambda m: m.name in survivors if len(applied) % 2 else without)
    assert mutants.main() == (error or 0)
    assert applied == [("first",), ("first", "--reverse"), ("second",), ("second", "--reverse")]
    assert capsys.readouterr().out.count("caught") == 2 - len(survivors)


def test_a_mutant_that_does_not_compile_is_reported(mutants, monkeypatch, capsys):
    applied = []

    def passes(mutant):
        if len(applied) == 1:
            raise subprocess.CalledProcessError(2, "scons")
        return len(applied) % 2 == 0

    monkeypatch.setattr(mutants.Mutant, "apply", lambda m, *options: applied.append(m.name))
    monkeypatch.setattr(mutants.Mutant, "passes", passes)
    assert mutants.main() == "does not compile: first"
    assert applied == ["first", "first", "second", "second"] and "caught   second" in capsys.readouterr().out


def test_a_test_that_hangs_fails(mutants, monkeypatch, tmp_path):
    monkeypatch.setattr(mutants, "COPY", tmp_path)
    monkeypatch.setattr(mutants, "SECONDS", 0.2)
    assert mutants.succeeds("true") and not mutants.succeeds("sleep", "30")


def test_an_unknown_name_is_refused(mutants, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["mutants", "third"])
    assert mutants.main() == "util/mutants: there is no tests/mutants/third.patch"


def test_a_patch_without_a_test_is_refused(mutants, tmp_path):
    (tmp_path / "third.patch").write_text("diff --git a/src/a.cc b/src/a.cc\n")
    with pytest.raises(SystemExit, match="third.patch does not begin with its mechanism and its test"):
        mutants.main()
