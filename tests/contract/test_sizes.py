"""Sizes stay within the project's limits; sizes.toml lists each exception with its size and its reason."""

import functools
import re
import tomllib
from pathlib import Path

import pytest
from common import load

ROOT = Path(__file__).parents[2]
EXCEPTIONS = tomllib.loads((ROOT / "tests/contract/sizes.toml").read_text())
FACTS = {
    "classes": "classes of more than",
    "functions": "functions of more than 60 lines",
    "parameters": "functions of more than 7 parameters",
    "folders": "folders of more than",
    "modules": "Python modules of more than",
}


@functools.cache
def measured():
    return load("facts").measured(ROOT)


def findings(fact):
    """Sizes over the limit, by place. The place of a function is its file and name, without the line."""
    found = next(findings for name, findings in measured().items() if name.startswith(fact))
    return {re.sub(r":\d+ ", " ", where): size for size, where in sorted(found)}


@pytest.mark.parametrize("kind", FACTS)
def test_sizes(kind):
    found, listed = findings(FACTS[kind]), EXCEPTIONS.get(kind, {})
    grown = [
        f"{where}: {size}, of at most {listed.get(where, {}).get('most', 'the limit')}"
        for where, size in found.items()
        if where not in listed or size > listed[where]["most"]
    ]
    assert not grown, "divide what has grown, or list it in tests/contract/sizes.toml with a reason: " + "; ".join(
        grown
    )
    gone = listed.keys() - found.keys()
    assert not gone, f"no longer over the limit, so remove from tests/contract/sizes.toml: {sorted(gone)}"
    assert all(exception["why"] for exception in listed.values())
