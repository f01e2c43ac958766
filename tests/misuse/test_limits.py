"""Every numeric parameter of the shipped scripts' machines at its minimum, its maximum, and one beyond: each run
completes, stops with a report of what it waits for, or is refused with one sentence. The parameters come from the
schema, so new ones are included."""
import collections
import contextlib
import functools
import hashlib
import re
import resource
import signal
import sqlite3
import subprocess
import tempfile

import pytest
from memsim import _memsim

from .conftest import MEMSIM, ROOT

TINY = ("--scale", "tiny")
SCRIPTS = {  # script -> arguments with which a run takes about a second
    "cmd": TINY,
    "cxl_gpu": (*TINY, "--workload", "vadd"),
    "ohm_planar": TINY,
    "ohm_two_level": TINY,
    "sap": TINY,
    "zng": (*TINY, "--workload", "back"),
    "drive": ("--requests", "200"),
}
CPU, MEMORY = 20, 8 << 30  # seconds and bytes that one run may use
FAST = 40  # values that the usual suite tries
LEAST = 1500  # minimum number of values; fewer mean that the search is broken

Value = collections.namedtuple("Value", "script path param which text")


def machine_of(script):
    """Type and path of each object, with indices replaced by [*]."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [MEMSIM, "-q", "-d", folder, ROOT / f"configs/{script}.py", *SCRIPTS[script]],
            check=True,
            capture_output=True,
            timeout=300,
        )
        with contextlib.closing(sqlite3.connect(f"{folder}/stats.db")) as db:
            for path, kind in db.execute(
                "SELECT path, type FROM object WHERE type IN (SELECT DISTINCT type FROM object)"
            ):
                yield re.sub(r"\[\d+\]", "[*]", path), kind


def ends_of(param):
    """The minimum, the maximum and one beyond, as texts; nothing for a parameter that is not a number. Numbers of requests
    are left out, because 0 and the maximum are runs without end."""
    if not param["max"]:
        return
    if "requests; 0: unlimited" not in param["doc"]:
        yield "least", param["min"]
        yield "greatest", param["max"]
    yield "beyond", re.sub(r"\d+", lambda digits: str(int(digits[0]) + 1), param["max"], count=1)


@functools.cache
def values():
    """Each parameter of each type once, on the first machine that has it."""
    found, types = {}, set(_memsim.types())
    for script in SCRIPTS:
        for path, kind in machine_of(script):
            if kind not in types:
                continue  # stages
            for param in _memsim.schema(kind)["params"]:
                for which, text in ends_of(param):
                    found.setdefault((kind, param["name"], which), Value(script, path, param["name"], which, text))
    return list(found.values())


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU, CPU))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def fault(value):
    """How the run ended if that is not allowed, else nothing."""
    setting = f"{value.path}.{value.param}={value.text}"
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [MEMSIM, "-q", "-d", folder, "--set", setting, ROOT / f"configs/{value.script}.py", *SCRIPTS[value.script]],
            capture_output=True,
            text=True,
            preexec_fn=limit,
            timeout=20 * CPU,
        )
    output = done.stderr.strip()
    if done.returncode == 0 and value.which != "beyond":
        return None
    stalls = "these components wait" in output and "Traceback" not in output
    one = output.startswith("memsim: ") and output.count("\n") == 0
    if done.returncode == 1 and "memsim is broken" not in output and "bad_alloc" not in output and (one or stalls):
        return None
    if done.returncode == -signal.SIGKILL or done.returncode == -signal.SIGXCPU:
        return f"{value.script} {setting}: over {CPU} s"
    return f"{value.script} {setting} ({value.which}): {done.returncode}: {output[-300:] or 'it runs'}"


def of_hash(value):
    return hashlib.sha256(repr(value).encode()).digest()


@pytest.mark.slow
def test_a_sample_of_the_ends_of_parameters():
    chosen = sorted(values(), key=of_hash)[:FAST]
    assert len(chosen) == FAST
    assert [f for f in map(fault, chosen) if f] == []


@pytest.mark.long
def test_the_ends_of_every_parameter():
    assert len(values()) >= LEAST
    print(f"{len(values())} values of {len({(v.path, v.param) for v in values()})} parameters")
    assert [f for f in map(fault, values()) if f] == []


@pytest.mark.parametrize(
    "script, arguments, setting",
    [
        ("drive", (), "ssd.package[*].queue=1"),  # where a multi-plane command has several messages
        ("drive", (), "ssd.package[*].queue=3"),
        ("cxl_gpu", SCRIPTS["cxl_gpu"], "port[*].endpoint.media_ready=1s"),  # firmware waits for it without events
    ],
)
def test_a_value_that_once_did_not_run(run, script, arguments, setting):
    run("-q", "--set", setting, ROOT / f"configs/{script}.py", *arguments)


def test_tables_for_which_the_host_has_no_memory_are_refused():
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [MEMSIM, "-q", "-d", folder, "--set", "front.capacity=256GiB", ROOT / "configs/cmd.py", *TINY],
            capture_output=True,
            text=True,
            preexec_fn=limit,
            timeout=20 * CPU,
        )
    assert (
        "front.capacity: the tables of 256GiB need 26GiB of host memory, which exceeds the available memory"
        in done.stderr
    )
    assert done.returncode == 1 and done.stderr.count("\n") == 1
