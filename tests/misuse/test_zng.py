"""Invalid machines of ZnG: one sentence, before anything is simulated."""
from pathlib import Path

import pytest

CONFIG = Path(__file__).parents[2] / "configs" / "zng.py"


@pytest.mark.parametrize(
    "platform, setting, sentence",
    [
        (
            "zng",
            "flash.controller[*].data_blocks=1024",
            "flash.controller[0].data_blocks: 1024, but gpu.collector has 796: flash controllers, garbage collector and packages must have the same geometry",
        ),
        (
            "hybridgpu",
            "ssd.drive.over_provisioning=0ppb",
            "ssd.drive.over_provisioning: is 0, but garbage collection needs spare pages",
        ),
        ("zng", "gpu.prefetcher.low=40%", "gpu.prefetcher.low: 40% exceeds high, 30%"),
        ("zng", "flash.controller[*].thrash_low=60%", "flash.controller[0].thrash_low: it exceeds thrash_high"),
        ("zng", "flash.package[*].net_width=24B", "flash.package[0].net_width: 24 B do not divide a page of 4096 B"),
        (
            "zng",
            "flash.package[*].dies=1",
            "dies: 1, but flash.controller[0] has 8: flash controllers, garbage collector and packages must have the same geometry",
        ),
        ("hybridgpu", "ssd.channel[*].dies=1", "ssd.drive.dies: 8, but ssd.channel[0] has 1: give both the same"),
        ("hybridgpu", "ssd.package[*].dies=1", "ssd.channel[0].dies: 8, but ssd.package[0] has 1: give both the same"),
        (
            "zng",
            "flash.controller[*].ports=1",
            "flash.controller[0].ports: 1, but flash.package[0] has 2: give both the same",
        ),
        (
            "zng",
            "flash.controller[*].endpoint=1",
            "flash.controller[0].endpoint: flash.mesh.output[1] leads to flash.controller[1], and flash.mesh.output[0] to this input",
        ),
        (
            "zng",
            "flash.controller[*].endpoint=65535",
            "flash.controller[0].endpoint: flash.mesh.output[65535] does not exist, and flash.mesh.output[0] to this input",
        ),
    ],
)
def test_a_machine_that_cannot_be(refused, platform, setting, sentence):
    assert sentence in refused(
        "-q", "--set", setting, CONFIG, "--platform", platform, "--workload", "back", "--scale", "tiny"
    )


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (["--workload", "betw-bakc"], "there is no workload 'bakc' in 'betw-bakc' (did you mean 'back'?)"),
        (["--workload", "betw*0"], "'betw*0' runs 0 applications at once: give it 1 to 64"),
        (
            ["--platform", "optane", "--optane", "tabel"],
            "there is no reading of Optane's times 'tabel' (did you mean 'table'?)",
        ),
        (["--platform", "zgn"], "there is no platform 'zgn' (did you mean 'zng'?)"),
        (["--register-network", "fnif"], "fnif"),
        (["--platform", "optane", "--registers", "8"], "platform 'optane' has no flash registers"),
        (["--registers", "1"], "registers"),
    ],
)
def test_arguments_that_cannot_be(refused, arguments, sentence):
    assert sentence in refused("-q", CONFIG, "--scale", "tiny", *arguments)
