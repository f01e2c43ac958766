"""The page of memsim's Python functions, made from their docstrings (`memsim reference --python FILE`)."""

import importlib
import inspect
import re
from types import ModuleType
from typing import Any

import memsim

# In the order of the page. The five systems are shown with the contents of their packages; help() shows their modules.
MODULES = (
    *(
        "stats",
        "study",
        "plot",
        "simt",
        "dram",
        "energy",
        "units",
        "model.ports",
        "model.provenance",
        "study.assumptions",
        "systems",
    ),
    *(f"systems.{name}" for name in ("drive", "host", "mmu", "interleave", "scale", "qv100")),
    *(f"papers.{name}" for name in ("ohm", "zng", "cmd", "cxl_gpu", "sap")),
)


def page() -> str:
    """The page, in Markdown."""
    lines = [
        "# Python functions",
        "",
        "What a script may call, made from the docstrings by `memsim reference --python`. Components, "
        "with their parameters, have a page of their own: [reference.md](reference.md).",
    ]
    shown = set[object]()
    for module in (memsim, *(importlib.import_module(f"memsim.{name}") for name in MODULES)):
        members = [(name, member) for name, member in vars(module).items() if _is_public(module, name, member)]
        sections = [_section(name, member) for name, member in members if member not in shown]
        shown.update(member for _, member in members)
        if sections:
            lines += ["", f"## {module.__name__}", "", *_text(module.__doc__)]
            lines += [line for section in sections for line in section]
    return "\n".join(lines) + "\n"


def _is_public(module: ModuleType, name: str, member: Any) -> bool:
    return (
        not name.startswith("_")
        and (inspect.isfunction(member) or inspect.isclass(member))
        and member.__module__.startswith(module.__name__)
        and not hasattr(member, "_schema")
    )


def _section(name: str, member: Any) -> list[str]:
    """A function, or a class with its methods and properties."""
    lines = ["", f"### {name}", "", f"`{name}{_signature(member)}`", "", *_text(inspect.getdoc(member))]
    if inspect.isclass(member):
        for part, method in vars(member).items():
            if (
                not part.startswith("_")
                and inspect.getdoc(method)
                and (callable(method) or isinstance(method, property))
            ):
                of = "" if isinstance(method, property) else _signature(method)
                lines += ["", f"`.{part}{of}`", "", *_text(inspect.getdoc(method))]
    return lines


def _signature(member: Any) -> str:
    try:
        given = inspect.signature(member)
    except ValueError:  # an exception of the compiled module
        return ""
    of_caller = [p for p in given.parameters.values() if p.name not in ("self", "cls") and not p.name.startswith("_")]
    text = str(given.replace(parameters=of_caller, return_annotation=given.empty))
    return re.sub(r"\bmemsim\.(\w+\.)*(?=[A-Z])", "", text)  # of an annotation


def _text(doc: str | None) -> list[str]:
    """Lines of a docstring. Arguments in columns keep their layout."""
    lines = []
    for paragraph in (doc or "").strip().split("\n\n"):
        columns = re.search(r"^\w[\w, *]*\S {2,}\S", paragraph, re.M)
        lines += ["", *(["```text", paragraph, "```"] if columns else [paragraph])]
    return lines[1:]
