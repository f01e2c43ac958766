"""SimObjects: attributes are parameters, ports, children and statistics."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

from .. import _memsim
from ..errors import Error, UnknownName, did_you_mean, here, user_error
from .attributes import Parameter, PortAttribute
from .machine_stats import Machine, StatView
from .ports import Port
from .provenance import Source, Swept


class Children(list["SimObject"]):
    """A list of children: `gpu.sm[3]`; append() adds one."""

    def __init__(self, owner: SimObject, name: str, items: Iterable[SimObject]) -> None:
        super().__init__()
        self._owner, self._name = owner, name
        for item in items:
            self.append(item)

    def append(self, item: SimObject) -> None:
        """Adds a child. Raises Error if it is no SimObject, is in the tree already, or if the machine has been
        built."""
        self._owner._check_open(self._name)
        if not isinstance(item, SimObject):
            raise user_error(
                f"{self._owner._prefix}{self._name}[{len(self)}]: {item!r} is no "
                "SimObject: a list of children can hold only SimObjects"
            )
        item._adopt(self._owner, f"{self._name}[{len(self)}]")
        super().append(item)

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):
            raise AttributeError(name)
        path = f"{self._owner._prefix}{self._name}"
        raise user_error(
            f"{path} is a list of {len(self)} objects and has no '{name}': index it, such as {path}[0].{name}",
            kind=UnknownName,
        )

    def __setattr__(self, name: str, value: object) -> None:
        if not name.startswith("_"):
            self.__getattr__(name)
        super().__setattr__(name, value)

    def _fixed(self, *args: object, **kwargs: object) -> NoReturn:
        raise user_error(f"{self._owner._prefix}{self._name}: children can only be appended, not moved or removed")

    __setitem__ = __delitem__ = insert = remove = pop = clear = sort = reverse = _fixed  # type: ignore[assignment]

    def extend(self, items: Iterable[SimObject]) -> None:
        for item in items:
            self.append(item)

    def __iadd__(self, items: Iterable[SimObject]) -> Children:  # type: ignore[override, misc]
        self.extend(items)
        return self


class SimObject:
    """A node of the tree. Assigning an attribute sets a parameter, binds a port, or, for a SimObject or a list of
    SimObjects, adds children."""

    _type: str | None = None  # 'mem.Cache'; None: a group without a component
    _schema: dict[str, Any] = {}  # declarations of the component
    _params: dict[str, Any] = {}
    _ports: dict[str, Any] = {}
    _stats: dict[str, Any] = {}
    _defaults: dict[str, tuple[object, str]] = {}  # of a subclass in a script: value, place
    # Of each object:
    _parent: SimObject | None
    _name: str
    _children: dict[str, Any]  # name -> a SimObject or Children
    _values: dict[str, str]  # of parameters
    _places: dict[str, str]  # lines that set parameters
    _sources: dict[str, Source | None]  # sources of parameter values
    _bound: dict[tuple[str, int | None], tuple[Port, str]]  # (port, index) -> peer, place
    _simulation: Machine | None
    _prepared: Any  # the input of a program that has been read
    _created: str

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Class attributes with names of parameters replace their defaults, as in gem5."""
        super().__init_subclass__(**kwargs)
        given = [name for name in vars(cls) if name in cls._params]
        if given and "_type" not in vars(cls):
            cls._defaults = {**cls._defaults, **{name: (vars(cls)[name], here()) for name in given}}
            for name in given:
                delattr(cls, name)

    def __init__(self, **attributes: Any) -> None:
        fresh: list[tuple[str, Any]] = [
            ("_parent", None),
            ("_name", ""),
            ("_children", {}),
            ("_values", {}),
            ("_places", {}),
            ("_sources", {}),
            ("_bound", {}),
            ("_simulation", None),
            ("_prepared", None),
            ("_created", here()),
        ]
        for name, value in fresh:
            object.__setattr__(self, name, value)
        for name, (value, where) in type(self)._defaults.items():
            setattr(self, name, value)
            self._places[name] = where
        for name, value in attributes.items():
            setattr(self, name, value)

    @property
    def path(self) -> str:
        """The path in the tree, such as 'gpu.flash[3].die[1]'; before insertion, the type."""
        if self._parent is None:
            return self._type or type(self).__name__
        return self._parent._prefix + self._name

    @property
    def _prefix(self) -> str:
        return self.path + "."

    def provenance(self, name: str) -> Source:
        """The source of the value of a parameter. For a value that a script set without a source, the kind is 'script'
        and the text is the line."""
        if name not in self._values:
            info = self._params[name]
            sweep = tuple(Swept(value) for value in info["sweep"])
            return Source(info["kind"], info["source"], sweep=sweep, name=info["assumption"])
        return self._sources[name] or Source("script", os.path.basename(self._places[name]))

    @property
    def stats(self) -> StatView:
        """The statistics; `system.l2.stats.hits` is the present value."""
        return StatView(self)

    @property
    def children(self) -> list[SimObject]:
        """The direct children, in the order in which they were added."""
        return [c for child in self._children.values() for c in (child if isinstance(child, list) else [child])]

    def descendants(self) -> Iterator[SimObject]:
        """This object and all its descendants, parents first."""
        yield self
        for child in self.children:
            yield from child.descendants()

    def root(self) -> SimObject:
        """The topmost object of the tree: the Root of a machine."""
        return self if self._parent is None else self._parent.root()

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            object.__setattr__(self, name, value)
            return
        self._check_open(name)
        known = getattr(type(self), name, None)
        if isinstance(known, Parameter) and isinstance(value, SimObject):
            raise user_error(f"{self.path}.{name} is a parameter: a child needs another name")
        if isinstance(known, (Parameter, PortAttribute)):
            known.__set__(self, value)
        elif known is not None:
            raise user_error(f"{self.path}.{name} is reserved: a child needs another name")
        elif isinstance(value, SimObject):
            self._no_second(name)
            value._adopt(self, name)
            self._children[name] = value
        elif isinstance(value, (list, tuple)) and all(isinstance(v, SimObject) for v in value):
            if self._children.get(name) is not value:  # `a.b += [...]` assigns the existing list
                self._no_second(name)
                self._children[name] = Children(self, name, value)
        elif name in self._children:
            raise user_error(
                f"{self.path}.{name} is a child and cannot become {value!r}: children can neither be replaced "
                "nor removed"
            )
        elif self._type:
            raise self._unknown(name)
        else:
            near = did_you_mean(name, [*self._children, *["seed", "contents"] * isinstance(self, Root)])
            raise user_error(
                f"{self.path} has no child '{name}'{near}: a child is a component or a list of components, not "
                f"{value!r}",
                kind=UnknownName,
            )

    def __getattr__(self, name: str) -> Any:
        children = self.__dict__.get("_children", {})
        if name in children:
            return children[name]
        if name.startswith("_"):
            raise AttributeError(name)
        raise self._unknown(name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._children]

    def __repr__(self) -> str:
        return f"<{self._type or type(self).__name__} {self.path}>"

    def _unknown(self, name: str) -> Error:
        known = [*self._params, *self._ports, *self._children]
        what = "parameter, port or child" if self._type else "child"
        return user_error(f"{self.path} has no {what} '{name}'{did_you_mean(name, known)}", kind=UnknownName)

    def _no_second(self, name: str) -> None:
        if name in self._children:
            raise user_error(
                f"{self.path}.{name} exists already: give the second child another name, or append it to a list"
            )

    def _adopt(self, parent: SimObject, name: str) -> None:
        if self._parent is not None or isinstance(self, Root):
            raise user_error(
                f"{parent._prefix}{name}: this object is already in the tree as '{self.path}': make another one"
                if self._parent
                else f"{parent._prefix}{name}: a Root cannot be a child of another object"
            )
        self._check_open(name)
        try:
            _memsim.check_name(name.encode(errors="surrogatepass"))
        except Error as e:
            raise user_error(e) from None
        object.__setattr__(self, "_parent", parent)
        object.__setattr__(self, "_name", name)

    def _check_open(self, name: str) -> None:
        if self.root()._simulation is not None:
            raise user_error(
                f"{self.path}.{name} is set after instantiate(): the machine has been built and cannot change"
            )


