"""The package's type stubs (.pyi), written from the package itself: components from the schema, all else from the modules'
names and signatures. What has no annotation there is Any, or bool by its default."""
import ast
import builtins
import dataclasses
import importlib
import inspect
import pkgutil
import textwrap
import types
from pathlib import Path

import memsim

from ..model.machine_stats import Values, class_of
from ..model.schema import TYPES
from . import native_stub

LEFT_OUT = "memsim.__main__", "memsim._memsim", "memsim.moved"
# What Python calls by itself and a user's code makes it call.
PROTOCOLS = {
    "__init__",
    "__new__",
    "__getattr__",
    "__setattr__",
    "__getitem__",
    "__setitem__",
    "__len__",
    "__iter__",
    "__contains__",
    "__enter__",
    "__exit__",
}
ARGUMENTS = {
    "list": "[Any]",
    "set": "[Any]",
    "dict": "[Any, Any]",
    "tuple": "[Any, ...]",
    "Mapping": "[Any, Any]",
    "ndarray": "[Any, Any]",
    "PathLike": "[str]",
}


def write(directory):
    """The stubs of all modules, below directory/memsim."""
    package = Path(directory, "memsim")
    package.mkdir(parents=True, exist_ok=True)
    (package / "py.typed").write_text("")
    (package / "_memsim.pyi").write_text(native_stub.text())
    for folder in _folders():
        (package / f"{folder}.pyi").write_text(_Folder(folder).text())
    for module in (
        memsim,
        *(
            importlib.import_module(found.name)
            for found in pkgutil.walk_packages(memsim.__path__, "memsim.")
            if found.name not in LEFT_OUT
        ),
    ):
        path = package.joinpath(*module.__name__.split(".")[1:])
        path = path / "__init__.pyi" if hasattr(module, "__path__") else path.with_suffix(".pyi")
        path.parent.mkdir(exist_ok=True)
        path.write_text(_Module(module).text())


def _folders():
    return dict.fromkeys(kind.partition(".")[0] for kind in TYPES)


