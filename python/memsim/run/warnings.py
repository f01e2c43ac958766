"""Warnings of a machine: those that differ in the index of a component alone become one."""

import re
from collections.abc import Iterable


def grouped(warnings: Iterable[str]) -> list[str]:
    """The warnings in order. Of several that are alike but for indices, one line with [*] and their number."""
    alike: dict[str, list[str]] = {}
    for warning in warnings:
        alike.setdefault(re.sub(r"\[\d+\]", "[*]", warning), []).append(warning)
    return [same[0] if len(same) == 1 else f"{pattern} ({len(same)} alike)" for pattern, same in alike.items()]
