"""Functions that build machines: `gpu()` any GPU, each other module a paper's or one of its parts."""

from .processor import gpu

__all__ = ["gpu"]
