"""Page faults, walks and copies in progress are complete in a checkpoint."""
from pathlib import Path

CONFIG = Path(__file__).parents[2] / "configs" / "paged_gpu.py"


def test_a_paged_machine_saved_and_restored_at_random_ticks(run, at):
    machine = [CONFIG, "--scale", "9", "--placement", "faults", "--resident", "40", "--source", "drive"]
    whole = run("-d", "whole", *machine)
    content = run.content("whole")
    cut = run("-d", "cut", *at(run.moments("whole", 4)), *machine)
    assert cut.stdout == whole.stdout and run.content("cut") == content
    for file in (run.directory / "cut").glob("*.ckpt"):
        run("-d", "slower", "--set", "host.dram_bandwidth=1MB/s", "--restore", file)
        restored = run("--restore", file)
        assert restored.stdout == whole.stdout, file
        assert run.content("cut") == content, file
    run("-d", "perturbed", "--perturb-wakes", 1, *machine)
    assert run.content("perturbed") == content
