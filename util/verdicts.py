"""Writes the verdicts on all claims into docs/studies.md, from docs/judged.csv and the claims of each paper.

    build/memsim util/verdicts.py docs/studies.md

The text between the two markers is replaced (memsim.accuracy).
"""
import sys
from pathlib import Path

from memsim.accuracy import section

BEGIN, END = "<!-- verdicts: written by util/verdicts.py -->\n", "<!-- end of verdicts -->\n"

if __name__ == "__main__":
    document = Path(sys.argv[1])
    text = document.read_text()
    before, _, rest = text.partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        sys.exit(f"{document} has no place for the verdicts: it needs the lines {BEGIN!r} and {END!r}.")
    document.write_text(before + BEGIN + section() + END + after)
