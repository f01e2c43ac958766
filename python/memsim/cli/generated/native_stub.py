"""The type stub of the compiled module, from the signatures that pybind11 writes into its docstrings."""
import inspect
import re
from collections.abc import Iterator
from typing import Any

from ... import _memsim

GENERIC = {"list": "list[Any]", "dict": "dict[str, Any]"}  # pybind11 does not know their element types


def text() -> str:
    """The contents of _memsim.pyi."""
    return "\n".join(["import builtins", "from typing import Any", *_members(_memsim)]) + "\n"


def _members(owner: Any, indent: str = "") -> Iterator[str]:
    for name, member in vars(owner).items():
        if name.startswith("__") and name != "__init__":
            continue
        if inspect.isclass(member):
            base = member.__base__.__name__ if issubclass(member, Exception) else ""
            yield f"class {name}{f'({base})' if base else ''}:"
            yield from list(_members(member, "    ")) or ["    ..."]
        elif isinstance(member, property):
            yield f"{indent}@property"
            yield f"{indent}def {name}{_signature('', member.fget.__doc__ or '', True)}: ..."
        elif callable(member):
            signature = _signature(name, member.__doc__ or "", bool(indent))
            if (
                not signature or "**kwargs" in signature
            ):  # pybind11 lists the signatures of overloads in the following lines
                result = "None" if name == "__init__" else "Any"
                signature = f"({'self, ' if indent else ''}*args: Any, **kwargs: Any) -> {result}"
            yield f"{indent}def {name}{signature}: ..."
        else:
            kind = type(member).__name__
            yield f"{indent}{name}: {GENERIC.get(kind, kind)}"


def _signature(name: str, doc: str, bound: bool) -> str:
    """'(path: str) -> int' from a docstring that begins with a signature, otherwise ''. `bound`: of a method."""
    first = doc.partition("\n")[0].removeprefix(name)
    if not first.startswith("("):
        return ""
    first = re.sub(r"(?:memsim|_memsim)(?:::|\.)(?:\w+(?:::|\.))*(\w+)", r"\1", first)
    first = re.sub(r"\b(List|Dict|Tuple)\[", lambda found: found[0].lower(), first)
    first = re.sub(r"Optional\[(\w+)\]", r"\1 | None", first)
    first = re.sub(r"\b(list|dict)\b(?!\[)", lambda found: GENERIC[found[1]], first)
    first = re.sub(
        r"(?<=: )bytes\b|(?<=> )bytes\b", "builtins.bytes", first
    )  # the module has a function with this name
    return re.sub(r"^\(\w+: \w+", "(self", first) if bound else first
