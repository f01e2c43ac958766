"""The build's options compile aliasing.cc correctly, which g++ 12.2 -O2 alone does not (see SConstruct)."""

import json
import shlex
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_options_of_the_build_keep_the_compiler_from_a_wrong_program(tmp_path):
    source = "src/core/kernel/registry.cc"
    commands = json.loads((ROOT / "build/compile_commands.json").read_text())
    (command,) = (c["command"] for c in commands if c["file"] == source)
    options = [word for word in shlex.split(command)[3:] if word.startswith(("-O", "-f", "-std")) and "pch" not in word]
    assert "-O2" in options
    program = tmp_path / "aliasing"
    subprocess.run(["g++", *options, Path(__file__).with_name("aliasing.cc"), "-o", program], check=True)
    result = subprocess.run([program], capture_output=True, text=True, timeout=60)
    assert (result.returncode, result.stdout) == (0, "2 3 15\n")
