"""Only VERSION states the version, and the files that cite it agree."""
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
VERSION = (ROOT / "VERSION").read_text().strip()


def test_the_version_has_one_place():
    assert re.fullmatch(r"\d+\.\d+\.\d+", VERSION)
    assert f"version: {VERSION}\n" in (ROOT / "CITATION.cff").read_text()
    assert re.search(rf"^## {re.escape(VERSION)}\b", (ROOT / "CHANGELOG.md").read_text(), re.M)
    output = subprocess.run([ROOT / "build/memsim", "--version"], capture_output=True, text=True, check=True).stdout
    assert output.startswith(f"memsim {VERSION}+")
