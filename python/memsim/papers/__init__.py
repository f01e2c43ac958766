"""The five published systems, a folder each: machines, platforms, claims and figures."""

from ..lazy import when_asked as _when_asked

__getattr__ = _when_asked(__name__)
