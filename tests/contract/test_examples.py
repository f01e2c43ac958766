"""The examples in header comments compile as printed: each indented block with C++ in it is a file of its
own, to be given to the compiler as it stands."""

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from test_compile_fail import COMPILERS, ROOT, refusal  # noqa: E402


def examples(text):
    """The indented blocks of comments that follow an empty line and are C++: a line ends with a semicolon or a brace."""
    for block in re.findall(r"^///\n(?:^///(?: {5}.*)?\n)+", text, re.M):
        code = re.sub(r"^///(?: {5})?", "", block, flags=re.M).strip("\n") + "\n"
        if re.search(r"[;{}]$", code, re.M):
            yield code


def all_examples():
    for path in sorted((ROOT / "src").rglob("*.hh")):
        for i, code in enumerate(examples(path.read_text())):
            yield pytest.param(code, id=f"{path.relative_to(ROOT / 'src')}[{i}]")


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("code", all_examples())
def test_an_example_compiles_as_printed(code, compiler):
    output = refusal(compiler, "-x", "c++", "-", input=code)
    assert output is None, f"{code}\n{output}"


def test_examples_are_found():
    found = [example.id for example in all_examples()]
    assert {
        "core/kernel/component.hh[0]",
        "core/kernel/port.hh[0]",
        "core/declare/constraint.hh[0]",
        "core/state/archive.hh[0]",
    } <= set(found)
    assert list(examples("/// Text.\n///\n///     int a;\n///\n///     int b;\n/// More.\n")) == ["int a;\n\nint b;\n"]
    assert list(examples("///\n///     page = address / bytes\nint a;\n")) == []
    assert (
        list(examples("///\n/// Models        A list: one;\n///               two;\n///               three.\n")) == []
    )
