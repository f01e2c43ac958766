"""Every example in the documents is run: each fenced block marked `sh`, `python` or `sql`.

The blocks of a document run in order, in one scratch folder that looks like the project's root, so a
later block uses the files of earlier ones. `sh exit=1` is a block that must fail with this code. A `sql` block
queries the stats.db that was written last, and must return a row. A `cpp` block occurs, word for word, in a file
of tests/unit/docs, which is compiled and tested. Each line of a block `text prints` is a line that the block before
it prints. Other blocks marked `text` are not run.

One command is not run completely: `util/test` would run this test, which would run it again. In a block it
checks packages, builds, and collects its tests (--collect-only in pytest's environment) without running them.
"""

import json
import os
import re
import sqlite3
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(sh|python|sql|text prints)((?: exit=\d+)?)\n(.*?)^```$", re.M | re.S)


def blocks(document):
    """(line, language, exit code, text) of each block to run."""
    text = document.read_text()
    for m in FENCE.finditer(text):
        line = text.count("\n", 0, m.start()) + 2
        yield line, m[1], int(m[2].partition("=")[2] or 0), m[3]


def run(command, folder):
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "build/python"), PYTEST_ADDOPTS="--collect-only")
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "document", [d for d in DOCUMENTS if d.exists() and any(blocks(d))], ids=lambda d: str(d.relative_to(ROOT))
)
def test_every_block_runs(document, tmp_path):
    for entry in ROOT.iterdir():
        if entry.name not in (".git", "memsim-out"):
            (tmp_path / entry.name).symlink_to(entry)
    before, printed = set(os.listdir(tmp_path)), ""
    for line, language, code, text in blocks(document):
        where = f"{document.relative_to(ROOT)}:{line}"
        if language == "text prints":
            missing = [wanted for wanted in text.splitlines() if wanted not in printed.splitlines()]
            assert not missing, f"{where}: {missing} is not in\n{printed}"
            continue
        if language == "sql":
            newest = max(tmp_path.rglob("stats.db"), key=lambda p: p.stat().st_mtime)
            assert sqlite3.connect(newest).execute(text).fetchall(), f"{where}: no row"
            continue
        command = ["bash", "-e", "-c", text] if language == "sh" else ["/usr/bin/python3", "-c", text]
        done = run(command, tmp_path)
        assert done.returncode == code, f"{where}:\n{text}\n{done.stdout}\n{done.stderr}"
        assert "Empty DataFrame" not in done.stdout, f"{where}: no row"
        printed = done.stdout + done.stderr
        if "util/test" in text:
            assert re.search(r"^docs/test_docs\.py: \d+$", done.stdout, re.M), f"{where}: not collected"
            assert done.stdout.endswith("\n0 passed, 0 failed\n"), f"{where}: tests were run"
    left = set(os.listdir(tmp_path)) - before - {"memsim-out"}  # which git ignores
    assert not left, f"{document.relative_to(ROOT)} leaves {sorted(left)} in the project's directory"


def test_the_readme_has_something_to_run():
    found = [language for _, language, _, _ in blocks(ROOT / "README.md")]
    assert found.count("sh") >= 2 and "sql" in found


def test_the_readmes_second_command_is_the_ordinary_suite():
    """It runs all tests, and .ci/run calls the same command."""
    commands = [text for _, language, _, text in blocks(ROOT / "README.md") if language == "sh"]
    assert commands[1] == "util/test\n"
    assert "\nutil/test </dev/null && util/lint\n" in (ROOT / ".ci/run").read_text()


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """The generated pages of the manual, in a folder with the other pages of docs/."""
    docs = tmp_path_factory.mktemp("manual") / "docs"
    docs.mkdir()
    for page in (ROOT / "docs").iterdir():
        if page.name not in ("reference.md", "python.md"):
            (docs / page.name).symlink_to(page)
    for name, options in ("reference.md", []), ("python.md", ["--python"]):
        done = run([ROOT / "build/memsim", "reference", *options, docs / name], docs)
        assert done.returncode == 0, done.stderr
    return docs


def test_generated_pages_have_no_broken_links(reference):
    assert [fault for name in ("reference.md", "python.md") for fault in broken(reference / name)] == []


def test_every_python_function_has_a_description(reference):
    sections = re.split(r"^### ", (reference / "python.md").read_text(), flags=re.M)[1:]
    assert len(sections) > 80
    # Name, call and description, each followed by an empty line.
    assert not [lines[0] for lines in map(str.splitlines, sections) if not (lines[4:5] or [""])[0]]


def links(text):
    """The links outside of code blocks, as (line, target)."""
    text = re.sub(r"^```.*?^```$", lambda block: re.sub(r"[^\n]", "", block[0]), text, flags=re.M | re.S)
    for m in re.finditer(r"(?<!`)\[[^\]\n]*\]\(([^)\s]+)\)", text):
        yield text.count("\n", 0, m.start()) + 1, m[1]


