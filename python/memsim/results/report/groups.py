"""Groups of similar objects: the elements of a list, `gpu.l1[0]` to `gpu.l1[15]`, are the group `gpu.l1[*]`."""
import re
from collections.abc import Collection, Iterable

INDEX = re.compile(r"\[\d+\]")


def pattern(path: str) -> str:
    """The group of a path: 'a[*].b[*]' of 'a[1].b[2]'."""
    return INDEX.sub("[*]", path)


def shown(path: str, opened: Collection[str]) -> str:
    """The path with a star for each index whose group is not open: 'a[1].b[*]' if only 'a[*]' is open."""
    text, at = "", 0
    for index in INDEX.finditer(path):
        text += path[at : index.start()]
        text += index[0] if pattern(path[: index.end()]) in opened else "[*]"
        at = index.end()
    return text + path[at:]


def groups(paths: Iterable[str]) -> dict[str, int]:
    """{group: number of elements} of the lists with several elements, in order. The elements of lists within lists
    count together: 'a[*].b[*]' has all of them."""
    members: dict[str, dict[str, None]] = {}
    for path in paths:
        for index in INDEX.finditer(path):
            members.setdefault(pattern(path[: index.end()]), {})[path[: index.end()]] = None
    return {group: len(found) for group, found in members.items() if len(found) > 1}


def closure(opened: Iterable[str]) -> set[str]:
    """These groups and those that contain them, which must be open, too."""
    return {path[: end.end()] for path in opened for end in re.finditer(r"\[\*\]", path)}