class _Text:
    """What a Signature shows as it stands, for an annotation or a default."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


class _Stub:
    """The text of one module, and what it imports for its annotations."""

    def __init__(self, name, known):
        self.name, self.known, self.imports = name, known, {"from typing import Any": None}

    def class_named(self, cls):
        """How this module names a class."""
        name, module = cls.__name__, cls.__module__.removeprefix("_")  # classes of io say that they are of _io
        if cls is types.NoneType:
            return "None"
        if module == "builtins" and name not in vars(builtins):  # types.FrameType and others say so
            return "Any"
        here = module in ("builtins", self.name) or module.startswith("memsim") and self.known.get(name) is cls
        if not here:
            self.imports[f"from {module} import {name} as _{name}"] = None
            name = f"_{name}"
        return name + ARGUMENTS.get(cls.__name__, "")

    def annotation(self, given):
        if isinstance(given, str):
            return given if given.partition(" ")[0] in self.known else "Any"
        if isinstance(given, types.UnionType):
            return " | ".join(map(self.annotation, given.__args__))
        if type(given) is types.GenericAlias:
            inside = ("..." if of is ... else self.annotation(of) for of in given.__args__)
            return f"{self.class_named(given.__origin__).partition('[')[0]}[{', '.join(inside)}]"
        return "None" if given is None else self.class_named(given) if inspect.isclass(given) else "Any"


class _Folder(_Stub):
    """The components of a folder of src/."""

    def __init__(self, folder):
        super().__init__(f"memsim.{folder}", {})
        self.types = [cls for kind, cls in TYPES.items() if kind.partition(".")[0] == folder]

    def text(self):
        classes = [line for cls in self.types for line in self._class(cls)]
        return "\n".join([*self.imports, "from memsim import Port, SimObject, VectorPort", *classes]) + "\n"

    def _class(self, cls):
        name, s = cls.__name__, cls._schema
        yield from ("", "", f"class _{name}Stats:")
        yield from [
            f"    {x['name']}: {self.class_named(Values if x['each'] else class_of(x))}" for x in s["stats"]
        ] or ["    ..."]
        yield from ("", "", f"class {name}(SimObject):", f'    """{s["doc"]}"""')
        kinds = {"int": "int", "bool": "bool", "Fraction": "str | float"}
        params = [f"{p['name']}: {kinds.get(p['type'], 'str')}" for p in s["params"]]
        yield from (f"    {param}" for param in params)
        yield from (f"    {p['name']}: {'VectorPort' if p['many'] else 'Port | VectorPort'}" for p in s["ports"])
        yield from ("    @property", f"    def stats(self) -> _{name}Stats: ...")
        yield f"    def __init__(self{', *' if params else ''}{''.join(f', {param} = ...' for param in params)}) -> None: ..."


class _Module(_Stub):
    """A module: what it defines, and under which names it has what is of other modules."""

    def __init__(self, module):
        super().__init__(module.__name__, vars(module))
        self.module = module

    def text(self):
        lines = [
            line
            for name, member in vars(self.module).items()
            if not name.startswith("_") or name == "__version__"
            for line in self._member(name, member)
        ]
        if "__getattr__" in vars(self.module):  # it imports its modules when somebody asks for them
            lines += [
                f"from . import {found.name} as {found.name}"
                for found in pkgutil.iter_modules(self.module.__path__)
                if not found.name.startswith("_") and found.name not in self.known
            ]
        if self.module is memsim:
            lines += [
                f"from .{kind.partition('.')[0]} import {name} as {name}"
                for kind in TYPES
                if TYPES.named(name := kind.partition(".")[2]) == [kind] and name not in self.known
            ]
        return "\n".join([*self.imports, *lines]) + "\n"

    def _member(self, name, member):
        if isinstance(member, types.ModuleType):
            package, _, own = member.__name__.rpartition(".")
            return [f"from {package} import {own} as {name}"] if package.startswith("memsim") else []
        plain = inspect.unwrap(member) if callable(member) else member
        if not (inspect.isclass(member) or inspect.isfunction(plain)):
            return [f"{name}: {self._type_of(member)}"]
        if member.__module__ != self.name:
            ours = member.__module__.partition(".")[0] == "memsim" and not member.__name__.startswith("_")
            return [f"from {member.__module__} import {member.__name__} as {name}"] if ours else []
        return ["", *self._class(name, member), ""] if inspect.isclass(member) else [self._function(name, plain)]

    def _type_of(self, value):
        known = type(value) in (bool, int, float, str) or type(value).__module__.startswith("memsim.")
        return self.class_named(type(value)) if known else "Any"

    def _function(self, name, function, bound=False):
        signature = inspect.signature(function)
        given = [
            p.replace(
                annotation=p.empty if bound and not i else _Text(self._parameter(p)),
                default=p.empty if p.default is p.empty else _Text("..."),
            )
            for i, p in enumerate(signature.parameters.values())
        ]
        result = signature.return_annotation
        result = "None" if name == "__init__" else "Any" if result is signature.empty else self.annotation(result)
        return f"def {name}{signature.replace(parameters=given, return_annotation=_Text(result))}: ..."

    def _parameter(self, p):
        if p.annotation is not p.empty:
            return self.annotation(p.annotation)
        return "bool" if isinstance(p.default, bool) else "Any"

    def _class(self, name, cls):
        fields = {f.name: f for f in dataclasses.fields(cls)} if dataclasses.is_dataclass(cls) else {}
        bases = ", ".join(self.class_named(base) for base in cls.__bases__ if base is not object)
        head = f"class {name}({bases}):" if bases else f"class {name}:"
        body = [
            f"{at}: {self.annotation(kind)}" + " = ..." * (at in fields and not _is_needed(fields[at]))
            for at, kind in vars(cls).get("__annotations__", {}).items()
        ]
        body += [
            f"{at}: Any"
            for at in _assigned(cls)
            if at not in vars(cls) and at not in vars(cls).get("__annotations__", {})
        ]
        for at, member in vars(cls).items():
            if at in PROTOCOLS and not (fields and at in ("__init__", "__setattr__")) or not at.startswith("_"):
                body += self._attribute(at, member, fields)
        decorator = [f"@_dataclass(frozen={cls.__dataclass_params__.frozen})"] if fields else []
        if fields:
            self.imports.update(
                {
                    "from dataclasses import dataclass as _dataclass": None,
                    "from typing import ClassVar as _ClassVar": None,
                }
            )
        return [*decorator, head, *(f"    {line}" for line in body or ["..."])]

    def _attribute(self, name, member, fields):
        if isinstance(member, property):
            return ["@property", self._function(name, inspect.unwrap(member.fget), bound=True)]
        if inspect.isfunction(member) or name == "__new__":
            return [self._function(name, inspect.unwrap(member), bound=True)]
        if isinstance(member, (staticmethod, classmethod)):
            kind = type(member).__name__
            return [f"@{kind}", self._function(name, inspect.unwrap(member), bound=kind == "classmethod")]
        if name in fields or inspect.isdatadescriptor(member):
            return []
        return [f"{name}: {f'_ClassVar[{self._type_of(member)}]' if fields else self._type_of(member)}"]


def _is_needed(field):
    return field.default is field.default_factory is dataclasses.MISSING


def _assigned(cls):
    """The public attributes that a class's methods give to `self`."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(cls)))
    except (OSError, TypeError):  # an exception of the compiled module
        return {}
    return dict.fromkeys(
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
        and not node.attr.startswith("_")
    )
