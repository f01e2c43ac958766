"""memsim.dram.Preset: a timing table defined by a script."""
import pytest

import memsim
from memsim import dram, mem

SEPARATE = dict(period="10us", requests=100, outstanding=1, range="64KiB", pattern="random")


def read_latency(timing, **parameters):
    """The latency of reads of an idle DRAM, in ns."""
    root = memsim.Root()
    root.generator = mem.TrafficGen(**SEPARATE)
    root.dram = mem.DramController(timing=timing, page="closed", **parameters)
    root.generator.mem_side = root.dram.cpu_side
    memsim.instantiate(root)
    memsim.simulate()
    return root.generator.stats.read_latency.mean


def whole(name, **changes):
    """All figures of a preset under another name, with no base."""
    return dram.Preset(name, source="a test", **{**dram.presets()[name.partition("_as_")[0]].figures, **changes})


@pytest.mark.parametrize("name", ["ddr4_3200", "lpddr5_6400", "hbm3", "ohm_table1", "ohm_cycles", "cmd_gddr6"])
def test_a_copy_of_a_preset_has_its_timing(name):
    assert read_latency(whole(f"{name}_as_mine")) == read_latency(name)


def test_ohm_s_figures_as_printed_and_as_cycles():
    """tRCD 25 and tCL 11, in nanoseconds or in cycles of 2.1 GHz."""
    assert read_latency("ohm_table1") - read_latency("ohm_cycles") == pytest.approx(36 - 36 / 2.1, abs=0.01)


def test_a_figure_of_a_script_takes_effect():
    slow = dram.Preset("slow", base="hbm2", tCL="24ns", source="a test")
    assert read_latency(slow) == pytest.approx(read_latency("hbm2") + 10)  # its tCL is 14 ns
    slower = dram.Preset("slower", base=slow, tRCDRD="34ns")
    assert read_latency(slower) == pytest.approx(read_latency("hbm2") + 30)
    assert slower.figures["tCL"] == "24ns"


def test_the_configuration_contains_the_whole_table():
    root = memsim.Root()
    root.dram = mem.DramController(
        timing=dram.Preset("mine", base="gddr6", tRP="20ns", tRC="52ns", source="data sheet 7")
    )
    assert root.dram.timing.startswith("mine: tCK=570ps ")
    assert " tRP=20ns " in root.dram.timing and root.dram.timing.endswith("; data sheet 7")
    assert dram.Preset("copy", base=root.dram.timing).figures["tRP"] == "20ns"


def test_the_presets_are_listed_with_their_sources():
    assert {"hbm2", "ohm_table1", "cmd_gddr6"} <= dram.presets().keys()
    assert dram.presets()["hbm2"] == "hbm2" and dram.presets()["ohm_table1"].source.startswith("Ohm-GPU")


@pytest.mark.parametrize(
    "make, sentence",
    [
        (lambda: dram.Preset("mine", base="hbn2"), "Preset('mine'): there is no preset 'hbn2' (did you mean 'hbm2'?)"),
        (
            lambda: dram.Preset("mine", base="hbm2", tRc="1ns"),
            "Preset('mine'): there is no 'tRc': the names are tCK, ",
        ),
        (lambda: dram.Preset("mine", base="hbm2", tRC="1ns"), "Preset('mine'): tRC is 1ns, less than tRAS + tRP = "),
        (
            lambda: dram.Preset("mine", tCK="1ns", rate="1GB/s"),
            "Preset('mine'): the table lacks burst, ranks, groups, ",
        ),
        (lambda: dram.Preset("mine", base="hbm2", burst="64B"), "Preset('mine'): burst: '64B' is not a whole number"),
        (
            lambda: dram.Preset("mine", base="hbm2", tCL=14),
            "Preset('mine'): tCL: '14' has no unit of Time: write '14ns'",
        ),
        (lambda: dram.Preset("my own", base="hbm2"), "Preset('my own'): 'my own' is not the name of a preset"),
        (
            lambda: mem.DramController(timing="hbn2"),
            "mem.DramController.timing: there is no preset 'hbn2' (did you mean",
        ),
        (
            lambda: mem.DramController(timing="mine: tCK=1ns"),
            "mem.DramController.timing: the table lacks rate, burst, ",
        ),
    ],
)
def test_an_invalid_table_gives_an_error_message(make, sentence):
    with pytest.raises(memsim.Error) as error:
        make()
    assert sentence in str(error.value)
