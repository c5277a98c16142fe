"""The one exception that a person's mistake raises, and how a cell shows it."""


class StudioError(Exception):
    """Something that the person who wrote the cell can put right.

    The message names the thing, the value seen and what to do. A notebook shows
    the message alone: a traceback through our code would only hide it.
    """

    def _render_traceback_(self) -> list[str]:
        # IPython's hook for exceptions that know how to show themselves.
        return [f"{type(self).__name__}: {self}"]


class SessionClosedError(StudioError):
    """The session was closed, so there is nothing left to ask or to change."""
