"""Policies: decisions of a component that a small class takes, chosen by name.

    cache.replacement = "srrip"                           # with its defaults
    cache.replacement = memsim.policy("srrip", bits=3)    # the same as "srrip(bits=3)"
"""

from typing import Any

from .. import _memsim
from ..errors import did_you_mean, user_error

Policy = dict[str, Any]  # a policy as declared in the schema
POLICIES: dict[str, dict[str, Policy]] = {}  # 'tag policy' -> name -> declaration
for _one in _memsim.policies():
    POLICIES.setdefault(_one["family"], {})[_one["name"]] = _one


def policy(name: str, **parameters: object) -> str:
    """The value of a parameter that selects a policy, such as policy("srrip", bits=3).

    name         a name of any policy family; `memsim.describe(component)` lists them
    parameters   parameters of the policy; others have their defaults

    Returns the text. Ranges are checked when the text is assigned. Raises Error for an unknown policy or parameter.
    """
    found = named(name)
    if not found:
        raise user_error(f"there is no policy '{name}'{did_you_mean(str(name), names())}")
    known = {p["name"] for one in found for p in one["params"]}
    for wrong in parameters.keys() - known:
        raise user_error(f"policy {name} has no parameter '{wrong}'{did_you_mean(wrong, known)}")
    values = ", ".join(f"{n}={str(v).lower() if isinstance(v, bool) else v}" for n, v in parameters.items())
    return f"{name}({values})" if values else name


def named(name: str) -> list[Policy]:
    """The declarations of this policy name in all families."""
    return [members[name] for members in POLICIES.values() if name in members]


def names() -> list[str]:
    """All names, without repetitions."""
    return sorted({name for members in POLICIES.values() for name in members})


def doc(one: Policy) -> str:
    """The description of a policy as text."""
    lines = [f"{one['name']}, a {one['family']}: {one['doc']}"]
    if one["params"]:
        lines += ["", "Parameters:"]
        lines += [
            f"    {p['name']} = {p['initial']}  {p['doc']}"
            + (f" (from {p['min']} to {p['max']})" if p["min"] else "")
            + (f" ({p['kind']}: {p['source']})" if p["kind"] else "")
            for p in one["params"]
        ]
    return "\n".join(lines) + f"\n\nSource: {one['source']}."


def reference() -> list[str]:
    """Lines of the reference page in Markdown."""
    lines = []
    for family, members in POLICIES.items():
        lines += ["", f"## Policies: {family}", "", "| name | parameters | meaning | source |", "|---|---|---|---|"]
        for one in members.values():
            params = "; ".join(
                f"`{p['name']} = {p['initial']}` {p['doc']}" + (f" ({p['kind']}: {p['source']})" if p["kind"] else "")
                for p in one["params"]
            )
            lines.append(f"| `{one['name']}` | {params} | {one['doc']} | `{one['source']}` |")
    return lines
