"""Shapes of language models as data, with their sources."""

from dataclasses import dataclass
from typing import Any

from ..errors import check_known

BF16 = 2  # bytes
COLUMNS_OF_SCALE = 128  # integers of a row that share a scale of bf16


@dataclass(frozen=True, kw_only=True)
class Shape:
    """Sizes of a decoder, dense or with a mixture of experts.

    layers       as published; a run may simulate fewer
    hidden       elements of the hidden state
    heads        of queries; kv_heads of keys and values
    head_dim     elements of a head
    ffn          elements between the matrices of the feed-forward part
    vocabulary   tokens
    rotary_base  of the angles of the rotary embedding, an assumption
    source       of the other numbers
    experts      of a layer, each with a feed-forward part of its own; 0: one part for all tokens
    experts_per_token  that process a token; 0 without experts
    """

    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    ffn: int
    vocabulary: int
    rotary_base: int
    source: str
    experts: int = 0
    experts_per_token: int = 0

    @property
    def layer_bytes(self) -> int:
        """Bytes of the matrices of a layer in bf16. A decode step of a dense model reads each once."""
        return self.layer_bytes_of(16)

    def layer_bytes_of(self, weight_bits: int) -> int:
        """The same for weights of 16, 8 or 4 bits; those of 8 and 4 with their scales."""
        queries, keys = self.heads * self.head_dim, self.kv_heads * self.head_dim
        attention = (queries + 2 * keys) * row_bytes(self.hidden, weight_bits)
        attention += self.hidden * row_bytes(queries, weight_bits)
        router = self.experts * row_bytes(self.hidden, 16)
        return attention + router + max(self.experts, 1) * self.expert_bytes_of(weight_bits)

    def expert_bytes_of(self, weight_bits: int) -> int:
        """Bytes of the matrices of an expert, or of a dense layer's feed-forward part."""
        return 2 * self.ffn * row_bytes(self.hidden, weight_bits) + self.hidden * row_bytes(self.ffn, weight_bits)

    @property
    def head_bytes(self) -> int:
        """Bytes of the output head's matrix; the embedding has as many."""
        return BF16 * self.vocabulary * self.hidden

    def head_bytes_of(self, weight_bits: int) -> int:
        """The same for weights of 16, 8 or 4 bits."""
        return self.vocabulary * row_bytes(self.hidden, weight_bits)

    @property
    def step_bytes(self) -> int:
        """Bytes of the weights of all layers and the head, which a decode step of a dense model reads."""
        return self.layers * self.layer_bytes + self.head_bytes

    @property
    def token_layer_bytes(self) -> int:
        """Bytes of keys and values of a token in a layer."""
        return 2 * BF16 * self.kv_heads * self.head_dim

    @property
    def token_bytes(self) -> int:
        """Bytes of keys and values of a token in all layers."""
        return self.layers * self.token_layer_bytes


def row_bytes(columns: int, weight_bits: int) -> int:
    """Bytes of a row of a matrix with its scales."""
    scales = -(-columns // COLUMNS_OF_SCALE) if weight_bits < 16 else 0
    return columns * weight_bits // 8 + BF16 * scales


LLAMA_3 = dict(vocabulary=128256, rotary_base=500000, head_dim=128)
LLAMA_2 = dict(vocabulary=32000, rotary_base=10000, head_dim=128)
VIDUR = "Vidur (microsoft/vidur), vidur/config/model_config.py"
MIXTRAL = "Mixtral of Experts (arXiv 2401.04088), table 1"
LLM_SERVING_SIM = "LLMServingSim (casys-kaist/LLMServingSim), model_configs/meta-llama"
NO_SOURCE = "none: a model for tests"
TINY: dict[str, Any] = dict(
    layers=2,
    hidden=64,
    heads=4,
    kv_heads=2,
    head_dim=16,
    ffn=128,
    vocabulary=100,
    rotary_base=10000,
    source=NO_SOURCE,
)
SHAPES = {
    "llama-3-8b": Shape(layers=32, hidden=4096, heads=32, kv_heads=8, ffn=14336, **LLAMA_3, source=LLM_SERVING_SIM),
    "llama-3-70b": Shape(layers=80, hidden=8192, heads=64, kv_heads=8, ffn=28672, **LLAMA_3, source=LLM_SERVING_SIM),
    "llama-2-7b": Shape(layers=32, hidden=4096, heads=32, kv_heads=32, ffn=11008, **LLAMA_2, source=VIDUR),
    "llama-2-70b": Shape(layers=80, hidden=8192, heads=64, kv_heads=8, ffn=28672, **LLAMA_2, source=VIDUR),
    "mixtral-8x7b": Shape(
        layers=32,
        hidden=4096,
        heads=32,
        kv_heads=8,
        head_dim=128,
        ffn=14336,
        vocabulary=32000,
        rotary_base=1000000,
        source=MIXTRAL,
        experts=8,
        experts_per_token=2,
    ),
    "tiny": Shape(**TINY),
    "tiny-moe": Shape(**TINY, experts=4, experts_per_token=2),
}


def dense_models() -> list[str]:
    """Names of the shapes without experts."""
    return [name for name, shape in SHAPES.items() if not shape.experts]


def shape(model: str | Shape) -> Shape:
    """The shape of this name, such as 'llama-3-8b'; a shape itself."""
    if isinstance(model, Shape):
        return model
    check_known("model", str(model), SHAPES)
    return SHAPES[model]
