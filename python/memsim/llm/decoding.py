"""Decoding by a model of a known shape, and what a run of some of its layers means for all."""

from typing import Any

from .. import workload
from ..errors import Error, user_error
from ..model.provenance import assumed, cited
from .shapes import Shape, shape

GRAPH_LAUNCH = assumed("500ns", "from kernel to kernel of a captured graph; a host takes some microseconds")
LAUNCHES_OF_LAYER = 9
LAUNCHES_OF_HEAD = 4  # the embedding at the start of a step; norm, head and choice at its end


def decoder(
    model: str | Shape, layers: int | None = None, context: int = 1024, head: bool = False, **parameters: Any
) -> workload.LanguageModel:
    """A workload.LanguageModel of the shape `model`: a name such as 'llama-3-8b', or a Shape of your own.

    layers      simulated; None: all of the model's
    context     tokens in the cache before the first decoded one
    head        with the embedding, the output head and the choice of a token
    parameters  of the component, such as tokens=2 or launch_latency="1us"; they replace those of the shape
    """
    of = shape(model)
    if of.experts:
        name = "the shape" if isinstance(model, Shape) else repr(model)
        raise Error(f"decoder: {name} has experts, which workload.LanguageModel has not: use llm.engine()")
    return workload.LanguageModel(**sizes(of, layers, head) | dict(context=context) | parameters)


def sizes(of: Shape, layers: int | None, head: bool) -> dict[str, Any]:
    """The parameters that a shape gives a workload. Raises Error for more layers than the model has."""
    if layers is not None and layers > of.layers:
        raise user_error(f"layers={layers}: the model has {of.layers} layers: simulate as many or fewer")
    given = {name: cited(getattr(of, name), of.source) for name in ("hidden", "heads", "kv_heads", "head_dim", "ffn")}
    return given | dict(
        layers=of.layers if layers is None else layers,
        vocabulary=cited(of.vocabulary, of.source) if head else 0,
        rotary_base=assumed(of.rotary_base, "the base of the model's family, which the shape's source does not give"),
    )


def tokens_per_second(
    seconds_per_layer: float,
    seconds_head: float,
    of: Shape,
    launches: int = LAUNCHES_OF_LAYER,
    launch_latency: float = 0.0,
) -> float:
    """Tokens a second of the whole model, extrapolated from one layer: every layer takes the same time.

    seconds_per_layer  in which kernels of a layer run
    seconds_head       in which the kernels of embedding and head run
    of                 the shape, which has the number of layers
    launches           kernels of a layer
    launch_latency     seconds from the end of a kernel to the start of the next
    """
    gaps = (of.layers * launches + LAUNCHES_OF_HEAD) * launch_latency
    return 1 / (of.layers * seconds_per_layer + seconds_head + gaps)
