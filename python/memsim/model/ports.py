"""Ports. `a.mem_side = b.cpu_side` binds two ports in either direction; vectors append."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

from ..errors import here, user_error

if TYPE_CHECKING:
    from .objects import SimObject

PortInfo = dict[str, Any]  # a port as declared in the schema


class Port:
    """One port of one object. All references to it compare equal."""

    __slots__ = ("owner", "info", "index")

    def __init__(self, owner: SimObject, info: PortInfo, index: int | None = None) -> None:
        self.owner, self.info, self.index = owner, info, index

    @property
    def name(self) -> str:
        """The name of the port, with its index in a vector."""
        name: str = self.info["name"]
        return name if self.index is None else f"{name}[{self.index}]"

    @property
    def path(self) -> str:
        """The place in the tree, such as 'gpu.l2[0].cpu_side'."""
        return f"{self.owner.path}.{self.name}"

    @property
    def peer(self) -> Port | None:
        """The port bound to this one, or None."""
        return self.owner._bound.get((self.info["name"], self.index), (None, None))[0]

    def __getitem__(self, index: object) -> NoReturn:
        raise user_error(f"{self.path}[{index!r}]: {self.path} is a single port: write it without an index")

    def __setitem__(self, index: object, other: object) -> None:
        self[index]

    def _key(self) -> tuple[int, str, int | None]:
        return id(self.owner), self.info["name"], self.index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Port) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"<port {self.path} ({self.info['role']} of {self.info['family']})>"


class VectorPort:
    """A vector of ports of one object."""

    __slots__ = ("owner", "info")

    def __init__(self, owner: SimObject, info: PortInfo) -> None:
        self.owner, self.info = owner, info

    @property
    def path(self) -> str:
        """The path in the tree, without an index."""
        return f"{self.owner.path}.{self.info['name']}"

    def _indices(self) -> list[int]:
        return sorted(i for name, i in self.owner._bound if name == self.info["name"] and i is not None)

    def next(self) -> Port:
        """The first port of the vector that is not bound."""
        taken, i = set(self._indices()), 0
        while i in taken:
            i += 1
        return self[i]

    def append(self, other: Port | VectorPort) -> None:
        """Binds the first port that is not bound. Raises Error if the two ports do not fit."""
        bind(self.next(), other)

    def __getitem__(self, index: int) -> Port:
        if not isinstance(index, int) or index < 0:
            raise user_error(f"{self.path}[{index!r}]: the index of a port must be at least 0")
        return Port(self.owner, self.info, index)

    def __setitem__(self, index: int, other: Port | VectorPort) -> None:
        bind(self[index], other)

    def __len__(self) -> int:
        return len(self._indices())

    def __iter__(self) -> Iterator[Port]:
        return (self[i] for i in self._indices())

    def __repr__(self) -> str:
        return f"<ports {self.path}: {len(self)} bound>"


def bind(a: Port | VectorPort, b: Any) -> None:
    """Binds two ports. A vector supplies its first port that is not bound; a list is appended to a vector.

    Raises Error if `b` is no port, if a port is bound already, or if the roles or families do not fit.
    """
    if isinstance(a, VectorPort) and isinstance(b, (list, tuple)):
        for one in b:
            bind(a, one)
        return
    a = a.next() if isinstance(a, VectorPort) else a
    b = b.next() if isinstance(b, VectorPort) else b
    if not isinstance(b, Port):
        raise user_error(f"{a.path} is a port: assign the port of another object, not {_what(b)}")
    for port in (a, b):
        port.owner._check_open(port.name)
        if (port.info["name"], port.index) in port.owner._bound:
            other, where = port.owner._bound[port.info["name"], port.index]
            raise user_error(f"{port.path} is bound twice: it was bound to {other.path} at {where}")
    for of, to in ((a, b), (b, a)):
        if of.info["counterpart"] != to.info["role"]:
            raise user_error(
                f"{of.path} is a {of.info['role']} port and {to.path} a {to.info['role']} port: a "
                f"{of.info['role']} port is bound to a {of.info['counterpart']} port"
            )
    if a.info["family"] != b.info["family"]:
        raise user_error(
            f"{a.path} has messages of {a.info['family']} and {b.path} those of "
            f"{b.info['family']}: bind ports of the same family"
        )
    where = here()
    a.owner._bound[a.info["name"], a.index] = (b, where)
    b.owner._bound[b.info["name"], b.index] = (a, where)


def unbind(port: Port) -> Port:
    """Removes a connection, so that a component can be inserted. Returns the port of the other side.

    Raises Error if the port is not bound.
    """
    port.owner._check_open(port.name)
    key = port.info["name"], port.index
    if key not in port.owner._bound:
        raise user_error(f"{port.path} is not bound: there is no connection to remove")
    peer, _ = port.owner._bound.pop(key)
    del peer.owner._bound[peer.info["name"], peer.index]
    return peer


def _what(value: Any) -> str:
    if isinstance(value, type) or not hasattr(value, "_ports"):  # not a SimObject
        return repr(value)
    names = ", ".join(value._ports)
    return f"the object {value.path} itself" + (f"; it has {names}" if names else "")
