"""Every study runs at its smallest scale and judges claims."""
import sqlite3
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STUDIES = sorted((ROOT / "configs" / "studies").rglob("*.py"))


@pytest.mark.slow
@pytest.mark.parametrize("script", STUDIES, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_study_judges_claims(script, memsim_command, tmp_path):
    takes_a_scale = "add_options" in script.read_text()
    memsim_command("-q", "-d", "out", script, *(["--scale", "tiny"] if takes_a_scale else []))
    verdicts = sqlite3.connect(tmp_path / "out/stats.db").execute("SELECT id, verdict FROM claim")
    assert len(verdicts.fetchall()) > 0


def test_there_are_studies():
    assert STUDIES
