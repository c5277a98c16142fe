"""The example models that come with studio_nb, and where their files are.

`%studio` without a model opens the first; the quickstart and the tests use them all.
Only MJCF and assets live here: loading them is the session's business.
"""

from __future__ import annotations

from pathlib import Path

NAMES = ("humanoid", "dice")
"""What `path` knows; the first is the demo."""

_FOLDER = Path(__file__).parent


def path(name: str = NAMES[0]) -> Path:
    """The MJCF file of an example model.

    Args:
        name: One of `NAMES`.

    Raises:
        ValueError: There is no such model.
    """
    if name not in NAMES:
        message = f"no example model {name!r}: there are {', '.join(NAMES)}"
        raise ValueError(message)
    return _FOLDER / f"{name}.xml"
