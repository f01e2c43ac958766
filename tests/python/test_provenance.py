"""Sources of values: in scripts, in objects and databases; the machines of papers give all of them."""

import json
import pickle
import re
from fractions import Fraction
from pathlib import Path

import memsim
import pytest
from memsim import _memsim, mem, workload
from memsim.cli.generated import assumptions as pages
from memsim.model import policies
from memsim.model.build import build, sources
from memsim.model.provenance import (
    Source,
    assumed,
    cited,
    derived,
    inferred,
    plain,
    source_of,
    stated,
    swept,
    wired,
    with_unit,
)
from memsim.papers.cmd import fronts
from memsim.papers.cmd import machines as cmd
from memsim.papers.sap import machines as sap
from memsim.study import assumptions
from memsim.systems import drive, hbf, nvidia

RUN = """
import memsim
from memsim.mem import DramController, TrafficGen
from memsim.model.provenance import assumed, stated
root = memsim.Root()
root.gen = TrafficGen(requests=100, period=stated("10ns", "a paper"))
root.dram = DramController(read_queue=assumed(48, "a guess"))
root.gen.mem_side = root.dram.cpu_side
memsim.instantiate()
memsim.simulate()
"""


@pytest.mark.parametrize("value", [80, 0.5, "3us", True, False, Fraction(1, 3)])
def test_a_sourced_value_is_the_value(value):
    made = stated(value, "a paper, table I")
    assert made == value and plain(made) == value and f"{made}" == f"{value}" and bool(made) == bool(value)
    assert source_of(made).kind == "stated" and source_of(value) is None
    assert source_of(pickle.loads(pickle.dumps(made))) == source_of(made)
    assert json.dumps([plain(made)] if not isinstance(value, Fraction) else []) == json.dumps(
        [value] if not isinstance(value, Fraction) else []
    )


def test_all_values_of_a_container_have_the_source_and_the_first_one_stays():
    made = cited(dict(a=1, b=assumed(2, "why"), c=(3, 4)), "elsewhere")
    assert [source_of(v).kind for v in (made["a"], made["b"], *made["c"])] == ["cited", "assumed", "cited", "cited"]
    assert stated(None, "a paper") is None


