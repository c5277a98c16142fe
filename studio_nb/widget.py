"""The widget: traits and the comm of one view. It knows no MuJoCo.

Comm handlers run in the kernel's main thread, or beside a running cell in a
subshell's; they answer the loader and put everything else into the `Link`.
Streams are sent from the viewer thread.
"""

import contextlib
import hashlib
import os
import pathlib
from typing import Any, ClassVar

import anywidget
import traitlets as t

from studio_nb import static_files
from studio_nb.link import Buffers, Head, Link
from studio_nb.route import Route

# A message over 10 MiB would close the page's WebSocket.
_CHUNK_BYTES = 1 << 20


def memory_key(name: str) -> str:
    """Returns what a session of this notebook is remembered under.

    The server tells its kernels the notebook's path; where none does, notebooks of
    one folder share their memory. It is hashed: a page need not know of folders.

    Args:
        name: The session's.
    """
    place = os.environ.get("JPY_SESSION_NAME", "")
    if not place:
        # The folder may have been deleted under a kernel.
        with contextlib.suppress(OSError):
            place = str(pathlib.Path.cwd())
    return hashlib.sha256(f"{place}\0{name}".encode()).hexdigest()[:16]


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
    _memory_key = t.Unicode().tag(sync=True)
    _chords = t.List(t.Unicode(), read_only=True).tag(sync=True)

    _MIRRORED: ClassVar = ("paused", "speed", "time", "selected_body", "_chords")

    def __init__(self, link: Link, name: str = "", **traits: Any) -> None:  # noqa: ANN401 - traits
        """Makes the widget and connects it to `link`.

        Args:
            link: The viewer's mailbox.
            name: The session's; the page remembers the panels under it.
            **traits: Initial traits, such as `height`.

        Raises:
            ImportError: If the front end was not built.
        """
        self._link = link
        bundle_hash, self._bundle = static_files.bundle()
        self._route = Route()
        self._clients: set[str] = set()
        self._retired = False
        super().__init__(
            _esm=static_files.loader(),
            _css=static_files.stylesheet(),
            _bundle_hash=bundle_hash,
            _memory_key=memory_key(name),
            **traits,
        )
        self._route.open(self.comm)
        self.on_msg(self._on_message)
        link.connect(self._send_to_page, self._mirror)

    def _on_message(self, _: object, content: Any, buffers: Buffers) -> None:  # noqa: ANN401 - the page's
        if not isinstance(content, dict):
            return
        kind = content.get("type")
        if self._route.note(fresh=kind == "ready"):
            self.send({"type": "route"})
        if kind == "ready":
            self._clients.add(str(content.get("client")))
        elif kind == "bye":
            self._clients.discard(str(content.get("client")))
        if self._retired and not self._clients:
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

    def _send(self, msg: Head, buffers: Buffers | None = None) -> None:
        # ipywidgets' way out for traits and messages alike.
        with self._route.taken():
            super()._send(msg, buffers)
        if not self._clients:
            self._route.open(self.comm)

    def _send_to_page(self, head: Head, buffers: Buffers) -> None:
        self.send(head, list(buffers))

    def _mirror(self, values: dict[str, Any]) -> None:
        with contextlib.suppress(t.TraitError):
            for name in self._MIRRORED:
                if name in values and getattr(self, name) != values[name]:
                    self.set_trait(name, values[name])

    def __repr__(self) -> str:
        """Says what it is: front ends without widgets show this."""
        return "studio_nb: a live MuJoCo view, shown where a kernel runs"

    def retire(self) -> None:
        """Closes the comm once no page shows the view.

        JupyterLab takes a view out of the page when its comm closes; until the
        page lets go of it, a person should go on seeing the last picture.
        """
        self._retired = True
        if not self._clients:
            self.close()

    def close(self) -> None:
        """Closes the comm; again is fine."""
        self._link.connect(None)
        super().close()
