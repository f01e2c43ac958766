"""A script states an interleave once: systems.interleave.Interleave passes it to all parts."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
OF = {
    "Crossbar": {"granularity"},
    "Cache": {"interleave_ways", "interleave_granularity"},
    "DramController": {"channels", "channel", "interleave"},
}


def stated(text):
    """The calls that state an interleave themselves, as (line, parameter)."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield from ((node.lineno, k.arg) for k in node.keywords if k.arg in OF.get(node.func.attr, ()))


def test_an_interleave_is_stated_once():
    scripts = [*(ROOT / "configs").rglob("*.py"), *(ROOT / "python/memsim").rglob("*.py")]
    users = [path for path in scripts if "Interleave" in path.read_text()]
    assert len(users) >= 3
    assert [(str(path), *found) for path in scripts for found in stated(path.read_text())] == []


def test_a_second_statement_is_found():
    assert list(stated('x = 1\nmem.Crossbar(outputs=2, granularity="256B")\n')) == [(2, "granularity")]
    assert list(stated("mem.Crossbar(**share.crossbar)\nmem.DramController(**share.channel(1))")) == []
