"""Energy of `memsim across`: bytes of a run times the energy of a bit, and its figures."""

import pytest

import memsim
from memsim import flash, llm
from memsim.across import energy
from memsim.across.machine import Assumed, Machine
from memsim.across.ways import KNOWN
from memsim.model.provenance import source_of
from memsim.model.units import Energy
from memsim.papers.zng.scale import PAGE
from memsim.systems.scale import footprint

SECONDS = 1e-4


@pytest.fixture
def run(in_tmp, request):
    """A machine of two SMs with caches much smaller than the model, after two tokens."""
    root = memsim.Root(seed=1, contents=True)
    root.model = llm.decoder("tiny", context=40)
    root.model.tokens = 2
    name, *changes = request.param if isinstance(request.param, tuple) else (request.param,)
    assumed = Assumed(**changes[0]) if changes else Assumed()
    KNOWN[name].build(root, Machine(1 / 40, 2, 2, 4, footprint(root.model), 0, assumed=assumed))
    for l2 in root.gpu.l2:
        l2.capacity = "20KiB"
    root.model.dispatcher = root.gpu.dispatcher.host
    with memsim.Simulation(root) as machine:
        machine.simulate()
        yield root


def way(*names):
    return pytest.mark.parametrize("run", names, indirect=True, ids=str)


def bits(parts, *names: str) -> float:
    return 8 * sum(float(getattr(one.stats, name)) for one in parts for name in names)


def picojoules(run, name: str) -> dict[str, float]:
    return {part: j * 1e12 for part, j in energy.spent(run, name, SECONDS).items()}


@way("cxl")
def test_cxl_memory_pays_for_its_dram_and_its_link(run) -> None:
    spent = picojoules(run, "cxl")
    far = bits([one.far for one in run.gpu.memory], "bytes")
    assert spent["DDR5"] == pytest.approx(far * 15) and spent["PCIe"] == pytest.approx(far * 5.5)
    assert spent["HBM"] == pytest.approx(bits([one.local for one in run.gpu.memory], "bus_bytes") * 4.3)
    assert set(spent) == {"HBM", "DDR5", "PCIe"}


@way("c2c")
def test_host_memory_over_c2c_pays_for_that_link(run) -> None:
    spent = picojoules(run, "c2c")
    assert spent["C2C"] == pytest.approx(spent["DDR5"] / 15 * 1.3)
    assert "PCIe" not in spent


@way("ssd-behind")
def test_ssds_pay_for_cells_controller_and_link(run) -> None:
    spent, drive = picojoules(run, "ssd-behind"), run.gpu.drive
    data = bits([drive], "bytes")
    share = float(drive.stats.reads) / (float(drive.stats.reads) + float(drive.stats.writes))
    assert spent["TLC NAND"] == pytest.approx(data * (46.7 * share + 300 * (1 - share)))
    assert spent["drive"] == pytest.approx(data * 100) and spent["PCIe"] == pytest.approx(data * 5.5)


@way("cxl-ssd-sr", "cxl-ssd-behind", ("cxl-ssd", dict(endpoints=2, loads=8)))
def test_a_cxl_ssd_pays_for_each_part_on_the_way(run) -> None:
    spent = picojoules(run, "cxl-ssd-sr")
    assert len(run.port) == (1 if int(run.port[0].queues.loads_at_once) == 4 else 2)
    ends = [end for port in run.port for end in (port.root_port, port.device)]
    channels = [one for port in run.port for one in port.medium.ssd.channel]
    packages = [one for port in run.port for one in port.medium.ssd.package]
    dram = [one for port in run.port for one in port.medium.dram]
    sensed = sum(float(one.stats.senses) for one in packages)
    programs = sum(float(one.stats.programs) for one in packages)
    page = {str(port.medium.ssd.drive.page) for port in run.port}
    assert len(page) == 1 and "KiB" in next(iter(page))
    size = int(next(iter(page)).removesuffix("KiB")) * 1024
    assert spent["Z-NAND"] == pytest.approx(8 * size * (20 * sensed + 100 * programs)) and sensed > 0
    assert spent["PCIe"] == pytest.approx(bits(ends, "wire_bytes") * 5.5)
    assert spent["flash bus"] == pytest.approx(bits(channels, "data_in", "data_out") * 5)
    assert spent["DDR5"] == pytest.approx(bits(dram, "bus_bytes") * 15)
    drives = [port.medium.ssd.drive for port in run.port]
    assert spent["drive"] == pytest.approx(bits(drives, "read_bytes", "write_bytes") * 100)


