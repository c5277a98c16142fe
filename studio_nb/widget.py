"""The widget: traits and the comm of one view. It knows no MuJoCo.

Comm handlers run in the kernel's main thread, or beside a running cell in a
subshell's; they answer the loader and put everything else into the `Link`.
Streams are sent from the viewer thread.
"""

import contextlib
from typing import Any, ClassVar

import anywidget
import traitlets as t
from ipykernel.kernelbase import Kernel

from studio_nb import static_files
from studio_nb.link import Buffers, Head, Link

# A message over 10 MiB would close the page's WebSocket.
_CHUNK_BYTES = 1 << 20


class StudioWidget(anywidget.AnyWidget):
    """One simulation's view. Displaying it twice shows the same view twice."""

    height = t.Int(560, min=1).tag(sync=True)
    """Height of the view, CSS pixels; the page changes it when dragged."""
    paused = t.Bool(default_value=False, read_only=True).tag(sync=True)
    """Whether the simulation stands still. Written by the kernel."""
    speed = t.Float(100.0, read_only=True).tag(sync=True)
    """Wanted speed, percent of real time; 0 is as fast as it goes. By the kernel."""
    time = t.Float(0.0, read_only=True).tag(sync=True)
    """Simulation time, seconds, about twice a second. Written by the kernel."""
    selected_body = t.Int(0, read_only=True).tag(sync=True)
    """Selected body's id, 0 for none. Written by the kernel."""

    _esm = t.Unicode().tag(sync=True)
    _css = t.Unicode().tag(sync=True)
    _bundle_hash = t.Unicode().tag(sync=True)

    _MIRRORED: ClassVar = ("paused", "speed", "time", "selected_body")

    def __init__(self, link: Link, **traits: Any) -> None:  # noqa: ANN401 - traits
        """Makes the widget and connects it to `link`.

        Args:
            link: The viewer's mailbox.
            **traits: Initial traits, such as `height`.

        Raises:
            ImportError: If the front end was not built.
        """
        bundle_hash, self._bundle = static_files.bundle()
        self._link = link
        self._parent: dict[str, Any] = {}
        self._shown = self._retired = False
        super().__init__(
            _esm=static_files.loader(),
            _css=static_files.stylesheet(),
            _bundle_hash=bundle_hash,
            **traits,
        )
        self.on_msg(self._on_message)
        link.connect(self._send_to_page, self._mirror)

    def _on_message(self, _: object, content: Any, buffers: Buffers) -> None:  # noqa: ANN401 - the page's
        if not isinstance(content, dict):
            return
        self._note_parent()
        kind = content.get("type")
        self._shown = kind != "bye" and (self._shown or kind == "ready")
        if self._retired and not self._shown:
            self.close()
        elif kind == "bundle":
            self._send_bundle()
        else:
            self._link.deliver(content, buffers)

    def _send_bundle(self) -> None:
        total = len(self._bundle)
        for offset in range(0, total, _CHUNK_BYTES):
            head = {
                "type": "bundle",
                "hash": self._bundle_hash,
                "offset": offset,
                "total": total,
            }
            self.send(head, [self._bundle[offset : offset + _CHUNK_BYTES]])

    # -- the viewer thread's side ----------------------------------------------

    def _send_to_page(self, head: Head, buffers: Buffers) -> None:
        with self._as_answer():
            self.send(head, list(buffers))

    def _mirror(self, values: dict[str, Any]) -> None:
        with self._as_answer(), contextlib.suppress(t.TraitError):
            for name in self._MIRRORED:
                if name in values and getattr(self, name) != values[name]:
                    self.set_trait(name, values[name])

    def _note_parent(self) -> None:
        """Remembers the browser's message, for threads that answer later."""
        if Kernel.initialized():
            parent = Kernel.instance().get_parent("shell")
            if parent.get("msg_type") == "comm_msg":
                self._parent = parent

    @contextlib.contextmanager
    def _as_answer(self) -> Any:  # noqa: ANN401 - a generator
        """Makes what this thread sends an answer to the page's last message.

        ipykernel 7 has the page's messages handled where the comm's last sender
        was called from. A plain thread counts as the main shell, so they would
        wait for the running cell. A message of the page's names the subshell that
        the page chose for this comm; with it as parent, the page's messages are
        handled there, beside the cell. The variable belongs to this thread's
        context alone: `Kernel.set_parent` would move the person's threads too.
        """
        if self._parent and Kernel.initialized():
            variable = getattr(Kernel.instance(), "_shell_parent", None)
            if hasattr(variable, "set"):
                variable.set(self._parent)
        yield

    def __repr__(self) -> str:
        """Says what it is: front ends without widgets show this."""
        return "studio_nb: a live MuJoCo view, shown where a kernel runs"

    def retire(self) -> None:
        """Closes the comm once no page shows the view.

        JupyterLab takes a view out of the page when its comm closes; until the
        page lets go of it, a person should go on seeing the last picture.
        """
        self._retired = True
        if not self._shown:
            self.close()

    def close(self) -> None:
        """Closes the comm; again is fine."""
        self._link.connect(None)
        super().close()
