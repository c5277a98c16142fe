"""What the page leaves to the kernel: the wheel while flying, a click on a flex."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.session import Session, opened
from tests.browser.view import View

if TYPE_CHECKING:
    from tests.browser.conftest import OpenNotebook

MIDDLE = (0.5, 0.5)

# Seen from the home camera, a cloth fills the middle of the view.
CLOTH = """%%studio --paused
<mujoco>
  <visual><global cameraid="0"/></visual>
  <worldbody>
    <camera pos="0 -4 0" xyaxes="1 0 0 0 0 1"/>
    <flexcomp name="cloth" type="grid" count="5 5 1" spacing=".5 .5 .5" dim="2"
      euler="90 0 0"/>
  </worldbody>
</mujoco>
"""
APP = "next(p for p in studio._session.viewer.plugins.plugins if hasattr(p, 'lenses'))"


def test_the_wheel_is_the_flying_cameras_speed_and_zooms_nothing(
    open_notebook: OpenNotebook,
):
    notebook = opened(open_notebook, "%studio --paused")
    view, session = View(notebook), Session(notebook)
    view.wait_until_drawn()
    session.ask(f"{APP}.lenses.choose(-2)")
    session.ask("studio._session.viewer.touch()")
    notebook.poll(
        lambda: session.ask("studio._session.viewer.ui.takes_wheel"), "flying"
    )
    view.wait_until_still()
    camera, speed = session.camera(), session.ask(f"{APP}.lenses._speed_share")
    view.wheel(MIDDLE, -200)
    notebook.poll(
        lambda: session.ask(f"{APP}.lenses._speed_share") > speed, "a faster camera"
    )
    assert session.camera() == pytest.approx(camera)


def test_a_double_click_on_a_flex_selects_it(open_notebook: OpenNotebook):
    notebook = opened(open_notebook, CLOTH)
    view, session = View(notebook), Session(notebook)
    view.wait_until_drawn()
    selected = "studio._session.viewer.perturb.flexselect"
    assert session.ask(selected) == -1
    notebook.page.mouse.dblclick(*view.point(*MIDDLE))
    notebook.poll(lambda: session.ask(selected) == 0, "the flex selected")
