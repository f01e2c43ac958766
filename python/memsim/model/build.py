"""Converts the tree of SimObjects to the machine and back. All checks precede the first simulated tick."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from .. import _memsim
from . import energy
from ..errors import Error, did_you_mean, user_error
from .attributes import Parameter
from .objects import Group, Root, SimObject
from .ports import Port, bind
from .provenance import Source
from .schema import find

Configuration = dict[str, Any]  # configuration in a checkpoint: objects, connections, contents


def build(root: Root, queue: str = "fast", changes: Iterable[str] = ()) -> Any:
    """The machine that a tree describes.

    queue      the event queue: 'fast' or 'naive'
    changes    parameter changes in the format of --set: 'path.parameter=value'

    Raises Error, with the line of the script, for the first fault of the tree.
    """
    for change in changes:
        _apply_setting(root, change)
    machine = _memsim.Machine(root.seed, queue)
    if root.contents:
        machine.carry_contents()
    objects = [obj for obj in root.descendants() if obj._type]
    if not objects:
        raise user_error("there is nothing to simulate: the Root has no component")
    energy.check(objects)
    try:
        for obj in objects:
            arguments = list(obj._values.items())
            machine.add(obj.path, obj._type, arguments)
            if obj._prepared and obj._prepared.params == arguments:
                obj._prepared.give_to(machine, obj.path)
            obj._prepared = None
        for port, peer, where in bindings(objects):
            if peer.owner.root() is not root:
                raise user_error(
                    f"{port.path} is bound to {peer.path}, which is not in the tree: "
                    "assign that object to a place below the Root",
                    where,
                )
            machine.bind(port.owner.path, port.name, peer.owner.path, peer.name)
        machine.build()
    except Error as e:
        raise _located(e, objects) from None
    return machine


def bindings(objects: Iterable[SimObject]) -> Iterator[tuple[Port, Port, str]]:
    """(port, peer, place) of every connection once, in the order of the tree."""
    seen = set()
    for obj in objects:
        names = list(obj._ports)
        for name, index in sorted(obj._bound, key=lambda k: (names.index(k[0]), k[1] or 0)):
            peer, where = obj._bound[name, index]
            port = Port(obj, obj._ports[name], index)
            if port not in seen:
                seen.add(peer)
                yield port, peer, where


def _located(error: Exception, objects: Iterable[SimObject]) -> Exception:
    """The machine's error, which begins with a path, together with the line of the script that set this object."""
    text = str(error)
    for obj in sorted(objects, key=lambda o: -len(o.path)):
        if text.startswith((obj.path + ".", obj.path + ":", obj.path + " ")):
            found = re.match(r"\.?(\w*)", text[len(obj.path) :])
            name = found[1] if found else ""
            return user_error(text, obj._places.get(name, obj._created))
    return error if re.match(r"\S+:\d+: ", text) else user_error(text)


def _apply_setting(root: Root, change: str) -> None:
    path, equals, value = change.partition("=")
    place, dot, name = path.rpartition(".")
    if not equals or not dot:
        raise Error(f"--set {change}: write path.parameter=value, such as --set gpu.mem.latency=90ns")
    objects = {obj.path: obj for obj in root.descendants()}
    every = re.compile(re.escape(place).replace(r"\[\*\]", r"\[\d+\]"))
    found = [obj for at, obj in objects.items() if every.fullmatch(at)]
    if not found:
        raise Error(f"--set {change}: there is no component '{place}'{_meant(place, objects)}")
    for obj in found:
        if not isinstance(getattr(type(obj), name, None), Parameter):
            raise Error(f"--set {change}: {obj.path} has no parameter '{name}'{did_you_mean(name, obj._params)}")
        try:
            setattr(obj, name, value)
        except Error as e:
            raise Error(f"--set {change}: {str(e).partition(': ')[2]}") from None
        obj._places[name] = f"--set {change}"
        obj._sources[name] = Source("set", f"--set {change}")


def _meant(place: str, paths: Iterable[str]) -> str:
    """The suggestion ' (did you mean ...?)': elements, if `place` names a list of components without an index;
    otherwise the nearest name."""
    listed = re.sub(r"\[(\d+|\*)\]", "", place)
    elements = [path for path in paths if "[" in path and re.sub(r"\[\d+\]", "", path) == listed]
    if not elements:
        return did_you_mean(place, list(paths))
    every = re.sub(r"\[\d+\]", "[*]", elements[0])
    return f" (did you mean '{elements[0]}', or '{every}' for every element?)"


def sources(root: Root) -> dict[tuple[str, str], tuple[str, str]]:
    """Sources of the parameters that a script set: {(path, parameter): (kind, text)}."""
    return {
        (obj.path, name): (source.kind, source.shown)
        for obj in root.descendants()
        for name in obj._values
        for source in [obj.provenance(name)]
    }


RESTORED = Source("restored", "the configuration of the checkpoint")


def rebuild_tree(configuration: Configuration, seed: int) -> Root:
    """The Root of a stored configuration. Paths without a component become groups again."""
    root = Root(seed, contents=configuration["contents"])
    at: dict[str, SimObject] = {"": root}

    def place(path: str, obj: SimObject) -> SimObject:
        above, _, last = path.rpartition(".")
        parent = at.get(above) or place(above, Group())
        name, bracket, index = last.partition("[")
        if not bracket:
            setattr(parent, name, obj)
        else:
            if name not in parent._children:
                setattr(parent, name, [])
            siblings = parent._children[name]
            while len(siblings) < int(index[:-1]):
                siblings.append(Group())
            siblings.append(obj)
        at[path] = obj
        return obj

    for path, kind, params in configuration["objects"]:
        made = find(kind)(**{name: text for name, text, _ in params})
        made._sources = dict.fromkeys(made._values, RESTORED)
        place(path, made)
    for from_, from_port, to, to_port in configuration["connections"]:
        bind(_port(at[from_], from_port), _port(at[to], to_port))
    return root


def _port(obj: SimObject, name: str) -> Any:
    name, bracket, index = name.partition("[")
    port = getattr(obj, name)
    return port[int(index[:-1])] if bracket else port


def refuse_fixed(stored: Configuration, present: Configuration) -> None:
    """Raises Error for the first fixed parameter in which two configurations differ."""
    there = {path: params for path, _, params in stored["objects"]}
    here = {path: params for path, _, params in present["objects"]}
    if differing := sorted(there.keys() ^ here.keys()):
        has = "checkpoint" if differing[0] in there else "script"
        raise Error(
            f"only the {has} has '{differing[0]}': a checkpoint can be restored only into the "
            "machine from which it was taken"
        )
    for path, params in there.items():
        now = {name: value for name, value, _ in here[path]}
        for name, value, tunable in params:
            if not tunable and now.get(name) != value:
                free = ", ".join(name for name, _, tunable in params if tunable)
                raise Error(
                    f"{path}.{name} is '{value}' in the checkpoint and cannot be "
                    f"'{now.get(name)}' now: only tunable parameters can change, "
                    + (f"of {path} these: {free}" if free else f"and {path} has none")
                )
