"""Warnings of a machine. Those that differ only in component indices are combined."""

import re
from collections.abc import Iterable


def grouped(warnings: Iterable[str]) -> list[str]:
    """The warnings in order. Warnings that are equal except for indices become one line with [*] and their number."""
    alike: dict[str, list[str]] = {}
    for warning in warnings:
        alike.setdefault(re.sub(r"\[\d+\]", "[*]", warning), []).append(warning)
    return [same[0] if len(same) == 1 else f"{pattern} ({len(same)} alike)" for pattern, same in alike.items()]
