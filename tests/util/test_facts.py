"""util/facts and util/prose find exactly the findings of small files."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROSE = ROOT / "util/prose"
AVOIDED = re.findall(r'^    "(\w+)",$', PROSE.read_text(), re.MULTILINE)  # words that util/prose finds
FIRST, SECOND = re.search(r'^    "(\w+) (\w+)",$', PROSE.read_text(), re.MULTILINE).groups()  # a phrase


@pytest.fixture
def tree(tmp_path):
    """A function that writes files into a repository and returns what util/facts prints about it."""

    def facts(files, *arguments):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        for command in ["init", "-q"], ["add", "."]:
            subprocess.run(["git", *command], cwd=tmp_path, check=True)
        done = subprocess.run(
            [ROOT / "util/facts", "--root", tmp_path, *arguments], check=True, capture_output=True, text=True
        )
        return done.stdout

    return facts


def number(output, fact):
    return next(int(line.split()[0]) for line in output.splitlines() if fact in line)


def body(lines, start=0):
    return "".join(f"    step_{start + i}();\n" for i in range(lines))


def test_a_function_at_the_limit_is_not_counted(tree):
    at, over = (f"void Part::{name}() {{\n{body(n, 100 * n)}}}\n" for name, n in (("at", 58), ("over", 59)))
    found = tree({"src/mem/part.cc": at + over}, "--list", "functions of more than 60 lines")
    assert found == "    61 src/mem/part.cc:61 Part::over\n"


def test_parameters_of_templates_and_functions_count_once(tree):
    signature = "void f(std::map<int, int> a, int (*b)(int, int), int c,\n       int d, int e, int g, int h{}) {{\n}}\n"
    found = tree({"src/a/f.cc": signature.format(""), "src/a/g.cc": signature.format(", int i").replace("f(", "g(")})
    assert number(found, "more than 7 parameters") == 1


def test_a_class_consists_of_its_header_and_its_member_functions(tree):
    header = "class Part final : public Model<Part> {\n    struct Params {\n    };\n" + "    int a;\n" * 196 + "};\n"
    functions = "".join(f"void Part::f{i}() {{\n{body(48, 100 * i)}}}\n" for i in range(4))
    files = {"src/mem/part.hh": header, "src/mem/part.cc": functions}
    assert number(tree(files), "classes") == 0
    files["src/mem/part_more.cc"] = "void Part::more() {\n}\n"
    assert tree(files, "--list", "classes") == "   402 mem::Part\n"


def test_neighbours_are_counted_outside_of_core(tree):
    use = "void f() {\n    dynamic_cast<A*>(&port.peer()->owner());\n}\n"
    found = tree({"src/core/f.cc": use, "src/mem/f.cc": use})
    assert number(found, "peer()->owner()") == 1 and number(found, "dynamic_casts") == 1


def test_a_block_that_occurs_again_is_one_finding(tree):
    nine, eight = body(9), body(8, 500)
    found = tree(
        {
            "src/a/a.cc": f"void a() {{\n{nine}}}\nvoid b() {{\n{eight}}}\n",
            "src/a/c.cc": f"void c() {{\n{nine}}}\nvoid d() {{\n{eight}}}\n",
        },
        "--list",
        "blocks",
    )
    assert found == "     9 src/a/a.cc:2 and src/a/c.cc:2\n"


def test_pages_and_words_are_counted_by_kind(tree):
    found = tree(
        {
            "docs/task.md": f"# A\nThe cache {AVOIDED[0]} {AVOIDED[1]}.\n",
            "docs/models/m.md": "# M\n",
            "docs/accuracy.md": "1\n2\n3\n",
            "docs/v.md": "# V\n<!-- tables: V -->\n| a |\n<!-- end of tables -->\n",
            "README.md": "# R\n",
            "python/memsim/long.py": "x = 1\n" * 301,
        }
    )
    kinds = {
        kind: number(found, f"pages: {kind}") for kind in ("generated", "models", "measured", "pages by task", "others")
    }
    assert kinds == {"generated": 3, "models": 1, "measured": 2, "pages by task": 4, "others": 1}
    assert number(found, "words that util") == 2 and number(found, "Python modules") == 1


def test_the_tree_itself_is_measured():
    """Each fact has findings, because a pattern that matches nothing would satisfy every limit."""
    done = subprocess.run([ROOT / "util/facts"], check=True, capture_output=True, text=True)
    assert number(done.stdout, "functions of more than 60 lines") > 0 and number(done.stdout, "pages: models") > 100


def test_an_unknown_fact_is_refused():
    done = subprocess.run([ROOT / "util/facts", "--list", "claases"], capture_output=True, text=True)
    assert done.returncode == 2 and not done.stdout
    assert "no fact contains 'claases': the facts are classes of more than 400 lines; " in done.stderr


def test_words_to_avoid_are_found_with_their_lines(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"# A\n\nA cache, {AVOIDED[0].title()} answers,\n")
    done = subprocess.run([PROSE, page], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, f"{page}:3: {AVOIDED[0].title()}\n")
    page.write_text(f"/// It {FIRST}\n/// {SECOND}, or {FIRST}\n\n{SECOND}\n")
    done = subprocess.run([PROSE, page], capture_output=True, text=True)
    assert done.stdout == f"{page}:1: {FIRST} {SECOND}\n{page}:2: {FIRST} {SECOND}\n", "over a line break"
    page.write_text("A cache answers.\n")
    assert subprocess.run([PROSE, page], capture_output=True, text=True).returncode == 0
