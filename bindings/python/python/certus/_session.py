"""The session whose confidence audits share, if there is one: the pytest plugin begins and ends it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._shares import Session

DEFAULT = "0.999"
current: Session | None = None


@contextlib.contextmanager
def confidence(given: Any) -> Iterator[tuple[Any, bool]]:
    """The confidence of an audit, and whether it is a share of the session's.

    The share is spent if all goes well, and given back otherwise.
    """
    session = current
    if given is not None or session is None:
        yield (DEFAULT if given is None else given), False
        return
    number = session.take()
    try:
        yield session.confidence_of(number), True
    except BaseException:
        session.give_back(number)
        raise
