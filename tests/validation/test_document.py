"""docs/validation.md has the tables that the validation runs print, each under its heading, once."""

import re
from collections import Counter
from pathlib import Path

import pytest

from validation import document

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared/data"  # real traces; where they are not, their tables are not printed
TEXT = document.DOCUMENT.read_text()
PROSE = document.PLACE.sub(lambda place: f"<!-- tables: {place[1]} -->", TEXT)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name in ("unit_tests", "workloads") else [])
        for name in document.RUNS
    ],
)
def test_the_tables_are_those_that_the_run_prints(name):
    done = document.run(name)
    assert done.returncode == 0, done.stdout + done.stderr
    printed, shown = document.printed(done.stdout), document.shown(TEXT)
    if not printed:
        pytest.skip("the run printed no table: ../shared/data is not here")
    for heading, tables in printed.items():
        assert not DATA.exists() or shown.get(heading) == tables, f"{heading}: run util/validation"
    for heading, table in document.PLACE.findall(done.stdout):
        assert table in shown.get(heading, ""), f"{heading}: run util/validation"


def test_every_table_stands_under_its_heading():
    heading, places = None, []
    for line in PROSE.splitlines():
        if line.startswith("#"):
            heading = line.lstrip("#").strip()
        elif line.startswith("<!-- tables: "):
            places.append(line[len("<!-- tables: ") : -len(" -->")])
            assert places[-1] == heading, f"the tables of '{places[-1]}' stand under '{heading}'"
        else:
            assert not line.startswith("|"), f"a table that no run prints, under '{heading}': {line}"
    assert len(places) >= 10


def test_every_place_is_of_a_heading_that_a_run_names():
    sources = "".join(
        path.read_text() for pattern in ("*.cc", "*.py") for path in sorted((ROOT / "tests").rglob(pattern))
    )
    for heading in document.shown(TEXT):
        assert f'"{heading}"' in sources, f"nothing prints the tables of '{heading}'"


def repeated(text):
    """What a merge that went wrong leaves: headings, paragraphs, bullets or captions that stand twice."""
    pieces = [" ".join(piece.split()) for piece in re.split(r"\n\n|\n(?=#|[-*] )", text)]
    bold = [found[1] for piece in pieces if (found := re.match(r"(?:[-*] )?\*\*(.+?)\*\*", piece))]
    captions = [
        f"{heading}: {caption}"
        for heading, tables in document.PLACE.findall(text)
        for caption in re.findall(r"^(.+):$", tables, re.M)
    ]
    headings = [line.lstrip("# ") for line in text.splitlines() if line.startswith("#")]
    prose = [piece for piece in pieces if piece and not piece.startswith(("|", "#", "<!--"))]
    return [piece for many in (headings, prose, bold, captions) for piece, times in Counter(many).items() if times > 1]


def test_nothing_stands_twice():
    assert not repeated(TEXT)
    assert repeated("## A\n\ntext\n\n## B\n\n## A\n") == ["A"]
    assert repeated("- **One**: a\n  b\n- **One**: c\n") == ["One"]
    assert repeated("- one\n- two\n- one\n") == ["- one"]


def test_a_table_goes_to_its_place(capsys):
    document.table("A", "First", ["x", "y"], [[1, 2]])
    document.table("A", "Second", ["x"], [[3]])
    tables = document.printed(capsys.readouterr().out)
    empty = "## A\n<!-- tables: {} -->\n<!-- end of tables -->\nend\n"
    full = document.written(empty.format("A"), tables)
    assert full == (
        "## A\n<!-- tables: A -->\nFirst:\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n"
        "Second:\n\n| x |\n|---|\n| 3 |\n<!-- end of tables -->\nend\n"
    )
    assert document.written(full, tables) == full
    with pytest.raises(SystemExit, match="has no place for the tables of 'A'"):
        document.written(empty.format("B"), tables)


def test_a_point_out_of_its_bound_is_written_all_the_same(tmp_path, monkeypatch, capsys):
    """The table of a run that fails goes into the document; one that no run printed stays."""
    page = tmp_path / "page.md"
    page.write_text(
        "## A\n<!-- tables: A -->\nold\n<!-- end of tables -->\n"
        "## B\n<!-- tables: B -->\nkept\n<!-- end of tables -->\n"
    )
    monkeypatch.setattr(document, "DOCUMENT", page)
    monkeypatch.setattr(
        document,
        "RUNS",
        {"off": ["sh", "-c", "printf '<!-- tables: A -->\\n**+9**\\n<!-- end of tables -->\\nit is off\\n'; false"]},
    )
    with pytest.raises(SystemExit, match="the tables are written; what failed stands above"):
        document.main()
    assert "\n**+9**\n" in page.read_text() and "\nkept\n" in page.read_text()
    said = capsys.readouterr().err
    assert "it is off" in said and "no run printed the tables of 'B'" in said