class Group(SimObject):
    """A node without a component, which groups its children."""


class System(Group):
    """The usual type of the topmost group."""


class Root(Group):
    """The whole machine and its seed. Its children are the topmost names.

    seed        seed of all random streams, from 0 to 2^64 - 1
    contents    messages carry the values of the program's stores, and caches and memories hold them. Required by
    components
                that depend on values, and by Simulation.check_contents(). It changes no time.

    Raises Error if the seed is out of range.
    """

    _latest: Root | None = None

    def __init__(self, seed: int = 1, contents: bool = False, **children: SimObject) -> None:
        if isinstance(seed, bool) or not hasattr(seed, "__index__") or not 0 <= seed < 2**64:
            raise user_error(f"Root: the seed {seed!r} is not an integer from 0 to 2^64 - 1")
        super().__init__()
        if not isinstance(contents, bool):
            raise user_error(f"Root: contents is True or False, not {contents!r}")
        self._seed, self._contents = operator.index(seed), contents
        Root._latest = self
        for name, value in children.items():
            setattr(self, name, value)

    def _check_not_built(self) -> None:
        if self._simulation is not None:
            raise user_error("this machine has been built already: another run needs another Root")

    @property
    def seed(self) -> int:
        """The seed of all random streams of this machine."""
        return self._seed

    @property
    def contents(self) -> bool:
        """Whether this machine carries contents."""
        return self._contents

    @property
    def path(self) -> str:
        return "Root"

    @property
    def _prefix(self) -> str:
        return ""
