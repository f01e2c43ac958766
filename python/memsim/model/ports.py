"""Ports: `a.mem_side = b.cpu_side` binds them in either direction; vectors append."""
from ..errors import here, user_error


class Port:
    """One port of one object; equal to every other mention of it."""

    __slots__ = ("owner", "info", "index")

    def __init__(self, owner, info, index=None):
        self.owner, self.info, self.index = owner, info, index

    @property
    def name(self) -> str:
        return self.info["name"] if self.index is None else f"{self.info['name']}[{self.index}]"

    @property
    def path(self) -> str:
        return f"{self.owner.path}.{self.name}"

    @property
    def peer(self) -> "Port | None":
        """The port bound to this one, or None."""
        return self.owner._bound.get((self.info["name"], self.index), (None, None))[0]

    def _key(self):
        return id(self.owner), self.info["name"], self.index

    def __eq__(self, other):
        return isinstance(other, Port) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    def __repr__(self):
        return f"<port {self.path} ({self.info['role']} of {self.info['family']})>"


class VectorPort:
    """A port of which the object has several."""

    __slots__ = ("owner", "info")

    def __init__(self, owner, info):
        self.owner, self.info = owner, info

    @property
    def path(self) -> str:
        return f"{self.owner.path}.{self.info['name']}"

    def _indices(self):
        return sorted(i for name, i in self.owner._bound if name == self.info["name"])

    def next(self) -> Port:
        """The first that is not bound."""
        taken, i = set(self._indices()), 0
        while i in taken:
            i += 1
        return self[i]

    def append(self, other):
        bind(self.next(), other)

    def __getitem__(self, index: int) -> Port:
        if not isinstance(index, int) or index < 0:
            raise user_error(f"{self.path}[{index!r}]: the index of a port is 0 or above")
        return Port(self.owner, self.info, index)

    def __setitem__(self, index, other):
        bind(self[index], other)

    def __len__(self) -> int:
        return len(self._indices())

    def __iter__(self):
        return (self[i] for i in self._indices())

    def __repr__(self):
        return f"<ports {self.path}: {len(self)} bound>"


def bind(a, b):
    """Binds two ports; a vector gives its next one, a list is appended to a vector."""
    if isinstance(a, VectorPort) and isinstance(b, (list, tuple)):
        for one in b:
            bind(a, one)
        return
    a, b = (p.next() if isinstance(p, VectorPort) else p for p in (a, b))
    if not isinstance(b, Port):
        raise user_error(f"{a.path} is a port: assign the port of another object, " f"not {_what(b)}")
    for port in (a, b):
        port.owner._check_open(port.name)
        if (port.info["name"], port.index) in port.owner._bound:
            other, where = port.owner._bound[port.info["name"], port.index]
            raise user_error(f"{port.path} is bound twice: it was bound to {other.path} " f"at {where}")
    for of, to in ((a, b), (b, a)):
        if of.info["counterpart"] != to.info["role"]:
            raise user_error(
                f"{of.path} is a {of.info['role']} port and {to.path} a {to.info['role']} port: a "
                f"{of.info['role']} port is bound to a {of.info['counterpart']} port"
            )
    if a.info["family"] != b.info["family"]:
        raise user_error(
            f"{a.path} speaks {a.info['family']} and {b.path} speaks " f"{b.info['family']}: bind ports of one family"
        )
    where = here()
    a.owner._bound[a.info["name"], a.index] = (b, where)
    b.owner._bound[b.info["name"], b.index] = (a, where)


def unbind(port):
    """Takes a connection apart, so that something can be put between; returns the other side's port."""
    port.owner._check_open(port.name)
    key = port.info["name"], port.index
    if key not in port.owner._bound:
        raise user_error(f"{port.path} is not bound: there is nothing to take apart")
    peer, _ = port.owner._bound.pop(key)
    del peer.owner._bound[peer.info["name"], peer.index]
    return peer


def _what(value):
    if isinstance(value, type) or not hasattr(value, "_ports"):  # no SimObject
        return repr(value)
    names = ", ".join(value._ports)
    return f"the object {value.path} itself" + (f"; it has {names}" if names else "")
