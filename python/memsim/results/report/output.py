"""Writing a page or a drawing."""

import os
from pathlib import Path

from ...errors import Error
from ...files import check_output, os_error, replacing, shown


def write(database: str, output: str | None, name: str, text: str) -> None:
    """Writes the text to `output`, or to a file of this name beside the database, and prints its path."""
    folder = database if os.path.isdir(database) else os.path.dirname(database)
    path = output or os.path.join(folder, name)
    ending = Path(name).suffix
    if not path.endswith(ending):
        raise Error(f"{path}: the output is {ending[1:].upper()}: use a file name that ends in {ending}")
    check_output(path)

    def write() -> None:
        with replacing(path) as file:
            file.write(text)

    os_error(write, path)
    print(shown(path))
