"""The assumptions of Ohm-GPU's machines, for configs/studies/ohm/sensitivity.py."""

from ...study import assumptions
from . import points

ALL = assumptions.of("ohm")
NAMES = list(dict.fromkeys(a.name for a in ALL))


def arguments(doc):
    """The options of a study of assumptions."""
    return points.arguments(
        doc,
        more=lambda parser: parser.add_argument(
            "--only", nargs="+", default=NAMES, metavar="NAME", help=f"of {', '.join(NAMES)}"
        ),
    )


def chosen(names):
    """The assumptions of these names, all values."""
    return assumptions.chosen(names, ALL)