@pytest.mark.parametrize(
    "made", [6 * stated(8, "p"), stated(8, "p") // 2, -stated(8, "p"), Fraction(1) + 0 * stated(8, "p")]
)
def test_arithmetic_derives(made):
    if type(made) is Fraction:
        assert source_of(made) is None  # the test of papers' machines finds values without a source
    else:
        assert source_of(made).kind == "derived" and source_of(made).text == "8: stated, p"


def test_a_derived_value_names_its_operands():
    one, other = stated(48, "table I"), assumed(4, "a guess", sweep=[2])
    made = derived(f"{one * other}KiB", from_=[one * other, "the scale"])
    assert made == "192KiB" and source_of(made).kind == "derived"
    assert source_of(made).text == "48: stated, table I; 4: assumed, a guess; the scale"
    assert [root.kind for root in source_of(made).roots] == ["stated", "assumed"]
    assert with_unit(one, "B") == "48B" and source_of(with_unit(one, "B")).text == "48: stated, table I"
    assert source_of(with_unit(48, "B")) is None


def test_a_value_without_a_source_is_rejected():
    with pytest.raises(TypeError, match="is no value of a parameter"):
        stated(object(), "a paper")


def test_an_object_holds_the_plain_value_and_remembers_the_source():
    cache = mem.Cache(
        mshrs=stated(64, "table I"), capacity=assumed("48KiB", why="a guess"), fill_port=cited(True, "a sheet")
    )
    assert (cache.mshrs, cache.capacity, cache.fill_port) == (64, "48KiB", True)
    assert type(cache.mshrs) is int and type(cache.capacity) is str
    assert cache.provenance("mshrs").text == "table I" and cache.provenance("capacity").kind == "assumed"
    cache.mshrs = 32
    assert cache.provenance("mshrs").kind == "script" and "test_provenance.py:" in cache.provenance("mshrs").text


def test_a_default_has_the_source_of_its_declaration():
    default = mem.Cache().provenance("mshrs")
    assert (default.kind, default.text) == ("assumed", "no source gives it; range 16 to 256")
    assert memsim.zng.Package().provenance("net_width").kind == "stated"


def test_claims_that_were_used_are_named():
    root = memsim.Root()
    root.cache = mem.Cache(mshrs=inferred(64, "the size of the table", used=["zng-31"]))
    assert sources(root)["cache", "mshrs"] == ("inferred", "the size of the table (used: zng-31)")


def test_the_database_has_the_provenance_of_each_parameter(memsim_command, script):
    script.write_text(RUN)
    memsim_command("-d", "out", "--set", "dram.write_queue=40", "--set", "dram.write_high=36", "loop.py")
    found = memsim_command("sql", "out", "SELECT path, name, value, kind, source FROM provenance ORDER BY 1, 2").stdout
    assert "gen\tperiod\t10ns\tstated\ta paper\n" in found
    assert "dram\tread_queue\t48\tassumed\ta guess\n" in found
    assert "dram\twrite_queue\t40\tset\t--set dram.write_queue=40\n" in found
    assert "gen\trequests\t100\tscript\tloop.py:6\n" in found
    assert "dram\tpath" not in found and found.count("\n") > 20
    assert "dram.read_queue" in memsim_command("describe", "--assumptions", "out").stdout


# Sources of programs are on the pages of inputs. An Invariant is a result of the scale.
NO_PART = workload.Program, workload.Invariant


@pytest.mark.parametrize("paper", assumptions.PAPERS)
def test_a_paper_s_machine_sets_no_value_without_a_source(paper):
    looked = 0
    for mode, platform, root in assumptions.machines(paper):
        for obj in root.descendants():
            if not isinstance(obj, NO_PART):
                looked += len(obj._values)
                missing = [name for name in obj._values if obj._sources[name] is None]
                assert not missing, f"{paper} {mode} {platform}: {obj.path}: {', '.join(missing)}"
    assert looked > 500


@pytest.mark.parametrize("paper", assumptions.PAPERS)
def test_each_default_of_a_paper_s_machine_has_a_source(paper):
    """The source of a default is declared in the component's header: src/core/declare/provenance.hh."""
    looked, missing = 0, set()
    for _, _, root in assumptions.machines(paper):
        for obj in root.descendants():
            if not isinstance(obj, (*NO_PART, mem.EnergyCost)):
                defaults = [name for name in obj._params if name not in obj._values]
                looked += len(defaults)
                missing |= {f"{obj._type}.{name}" for name in defaults if not obj.provenance(name).kind}
    assert not missing and looked > 1000


# 'MQSim, ssdconfig.xml: Page_Capacity 8192': a document, a place in it, and what stands there. A venue is no place.
CITED = re.compile(r"[^:]+?, (?!\w+'\d\d(:|$))[^:]+(: .+)?")


def without_place(sources_of_values):
    """Those of the cited sources that name no place in their document, and how many sources are cited."""
    cited_ones = {source.text for source in sources_of_values if source and source.kind == "cited"}
    return [text for text in cited_ones if not CITED.fullmatch(text)], len(cited_ones)


@pytest.mark.parametrize("paper", assumptions.PAPERS)
def test_a_cited_source_of_a_paper_s_machine_names_a_place(paper):
    objects = (obj for _, _, root in assumptions.machines(paper) for obj in root.descendants())
    missing, cited_ones = without_place(source for obj in objects for source in obj._sources.values())
    assert not missing and cited_ones >= 3


def test_a_cited_source_of_a_preset_names_a_place():
    root = memsim.Root()
    root.chip = [nvidia.chip(name).gpu() for name in nvidia.CHIPS]
    root.drive = [drive.solid_state_drive(name) for name in drive.PRESETS]
    root.stack = [memsim.flash.HbfStack(**hbf.parameters(name)) for name in hbf.PAPERS]
    missing, cited_ones = without_place(source for obj in root.descendants() for source in obj._sources.values())
    assert not missing and cited_ones >= 40


def test_a_cited_source_of_a_default_names_a_place():
    components = [_memsim.schema(kind) for kind in _memsim.types()]
    of_policies = [one for members in policies.POLICIES.values() for one in members.values()]
    params = [p for one in components + of_policies for p in one["params"]]
    missing, cited_ones = without_place(Source(p["kind"], p["source"]) for p in params)
    assert not missing and cited_ones >= 60


@pytest.mark.parametrize(
    "text", ["MQSim", "Kim et al., ISCA'16", "Zheng et al., HPCA'16: 20 to 50 us", "GTX 480: 700 MHz"]
)
def test_a_source_that_names_a_document_alone_is_found(text):
    assert without_place([Source("cited", text), Source("assumed", "a guess")]) == ([text], 1)


@pytest.mark.parametrize("kind", sap.DRIVES)
def test_neither_does_a_machine_of_sap_with_another_drive(kind):
    root = sap.machine("sap", sap.workloads.program("NN", "tiny")[0], drive=kind)
    made = [obj for obj in root.descendants() if not isinstance(obj, NO_PART)]
    assert not [(obj.path, name) for obj in made for name in obj._values if obj._sources[name] is None]


def test_a_value_without_a_source_is_found(monkeypatch):
    monkeypatch.setitem(fronts.PLATFORMS["cmd"], "front", dict(fronts.ASSISTED, assisted_read=True))
    with pytest.raises(AssertionError, match="cmd  cmd: front: assisted_read"):
        test_a_paper_s_machine_sets_no_value_without_a_source("cmd")


@pytest.mark.parametrize("paper", assumptions.PAPERS)
def test_each_variant_of_an_assumption_names_platforms_that_there_are(paper):
    known = {platform for _, platform, _ in assumptions.machines(paper)}
    variants = assumptions.of(paper)
    assert len(variants) >= 12
    assert all(a.platforms and set(a.platforms) <= known and (a.options or a.arguments) for a in variants)


@pytest.mark.parametrize("paper", assumptions.PAPERS)
def test_each_variant_of_an_assumption_makes_a_machine(paper):
    """One value that a component refuses ends the sweep of a figure."""
    variants = [a for a in assumptions.of(paper) if a.changes]
    left = {of[:2]: [a for a in variants if a.applies(*of[:2])] for of in assumptions.machines(paper)}
    while any(left.values()):
        for mode, platform, root in assumptions.machines(paper):
            if left[mode, platform]:
                build(root, changes=left[mode, platform].pop().options[1::2])


def test_a_sweep_follows_its_value(monkeypatch):
    monkeypatch.setattr(
        cmd, "BEHIND_L2", assumed(48, "half of a miss", sweep=[swept("96", "gpu.l2[*].miss_latency=70ns")])
    )
    (found,) = [a for a in assumptions.of("cmd") if a.changes == ("gpu.l2[*].miss_latency=70ns",)]
    assert found.options == ["--set", "gpu.l2[*].miss_latency=70ns"] and set(found.platforms) == set(fronts.PLATFORMS)


def test_what_a_component_connects_is_derived():
    assert source_of(wired(3)).kind == "derived" and source_of(wired(stated(3, "table I"))).kind == "stated"


def test_a_table_of_assumptions_stands_between_its_markers():
    begin = pages.BEGIN.format("sap")
    text = f"# A page\n{begin}\nold\n{pages.END}\nmore\n"
    written = pages.replaced(text, "sap", pages.table([("a.b", "1", "a guess", "2")]))
    assert written.startswith(f"# A page\n{begin}\n| parameter") and written.endswith(f"\n{pages.END}\nmore\n")
    assert "| `a.b` | 1 | a guess | 2 |" in written and "old" not in written
    with pytest.raises(memsim.Error, match="the page has no place for the table"):
        pages.replaced("# A page", "sap", "")


@pytest.mark.parametrize("paper", assumptions.PAPERS)
def test_the_page_of_assumptions_equals_the_output_of_the_command(paper):
    """After a change: memsim describe --assumptions PAPER --write docs/models/assumptions.md"""
    page = (Path(__file__).parents[2] / "docs" / "models" / "assumptions.md").read_text()
    rows, _ = pages.of_paper(paper, declared=False)
    assert pages.replaced(page, paper, pages.table(rows)) == page
