"""A short run of each system under valgrind: memsim loses no memory, and reads none that is uninitialised. util/test --long
installs valgrind. Reports about Python itself are ignored: it keeps objects until it ends, and reads addresses
outside of its own objects."""
import os
import subprocess
import xml.etree.ElementTree as xml

import pytest

from .conftest import MEMSIM
from .test_builds import SYSTEMS, command

OURS = os.path.realpath(MEMSIM.parent)
ALLOCATORS = "vgpreload_"  # valgrind's replacements of malloc and new


def of_memsim(error):
    """Whether memsim's code is the cause: the innermost frame that is not an allocator's."""
    for frame in error.find("stack"):
        file = frame.findtext("obj", "")
        if ALLOCATORS not in file and "/libstdc++" not in file:
            return os.path.realpath(file).startswith(OURS)
    return False


def reported(error):
    frames = [
        f"{frame.findtext('fn')} ({frame.findtext('file')}:{frame.findtext('line')})" for frame in error.find("stack")
    ]
    return "\n    ".join([error.findtext("what") or error.findtext("xwhat/text"), *frames[:12]])


@pytest.mark.long
@pytest.mark.parametrize("script", SYSTEMS)
def test_no_memory_is_lost(run, script):
    file = run.directory / "valgrind.xml"
    subprocess.run(
        [
            "valgrind",
            "--quiet",
            "--xml=yes",
            f"--xml-file={file}",
            "--leak-check=full",
            "--show-leak-kinds=definite",
            "--errors-for-leak-kinds=definite",
            "--num-callers=30",
            MEMSIM,
            "-q",
            *map(str, command(script)),
        ],
        cwd=run.directory,
        check=True,
        capture_output=True,
        timeout=1200,
    )
    errors = xml.parse(file).getroot().findall("error")
    ours = [reported(error) for error in errors if of_memsim(error)]
    assert not ours, "\n".join(ours)


def test_leaks_of_memsim_are_distinguished_from_those_of_python():
    def error(*files):
        return xml.fromstring(
            "<error><stack>" + "".join(f"<frame><obj>{f}</obj></frame>" for f in files) + "</stack></error>"
        )

    lost = "/usr/libexec/valgrind/vgpreload_memcheck-amd64-linux.so", f"{OURS}/python/memsim/_memsim.so"
    assert of_memsim(error(*lost))
    assert not of_memsim(error(lost[0], "/usr/lib/libpython3.11.so", lost[1]))
