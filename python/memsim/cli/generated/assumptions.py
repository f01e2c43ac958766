"""`memsim describe --assumptions`: the values of a paper's machines, or of a run, that have no source."""

import os
import re
from collections import Counter
from pathlib import Path

from ...errors import Error
from ...files import os_error
from ...results.database import connect_current
from ...study import assumptions

BEGIN, END = "<!-- written by memsim describe --assumptions {} --write -->", "<!-- end of what is written -->"
Row = tuple[str, str, str, str]  # parameter with its place, value, reason, sweep


def main(what: str, write: str = "") -> None:
    """Prints the assumptions of a paper, or of the last run of a database. `write`: the page to write them to, between
    its markers."""
    if what in assumptions.PAPERS:
        rows, counts = of_paper(what, declared=not write)
    elif os.path.exists(what):
        rows, counts = of_run(what)
    else:
        raise Error(f"{what}: name one of the papers {', '.join(assumptions.PAPERS)}, or a database of results")
    if write:
        page = Path(write)
        text = os_error(page.read_text, write)
        os_error(lambda: page.write_text(replaced(text, what, table(rows))), write)
        return
    for row in rows:
        print("  ".join(cell for cell in (f"{row[0]:44} {row[1]:14}", row[2], row[3] and f"[{row[3]}]") if cell))
    print(", ".join(f"{n} {kind}" for kind, n in counts.most_common()))


def of_paper(paper: str, declared: bool = True) -> tuple[list[Row], Counter[str]]:
    """The assumed values of all platforms, without repetitions, and the number of values of each kind. `declared`:
    include the defaults that components declare."""
    rows: dict[Row, None] = {}
    values: set[tuple[str, str, str]] = set()
    for _, _, root in assumptions.machines(paper):
        for obj, name, source in assumptions.sources(root):
            if not declared and name not in obj._values:
                continue  # listed on the reference page
            place = _everywhere(f"{obj.path}.{name}")
            values.add((place, source.kind, source.text))
            for one in source.roots or (source,):
                if one.kind == "assumed":
                    sweep = ", ".join(v.value for v in one.sweep)
                    rows[place, one.value or str(getattr(obj, name)), one.text, sweep] = None
    return merged(list(rows)), Counter(kind or "not declared" for _, kind, _ in values)


def of_run(path: str) -> tuple[list[Row], Counter[str]]:
    """The same for the last run of a database, which stores no sweeps."""
    database = connect_current(path)
    found = database.execute(
        "SELECT DISTINCT path, name, value, kind, source FROM provenance "
        "WHERE run = (SELECT id FROM run ORDER BY started DESC LIMIT 1) ORDER BY path, name"
    ).fetchall()
    places = {(_everywhere(f"{at}.{name}"), value, kind, source) for at, name, value, kind, source in found}
    rows = [(place, value, source, "") for place, value, kind, source in sorted(places) if kind == "assumed"]
    return merged(rows), Counter(kind or "not declared" for _, _, kind, _ in places)


def merged(rows: list[Row]) -> list[Row]:
    """Combines rows with equal value and reason. A combined row names the first place and the number of places."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for place, *rest in rows:
        groups.setdefault((rest[0], rest[1], rest[2]), []).append(place)
    return [
        (places[0] + (f" and {len(places) - 1} more" if len(places) > 1 else ""), *rest)
        for rest, places in groups.items()
    ]


def table(rows: list[Row]) -> str:
    """The rows in Markdown."""
    lines = ["| parameter | value | why | sweep |", "|---|---|---|---|"]
    cells = ([cell.replace("|", "\\|") for cell in row] for row in rows)
    return "\n".join([*lines, *("| `{}` | {} | {} | {} |".format(*row) for row in cells)])


def replaced(text: str, paper: str, written: str) -> str:
    """The text of a page, with the text between its markers replaced."""
    begin = BEGIN.format(paper)
    if begin not in text or END not in text.partition(begin)[2]:
        raise Error(f"the page has no place for the table: add the lines '{begin}' and '{END}'")
    before, _, rest = text.partition(begin)
    return f"{before}{begin}\n{written}\n{END}{rest.partition(END)[2]}"


def _everywhere(place: str) -> str:
    return re.sub(r"\[\d+\]", "[*]", place)
