"""Language models: shapes, the decoder of a shape, and what a run of some layers means for a whole model.

    root.model = llm.decoder("llama-3-8b", layers=1, context=1024)
    root.gpu = systems.h100(form="pcie")
    root.model.dispatcher = root.gpu.dispatcher.host

The kernels and what is not modelled: docs/models/llm.md.
"""

from .decoding import GRAPH_LAUNCH, LAUNCHES_OF_HEAD, LAUNCHES_OF_LAYER, decoder, tokens_per_second
from .shapes import SHAPES, Shape, shape

__all__ = [
    "GRAPH_LAUNCH",
    "LAUNCHES_OF_HEAD",
    "LAUNCHES_OF_LAYER",
    "SHAPES",
    "Shape",
    "decoder",
    "shape",
    "tokens_per_second",
]
