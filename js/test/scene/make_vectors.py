# ruff: noqa: INP001  (a script beside the file that it writes)
"""Writes vectors.jsonl: what MuJoCo itself says, for the scene tests of the page.

Run with the project's Python after a change of MuJoCo or of the wire format. It
holds camera moves (`mjv_moveCamera`), and a small scene as the kernel sends it
together with the rays that `mj_ray` shot at it.
"""

import base64
import json
import pathlib
from typing import Any

import mujoco
import numpy as np

from studio_nb.scene import assets, describe, frames, memory

SCENE = """
<mujoco>
  <asset>
    <mesh name="wedge" vertex="0 0 0  .4 0 0  0 .4 0  0 0 .4"/>
    <texture name="check" type="2d" builtin="checker" rgb1="1 0 0" rgb2="0 0 1"
      width="4" height="4"/>
    <material name="check" texture="check" texrepeat="2 3" reflectance=".2"/>
  </asset>
  <worldbody>
    <light pos="0 0 3" dir="0 0 -1"/>
    <geom name="floor" type="plane" size="2 1.5 .1" material="check"/>
    <geom name="ball" type="sphere" size=".2" pos="-1 0 .5"/>
    <geom name="pill" type="capsule" size=".1 .3" pos="-.4 .1 .6" euler="30 20 0"/>
    <geom name="egg" type="ellipsoid" size=".1 .2 .3" pos=".2 0 .5" euler="0 40 10"/>
    <geom name="can" type="cylinder" size=".15 .2" pos=".8 .2 .5" euler="60 0 0"/>
    <geom name="brick" type="box" size=".2 .1 .15" pos="1.4 0 .4" euler="10 20 30"/>
    <geom name="wedge" type="mesh" mesh="wedge" pos="0 -.8 .3" euler="0 0 45"/>
    <geom name="glass" type="box" size=".1 .1 .1" pos="0 .9 .2" rgba="0 0 1 .3"/>
  </worldbody>
</mujoco>
"""
ACTIONS = {
    "orbit": mujoco.mjtMouse.mjMOUSE_ROTATE_V,
    "pan": mujoco.mjtMouse.mjMOUSE_MOVE_V,
    "panHorizontal": mujoco.mjtMouse.mjMOUSE_MOVE_H,
    "zoom": mujoco.mjtMouse.mjMOUSE_ZOOM,
}


def pose(camera: mujoco.MjvCamera) -> dict[str, Any]:
    """Returns the camera's pose as the `camera` field of an `input` has it."""
    return {
        "lookat": camera.lookat.tolist(),
        "distance": camera.distance,
        "azimuth": camera.azimuth,
        "elevation": camera.elevation,
    }


def moves(model: mujoco.MjModel, data: mujoco.MjData) -> list[dict[str, Any]]:
    """Returns random moves of random cameras, each with what came of it."""
    rng = np.random.default_rng(0)
    scene, option = mujoco.MjvScene(model, 100), mujoco.MjvOption()
    made = []
    for i in range(60):
        action = list(ACTIONS)[i % 4]
        camera = mujoco.MjvCamera()
        camera.lookat = rng.normal(size=3)
        camera.distance = rng.uniform(0.05, 8)
        camera.azimuth = rng.uniform(-180, 180)
        camera.elevation = rng.uniform(-89, 89)
        camera.orthographic = int(i % 5 == 1)
        mujoco.mjv_updateScene(model, data, option, None, camera, 7, scene)
        dx, dy = rng.uniform(-0.7, 0.7, 2)
        before = pose(camera)
        mujoco.mjv_moveCamera(model, ACTIONS[action], dx, dy, camera)
        eye, right = scene.camera  # two eyes: ours is between them
        made.append(
            {
                "action": action,
                "orthographic": bool(camera.orthographic),
                "dx": dx,
                "dy": dy,
                "before": before,
                "after": pose(camera),
                "pos": ((eye.pos + right.pos) / 2).tolist(),
                "forward": eye.forward.tolist(),
                "up": eye.up.tolist(),
                "frustum": [
                    float(getattr(eye, f"frustum_{side}"))
                    for side in ("bottom", "top", "near", "far")
                ],
            }
        )
    return made


def rays(model: mujoco.MjModel, data: mujoco.MjData) -> list[dict[str, Any]]:
    """Returns rays from around the scene, each with the geom that it meets first."""
    rng = np.random.default_rng(1)
    made = []
    for i in range(200):
        origin = rng.uniform([-3, -3, 0.3], [3, 3, 3])
        # At a geom, or somewhere else.
        target = data.geom_xpos[i % model.ngeom] + rng.normal(size=3) * 0.15
        direction = (target - origin) / np.linalg.norm(target - origin)
        geom = np.zeros(1, np.int32)
        distance = mujoco.mj_ray(model, data, origin, direction, None, 1, -1, geom)
        made.append(
            {
                "origin": origin.tolist(),
                "direction": direction.tolist(),
                "geom": int(geom[0]),
                "distance": distance,
            }
        )
    return made


def main() -> None:
    """Writes vectors.jsonl beside this file."""
    model = mujoco.MjModel.from_xml_string(SCENE)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    store = assets.AssetStore()
    description = describe.describe(model, store)
    scene, camera = mujoco.MjvScene(model, 100), mujoco.MjvCamera()
    mujoco.mjv_defaultFreeCamera(model, camera)
    mujoco.mjv_updateScene(model, data, mujoco.MjvOption(), None, camera, 7, scene)
    info = frames.FrameInfo(
        data.time, paused=False, selected=0, camera=camera, generation=1
    )
    packet = frames.FrameEncoder(model.stat.extent).encode(
        memory.SceneView(scene), info, full=True
    )
    hashes = [item["hash"] for item in description["meshes"]]
    vectors = {
        "mujoco": mujoco.__version__,
        "scene": description,
        "assets": {key: base64.b64encode(store.bytes(key)).decode() for key in hashes},
        "frame": base64.b64encode(packet).decode(),
        "xmat": data.geom_xmat.round(6).tolist(),
        "moves": moves(model, data),
        "rays": rays(model, data),
    }
    path = pathlib.Path(__file__).with_name("vectors.jsonl")
    path.write_text(json.dumps(vectors) + "\n")


if __name__ == "__main__":
    main()
