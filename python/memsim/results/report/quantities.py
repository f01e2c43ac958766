"""Values as readable text."""
import math

PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def number(value: float | None) -> str:
    """A number with about four digits: 0.0123, 12.34, 1,234, 1.235 M."""
    if value is None or not math.isfinite(value):
        return "–"
    size = abs(value)
    if value == int(value) and size < 1e6:
        return f"{int(value):,}"
    for scale, prefix in PREFIXES:
        if size >= max(scale, 1e6):
            return f"{value / scale:.4g} {prefix}"
    return f"{value:,.4g}" if size < 1e4 else f"{value:,.0f}"


def quantity(value: float | None, unit: str) -> str:
    """A value of a unit of statistics; times and energies get a suitable prefix."""
    if value is None:
        return "–"
    if unit in ("ns", "nJ"):
        base = unit[1]
        for scale, prefix in ((1e9, ""), (1e6, "m"), (1e3, "µ"), (1, "n")):
            if abs(value) >= scale or prefix == "n":
                return f"{value / scale:.4g} {prefix}{base}"
    if unit in ("Count", "Ratio", ""):
        return number(value)
    text = {"Byte": "B", "Byte/s": "B/s", "Cycle": "cycles"}.get(unit, unit)
    shown = number(value)
    return f"{shown}{text}" if shown[-1].isalpha() else f"{shown} {text}"


def rate(bytes_per_second: float | None) -> str:
    """A rate: '1.5 GB/s'."""
    return quantity(bytes_per_second, "Byte/s")
