"""A section of the Inspector in a window of its own, with a person before it."""

from typing import Any, cast

import mujoco
from imgui_bundle import ImVec2, imgui
from mujoco.studio import messages

from studio_nb.app.controls import Controls as Actions
from studio_nb.app.lenses import Lenses
from studio_nb.app.panel import Scope
from studio_nb.ui import DrawListEncoder, UiContext, UiInput

STATE = mujoco.mjtState
WIDTH, HEIGHT = 340, 620
VALUE = 0.7  # where values are, as a share of the width
NAME = 0.1

MODEL = """
<mujoco>
  <worldbody>
    <site name="hook" pos="0 0 2"/>
    <body name="arm" pos="0 0 1">
      <joint name="elbow" axis="0 1 0" range="-90 90"/>
      <geom size=".1" mass="1"/><site name="tip" pos=".2 0 0"/>
      <body name="hand" pos=".5 0 0">
        <joint name="reach" type="slide" axis="1 0 0" group="3"/><geom size=".1"/>
      </body>
    </body>
    <body name="ball" pos="0 1 1"><joint name="socket" type="ball"/>
      <geom size=".1" pos=".1 0 0"/></body>
    <body name="free" pos="0 2 1"><freejoint name="root"/><geom size=".1"/></body>
  </worldbody>
  <tendon>
    <spatial name="rope" range="0 3" limited="true" width=".01">
      <site site="hook"/><site site="tip"/></spatial>
    <fixed name="belt"><joint joint="elbow" coef="1"/></fixed>
  </tendon>
  <equality>
    <weld name="glue" body1="free" body2="ball"/>
    <connect name="pin" body1="hand" body2="ball" anchor="0 0 0" active="false"/>
  </equality>
  <actuator>
    <motor name="lift" joint="elbow" ctrlrange="-2 2" ctrllimited="true"/>
    <general name="push" joint="reach" dyntype="integrator" group="1"/>
  </actuator>
  <sensor>
    <jointpos name="angle" joint="elbow"/>
    <accelerometer name="shock" site="tip"/>
    <jointpos name="stroke" joint="reach"/>
  </sensor>
</mujoco>
"""
EMPTY = "<mujoco/>"
_BARE = (
    imgui.WindowFlags_.no_title_bar
    | imgui.WindowFlags_.no_resize
    | imgui.WindowFlags_.no_move
)


class Bench:
    """One section in a window, the viewer's buffers, and a simulation beside."""

    def __init__(self, panel, xml=MODEL):
        self.model = mujoco.MjModel.from_xml_string(xml)
        self.sim = mujoco.MjData(self.model)
        mujoco.mj_forward(self.model, self.sim)
        self.data = mujoco.MjData(self.model)
        self.spare = mujoco.MjData(self.model)
        self.vis_options = mujoco.MjvOption()
        self.perturb = mujoco.MjvPerturb()
        self.camera = mujoco.MjvCamera()
        self.sent: list[Any] = []
        self.ui = UiContext()
        self.input = UiInput(self.ui)
        self.encoder = DrawListEncoder(self.ui)
        self.panel = panel
        viewer = cast("Any", self)
        self.scope = Scope(viewer, Actions(viewer), Lenses(viewer))
        panel.on_model(self.scope)
        self.deliver()
        self.frames(3)

    def send_to_sim(self, message):
        self.sent.append(message)

    def deliver(self):
        """Brings a frame of the simulation, as the viewer takes it in."""
        self.data, self.spare = self.spare, self.data
        mujoco.mj_copyData(self.data, self.model, self.sim)

    def obey(self):
        """Lets the simulation apply what it was sent."""
        for message in self.sent:
            if isinstance(message, messages.StateEvent):
                state, bits = message.state, message.state_sig
                mujoco.mj_setState(self.model, self.sim, state, bits)
        self.sent.clear()

    def frame(self):
        with self.ui.frame(WIDTH, HEIGHT, 1, 1 / 60), self.ui.guard("panel"):
            imgui.set_next_window_pos(ImVec2(0, 0))
            imgui.set_next_window_size(ImVec2(WIDTH, HEIGHT))
            imgui.begin("inspector", flags=_BARE)
            self.panel.update(self.scope)
            self.panel.draw(self.scope)
            imgui.end()

    def frames(self, count=4):
        for _ in range(count):
            self.frame()

    def do(self, *events):
        self.input.apply(events)
        self.frames(len(events) + 3)

    def controls(self, share=VALUE):
        """Returns where the controls of a column are: their centres, from the top."""
        found: dict[int, list[int]] = {}
        x = share * WIDTH
        for y in range(0, HEIGHT, 3):
            self.input.apply([{"t": "move", "x": x, "y": y}])
            self.frame()
            with self.ui.current() as context:
                if context.hovered_id:
                    found.setdefault(context.hovered_id, []).append(y)
        return [(x, (ys[0] + ys[-1]) / 2) for ys in found.values()]

    def press(self, at, b=0):
        self.do({"t": "move", "x": at[0], "y": at[1]})
        self.do({"t": "down", "b": b, "x": at[0], "y": at[1], "m": 0})

    def release(self, at, b=0):
        self.do({"t": "up", "b": b, "x": at[0], "y": at[1], "m": 0})

    def click(self, at, b=0):
        self.press(at, b)
        self.release(at, b)

    def drag(self, at, dx):
        self.press(at)
        there = at[0] + dx, at[1]
        self.do({"t": "move", "x": there[0], "y": there[1]})
        self.release(there)

    def type(self, at, text, code="Enter"):
        self.click(at)
        self.do({"t": "text", "s": text})
        self.key(code)

    def key(self, code):
        key = {"t": "key", "code": code, "key": code, "m": 0}
        self.do({**key, "d": 1}, {**key, "d": 0})

    def last_state(self, bit):
        """Returns the part of the state that was sent last."""
        message = self.sent[-1]
        assert isinstance(message, messages.StateEvent)
        assert message.state_sig == int(bit)
        return message.state
