"""A section of the Inspector that lists a model's elements by a filter.

Its subclasses draw the field and list what passes. Viewer thread only.
"""

from typing import Any

from studio_nb.app import widgets
from studio_nb.app.panel import Panel


class Filtered(Panel):
    """A panel with a filter, which is remembered."""

    def __init__(self) -> None:
        """Starts without a filter."""
        self._query = ""

    def keeps(self) -> dict[str, Any]:
        """Returns the filter."""
        return {"query": self._query}

    def restore(self, kept: dict[str, Any]) -> None:
        """Takes over the filter."""
        if isinstance(query := kept.get("query"), str):
            self._query = query

    def _draw_filter(self) -> None:
        self._query = widgets.search("query", self._query)
