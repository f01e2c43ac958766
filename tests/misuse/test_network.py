"""Darknet files that are truncated or require more memory than exists: a sentence, and no allocation."""
import resource
import struct

import pytest

NET = "[net]\nchannels=1\n"
WIDE = "[convolutional]\nfilters=65536\nsize=3\npad=1\nactivation=leaky\n"
UP = "[upsample]\nstride=65536\n"
TOO_LARGE = "its arrays and those of the preceding layers exceed 2 GiB, the maximum that is supported"
SCRIPT = """\
import sys
import memsim
from memsim import workload
from memsim.systems import ohm

program = workload.Program(name="darknet", input="n.cfg", size=int(sys.argv[1]))
memsim.instantiate(ohm.planar("ohm-base", program))
memsim.simulate("1us")
"""


def little_memory():
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))


@pytest.fixture
def network(tmp_path):
    """Writes a .cfg, its .weights and the script that runs it."""

    def write(cfg, weights=None):
        (tmp_path / "n.cfg").write_text(cfg)
        (tmp_path / "n.py").write_text(SCRIPT)
        if weights is not None:
            (tmp_path / "n.weights").write_bytes(weights)
        return tmp_path / "n.py"

    return write


@pytest.mark.parametrize(
    "cfg, line, output",
    [
        (UP + UP + "[reorg]\nstride=65536\n", 5, TOO_LARGE),
        (UP + UP + "[maxpool]\nsize=1\n", 5, TOO_LARGE),
        (WIDE + WIDE, 12, TOO_LARGE),
        ("[convolutional]\nsize=3\npadding=65536\nactivation=leaky\n", 6, TOO_LARGE),
        ("[convolutional]\nfilters=65536\nsize=1\n" + "[route]\nlayers=" + ",".join(["0"] * 9999) + "\n", 7, TOO_LARGE),
        ("[maxpool]\nsize=65536\nstride=1\n", 5, "size is 65536, where a pool of at most 255 is right"),
        ("[dropout]\n[dropout]\n[shortcut]\nfrom=-1,-2\n", 6, "a shortcut from 2 layers, where one is right"),
    ],
)
def test_a_layer_that_cannot_be(refused, network, cfg, line, output):
    script = network(NET + cfg)
    assert refused(script, "64", preexec_fn=little_memory) == (
        f"n.cfg: line {line}: the layer before this line is wrong: {output}"
    )


def test_unknown_keys_and_sections_are_refused(refused, network):
    assert refused(network(NET + "[convolutional]\nstride=2\nstride_y=2\n"), "8") == (
        "n.cfg: line 5, column 1: 'stride_y' is no key of [convolutional] (did you mean 'stride'?)"
    )
    assert refused(network(NET + "[dropout]\n" + NET), "8") == (
        "n.cfg: line 4, column 1: a second section [net], where one is right"
    )


@pytest.mark.parametrize("side", [1025, 10**9, 2**32 + 1])
def test_an_image_that_is_too_large(refused, network, side):
    output = refused(network(NET + WIDE), str(side), preexec_fn=little_memory)
    assert output.endswith(f"workload.Program.size: an image of {side} pixels a side, where 1 to 1024 are right")


def test_weights_that_are_cut_off_cost_no_memory(refused, network):
    # 8192 filters of 8192 x 9: 2.25 GiB according to the .cfg, which the .weights file does not contain
    layer = "[convolutional]\nfilters=7000\nsize=3\npad=1\nactivation=leaky\n"
    weights = struct.pack("<iiiQ", 0, 2, 0, 0) + bytes(4 * (7000 + 9 * 7000 + 7000 + 100))
    output = refused(network(NET + layer + layer, weights), "4", preexec_fn=little_memory)
    assert output.startswith("n.weights: byte 308420: the file ends inside the weights of layer 1, ")
    assert output.endswith(" bytes too early; fetch it again")


def test_a_version_that_is_none(refused, network):
    script = network(NET + "[convolutional]\nactivation=leaky\n", b"\xff\xff\xff\x7f" * 3)
    assert refused(script, "4") == (
        "n.weights: byte 12: the file ends inside the number of images seen, 8 bytes too early; fetch it again"
    )