@way("zng")
def test_zng_pays_for_cells_bus_and_mesh(run) -> None:
    spent, packages = picojoules(run, "zng"), list(run.flash.package)
    sensed = sum(float(one.stats.senses) for one in packages)
    programs = sum(float(one.stats.programs) for one in packages)
    assert spent["Z-NAND"] == pytest.approx(8 * PAGE * (20 * sensed + 100 * programs))
    assert spent["mesh"] == pytest.approx(bits([run.flash.mesh], "bytes") * 5)
    assert spent["flash bus"] == pytest.approx(
        5 * (bits(packages, "read_bytes", "write_bytes") + bits(run.flash.controller, "unasked_bytes"))
    )
    assert set(spent) == {"Z-NAND", "flash bus", "mesh"}


@way("hbf-behind")
def test_hbf_has_the_energy_that_its_component_counts(run) -> None:
    spent, stack = picojoules(run, "hbf-behind"), run.gpu.drive.stack
    assert spent["HBF cells"] == pytest.approx(float(stack.stats.cell_energy) * 1e3)
    assert spent["HBF wires"] == pytest.approx(float(stack.stats.wire_energy) * 1e3)
    assert "drive" not in spent


@way("ohm-2level-behind")
def test_hbm_before_ohms_memory_pays_for_its_bus(run) -> None:
    spent = picojoules(run, "ohm-2level-behind")
    assert spent["HBM"] == pytest.approx(bits(run.gpu.memory, "bus_bytes") * 4.3)
    assert spent["XPoint"] > 0 and spent["Ohm's DRAM"] > 0 and spent["lasers"] > 0


@way("ohm-planar")
def test_ohms_memory_has_the_energy_of_its_paper_without_static_power(run) -> None:
    spent, parts = picojoules(run, "ohm-planar"), list(run.memory.controller)
    assert "HBM" not in spent and "DDR5" not in spent
    assert spent["XPoint"] == pytest.approx(sum(float(one.stats.media_energy) for one in run.memory.xpoint) * 1e3)
    assert spent["Ohm's DRAM"] == pytest.approx(bits(parts, "dram_bytes", "side_bytes") * 9)
    assert spent["rings"] == pytest.approx(bits(parts, "demand_bytes", "migration_bytes", "side_bytes") * 0.2)
    # 96 wavelengths of 0.73 mW, four times as strong, at 10 %: the controllers' share of six.
    lasers = 96 * 0.73e-3 * 4 / 0.1 * len(parts) / 6
    assert spent["lasers"] == pytest.approx(lasers * SECONDS * 1e12, rel=0.01)


def test_figures_agree_with_the_components_that_have_them() -> None:
    stack = flash.HbfStack.sense_energy.info["initial"], flash.HbfStack.program_energy.info["initial"]
    assert [Energy.parse(one).value * 1e3 for one in stack] == [
        pytest.approx(Energy.parse(f"{pj:g}pJ").value * 1e3) for pj in (energy.HBF_READ, energy.HBF_PROGRAM)
    ]


def test_each_figure_has_a_source_and_each_part_other_values() -> None:
    for name, part in energy.PARTS.items():
        assert part.source or all(source_of(one) for one in part.figures.values()), name
        assert part.factors and all(factor >= 0 for factor in part.factors), name
        for figure in part.figures.values():
            source = source_of(figure)
            assert source and (source.kind != "assumed" or "no source" in source.text), name
