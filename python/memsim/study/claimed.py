"""The claims of the papers, from their tables."""

import functools

from ..errors import did_you_mean, user_error
from . import paper, toml, verdict

PAPERS = {name: str(toml.load(toml.PAPERS / name / "paper.toml")["title"]) for name in toml.names()}


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
