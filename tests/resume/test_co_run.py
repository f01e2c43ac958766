"""Several applications on one machine, interrupted at random moments and continued."""
from pathlib import Path

import pytest

CO_RUN = Path(__file__).parents[2] / "configs" / "co_run.py"


@pytest.mark.parametrize("how", ["--partition shared", "--when-one-ends repeat"])
def test_a_stopped_co_run_continues_with_equal_results(run, at, how):
    machine = (CO_RUN, "--vertices", "6", *how.split())
    whole = run("-d", "whole", *machine)
    content = run.content("whole")
    run("-d", "cut", *at(run.moments("whole", 3)), *machine)
    assert run.content("cut") == content
    for file in sorted((run.directory / "cut").glob("*.ckpt")):
        assert run("--restore", file).stdout == whole.stdout, file
        assert run.content("cut") == content, file


def test_each_application_is_told_apart(run):
    def value(outdir, name):
        ((found,),) = run.rows(outdir, f"SELECT value FROM result WHERE path = 'gpu.dispatcher' AND name = '{name}'")
        return found

    machine = (CO_RUN, "--vertices", "7")
    run("-d", "both", *machine)
    for i in range(2):
        run("-d", f"alone{i}", *machine, "--only", i)
        assert value("both", f"application_instructions[{i}]") == value(f"alone{i}", "application_instructions[0]")
        # Another application does not help, but accesses to rows and banks may be slightly better.
        assert value("both", f"application_ipc[{i}]") < 1.01 * value(f"alone{i}", "application_ipc[0]")
    assert value("both", "ipc_sum") == pytest.approx(
        value("both", "application_ipc[0]") + value("both", "application_ipc[1]")
    )
