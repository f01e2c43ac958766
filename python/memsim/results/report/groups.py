"""Objects that are alike: the elements of a list, `gpu.l1[0]` to `gpu.l1[15]`, are the group `gpu.l1[*]`."""
import re

INDEX = re.compile(r"\[\d+\]")


def pattern(path):
    """The group of a path: each of its indices as a star."""
    return INDEX.sub("[*]", path)


def shown(path, opened):
    """The path, with a star for each index whose group is not open: 'a[1].b[*]' where only 'a[*]' is."""
    text, at = "", 0
    for index in INDEX.finditer(path):
        text += path[at : index.start()]
        text += index[0] if pattern(path[: index.end()]) in opened else "[*]"
        at = index.end()
    return text + path[at:]


def groups(paths):
    """{group: number of elements} of the lists in a machine that have more than one, in order. An element that
    is a list's within a list counts once for each: a group's elements are all that its name stands for."""
    members = {}
    for path in paths:
        for index in INDEX.finditer(path):
            members.setdefault(pattern(path[: index.end()]), {})[path[: index.end()]] = None
    return {group: len(found) for group, found in members.items() if len(found) > 1}


def closure(opened):
    """What must be open besides: lists within lists are seen in elements that are."""
    return {path[: end.end()] for path in opened for end in re.finditer(r"\[\*\]", path)}
