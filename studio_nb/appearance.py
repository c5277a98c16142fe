"""How a view looks beside its scene: the colours of the panels, and how much it fills.

Owned by `NotebookViewer`, on the viewer thread.
"""

from collections.abc import Callable

from mujoco.studio import messages, viewer_protocol

from studio_nb.link import Link
from studio_nb.page import MODES, Page
from studio_nb.panels import Panels

THEMES = ("auto", "light", "dark")


class Appearance:
    """Theme and window mode of one view."""

    def __init__(
        self,
        link: Link,
        page: Page,
        panels: Panels,
        dispatch: Callable[[messages.Message], object],
    ) -> None:
        """Starts with the notebook's own theme, in the cell.

        Args:
            link: The page's mailbox.
            page: Says what the notebook's theme is.
            panels: Take the colours.
            dispatch: Tells the viewer's plugins.
        """
        self._link, self._page, self._panels = link, page, panels
        self._dispatch = dispatch
        self._choice = "auto"

    def choose_theme(self, name: str) -> None:
        """Chooses the panels' colours.

        Args:
            name: "light", "dark", or "auto" for those of the notebook.

        Raises:
            ValueError: If it is another.
        """
        if name not in THEMES:
            msg = f"theme {name!r}: give 'auto', 'light' or 'dark'"
            raise ValueError(msg)
        if name != self._choice:
            self._choice = name
            self.follow_theme()

    def follow_theme(self) -> None:
        """Gives the panels the colours that were chosen, and tells the plugins."""
        name = self._page.look.theme if self._choice == "auto" else self._choice
        self._panels.set_theme(name)
        theme = viewer_protocol.ux.GuiTheme
        chosen = theme.LIGHT if name == "light" else theme.DARK
        self._dispatch(viewer_protocol.ThemeEvent(theme=chosen))

    def ask_for_mode(self, mode: str) -> None:
        """Asks the controlling view to be in its cell, or to fill more than that.

        `Page.look.mode` tells when it is. A browser goes to fullscreen only soon
        after a click or a key; else the view fills the window, and says so.

        Args:
            mode: "cell", "window" (the browser's) or "screen".

        Raises:
            ValueError: If it is another.
        """
        if mode not in MODES:
            msg = f"window mode {mode!r}: give 'cell', 'window' or 'screen'"
            raise ValueError(msg)
        self._link.send({"type": "window", "view": self._page.control, "mode": mode})
