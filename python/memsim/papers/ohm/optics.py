"""The optics of Ohm-GPU's platforms: which rings are laid and how strong the lasers are."""

from typing import Any

from ... import optical
from ...model.provenance import derived, stated

# Parts of a platform besides the plain routes, and its laser factor (Ohm-GPU VI).
DESIGNS = stated(
    {
        "planar": {
            "ohm-base": {},
            "auto-rw": dict(auto_rw=True, laser_factor=2),
            "ohm-wom": dict(swap=True, coding="wom", laser_factor=2),
            "ohm-bw": dict(swap=True, coding="half_coupled", laser_factor=4),
            "oracle": {},
        },
        "two-level": {
            "ohm-base": {},
            "auto-rw": dict(auto_rw=True, laser_factor=2),
            "ohm-wom": dict(auto_rw=True, reverse_write=True, laser_factor=2),
            "ohm-bw": dict(auto_rw=True, reverse_write=True, laser_factor=4),
            "oracle": {},
        },
    },
    "Ohm-GPU IV-B, V-B; laser factors: VI",
)


def channel(mode: str, platform: str, waveguides: int = 1) -> Any:
    """The paper's whole channel, six virtual ones, whatever slice of the machine is simulated."""
    return optical.Channel(waveguides=derived(waveguides, from_="Ohm-GPU fig. 20a: 1 to 8"), **DESIGNS[mode][platform])