def anchors(text):
    """The anchors of the headings, as Git servers and Sphinx name them."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        for heading in re.findall(r"^#+ +(.*?) *$", text, re.M)
    }


def broken(document):
    """The links to missing files or headings of the project, as 'file:line: target'."""
    for line, target in links(document.read_text()):
        path, _, anchor = target.partition("#")
        if ":" in path:
            continue  # the link of another site
        file = document.parent / path if path else document
        if not file.exists() or anchor and anchor not in anchors(file.read_text()):
            yield f"{document.name}:{line}: {target}"


def test_links_lead_somewhere():
    documents = [
        ROOT / name
        for name in subprocess.run(
            ["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.split()
    ]
    assert sum(len(list(links(d.read_text()))) for d in documents) > 100
    assert [fault for d in documents for fault in broken(d)] == []


def test_links_that_lead_nowhere_are_found(tmp_path):
    (tmp_path / "b.md").write_text("# One & two\n\n```\n# none\n```\n")
    (tmp_path / "a.md").write_text(
        "# A\n[b](b.md) [b](b.md#one--two)\n[up](#a) [w](https://x.y#z)\n[c](c.md) [d](#b)\n"
        "```\n[e](e.md)\n```\n[n](b.md#none)\n"
    )
    assert list(broken(tmp_path / "a.md")) == ["a.md:4: c.md", "a.md:4: #b", "a.md:8: b.md#none"]


@pytest.mark.long
def test_the_pages_are_made_without_a_warning():
    done = subprocess.run([ROOT / "util/docs"], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=600)
    assert done.returncode == 0, done.stderr
    page = Path(done.stdout.strip())
    text = page.read_text()
    for name in ("tutorial", "reference", "models/ohm"):
        assert f'href="docs/{name}.html"' in text and (page.parent / f"docs/{name}.html").exists()


NOTEBOOKS = sorted(ROOT.glob("configs/**/*.ipynb"))


@pytest.mark.slow
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_runs(notebook, tmp_path):
    """Runs the code cells in order, without Jupyter. Notebooks are stored without outputs, so that diffs are short."""
    cells = [cell for cell in json.loads(notebook.read_text())["cells"] if cell["cell_type"] == "code"]
    assert cells and not any(cell["outputs"] or cell["execution_count"] for cell in cells)
    code = "\n".join("".join(cell["source"]) for cell in cells)
    shows = "import matplotlib.pyplot as p\np.show = lambda: p.savefig('plot.svg')\n"
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "build/python"), MPLBACKEND="agg", TMPDIR=str(tmp_path))
    done = subprocess.run(
        ["/usr/bin/python3", "-c", shows + code], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "plot.svg").stat().st_size > 5000, "it draws something"


def test_there_is_a_notebook():
    assert NOTEBOOKS


def test_cpp_blocks_are_code_that_is_compiled():
    compiled = [path.read_text() for path in (ROOT / "tests/unit/docs").iterdir()]
    shown = [
        (d.name, text) for d in DOCUMENTS for text in re.findall(r"^```cpp\n(.*?)^```$", d.read_text(), re.M | re.S)
    ]
    assert len(shown) >= 3
    for name, text in shown:
        assert any(text in code for code in compiled), f"{name}: not in tests/unit/docs:\n{text}"


def test_a_deviation_is_short():
    """A row is short and links to the page of the model, which gives the reasons."""
    rows = re.findall(r"^(\| (D\d+) \|.*)$", (ROOT / "docs/deviations.md").read_text(), re.M)
    assert len(rows) > 140
    assert [number for row, number in rows if len(row) > 400] == []


def test_the_page_lists_the_stages_of_a_request():
    """Each stage that a component marks has a row in docs/debugging.md, and each row is of a stage."""
    declared = re.compile(r"const (?:memsim::)?Stage\s+((?:\w+ \{\s*\"\w+\"\},?\s*)+);")
    sources = (f.read_text() for f in (ROOT / "src").rglob("*") if f.suffix in (".cc", ".hh"))
    code = "\n".join(re.sub(r"//.*", "", source) for source in sources)
    stages = [name for names in declared.findall(code) for name in re.findall(r'"(\w+)"', names)]
    page = (ROOT / "docs/debugging.md").read_text().split("## Stages of a request")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \|", page, re.M)
    assert len(stages) > 30
    assert sorted(re.findall(r"`(\w+)`", " ".join(rows))) == sorted(set(stages))


def test_queries_of_the_page_name_the_run():
    """The database contains several runs, so each query selects a run."""
    queries = [text for _, language, _, text in blocks(ROOT / "docs/database.md") if language == "sql"]
    assert len(queries) > 8
    assert [
        q for q in queries if not re.match(r"SELECT run, |SELECT id, .* FROM claim|.* FROM normalised_ipc", q)
    ] == []
