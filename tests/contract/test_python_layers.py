"""Modules of the Python package import downwards only, in no circle, and no paper imports another."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "python" / "memsim"

# The top-level modules and folders of python/memsim, the lowest first. A module imports from its own layer and from
# those below, wherever in the module it does.
LAYERS = [
    "_memsim",
    "errors",
    "arguments",
    "lazy",
    "moved",
    "files",
    "model",
    "run",
    "results",
    "systems",
    "llm",
    "silicon",
    "study",
    "papers",
    "across",
    "cli",
]
ROOF = "", "__main__"  # memsim/__init__.py exports what every script needs, and __main__ starts the command line


def modules():
    """(name, whether it is a folder, text) of every module."""
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        is_folder = parts[-1] == "__init__"
        yield ".".join(parts[:-1] if is_folder else parts), is_folder, path.read_text()


def imports(name, is_folder, text, for_checkers=True):
    """The modules of the package that a module imports, also in functions and, on request, for type checkers only."""
    package = name.split(".") if is_folder else name.split(".")[:-1]
    tree = ast.parse(text)
    left_out = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING" and not for_checkers:
            left_out.update(ast.walk(node))
    for node in ast.walk(tree):
        if node in left_out:
            continue
        if isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            yield from (".".join([*above, *filter(None, [node.module]), alias.name]) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def exports():
    """The names that memsim/__init__.py exports: name -> layer."""
    tree = ast.parse((PACKAGE / "__init__.py").read_text())
    found = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    return {alias.name: node.module.split(".")[0] for node in found for alias in node.names}


EXPORTS = exports()


def upward(name, is_folder, text):
    """The imports by which a module reaches above its layer."""
    for imported in imports(name, is_folder, text):
        head, _, rest = imported.partition(".")
        layer = EXPORTS.get(rest, rest.split(".")[0])
        if head == "memsim" and layer in LAYERS and LAYERS.index(layer) > LAYERS.index(name.split(".")[1]):
            yield name, imported


def test_no_module_imports_upward():
    inside = [module for module in modules() if module[0].partition(".")[2] not in ROOF]
    unknown = {name.split(".")[1] for name, *_ in inside} - set(LAYERS)
    assert not unknown, f"modules of python/memsim that have no layer in {__file__}: {unknown}"
    assert {fault for module in inside for fault in upward(*module)} == set()
    assert sum(len(list(imports(*module))) for module in inside) > 500  # proof that imports were found


def test_an_upward_import_is_found():
    for text in (
        "from ..run import signals",
        "from .. import Simulation",
        "from ..run.signals import heed",
        "def late():\n    import memsim.study.points",
        "if TYPE_CHECKING:\n    from ..run import signals",
    ):
        assert list(upward("memsim.model.a", False, text)), text
    for text in ("from .. import SimObject, mem", "from .ports import bind", "from ..errors import Error"):
        assert not list(upward("memsim.model.a", False, text)), text


def strangers(name, is_folder, text):
    """The imports by which a module of a paper reaches into another paper's."""
    for imported in imports(name, is_folder, text):
        parts = imported.split(".")
        if parts[:2] == ["memsim", "papers"] and parts[2:3] != name.split(".")[2:3]:
            yield imported


def test_a_paper_imports_no_other():
    of_papers = [module for module in modules() if module[0].count(".") > 1 and module[0].startswith("memsim.papers.")]
    assert len(of_papers) > 20
    assert {module[0]: found for module in of_papers if (found := list(strangers(*module)))} == {}
    assert list(strangers("memsim.papers.zng.memory", False, "from ..ohm.dram import PCIE\nfrom . import scale")) == [
        "memsim.papers.ohm.dram.PCIE"
    ]


def test_no_circle_of_imports():
    """(The modules of a folder may import each other through it.)"""
    every = {name: (is_folder, text) for name, is_folder, text in modules() if name != "memsim"}
    graph = {
        name: {
            found
            for imported in imports(name, *every[name], for_checkers=False)
            for found in (imported, imported.rpartition(".")[0])
            if found in every and not f"{name}.".startswith(f"{found}.")
        }
        for name in every
    }
    order = list(TopologicalSorter(graph).static_order())  # CycleError names a circle
    assert order.index("memsim.errors") < order.index("memsim.run.simulation") < order.index("memsim.cli.main")
