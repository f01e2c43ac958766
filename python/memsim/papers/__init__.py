"""The five published systems, a folder each: machines, platforms, claims and figures."""

from ..lazy import modules_when_asked as _modules_when_asked

__getattr__ = _modules_when_asked(__name__)
