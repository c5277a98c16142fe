"""Where the page's messages are handled: beside a running cell, or after it.

JupyterLab (from 4.4) gives each comm a subshell, a thread of the kernel that
handles messages while a cell runs. But ipykernel 7 hands a comm's messages to
the shell from which the comm was last sent on, by the sender's parent message,
and a plain thread and a cell both count as the main shell, which is busy with
the cell. So everything that a widget sends goes out with a message of the page's
as parent, which names the page's subshell. `Kernel.set_parent` would do that
too, but would also move the output of the person's threads; here the variable is
set in the sender's context for the time of the sending alone.
"""

import contextlib
from collections.abc import Generator
from typing import Any

try:
    from ipykernel.kernelbase import Kernel
except ImportError:  # another kernel, or none: then there is nothing to route
    Kernel = None

_NOWHERE = object()


class Route:
    """One comm's way. Used by whichever threads send and receive on it."""

    def __init__(self) -> None:
        """Starts in the main shell."""
        self._parent: dict[str, Any] = {}
        self._used: object = _NOWHERE

    def note(self, *, fresh: bool) -> bool:
        """Remembers the page's message that is being handled as the way back.

        Args:
            fresh: Whether another page begins, whose subshells are other ones. Else
                a message from before the page had one does not replace one after.

        Returns:
            Whether something must be sent now for the way to be taken.
        """
        if Kernel is None or not Kernel.initialized():
            return False
        parent = Kernel.instance().get_parent("shell")
        subshell = parent.get("header", {}).get("subshell_id")
        if parent.get("msg_type") == "comm_msg" and (fresh or subshell is not None):
            self._parent = parent
        return subshell is not None and subshell != self._used

    def open(self, comm: Any) -> None:  # noqa: ANN401 - whichever comm
        """Lets the page's first messages go where the page says, not to the cell.

        Opening the comm has noted the cell's shell, which the cell may keep busy
        for as long as it likes. ipykernel has no public way to forget it.
        """
        with contextlib.suppress(AttributeError):
            del comm._reply_subshell_id  # noqa: SLF001

    @contextlib.contextmanager
    def taken(self) -> Generator[None]:
        """Sends what the block sends as an answer to the page."""
        parent = self._parent
        variable = None
        if parent and Kernel is not None and Kernel.initialized():
            # ipykernel has no public way to set it for one context alone.
            variable = getattr(Kernel.instance(), "_shell_parent", None)
        if variable is None:
            yield
            return
        before = variable.set(parent)
        try:
            yield
            self._used = parent["header"].get("subshell_id")
        finally:
            variable.reset(before)
