"""Parameters and ports as attributes of a component's class."""

from __future__ import annotations

import operator
import os
from decimal import Decimal
from typing import TYPE_CHECKING, Any, overload

from .. import _memsim
from ..errors import Error, check_text, here, user_error, utf8
from .ports import Port, PortInfo, VectorPort, bind
from .provenance import plain, source_of
from .units import Quantity

if TYPE_CHECKING:
    from .objects import SimObject

ParamInfo = dict[str, Any]  # a parameter as declared in the schema


class Parameter:
    """A parameter as a class attribute: its documentation, and its set and get functions."""

    def __init__(self, info: ParamInfo) -> None:
        self.info = info
        self.__doc__ = info["text"]

    @overload
    def __get__(self, obj: None, cls: type[SimObject] | None = None) -> Parameter:
        ...

    @overload
    def __get__(self, obj: SimObject, cls: type[SimObject] | None = None) -> int | bool | str:
        ...

    def __get__(self, obj: SimObject | None, cls: type[SimObject] | None = None) -> Parameter | int | bool | str:
        if obj is None:
            return self
        return self.read(obj._values.get(self.info["name"], self.info["initial"]))

    def __set__(self, obj: SimObject, value: object) -> None:
        name = self.info["name"]
        obj._values[name] = resolve(type(obj), name, value, f"{obj.path}.{name}")
        obj._places[name] = here()
        obj._sources[name] = source_of(value)

    def read(self, text: str) -> int | bool | str:
        """The Python value of a text from the component."""
        if self.info["type"] == "int":
            return int(text)
        return text == "true" if self.info["type"] == "bool" else text


class PortAttribute:
    """A port or a vector of ports, as a class attribute."""

    def __init__(self, info: PortInfo) -> None:
        self.info = info
        self.__doc__ = info["text"]

    @overload
    def __get__(self, obj: None, cls: type[SimObject] | None = None) -> PortAttribute:
        ...

    @overload
    def __get__(self, obj: SimObject, cls: type[SimObject] | None = None) -> Port | VectorPort:
        ...

    def __get__(self, obj: SimObject | None, cls: type[SimObject] | None = None) -> PortAttribute | Port | VectorPort:
        if obj is None:
            return self
        return VectorPort(obj, self.info) if self.info["many"] else Port(obj, self.info)

    def __set__(self, obj: SimObject, value: object) -> None:
        mine = self.__get__(obj)
        if not (isinstance(mine, VectorPort) and value is mine):
            bind(mine, value)


def resolve(cls: type[SimObject], name: str, value: object, path: str) -> str:
    """The text of a value as the component stores it.

    cls     class of the component
    name    name of the parameter
    value   value from the script
    path    path of the parameter, with which an error begins

    Raises Error, with the line of the script, if the value is out of range or of another type.
    """
    try:
        text: str = _memsim.resolve(cls._type, path.rpartition(".")[0], name, as_text(cls._params[name], value, path))
        return text
    except Error as e:
        raise user_error(e) from None


def as_text(info: ParamInfo, value: Any, path: str) -> str:
    """The text of a value from a script. Raises Error if its type does not fit the parameter."""
    value = plain(value)
    if isinstance(value, Quantity):
        return str(value)
    if isinstance(value, (str, os.PathLike)):
        text = utf8(os.fspath(value), f"{path}:")
        check_text(text, path, Error)
        return text
    if isinstance(value, bool):
        if info["type"] == "bool":
            return "true" if value else "false"
    elif hasattr(value, "__index__"):
        if info["type"] in ("int", "Fraction") or info["unit"]:
            return str(operator.index(value))  # the component reports a missing unit
    elif hasattr(value, "__float__"):
        if info["type"] == "Fraction" or info["unit"]:
            return format(Decimal(repr(float(value))), "f")
    raise Error(f"{path}: {value!r} is no {info['type']} ({info['doc']})")
