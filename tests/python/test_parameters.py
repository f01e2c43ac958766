"""Builders of the papers' machines: a dataclass and its fields as arguments give the same machine."""

import dataclasses
import importlib
from pathlib import Path

import pytest
from memsim.model.provenance import assumed, source_of
from memsim.papers import cmd, cxl_gpu, ohm, sap, zng
from memsim.systems.parameters import described_by, of_region

ROOT = Path(__file__).parents[2]


@dataclasses.dataclass(frozen=True)
class Described:
    platform: str
    seed: int = 1
    dispatcher: dict = dataclasses.field(default_factory=dict)


@described_by(Described)
def built(p):
    """The machine that is built."""
    return p


def test_fields_and_a_dataclass_describe_the_same():
    assert built("cmd", 2, launches=3) == built(Described("cmd", seed=2, dispatcher=dict(launches=3)))
    assert built(Described("cmd", dispatcher=dict(launches=3)), seed=2, max_instructions=5) == Described(
        "cmd", 2, dict(launches=3, max_instructions=5)
    )
    assert built.__doc__ == "The machine that is built."


def test_a_keyword_that_no_field_takes_is_refused_without_a_field_for_the_rest():
    @dataclasses.dataclass
    class Closed:
        seed: int = 1

    with pytest.raises(TypeError, match="lanes"):
        described_by(Closed)(lambda p: p)(lanes=8)


def test_a_region_keeps_the_sources_that_it_has():
    of = of_region(dict(launches=3, pause_at_instructions=assumed(5, "a reason")))
    assert source_of(of["launches"]).kind == "derived" and source_of(of["pause_at_instructions"]).kind == "assumed"


def parameters(root):
    return {(obj.path, name): getattr(obj, name) for obj in root.descendants() for name in obj._params}


# For each paper: its package, and the arguments before the region, with a new program each time.
MACHINES = {
    "cmd": (cmd, lambda: ("cmd", cmd.workloads.program("bp", "tiny")[0])),
    "cxl_gpu": (cxl_gpu, lambda: ("uvm", cxl_gpu.workloads.program("vadd", "tiny")[0])),
    "ohm": (ohm, lambda: ("two-level", "hetero", ohm.workloads.program("backp", "tiny")[0])),
    "sap": (sap, lambda: ("fifo", sap.workloads.program("NN", "tiny")[0])),
    "zng": (zng, lambda: ("zng-base", zng.workloads.programs("back", "tiny"))),
}


@pytest.mark.parametrize("paper", MACHINES)
def test_a_paper_s_builder_takes_both(paper):
    of, given = MACHINES[paper]
    by_fields = of.machine(*given(), max_instructions=7)
    by_dataclass = of.machine(of.MachineParameters(*given(), dispatcher=dict(max_instructions=7)))
    assert by_fields.gpu.dispatcher.max_instructions == 7
    assert parameters(by_fields) == parameters(by_dataclass)


@pytest.mark.parametrize("paper", MACHINES)
def test_shipped_scripts_and_builders_take_few_arguments(paper):
    """A builder takes a dataclass, so that the parameters of a machine are declared and typed once."""
    module = importlib.import_module(f"memsim.papers.{paper}.machines")
    assert module.machine.__wrapped__.__code__.co_argcount == 1
    for script in ROOT.glob("configs/*.py"):
        assert f"{paper}.machine(\n    args" not in script.read_text(), script.name
