"""What a place in the view shows, found in the kernel. Viewer thread only.

The page picks by itself when a person clicks. This is for panels, plugins and
scripts that have coordinates alone: where something was dropped, where a label goes.
"""

import dataclasses

import mujoco
import numpy as np
import numpy.typing as npt
from mujoco.studio import viewer_protocol

from studio_nb.scene import camera

# What the scene needs to hold for `mjv_select`, which takes the camera from it, and
# skins: what else can be hit comes from the model.
_NO_GEOMS = 1


@dataclasses.dataclass(frozen=True, slots=True)
class Pick:
    """What was hit.

    Attributes:
        body: Its body; of a flex or skin the nearest one.
        geom: The geom; -1 if none was hit.
        flex: The flex; -1 if none was hit.
        skin: The skin; -1 if none was hit.
        point: Where, in the world, metres, shape (3,); of a flex or skin the vertex.
    """

    body: int
    geom: int
    flex: int
    skin: int
    point: npt.NDArray[np.float64]


def pick(
    viewer: viewer_protocol.Viewer, x: float, y: float, width: float, height: float
) -> Pick | None:
    """Returns what the view shows at a place, or None where it shows nothing.

    What is hidden by its group or a visualization flag is not hit. A camera that
    moves in the page is known with the delay of a frame.

    Args:
        viewer: Its model, data, options and camera.
        x: From the left of the view, CSS pixels.
        y: From the top of the view, CSS pixels.
        width: Of the view, CSS pixels.
        height: Of the view, CSS pixels.

    Raises:
        ValueError: If the view has no size.
    """
    if not (width > 0 and height > 0):
        msg = f"the view is {width} x {height}: pick when it is shown"
        raise ValueError(msg)
    if not (0 <= x <= width and 0 <= y <= height):
        return None
    model, data = viewer.model, viewer.data
    camera.make_valid(model, viewer.camera)
    # Not the viewer's scene: that holds the camera of the last frame.
    scene = mujoco.MjvScene(model, _NO_GEOMS)
    mujoco.mjv_updateCamera(model, data, viewer.camera, scene)
    if model.nskin:
        # These alone are hit as the scene has them.
        mujoco.mjv_updateSkin(model, data, scene)
    point = np.zeros(3)
    geom, flex, skin = (np.full(1, -1, np.int32) for _ in range(3))
    body = mujoco.mjv_select(
        model, data, viewer.vis_options, width / height, x / width, 1 - y / height,
        scene, point, geom, flex, skin,
    )  # fmt: skip
    if body < 0:
        return None
    return Pick(body, int(geom[0]), int(flex[0]), int(skin[0]), point)
