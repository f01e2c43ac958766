"""The text of a type stub (.pyi): components from the schema, the rest from a module's names and signatures. Objects
without an annotation become Any, or bool according to their default."""

import ast
import contextlib
import dataclasses
import builtins
import inspect
import pkgutil
import textwrap
import types
import typing
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any

import memsim

from ...model.machine_stats import StatView, Values, class_of
from ...model.schema import TYPES
from ...model.units import Quantity
from ...moved import SHORT

LEFT_OUT = "memsim.__main__", "memsim._memsim", "memsim.moved"
# Methods that Python calls.
PROTOCOLS = {
    "__init__",
    "__new__",
    "__getattr__",
    "__setattr__",
    "__get__",
    "__set__",
    "__getitem__",
    "__setitem__",
    "__len__",
    "__iter__",
    "__contains__",
    "__enter__",
    "__exit__",
    "__add__",
    "__sub__",
    "__mul__",
    "__rmul__",
    "__truediv__",
    "__floordiv__",
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

KINDS = {cls.KIND: cls.__name__ for cls in Quantity.__subclasses__()}  # by the name in a component's declaration
QUANTITIES = [  # a parameter with a unit is set to text or a quantity, and read as text
    "from typing import Generic, TypeVar",
    "from memsim import Port, SimObject, VectorPort",
    f"from memsim.model.units import {', '.join(KINDS.values())}",
    "",
    '_Kind = TypeVar("_Kind", contravariant=True)',
    "",
    "",
    "class _Quantity(Generic[_Kind]):",
    "    def __get__(self, obj: Any, cls: Any = ...) -> str: ...",
    "    def __set__(self, obj: Any, value: str | _Kind) -> None: ...",
]


class _Text:
    """Text that a Signature shows unchanged, for an annotation or a default."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


class Stub:
    """The text of one module, and the imports of its annotations."""

    def __init__(self, name: str, known: Mapping[str, Any]) -> None:
        self.name, self.known, self.imports = name, known, dict.fromkeys(["from typing import Any"])

    def class_named(self, cls: type, arguments: str | None = None) -> str:
        """The name of a class in this module, with its arguments as text; a generic class without arguments has Any."""
        name, module = cls.__name__, cls.__module__.removeprefix("_")  # classes of io report the module _io
        if issubclass(cls, types.NoneType):
            return "None"
        if module == "builtins" and name not in vars(builtins):  # types.ModuleType and others report their own names
            return "Any"
        here = module in ("builtins", self.name) or module.startswith("memsim") and self.known.get(name) is cls
        if not here:
            name = self.imported(module, name)
        return name + (ARGUMENTS.get(cls.__name__, "") if arguments is None else arguments)

    def imported(self, module: str, name: str) -> str:
        """The name under which this stub has a name of another module."""
        self.imports[f"from {module} import {name} as _{name}"] = None
        return f"_{name}"

    def annotation(self, given: Any) -> str:
        origin, arguments = typing.get_origin(given), typing.get_args(given)
        if isinstance(given, str):
            try:
                return self.annotation(eval(given, dict(self.known)))
            except NameError:  # a name imported for type checkers only
                return "Any"
        if origin in (types.UnionType, typing.Union):
            return " | ".join(map(self.annotation, arguments))
        if isinstance(given, list):  # the parameters of a Callable
            return f"[{', '.join(map(self.annotation, given))}]"
        if given is ...:
            return "..."
        if origin is typing.Concatenate or isinstance(given, typing.ParamSpec):  # types that decorators change
            return "..."
        if origin is typing.Literal:
            return f"{self.imported('typing', 'Literal')}[{', '.join(map(repr, arguments))}]"
        if origin and getattr(origin, "__module__", "").startswith("memsim."):  # the stub shows no type parameters
            return self.class_named(origin)
        if origin:
            inside = f"[{', '.join(map(self.annotation, arguments)) or '()'}]"
            special = not inspect.isclass(origin)
            return self.imported("typing", origin._name) + inside if special else self.class_named(origin, inside)
        if given is None or inspect.isclass(given):
            return "None" if given is None else self.class_named(given)
        if given in (typing.Self, typing.ClassVar, typing.NoReturn):
            return self.imported("typing", given._name)
        return "Any"


class Folder(Stub):
    """The components of a folder of src/."""

    def __init__(self, folder: str) -> None:
        super().__init__(f"memsim.{folder}", {})
        self.types = [cls for kind, cls in TYPES.items() if kind.partition(".")[0] == folder]

    def text(self) -> str:
        classes = [line for cls in self.types for line in self._class(cls)]
        return "\n".join([*self.imports, *QUANTITIES, *classes]) + "\n"

    def _class(self, cls: Any) -> Iterator[str]:
        name, s = cls.__name__, cls._schema
        yield from ("", "", f"class _{name}Stats({self.class_named(StatView)}):")
        yield from [
            f"    {x['name']}: {self.class_named(Values if x['each'] else class_of(x))}" for x in s["stats"]
        ] or ["    ..."]
        yield from ("", "", f"class {name}(SimObject):", f'    """{s["doc"]}"""')
        params = [(p["name"], *self._types(p["type"])) for p in s["params"]]
        yield from (f"    {param}: {kind}" for param, kind, _ in params)
        yield from (f"    {p['name']}: {'VectorPort' if p['many'] else 'Port | VectorPort'}" for p in s["ports"])
        yield from ("    @property", f"    def stats(self) -> _{name}Stats: ...")
        given = "".join(f", {param}: {kind} = ..." for param, _, kind in params)
        yield f"    def __init__(self{', *' if params else ''}{given}) -> None: ..."

    def _types(self, declared: str) -> tuple[str, str]:
        """Types of a parameter's attribute, and of the values that can be assigned to it."""
        if declared in KINDS:
            number = " | float" * (declared == "Fraction")
            return f"_Quantity[{KINDS[declared]}{number}]", f"str | {KINDS[declared]}{number}"
        kind = declared if declared in ("int", "bool") else "str"
        return kind, kind


class Module(Stub):
    """A module: its definitions, and its names of objects of other modules."""

    def __init__(self, module: ModuleType) -> None:
        # Names of __all__ may be imported at their first use.
        promised = {name: getattr(module, name) for name in getattr(module, "__all__", ())}
        self.members = {**vars(module), **promised}
        super().__init__(module.__name__, self.members)
        self.module = module

    def text(self) -> str:
        lines = [
            line
            for name, member in self.members.items()
            if (not name.startswith("_") or name == "__version__") and name != "TYPE_CHECKING"
            for line in self._member(name, member)
        ]
        if {"__getattr__", "__path__"} <= vars(self.module).keys():  # it imports its modules at their first use
            modules = [found.name for found in pkgutil.iter_modules(self.module.__path__)]
            modules += [
                short.rpartition(".")[2] for short in SHORT if f"memsim.{short}".rpartition(".")[0] == self.name
            ]
            lines += [
                f"from . import {name} as {name}"
                for name in modules
                if not name.startswith("_") and name not in self.known
            ]
        if self.module is memsim:
            lines += [
                f"from .{kind.partition('.')[0]} import {name} as {name}"
                for kind in TYPES
                if TYPES.named(name := kind.partition(".")[2]) == [kind] and name not in self.known
            ]
        return "\n".join([*self.imports, *lines]) + "\n"

    def _member(self, name: str, member: Any) -> list[str]:
        if isinstance(member, types.ModuleType):
            package, _, own = member.__name__.rpartition(".")
            ours = package.startswith("memsim") and member.__name__ not in LEFT_OUT
            return [f"from {package} import {own} as {name}"] if ours else []
        plain = inspect.unwrap(member) if callable(member) else member
        if not (inspect.isclass(member) or inspect.isfunction(plain)):
            return [f"{name}: {self._type_of(member)}"]
        if member.__module__ != self.name:
            ours = member.__module__.partition(".")[0] == "memsim" and not member.__name__.startswith("_")
            return [f"from {member.__module__} import {member.__name__} as {name}"] if ours else []
        return ["", *self._class(name, member), ""] if inspect.isclass(member) else [self._function(name, member)]

    def _type_of(self, value: object) -> str:
        known = isinstance(value, bool | int | float | str) or type(value).__module__.startswith("memsim.")
        return self.class_named(type(value)) if known else "Any"

    def _function(self, name: str, function: Any, bound: bool = False) -> str:
        signature, plain = inspect.signature(function), inspect.unwrap(function)
        given = [
            p.replace(
                annotation=p.empty if bound and not i else _Text(self._parameter(p)),
                default=p.empty if p.default is p.empty else _Text("..."),
            )
            for i, p in enumerate(signature.parameters.values())
        ]
        result = signature.return_annotation
        if plain is not function and inspect.isgeneratorfunction(plain):  # a result of contextlib.contextmanager
            result = types.GenericAlias(contextlib.AbstractContextManager, typing.get_args(result)[:1] or (Any,))
        result = "None" if name == "__init__" else "Any" if result is signature.empty else self.annotation(result)
        return f"def {name}{signature.replace(parameters=given, return_annotation=_Text(result))}: ..."

    def _parameter(self, p: inspect.Parameter) -> str:
        if p.annotation is not p.empty:
            return self.annotation(p.annotation)
        return "bool" if isinstance(p.default, bool) else "Any"

    def _class(self, name: str, cls: Any) -> list[str]:
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
                body += self._attribute(at, member, fields, vars(cls).get("__annotations__", {}))
        params = cls.__dataclass_params__ if fields else None
        decorator = [f"@_dataclass(frozen={params.frozen}, order={params.order})"] if params else []
        if fields:
            self.imports.update(
                {
                    "from dataclasses import dataclass as _dataclass": None,
                    "from typing import ClassVar as _ClassVar": None,
                }
            )
        return [*decorator, head, *(f"    {line}" for line in body or ["..."])]

    def _attribute(self, name: str, member: Any, fields: Collection[str], annotated: Collection[str]) -> list[str]:
        if isinstance(member, property):
            return ["@property", self._function(name, member.fget, bound=True)]
        if inspect.isfunction(member) or name == "__new__":
            return [self._function(name, member, bound=True)]
        if isinstance(member, (staticmethod, classmethod)):
            kind = type(member).__name__
            return [f"@{kind}", self._function(name, member.__func__, bound=kind == "classmethod")]
        if name in fields or inspect.isdatadescriptor(member) or name in annotated:
            return []
        return [f"{name}: {f'_ClassVar[{self._type_of(member)}]' if fields else self._type_of(member)}"]


def _is_needed(field: "dataclasses.Field[Any]") -> bool:
    return field.default is field.default_factory is dataclasses.MISSING


def _assigned(cls: type) -> Iterable[str]:
    """The public attributes that methods of a class assign to `self`."""
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
