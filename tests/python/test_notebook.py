"""`memsim notebook` starts Jupyter with this memsim. Here a module of the same name replaces Jupyter."""

import os


def test_jupyter_replaces_the_process(memsim_command, tmp_path):
    (tmp_path / "work.ipynb").write_text("{}")
    (tmp_path / "notebook.py").write_text(
        "import memsim, os, sys\nprint(sys.argv[1:], 'MEMSIM_PARENT' in os.environ)\n"
    )
    found = memsim_command("notebook", "work.ipynb", env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert found.stdout == "['work.ipynb'] False\n"


def test_missing_parts_are_named(memsim_command, tmp_path):
    missing = memsim_command("notebook", "no.ipynb", expect=1).stderr
    assert missing == "memsim: no.ipynb: there is no such notebook: name a file that exists, or a directory\n"
