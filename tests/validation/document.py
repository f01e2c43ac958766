"""The tables of docs/results/validation, which validation runs print, and docs/validation.md, which links them.

    util/validation    runs all of them and writes their tables

A run prints a table as Markdown between two markers that name its heading in docs/validation.md (`table` here,
tests/validation/table.hh in C++). All tables of a heading are one page, in the order in which they were printed; the text
below the heading links it.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs/validation.md"
FOLDER = ROOT / "docs/results/validation"
PLACE = re.compile(r"^<!-- tables: ([^\n]+) -->\n(.*?)^<!-- end of tables -->$", re.M | re.S)

# Every command that prints tables; those of one heading come from one command.
PYTHON = "/usr/bin/python3"
PYTEST = [PYTHON, "-m", "pytest", "-q", "-s", "-n", "0"]
RUNS = {
    "unit_tests": [ROOT / "build/unit_tests", "[validation]"],
    "qv100": [*PYTEST, ROOT / "tests/validation/test_qv100.py"],
    "workloads": [PYTHON, "-m", "validation.workload_tables", "--size", "14", "--full"],
    "cxl": [*PYTEST, ROOT / "tests/validation/test_cxl_anchors.py"],
    "optics": [*PYTEST, ROOT / "tests/validation/test_optics.py"],
}


def table(heading, caption, columns, rows):
    """Prints a table of the document."""
    lines = [
        f"\n<!-- tables: {heading} -->",
        f"{caption}:",
        "",
        *("| " + " | ".join(map(str, cells)) + " |" for cells in [columns, *rows]),
    ]
    lines.insert(4, "|" + "---|" * len(columns))
    print(*lines, "<!-- end of tables -->", sep="\n", flush=True)


def percent(ours, theirs, allowed):
    """The difference in percent, in bold if it is more than the allowed one."""
    if theirs == 0:
        return "" if ours == 0 else "**more than 0**"
    difference = 100 * (ours / theirs - 1)
    bold = "**" if abs(difference) > allowed else ""
    return f"{bold}{difference:+.1f}{bold}" if difference else "0"


def run(name):
    return subprocess.run(
        RUNS[name],
        cwd=ROOT,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": f"{ROOT}/tests:{ROOT}/build/python"},
    )


def printed(output):
    """The tables in a run's output: those of a heading joined as on their page."""
    tables = {}
    for heading, text in PLACE.findall(output):
        tables.setdefault(heading, []).append(text)
    return {heading: "\n".join(texts) for heading, texts in tables.items()}


def file(heading):
    """The page of a heading's tables."""
    return FOLDER / (re.sub("[^a-z0-9]+", "-", heading.lower()).strip("-") + ".md")


def page(heading, tables):
    return f"# {heading}\n\n`util/validation` writes this page; [validation.md](../../validation.md) describes it.\n\n{tables}"


def shown():
    """The tables of the pages, by heading."""
    found = {}
    for path in sorted(FOLDER.glob("*.md")):
        head, _, tables = path.read_text().split("\n\n", 2)
        found[head.removeprefix("# ")] = tables
    return found


def linked(text):
    """The headings of the document that link the page of their tables."""
    sections = re.split(r"^#+ (.*)$", text, flags=re.M)
    return [
        h for h, section in zip(sections[1::2], sections[2::2]) if f"(results/validation/{file(h).name})" in section
    ]


def write(tables):
    """Writes the page of each heading, which the document must link."""
    if lost := sorted(tables.keys() - set(linked(DOCUMENT.read_text()))):
        raise SystemExit(
            f"memsim: {DOCUMENT} has no place for the tables of '{lost[0]}': write a "
            f"heading '{lost[0]}' and under it a link to results/validation/{file(lost[0]).name}"
        )
    FOLDER.mkdir(parents=True, exist_ok=True)
    for heading, text in tables.items():
        file(heading).write_text(page(heading, text))


def main():
    tables, failed = {}, False
    for name in RUNS:
        print("memsim: running", name, file=sys.stderr)
        done = run(name)
        tables |= printed(done.stdout)
        if done.returncode:
            failed = True
            print(PLACE.sub("", done.stdout), done.stderr, sep="", file=sys.stderr)
    write(tables)
    for heading in shown().keys() - tables.keys():
        failed = True
        print(f"memsim: no run printed the tables of '{heading}': they were left as they are", file=sys.stderr)
    if failed:
        raise SystemExit("memsim: the tables are written; the failures are printed above")


if __name__ == "__main__":
    main()
