"""tests/compile_fail/*.cc are programs that must not compile; the first line of each states how the
compiler has to refuse it: `// expect: regular expression`, or `// expect: ok` for the control."""

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted(path.name for path in (ROOT / "tests/compile_fail").glob("*.cc"))
COMPILERS = ["g++", pytest.param("clang++", marks=pytest.mark.long)]


def options_of(source):
    """The compiler's options for a source of the simulator. Its precompiled header halves the time of each test."""
    commands = json.loads((ROOT / "build/compile_commands.json").read_text())
    (command,) = (c["command"] for c in commands if c["file"] == source)
    words = shlex.split(command)
    return words[words.index("-c") + 1 : words.index(source)]


def refusal(compiler, *source, **stdin):
    options = (
        options_of("src/core/kernel/registry.cc") if compiler == "g++" else ["-std=c++20", "-Isrc", "-Ibuild/generated"]
    )
    result = subprocess.run(
        [compiler, *options, "-fsyntax-only", *source], cwd=ROOT, capture_output=True, text=True, **stdin
    )
    return result.stderr if result.returncode else None


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_is_refused(program, compiler):
    first_line = (ROOT / "tests/compile_fail" / program).read_text().splitlines()[0]
    expected = re.fullmatch(r"// expect: (.+)", first_line)
    assert expected, f"{program}: the first line must be `// expect: regular expression`"
    output = refusal(compiler, f"tests/compile_fail/{program}")
    if expected[1] == "ok":  # the control: a correct version of what the other programs do wrong
        assert output is None, output
        return
    assert output is not None, f"{program} compiles"
    assert re.search(expected[1], output), output


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_right_program_is_not_refused(compiler):
    headers = sorted((ROOT / "src/core").rglob("*.hh"))
    source = "".join(f'#include "{path.relative_to(ROOT / "src")}"\n' for path in headers) + "int main() {}\n"
    assert headers and refusal(compiler, "-x", "c++", "-", input=source) is None


def test_clang_accepts_what_gcc_accepts():
    """A file of policies, whose types have no name outside of it; util/test --long builds all with clang++."""
    warnings = "-Wall", "-Wextra", "-Wpedantic", "-Werror"
    assert refusal("clang++", *warnings, "src/mem/dram/schedule/row_policies.cc") is None
