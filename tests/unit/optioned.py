"""A person before one section of the Options: finds rows by their names.

Used by the tests of these sections. What a section draws is noted as it is drawn:
texts and boxes with their places, as eyes would.
"""

from typing import Any, cast

import mujoco
from imgui_bundle import ImVec2, imgui
from mujoco.studio import messages, viewer_protocol

from studio_nb.app.controls import Controls
from studio_nb.app.lenses import Lenses
from studio_nb.app.panel import Scope
from studio_nb.ui import UiContext, UiInput

WIDTH, HEIGHT = 300, 3000
VALUE = 0.7  # where values are, as a share of the width

_BARE = (
    imgui.WindowFlags_.no_title_bar
    | imgui.WindowFlags_.no_resize
    | imgui.WindowFlags_.no_move
)
_WATCHED = ("text_disabled", "checkbox", "button", "selectable", "tree_node_ex")


class Bench:
    """A section in a window, and what it sent."""

    def __init__(self, panel, xml, monkeypatch, height=HEIGHT):
        self.model = mujoco.MjModel.from_xml_string(xml)
        self.data = mujoco.MjData(self.model)
        mujoco.mj_forward(self.model, self.data)
        self.camera = mujoco.MjvCamera()
        mujoco.mjv_defaultFreeCamera(self.model, self.camera)
        self.perturb = mujoco.MjvPerturb()
        self.vis_options = mujoco.MjvOption()
        self.render_flags = viewer_protocol.ux.RenderFlags()
        self.render_flags.flags = mujoco.MjvScene().flags.tolist()
        self.model_path = "model.xml"
        self.sent: list[Any] = []
        self.ui = UiContext()
        self.input = UiInput(self.ui)
        self.height = height
        self.places: dict[str, tuple[float, float, float, float]] = {}
        for name in _WATCHED:
            monkeypatch.setattr(imgui, name, self._watched(name))
        self.panel = panel
        viewer = cast("Any", self)
        self.scope = Scope(viewer, Controls(viewer), Lenses(viewer))
        panel.on_model(self.scope)
        self.frames(3)

    def _watched(self, name):
        draw = getattr(imgui, name)

        def drawn(label, *args, **kwargs):
            result = draw(label, *args, **kwargs)
            low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
            self.places[label] = low.x, low.y, high.x, high.y
            return result

        return drawn

    def send_to_sim(self, message):
        self.sent.append(message)

    def frame(self):
        self.places.clear()
        with self.ui.frame(WIDTH, self.height, 1, 1 / 60), self.ui.guard("panel"):
            imgui.set_next_window_pos(ImVec2(0, 0))
            imgui.set_next_window_size(ImVec2(WIDTH, self.height))
            imgui.begin("options", flags=_BARE)
            self.panel.update(self.scope)
            self.panel.draw(self.scope)
            imgui.end()

    def frames(self, count=4):
        for _ in range(count):
            self.frame()

    def do(self, *events):
        self.input.apply(events)
        self.frames(len(events) + 3)

    def shows(self, label):
        """Tells whether there is a row, box or button of that name."""
        return any(self._is(drawn, label) for drawn in self.places)

    def _is(self, drawn, label):
        return drawn.split("##")[0] == label

    def place(self, label, share=0.5):
        """Returns a point of what has that name, by the share of its width."""
        found = [rect for text, rect in self.places.items() if self._is(text, label)]
        assert found, f"no {label!r} among {sorted(self.places)}"
        x0, y0, x1, y1 = found[0]
        return x0 + share * (x1 - x0), (y0 + y1) / 2

    def value(self, label, share=VALUE):
        """Returns where the value in the row of that name is."""
        return share * WIDTH, self.place(label)[1]

    def press(self, at):
        self.do({"t": "move", "x": at[0], "y": at[1]})
        self.do({"t": "down", "b": 0, "x": at[0], "y": at[1], "m": 0})

    def release(self, at):
        self.do({"t": "up", "b": 0, "x": at[0], "y": at[1], "m": 0})

    def click(self, at):
        self.press(at)
        self.release(at)

    def drag(self, at, dx):
        self.press(at)
        there = at[0] + dx, at[1]
        self.do({"t": "move", "x": there[0], "y": there[1]})
        self.release(there)

    def type(self, at, text):
        """Types into a field that is dragged: a double click opens it."""
        self.click(at)
        self.click(at)
        self.do({"t": "text", "s": text})
        self.key("Enter")

    def key(self, code):
        key = {"t": "key", "code": code, "key": code, "m": 0}
        self.do({**key, "d": 1}, {**key, "d": 0})

    def choose(self, label, name):
        """Opens the list of a row, and takes one of the names."""
        self.click(self.value(label))
        self.click(self.place(name))

    def unfold(self, title):
        self.click(self.place(title))

    def copied(self):
        """Returns what was copied since the last time."""
        return self.ui.clipboard.take()

    def options(self):
        """Returns what was sent last: the simulation's options."""
        message = self.sent[-1]
        assert isinstance(message, messages.MjOptionSnapshot)
        return message.opt
