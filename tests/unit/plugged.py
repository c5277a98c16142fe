"""What the tests of plugins share: sessions, and cells that run."""

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

from mujoco.studio import messages, plugin

from studio_nb.link import Link
from studio_nb.plugins import origin
from studio_nb.session import Session
from studio_nb.spec import sources
from studio_nb.studio import Studio
from tests.fakepage import FakePage
from tests.unit.conftest import PENDULUM

SIM_EVENTS = (
    plugin.SimInitEvent,
    messages.LoadModelEvent,
    messages.ModelEvent,
    messages.PostModelEvent,
    messages.PreStepEvent,
    messages.StepEvent,
    messages.PostStepEvent,
    messages.HotReloadEvent,
    messages.ExitEvent,
)
VIEWER_EVENTS = (
    plugin.ViewerInitEvent,
    messages.ModelEvent,
    messages.PostModelEvent,
    messages.UpdateEvent,
    messages.BuildGuiEvent,
    messages.HotReloadEvent,
    messages.ExitEvent,
)


def noting(base: type, events: tuple[type, ...]) -> type:
    """Returns a plugin class that notes in `seen` which events come, in order."""

    def handler(event: type):
        def note(self, message):
            self.seen.append(type(message).__name__.removesuffix("Event"))

        note.__annotations__["message"] = event
        return messages.handler(note)

    def init(self):
        self.seen = []

    body = {f"on_{i}": handler(event) for i, event in enumerate(events)}
    return type("Noting", (base,), {"__init__": init, **body})


def firsts(seen: list[str]) -> list[str]:
    """Returns each name once, where it came first."""
    return list(dict.fromkeys(seen))


class Cells:
    """A notebook's cells: what they define is in `__main__`, and they are known."""

    def __init__(self, monkeypatch):
        self.namespace: dict[str, Any] = {"__name__": "__main__"}
        self._monkeypatch = monkeypatch
        self._runs = 0
        main = ModuleType("__main__")
        main.__dict__.update(self.namespace)
        self.namespace = main.__dict__
        monkeypatch.setitem(sys.modules, "__main__", main)

    def run(self, source: str, cell: str = "a"):
        """Runs a cell, and returns the value of `result` if it sets one."""
        self._runs += 1
        shell = SimpleNamespace(
            execution_count=self._runs + 1,
            history_manager=SimpleNamespace(input_hist_parsed=[""] * (self._runs + 1)),
            kernel=SimpleNamespace(
                get_parent=lambda _channel: {"metadata": {"cellId": cell}}
            ),
            compile=SimpleNamespace(format_code_name=lambda _name: None),
        )
        self._monkeypatch.setattr(origin, "_shell", lambda: shell)
        self.namespace.pop("result", None)
        exec(compile(source, f"<cell {cell}>", "exec"), self.namespace)  # noqa: S102
        return self.namespace.get("result")


def viewed_studio(plugins=(), **options):
    """Returns a Studio that a page looks at, and the page, which is ready."""
    link = Link()
    page = FakePage(link)
    source = sources.load(PENDULUM)
    session = Session(source, link=link, plugins=list(plugins), **options)
    page.ready()
    page.until(lambda: page.frames)
    return Studio(session), page
