"""The classes of components and their descriptions, generated from the compiled schema."""

import collections.abc
import functools
import os
import re
import sys
import types
from collections.abc import Iterator
from typing import Any, NoReturn

from .. import _memsim
from . import policies
from ..errors import PACKAGE, Error, Panic, UnknownName, did_you_mean, user_error
from .attributes import Parameter, PortAttribute
from .objects import SimObject


Schema = dict[str, Any]  # declarations of a component: name, doc, source, params, ports, stats
Row = tuple[str, str, str]  # row of a table: name, default or kind, text


class Types(collections.abc.Mapping[str, type[SimObject]]):
    """'mem.Cache' -> its class, which is created at its first use because a run needs only few classes."""

    def __init__(self) -> None:
        self._made: dict[str, type[SimObject] | None] = dict.fromkeys(_memsim.types())

    def __getitem__(self, kind: str) -> type[SimObject]:
        made = self._made[kind]
        if made is None:
            made = self._made[kind] = _make_class(_memsim.schema(kind))
        return made

    def __contains__(self, kind: object) -> bool:
        return kind in self._made

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)

    def named(self, name: str) -> list[str]:
        """The types with this name in any folder, such as 'Cache'."""
        return [kind for kind in self if kind.rpartition(".")[2] == name]


TYPES = Types()


def make_modules(package: str) -> None:
    """Creates one module per folder, whose attributes are its classes, such as memsim.mem.Cache."""
    for kind in TYPES:
        folder, _, name = kind.rpartition(".")
        module = sys.modules.get(f"{package}.{folder}")
        if module is None:
            module = types.ModuleType(f"{package}.{folder}", f"The components of src/{folder}/.")
            names = list[str]()
            vars(module).update(
                __all__=names,
                __getattr__=functools.partial(_class_of, module),
                __dir__=functools.partial(list, names),
            )
            sys.modules[module.__name__] = module
            setattr(sys.modules[package], folder, module)
        module.__all__.append(name)


def _class_of(module: types.ModuleType, name: str) -> type[SimObject]:
    """Called by Python for an attribute that a module does not have, such as memsim.mem.Cache at its first use."""
    folder = module.__name__.partition(".")[2]
    if name not in module.__all__:
        refuse_name(folder, name)
    cls = TYPES[f"{folder}.{name}"]
    setattr(module, name, cls)
    return cls


def refuse_name(folder: str, name: str) -> NoReturn:
    """Raises UnknownName for an attribute that does not exist: memsim.mem.Cach, memsim.Cach."""
    if name.startswith("_"):
        raise AttributeError(name)
    raise user_error(_no_such(folder, name), kind=UnknownName)


def _no_such(folder: str, name: str) -> str:
    package = sys.modules[__name__.partition(".")[0]]
    module = getattr(package, folder) if folder else package
    flat = [] if folder else [kind.rpartition(".")[2] for kind in TYPES]
    if name in flat:
        of = " and ".join(TYPES.named(name))
        return f"'{name}' is the name of {of}: add the folder"
    known = [*flat, *(word for word in dir(module) if not word.startswith("_"))]
    return f"{module.__name__} has nothing named '{name}'{did_you_mean(name, known)}"


def explain_import(error: BaseException) -> Exception | None:
    """A sentence that suggests a name after a failed import such as `from memsim.mem import Cach`, or None."""
    wrong = re.match(r"cannot import name '(\w+)' from 'memsim(?:\.(\w+))?'", str(error))
    import traceback

    if not wrong or (wrong[2] and wrong[2] not in {kind.partition(".")[0] for kind in TYPES}):
        return None
    frame = [
        f for f in traceback.extract_tb(error.__traceback__) if not os.path.abspath(f.filename).startswith(PACKAGE)
    ][-1]
    return user_error(_no_such(wrong[2] or "", wrong[1]), f"{frame.filename}:{frame.lineno}")


