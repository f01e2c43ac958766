"""docs/results/validation has the tables that the validation runs print, and docs/validation.md links each page once."""

import re
from collections import Counter
from pathlib import Path

import pytest

from validation import document

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared/data"  # real traces; without them their tables are not printed
TEXT = document.DOCUMENT.read_text()


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
    printed, shown = document.printed(done.stdout), document.shown()
    if not printed:
        pytest.skip("the run printed no table: ../shared/data is not here")
    for heading, tables in printed.items():
        assert not DATA.exists() or shown.get(heading) == tables, f"{heading}: run util/validation"
    for heading, table in document.PLACE.findall(done.stdout):
        assert table in shown.get(heading, ""), f"{heading}: run util/validation"


def test_every_page_of_tables_is_linked_under_its_heading():
    shown = document.shown()
    assert sorted(document.linked(TEXT)) == sorted(shown) and len(shown) >= 10
    for heading, tables in shown.items():
        assert document.file(heading).read_text() == document.page(heading, tables)
    assert TEXT.count("(results/validation/") == len(shown)


def test_every_place_is_of_a_heading_that_a_run_names():
    sources = "".join(
        path.read_text() for pattern in ("*.cc", "*.py") for path in sorted((ROOT / "tests").rglob(pattern))
    )
    for heading in document.shown():
        assert f'"{heading}"' in sources, f"nothing prints the tables of '{heading}'"


def repeated(text):
    """Remains of a wrong merge: headings, paragraphs, bullets or captions that occur twice."""
    pieces = [" ".join(piece.split()) for piece in re.split(r"\n\n|\n(?=#|[-*] )", text)]
    bold = [found[1] for piece in pieces if (found := re.match(r"(?:[-*] )?\*\*(.+?)\*\*", piece))]
    headings = [line.lstrip("# ") for line in text.splitlines() if line.startswith("#")]
    prose = [piece for piece in pieces if piece and not piece.startswith(("|", "#", "<!--"))]
    return [piece for many in (headings, prose, bold) for piece, times in Counter(many).items() if times > 1]


def test_no_heading_or_caption_is_repeated():
    assert not repeated(TEXT)
    for heading, tables in document.shown().items():
        captions = re.findall(r"^(.+):$", tables, re.M)
        assert len(set(captions)) == len(captions), heading
    assert repeated("## A\n\ntext\n\n## B\n\n## A\n") == ["A"]
    assert repeated("- **One**: a\n  b\n- **One**: c\n") == ["One"]
    assert repeated("- one\n- two\n- one\n") == ["- one"]


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A document that links the tables of A, in a separate folder."""
    page = tmp_path / "page.md"
    page.write_text("## A\n[Tables](results/validation/a.md)\n\n## B\nend\n")
    monkeypatch.setattr(document, "DOCUMENT", page)
    monkeypatch.setattr(document, "FOLDER", tmp_path / "results/validation")
    return tmp_path / "results/validation"


def test_a_table_goes_to_its_page(own, capsys):
    document.table("A", "First", ["x", "y"], [[1, 2]])
    document.table("A", "Second", ["x"], [[3]])
    tables = document.printed(capsys.readouterr().out)
    document.write(tables)
    assert (own / "a.md").read_text().startswith("# A\n")
    assert (
        document.shown()
        == tables
        == {"A": "First:\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\nSecond:\n\n| x |\n|---|\n| 3 |\n"}
    )
    with pytest.raises(SystemExit, match="has no place for the tables of 'B'.*results/validation/b.md"):
        document.write({"B": ""})


def test_a_point_out_of_its_bound_is_written_all_the_same(own, monkeypatch, capsys):
    """The table of a run that fails is written; one that no run printed stays."""
    own.mkdir(parents=True)
    (own / "c.md").write_text(document.page("C", "kept\n"))
    monkeypatch.setattr(
        document,
        "RUNS",
        {"off": ["sh", "-c", "printf '<!-- tables: A -->\\n**+9**\\n<!-- end of tables -->\\nit is off\\n'; false"]},
    )
    with pytest.raises(SystemExit, match="the tables are written; the failures are printed above"):
        document.main()
    assert document.shown() == {"A": "**+9**\n", "C": "kept\n"}
    output = capsys.readouterr().err
    assert "it is off" in output and "no run printed the tables of 'C'" in output
