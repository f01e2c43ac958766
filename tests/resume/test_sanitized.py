"""Every mode of every script in configs/ with AddressSanitizer and UndefinedBehaviorSanitizer: no report, and g++'s digest."""

import subprocess

import pytest

from .conftest import ROOT
from .test_restore import KERNEL
from .test_verify import CONFIGS, EACH, SCRIPTS

SANITIZED = ROOT / "build-sanitize-clang++" / "memsim"


@pytest.mark.long
@pytest.mark.parametrize("script, mode", EACH, ids=[f"{script} {mode}".strip() for script, mode in EACH])
def test_nothing_undefined(run, script, mode):
    if not SANITIZED.exists():
        pytest.skip("there is no build-sanitize-clang++: util/check systems builds it")
    (run.directory / "k.traceg").write_text(KERNEL)
    command = [CONFIGS / script, *SCRIPTS[script][0].split(), *mode.split()]
    run("-q", "-d", "plain", *command)
    done = subprocess.run(
        [SANITIZED, "-q", "-d", "sanitized", *map(str, command)],
        cwd=run.directory,
        capture_output=True,
        text=True,
        timeout=3000,
    )
    assert done.returncode == 0 and "runtime error" not in done.stderr, done.stderr[-4000:]
    assert run.digest("sanitized") == run.digest("plain")
