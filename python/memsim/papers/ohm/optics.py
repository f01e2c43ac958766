"""The optics of Ohm-GPU's platforms: which rings are laid and how strong the lasers are."""

from typing import Any

from ... import optical
from ...model.provenance import derived
from ...systems.parameters import Parameters
from .modes import MODES


def design(mode: str, platform: str) -> Parameters | None:
    """The parts besides the plain routes, and the laser factor; None: the platform's channels are electrical."""
    alone: dict[str, Parameters | None] = {"origin": None, "oracle": {}}  # without XPoint
    return alone[platform] if platform in alone else MODES[mode][platform].optics


def channel(mode: str, platform: str, waveguides: int = 1) -> Any:
    """The paper's whole channel, six virtual ones, whatever slice of the machine is simulated."""
    return optical.Channel(
        waveguides=derived(waveguides, from_="Ohm-GPU fig. 20a: 1 to 8"), **(design(mode, platform) or {})
    )
