"""Serving of requests by a model of a known shape."""

from typing import Any

from .. import workload
from ..model.provenance import cited
from .decoding import sizes
from .shapes import Shape, shape


def engine(
    model: str | Shape, layers: int | None = None, head: bool = True, **parameters: Any
) -> workload.ServingEngine:
    """A workload.ServingEngine of the shape `model`: a name such as 'mixtral-8x7b', or a Shape of your own.

    layers      simulated; None: all of the model's
    head        with the embedding, the output head and the choice of tokens
    parameters  of the component, such as requests=4, prompt=100, tokens=8 or batch=2; they replace those of the shape
    """
    of = shape(model)
    experts = {}
    if of.experts:
        experts = {name: cited(getattr(of, name), of.source) for name in ("experts", "experts_per_token")}
    return workload.ServingEngine(**sizes(of, layers, head) | experts | parameters)
