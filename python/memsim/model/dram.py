"""Timing tables of DRAM: those of memsim, and those of a script.

    from memsim import dram, mem

    part = dram.Preset("fast_hbm", base="hbm2", tCL="12ns", source="assumption")
    root.dram = mem.DramController(timing=part)
"""

from __future__ import annotations

from .. import _memsim
from ..errors import Error, user_error


class Preset(str):
    """A timing table, for `timing` of mem.DramController and wherever else a preset's name is written.

    name      one word, by which the results and errors name it
    base      None, or the name of a preset or a Preset: what it gives and `figures` do not
    source    where the figures are from
    figures   symbols of the data sheet, as in `base.figures`: tCL="15ns", ranks=2. Without a base all that every
              standard has

    It has `name`, `source` and `figures`, a dict of all figures. As a string it is the whole table, so that a
    run's configuration in the results contains all of it. Raises Error if a figure is unknown, missing or no quantity.
    """

    name: str
    source: str
    figures: dict[str, str]

    def __new__(cls, name: str, base: str | None = None, source: str = "", **figures: object) -> Preset:
        try:
            given = {**(_memsim.dram_table(base)["figures"] if base is not None else {}), **figures}
            text = f"{name}: {' '.join(f'{symbol}={value}' for symbol, value in given.items())}; {source}"
            return cls._of(text)
        except Error as e:
            raise user_error(f"Preset('{name}'): {e}") from None

    @classmethod
    def _of(cls, text: str) -> Preset:
        self = super().__new__(cls, text)
        for attribute, value in _memsim.dram_table(text).items():
            setattr(self, attribute, value)
        return self


def presets() -> dict[str, Preset]:
    """The timing tables of memsim by name: `presets()["hbm2"].figures["tCL"]`."""
    return {name: Preset._of(name) for name in _memsim.dram_tables()}
