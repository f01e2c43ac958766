"""What `describe()`, `--list-sim-objects` and the reference page print."""
from collections.abc import Iterator
from typing import Any

from .. import _memsim
from . import policies
from .schema import TYPES, find, rows_of


def describe(what: object) -> None:
    """Prints the declarations of a component type (parameters, ports, statistics), or the meaning of a name used in a
    parameter: a policy, a table of figures, a trace format, a workload.

    what    a name such as 'mem.Cache' or 'srrip', a class or an object

    Raises Error for an unknown name.
    """
    import inspect

    if isinstance(what, str) and (found := [*map(policies.doc, policies.named(what)), *_named(what)]):
        print("\n\n".join(found))
        return
    cls = find(what)
    print(f"{cls._type or cls.__name__}{inspect.signature(cls) if not cls._type else ''}\n{inspect.getdoc(cls) or ''}")


def _named(name: str) -> Iterator[str]:
    """The texts of all tables and workloads with this name."""
    if name in _memsim.dram_tables():
        yield _table(_memsim.dram_table(name), "a timing table of DRAM", ["`timing` of mem.DramController"])
    for table in _memsim.named_tables():
        if table["name"] == name:
            yield _table(table, table["what"], _takers(table["type"], table["name"]))
    for workload in _memsim.workloads():
        if name in workload["names"]:
            yield (
                f"{name}, a workload for `name` of workload.Program\n\n{workload['doc']}\n\n"
                f"Its size is {workload['size_is']}: {workload['size']} unless stated."
            )


def _takers(type_text: str, name: str) -> list[str]:
    """The parameters that accept this name of the given kind. A declaration made before all names were known shows only
    the first name."""
    first = type_text.split("|")[:2]
    return [
        f"`{p['name']}` of {kind}"
        for kind, cls in TYPES.items()
        for p in cls._schema["params"]
        if p["type"] in first or name in p["type"].split("|")
    ]


def _table(table: dict[str, Any], what: str, takers: list[str]) -> str:
    """The text of a table, one figure per line."""
    return "\n".join(
        [
            f"{table['name']}, {what} for {', '.join(takers)}",
            "",
            f"Source: {table['source']}",
            "",
            *(f"    {symbol:12}  {value}" for symbol, value in table["figures"].items()),
        ]
    )


def listing() -> str:
    """All types with their sentences."""
    wide = max(map(len, TYPES), default=0)
    return "".join(f"{name:{wide}}  {cls._schema['doc']}\n" for name, cls in TYPES.items())


def reference() -> str:
    """The reference page of all components, in Markdown."""
    lines = [
        "# Components",
        "",
        "`memsim reference` writes this page from the declarations. A parameter is fixed unless it is marked tunable.",
    ]
    for name, cls in TYPES.items():
        schema = cls._schema
        lines += ["", f"## {name}", "", schema["doc"], "", f"Source: `{schema['source']}`"]
        titles = {"Parameters": "default", "Ports": "role", "Statistics": "unit"}
        for heading, rows in rows_of(schema):
            if rows:
                lines += ["", f"| {heading.lower()} | {titles[heading]} | meaning |", "|---|---|---|"]
                lines += ["| `{}` | {} | {} |".format(*(cell.replace("|", "\\|") for cell in row)) for row in rows]
    lines += [
        "",
        "## DRAM presets",
        "",
        "What `timing` of mem.DramController names; memsim.dram.Preset makes others.",
        "",
        "| name | source |",
        "|---|---|",
    ]
    lines += [f"| `{name}` | {_memsim.dram_table(name)['source']} |" for name in _memsim.dram_tables()]
    return "\n".join(lines + policies.reference()) + "\n"
