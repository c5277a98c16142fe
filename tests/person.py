"""A person in front of the app: a view without a page, clicked and typed at.

Unit tests of the app and its panels draw into it, and look at what was sent.
"""

from types import SimpleNamespace
from typing import Any, cast

import mujoco
from imgui_bundle import imgui
from mujoco.studio import messages, plugin, plugin_registry, viewer_protocol

from studio_nb.app import App, row
from studio_nb.console import Console
from studio_nb.ui import DrawListEncoder, UiContext, UiInput


class Memory:
    """What a notebook remembers."""

    def __init__(self, value=None):
        self.value = value or {}
        self.loaded = 0

    def keep(self, value):
        self.value = value


class Viewer:
    """What the app needs of a viewer, in a view of some size."""

    def __init__(self, xml="<mujoco/>", width=900, height=400, kept=None, model=None):
        self.model = model or mujoco.MjModel.from_xml_string(xml)
        self.data = mujoco.MjData(self.model)
        self.camera = mujoco.MjvCamera()
        self.perturb = mujoco.MjvPerturb()
        self.vis_options = mujoco.MjvOption()
        self.render_flags = viewer_protocol.ux.RenderFlags()
        self.render_flags.flags = mujoco.MjvScene().flags.tolist()
        self.model_path = ""
        self.paused = False
        self.page = SimpleNamespace(
            look=SimpleNamespace(width=width, height=height, dpr=1.0, mode="cell"),
            stats={"fps": 30.0},
            ready=True,
        )
        self.memory = Memory(kept)
        self.console = Console()
        self.notices = []
        self.errors = []
        self.sent = []
        self.asked = []
        self.ui = UiContext()
        self.input = UiInput(self.ui)
        self.encoder = DrawListEncoder(self.ui)
        self.size = width, height
        self.app = App()
        self.plugins = plugin_registry.PluginRegistry([self.app])
        self.plugins.dispatch(plugin.ViewerInitEvent(viewer=cast("Any", self)))
        self.frames(3)

    def send_to_sim(self, message):
        self.sent.append(message)

    def dispatch(self, message):
        self.plugins.dispatch(message)

    def report_error(self, where, error):
        self.errors.append((where, error))

    def figures(self):
        return {"frames": 0, "state_bytes": 0, "ui_bytes": 0, "asset_bytes": 0}

    def set_window_mode(self, mode):
        self.asked.append(mode)

    def set_theme_choice(self, theme):
        self.asked.append(theme)

    def frame(self, after=lambda: None):
        self.plugins.dispatch(messages.UpdateEvent())
        with self.ui.frame(*self.size, 1, 1 / 60), self.ui.guard("app"):
            self.plugins.dispatch(messages.BuildGuiEvent())
            after()

    def frames(self, count=6):
        for _ in range(count):
            self.frame()

    def do(self, *events):
        self.input.apply(events)
        self.frames(8)

    def press(self, code, m=0):
        event = {"t": "key", "code": code, "key": "", "m": m}
        self.do({**event, "d": 1}, {**event, "d": 0, "m": 0})

    def click(self, x, y):
        at = {"b": 0, "x": x, "y": y, "m": 0}
        self.do({"t": "down", **at}, {"t": "up", **at})

    def find(self, name, window="###toolbar"):
        """Returns the centre of the item of that ID: where it is hovered."""
        hits = []
        y = row.HEIGHT_PX / 2
        for x in range(0, self.size[0], 3):
            self.input.apply([{"t": "move", "x": x, "y": y}])
            self.frame()
            with self.ui.current() as context:
                owner = imgui.internal.find_window_by_name(window)
                ids = {owner.get_id(f"###{name}"), owner.get_id(name)}
                if context.hovered_id in ids:
                    hits.append(x)
        assert hits, f"no item {name!r} in the toolbar"
        return (hits[0] + hits[-1]) / 2, y

    def centre_of(self, window, label):
        """Returns where the item of a label stands in a window: where it is hovered."""
        area = self.windows()[window]
        low, size = area.pos, area.size
        hits = []
        for y in range(int(low.y) + 3, int(low.y + size.y), 8):
            for x in range(int(low.x) + 3, int(low.x + size.x), 6):
                self.input.apply([{"t": "move", "x": x, "y": y}])
                self.frame()
                if self.hovered(window, label):
                    hits.append((x, y))
            if hits and hits[-1][1] < y:
                break
        assert hits, f"no item {label!r} in {window!r}"
        return tuple(sum(axis) / len(hits) for axis in zip(*hits, strict=True))

    def hovered(self, window, label):
        """Tells whether the item of a label is under the mouse."""
        with self.ui.current() as context:
            owner = imgui.internal.find_window_by_name(window)
            ids = {owner.get_id(label), owner.get_id(f"###{label}")}
            return context.hovered_id in ids

    def popup_of(self, menu):
        """Tells whether the popup of a menu is open."""
        with self.ui.current() as context:
            owner = imgui.internal.find_window_by_name("###toolbar")
            wanted = owner.get_id(f"###{menu} menu")
            return any(popup.popup_id == wanted for popup in context.open_popup_stack)

    def shows(self, name):
        try:
            self.find(name)
        except AssertionError:
            return False
        return True

    def windows(self):
        with self.ui.current() as context:
            return {
                window.name: window
                for window in context.windows
                if window.active and not window.hidden
            }
