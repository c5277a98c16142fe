"""Pictures in panels: of other cameras, and those that plugins upload."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from studio_nb.ui import fonts
from tests.browser.session import opened
from tests.browser.view import View

if TYPE_CHECKING:
    from tests.browser.conftest import OpenNotebook
    from tests.browser.notebook import Notebook

# Unlike in each corner, so that no flip goes unseen.
SCENE = """%%studio --paused
<mujoco>
  <visual><headlight ambient=".5 .5 .5" diffuse=".4 .4 .4" specular="0 0 0"/></visual>
  <worldbody>
    <camera name="eye" pos="0 -3 1" xyaxes="1 0 0 0 .3 1" fovy="40"/>
    <light pos="0 -1 3" dir="0 .3 -1"/>
    <geom type="plane" size="3 3 .1" rgba=".5 .5 .6 1"/>
    <geom type="box" size=".2 .2 .2" pos="-.3 0 .8" rgba="1 0 0 1"/>
    <geom type="sphere" size=".2" pos=".3 0 .8" rgba="0 1 0 1"/>
    <geom type="box" size=".2 .2 .1" pos=".3 0 .1" rgba="0 0 1 1"/>
  </worldbody>
</mujoco>
"""

# Where the panel stands in the view: free of the docks at both sides.
LEFT, TOP, WIDTH = 300, 130, 240

PLUGIN = f"""
import mujoco
import numpy as np
from imgui_bundle import ImVec2, imgui
from mujoco.studio import messages, plugin

class Watcher(plugin.ViewerPlugin):
    shows = None
    image = None
    tex_id = 0

    def size(self):
        view = imgui.get_main_viewport().size
        return ImVec2({WIDTH}, {WIDTH} * view.y / view.x)

    def texture(self, size):
        if self.shows == "camera":
            return self.viewer.pictures.show(0, size.x, size.y)
        height, width, bpp = self.image.shape
        raw = self.image.tobytes()
        self.tex_id = self.viewer.upload_image(self.tex_id, raw, width, height, bpp)
        return self.tex_id

    @messages.handler
    def _on_build_gui(self, _: messages.BuildGuiEvent):
        camera = self.viewer.camera
        camera.type, camera.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, 0
        if self.shows is None:
            return
        size = self.size()
        imgui.set_next_window_pos(ImVec2({LEFT}, {TOP}))
        imgui.push_style_var(imgui.StyleVar_.window_padding, ImVec2(0, 0))
        imgui.push_style_var(imgui.StyleVar_.window_border_size, 0.0)
        flags = imgui.WindowFlags_.no_decoration
        imgui.begin("watcher", None, flags | imgui.WindowFlags_.always_auto_resize)
        imgui.pop_style_var(2)
        imgui.image(imgui.ImTextureRef(self.texture(size)), size)
        imgui.end()

    def show(self, what):
        self.viewer.soon(lambda viewer: setattr(self, "shows", what), Future())
        self.viewer.note("info", "")

from concurrent.futures import Future
watcher = Watcher()
studio.add(watcher)
"""


def panel(view: View) -> np.ndarray:
    """What is on the screen where the panel stands: (height, width, 3), 0 to 255."""
    pixels = view.pixels()
    height = round(WIDTH * pixels.shape[0] / pixels.shape[1])
    return pixels[TOP : TOP + height, LEFT : LEFT + WIDTH].astype(float)


def middle(pixels: np.ndarray) -> np.ndarray:
    """The part of a picture of the scene that no dock covers, in any of its sizes."""
    height, width = pixels.shape[:2]
    return pixels[height // 4 : 3 * height // 4, 2 * width // 5 : 3 * width // 5]


def difference(one: np.ndarray, other: np.ndarray) -> float:
    """The mean difference of two pictures' channels."""
    return float(np.abs(one - other).mean())


def shown(notebook: Notebook) -> View:
    view = View(notebook)
    view.root.scroll_into_view_if_needed()
    view.wait_until_drawn()
    return view


