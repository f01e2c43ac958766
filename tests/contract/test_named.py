"""Every parameter and every statistic of a component is named in a test. A name alone proves no effect, but a new one
without any test is found."""

import re
from pathlib import Path

from memsim import _memsim

TESTS = Path(__file__).parents[1]
# Without a test, each for a reason.
EXCEPTIONS = {"cxl.Endpoint.vendor": "no component of a machine reads the register"}


def test_every_parameter_and_statistic_is_named():
    words = set[str]()
    for file in (*TESTS.rglob("*.py"), *TESTS.rglob("*.cc"), *TESTS.rglob("*.hh")):
        if file != Path(__file__):
            words.update(re.findall(r"\w+", file.read_text()))
    names = {
        f"{kind}.{row['name']}": row["name"]
        for kind in _memsim.types()
        for what in ("params", "stats")
        for row in _memsim.schema(kind)[what]
    }
    assert len(names) > 1000, "the schema has been read"
    unnamed = {path for path, name in names.items() if name not in words}
    assert unnamed == EXCEPTIONS.keys(), "write a test of its effect, or list it here with a reason"