def _make_class(schema: Schema) -> type[SimObject]:
    folder, _, name = schema["name"].rpartition(".")
    names = [x["name"] for x in schema["params"] + schema["ports"]]
    if twice := {n for n in names if names.count(n) > 1 or hasattr(SimObject, n)}:
        raise Panic(
            f"{schema['source']}: {schema['name']} needs another name for "
            f"{', '.join(sorted(twice))}: parameters, ports and attributes of every SimObject "
            "(path, stats, ...) share one name space"
        )
    for p in schema["params"]:
        p["text"] = _param_text(p)
    for p in schema["ports"]:
        kind = "ports" if p["many"] else "optional port" if p["optional"] else "port"
        p["text"] = f"{p['doc']} ({kind}: {p['role']} of {p['family']})"
    cls = type(
        name,
        (SimObject,),
        {
            "__doc__": _doc(schema),
            "__module__": f"memsim.{folder}",
            "_type": schema["name"],
            "_schema": schema,
            "_params": {p["name"]: p for p in schema["params"]},
            "_ports": {p["name"]: p for p in schema["ports"]},
            "_stats": {s["name"]: s for s in schema["stats"]},
            **{p["name"]: Parameter(p) for p in schema["params"]},
            **{p["name"]: PortAttribute(p) for p in schema["ports"]},
        },
    )
    setattr(cls, "__signature__", Signature())
    return cls


class Signature:
    """The signature of a component's class: made for those that ask, such as help() and editors."""

    def __get__(self, instance: object, cls: type[SimObject]) -> Any:
        import inspect

        return inspect.Signature(
            [
                inspect.Parameter(
                    p["name"],
                    inspect.Parameter.KEYWORD_ONLY,
                    default=getattr(cls, p["name"]).read(p["initial"]),
                    annotation=_annotation(p),
                )
                for p in cls._schema["params"]
            ]
        )


def _annotation(p: Schema) -> type:
    return {"int": int, "bool": bool}.get(p["type"], str)


def _param_text(p: Schema) -> str:
    notes = [p["type"]]
    if names := _memsim.dram_tables() if p["type"] == "DRAM preset" else policies.POLICIES.get(p["type"]):
        notes = [f"{p['type']}: {', '.join(names)}"]
    if p["min"] or p["max"]:
        notes.append(f"from {p['min']} to {p['max']}")
    notes += p["constraints"]
    if p["tunable"]:
        notes.append("tunable")
    if p["kind"]:
        notes.append(f"{p['kind']}: {p['source']}")
    return f"{p['doc']} ({', '.join(notes)})"


def rows_of(schema: Schema) -> Iterator[tuple[str, list[Row]]]:
    """(heading, [(name, default or kind, text)]) of each part of a schema."""
    yield "Parameters", [(p["name"], p["initial"], p["text"]) for p in schema["params"]]
    yield "Ports", [(p["name"] + ("[]" if p["many"] else ""), p["role"], p["text"]) for p in schema["ports"]]
    yield "Statistics", [
        (s["name"] + ("[]" if s["each"] else ""), s["unit"], f"{s['doc']} ({s['kind']})") for s in schema["stats"]
    ]


def _doc(schema: Schema) -> str:
    lines = [schema["doc"]]
    for heading, rows in rows_of(schema):
        if rows:
            lines += ["", f"{heading}:"]
            firsts = [
                f"{name} = {value}" if heading == "Parameters" else f"{name} [{value}]" for name, value, _ in rows
            ]
            wide = max(map(len, firsts))
            lines += [f"    {first:{wide}}  {text}" for first, (_, _, text) in zip(firsts, rows)]
    return "\n".join(lines) + f"\n\nRegistered in {schema['source']}."


def find(what: object) -> type[SimObject]:
    """The class of 'mem.Cache', 'Cache', a class or an object. Raises Error if no class or more than one has the
    name."""
    if isinstance(what, SimObject):
        what = type(what)
    if isinstance(what, type) and issubclass(what, SimObject):
        return what
    what = str(what)
    found = [what] if what in TYPES else TYPES.named(what)
    if len(found) == 1:
        return TYPES[found[0]]
    if found:
        raise Error(f"'{what}' is the name of {' and '.join(found)}: add the folder")
    if folder := [kind for kind in TYPES if kind.startswith(f"{what}.")]:
        raise Error(f"'{what}' is a folder of component types: name one of {', '.join(folder)}")
    names = [*TYPES, *(name.rpartition(".")[2] for name in TYPES), *policies.names(), *_memsim.dram_tables()]
    names += [table["name"] for table in _memsim.named_tables()]
    names += [name for workload in _memsim.workloads() for name in workload["names"]]
    raise Error(f"there is no component type '{what}'{did_you_mean(what, names)}; --list-sim-objects lists them")


make_modules(__name__.partition(".")[0])