def test_a_picture_is_what_the_view_shows_through_its_camera(
    open_notebook: OpenNotebook,
):
    notebook = opened(open_notebook, SCENE, PLUGIN)
    view = shown(notebook)
    whole = view.wait_until_still()
    small = (WIDTH, round(WIDTH * whole.shape[0] / whole.shape[1]))
    wanted = np.asarray(
        Image.fromarray(whole).resize(small, Image.Resampling.BOX), float
    )
    assert difference(middle(wanted), middle(panel(view))) > 10
    notebook.evaluate("watcher.show('camera')")
    notebook.poll(
        lambda: difference(middle(wanted), middle(panel(view))) < 5,
        "picture like the view's",
    )
    for turned in (wanted[::-1], wanted[:, ::-1]):
        assert difference(middle(turned), middle(panel(view))) > 20


def corners(view: View) -> list[list[int]]:
    """The colours of a picture's four quarters: above left first, below right last."""
    pixels = panel(view)
    height, width = pixels.shape[:2]
    return [
        pixels[height * y // 4, width * x // 4].round().astype(int).tolist()
        for y in (1, 3)
        for x in (1, 3)
    ]


RED, GREEN, BLUE, WHITE = [255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]


def test_an_uploaded_image_stands_upright_in_its_colours(open_notebook: OpenNotebook):
    image = (
        "watcher.image = np.kron("
        f"np.array([[{RED}, {GREEN}], [{BLUE}, {WHITE}]], np.uint8),"
        "np.ones((32, 32, 1), np.uint8))\nwatcher.show('image')"
    )
    notebook = opened(open_notebook, SCENE, PLUGIN, image)
    view = shown(notebook)
    notebook.poll(
        lambda: corners(view) == [RED, GREEN, BLUE, WHITE], "image in its colours"
    )
    notebook.evaluate("watcher.image.__setitem__(slice(0, 32), 0)")
    notebook.evaluate("watcher.show('image')")
    notebook.poll(
        lambda: corners(view) == [[0, 0, 0], [0, 0, 0], BLUE, WHITE], "changed image"
    )
    notebook.save()
    notebook.reload()
    view = shown(notebook)
    notebook.poll(
        lambda: corners(view) == [[0, 0, 0], [0, 0, 0], BLUE, WHITE],
        "image in the reloaded page",
    )


FIXED = 2  # mjtCamera
APP = "next(p for p in studio._session.viewer.plugins.plugins if hasattr(p, 'cameras'))"
# Where its window opens in the view, and where its button is in that.
LEFT_SHARE, CORNER_EM, EYE_EM = 0.3, (1.5, 3.5), (1.0, 2.4)
SIZE_EM = (17, 14)


def test_a_cameras_window_shows_its_picture_and_lets_one_look_through(
    open_notebook: OpenNotebook,
):
    notebook = opened(open_notebook, SCENE, "studio.play()")
    view = shown(notebook)
    notebook.evaluate(f"{APP}.cameras.open('eye')")
    em = fonts.SIZE_PX
    width = view.box()["width"]
    left, top = LEFT_SHARE * width + CORNER_EM[0] * em, CORNER_EM[1] * em

    def share(colour: list[int]) -> float:
        bottom, right = round(top + SIZE_EM[1] * em), round(left + SIZE_EM[0] * em)
        window = view.pixels()[round(top) : bottom, round(left) : right].astype(int)
        return float((np.abs(window - colour).max(axis=-1) < 60).mean())

    notebook.poll(
        lambda: share(RED) > 0.01 and share(GREEN) > 0.01 and share(BLUE) > 0.01,
        "picture of all three things",
    )
    box = view.box()
    eye = left + EYE_EM[0] * em, top + EYE_EM[1] * em
    notebook.page.mouse.click(box["x"] + eye[0], box["y"] + eye[1])
    kind = "int(studio._session.viewer.camera.type)"
    notebook.poll(lambda: notebook.evaluate(kind) == FIXED, "look through the camera")
