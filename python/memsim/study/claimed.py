"""The claims of the papers, from their tables."""

import functools

from ..errors import did_you_mean, user_error
from . import paper, toml, verdict

_TABLES = {name: toml.load(toml.PAPERS / name / "paper.toml") for name in toml.names()}
PAPERS = {name: str(table["title"]) for name, table in _TABLES.items()}
APART = {name: str(table["apart"]) for name, table in _TABLES.items() if "apart" in table}
SYSTEMS = {name: title for name, title in PAPERS.items() if name not in APART}  # the papers of memsim's systems


@functools.cache
def claims(system: str) -> dict[str, verdict.Claim]:
    """The claims of one paper by id."""
    if system not in PAPERS:
        raise user_error(f"there are no claims of '{system}'{did_you_mean(system, PAPERS)}: of {', '.join(PAPERS)}")
    return paper.load(system).stated()


@functools.cache
def places() -> dict[str, str]:
    """{id: place in the paper} of the claims of all papers."""
    return {id: claim.stated_in for system in PAPERS for id, claim in claims(system).items()}
