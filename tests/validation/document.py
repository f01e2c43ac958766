"""docs/validation.md and the tables in it, which validation runs print.

    util/validation    runs all of them and writes their tables into the document

A run prints a table as Markdown between two markers that name the heading under which it stands in the
document (`table` here, tests/validation/table.hh in C++). The document has the same markers once under
that heading; all tables of the heading stand between them, in the order in which they were printed.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs/validation.md"
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
    """The difference in percent, in bold where it is more than what is allowed."""
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
    """The tables in a run's output: those of a heading joined as they stand in the document."""
    tables = {}
    for heading, text in PLACE.findall(output):
        tables.setdefault(heading, []).append(text)
    return {heading: "\n".join(texts) for heading, texts in tables.items()}


def shown(text):
    """The tables in the document's text, by heading."""
    return dict(PLACE.findall(text))


def written(text, tables):
    """The document's text with these tables in their places."""
    if lost := sorted(tables.keys() - shown(text).keys()):
        raise SystemExit(
            f"memsim: {DOCUMENT} has no place for the tables of '{lost[0]}': write a "
            f"heading '{lost[0]}' and under it the lines '<!-- tables: {lost[0]} -->' "
            "and '<!-- end of tables -->'"
        )

    def filled(place):
        return f"<!-- tables: {place[1]} -->\n{tables.get(place[1], place[2])}<!-- end of tables -->"

    return PLACE.sub(filled, text)


def main():
    tables, failed = {}, False
    for name in RUNS:
        print("memsim: running", name, file=sys.stderr)
        done = run(name)
        tables |= printed(done.stdout)
        if done.returncode:
            failed = True
            print(PLACE.sub("", done.stdout), done.stderr, sep="", file=sys.stderr)
    text = DOCUMENT.read_text()
    DOCUMENT.write_text(written(text, tables))
    for heading in shown(text).keys() - tables.keys():
        failed = True
        print(f"memsim: no run printed the tables of '{heading}': they were left as they are", file=sys.stderr)
    if failed:
        raise SystemExit("memsim: the tables are written; what failed stands above")


if __name__ == "__main__":
    main()
