"""`MjvScene`'s geoms and lights as structured NumPy arrays, without copies.

`scene.geoms` builds a Python object for each of `maxgeom` geoms; packing 1901
of them takes milliseconds. The C arrays are contiguous, so a structured view
over their memory makes packing a few vectorised copies. The layout is that of
`mjvGeom` and `mjvLight` in MuJoCo's `mjvisualize.h`; it is checked against
attribute access once, and where it differs attributes are read instead.
"""

import ctypes
import functools
from typing import Any

import mujoco
import numpy as np
import numpy.typing as npt

GEOM: np.dtype[Any] = np.dtype(
    {
        "names": [
            "type", "dataid", "objtype", "objid", "category", "matid", "texid",
            "texuniform", "texcoord", "segid", "size", "pos", "mat", "rgba",
            "emission", "specular", "shininess", "reflectance", "texrepeat",
            "castshadow", "label", "transparent",
        ],
        "formats": [
            *["<i4"] * 10, "(3,)<f4", "(3,)<f4", "(3,3)<f4", "(4,)<f4",
            *["<f4"] * 4, "(2,)<f4", "u1", "S100", "u1",
        ],
        "offsets": [
            *range(0, 40, 4), 40, 52, 64, 100, 116, 120, 124, 128, 132,
            140, 141, 252,
        ],
        "itemsize": 256,
    }
)  # fmt: skip

LIGHT: np.dtype[Any] = np.dtype(
    {
        "names": [
            "id", "pos", "dir", "type", "texid", "attenuation", "cutoff",
            "exponent", "ambient", "diffuse", "specular", "headlight",
            "castshadow", "bulbradius", "intensity", "range", "softness",
        ],
        "formats": [
            "<i4", "(3,)<f4", "(3,)<f4", "<i4", "<i4", "(3,)<f4", "<f4", "<f4",
            "(3,)<f4", "(3,)<f4", "(3,)<f4", "u1", "u1", *["<f4"] * 4,
        ],
        "offsets": [
            0, 4, 16, 28, 32, 36, 48, 52, 56, 68, 80, 92, 93, 96, 100, 104, 108,
        ],
        "itemsize": 112,
    }
)  # fmt: skip


# Where the fields are that tell where an array begins.
_SIZE_AT, _POS_AT = 40, 4


class SceneView:
    """The geoms and lights of one `MjvScene`.

    The scene owns the memory: keep this object no longer than the scene, and
    copy what must outlive the next `mjv_updateScene`.
    """

    def __init__(self, scene: mujoco.MjvScene) -> None:
        """Views `scene`, which this object keeps alive."""
        self.scene = scene
        if layout_is_known() and scene.maxgeom:
            geom = scene.geoms[0]
            self._geoms = _view(geom.size, GEOM, _SIZE_AT, scene.maxgeom)
            self._lights = _view(scene.lights[0].pos, LIGHT, _POS_AT, len(scene.lights))
        else:
            self._geoms = self._lights = None

    @property
    def geoms(self) -> npt.NDArray[np.void]:
        """The `ngeom` listed geoms, dtype `GEOM`: a view, or a copy as a fallback."""
        if self._geoms is None:
            return _read(self.scene.geoms[: self.scene.ngeom], GEOM)
        return self._geoms[: self.scene.ngeom]

    @property
    def lights(self) -> npt.NDArray[np.void]:
        """The `nlight` lights, dtype `LIGHT`: a view, or a copy as a fallback."""
        if self._lights is None:
            return _read(self.scene.lights[: self.scene.nlight], LIGHT)
        return self._lights[: self.scene.nlight]

    def append(self, geoms: list[mujoco.MjvGeom]) -> None:
        """Lists `geoms` too, behind those that are there; the room must suffice."""
        start, end = self.scene.ngeom, self.scene.ngeom + len(geoms)
        self.scene.ngeom = end
        if self._geoms is not None:
            # By attribute a geom costs 13 us, and plugins draw hundreds a frame.
            row = self._geoms.ctypes.data + start * GEOM.itemsize
            for geom in geoms:
                ctypes.memmove(row, geom.size.ctypes.data - _SIZE_AT, GEOM.itemsize)
                row += GEOM.itemsize
        else:
            for listed, geom in zip(self.scene.geoms[start:end], geoms, strict=True):
                for name in GEOM.names or ():
                    setattr(listed, name, getattr(geom, name))


def _view(
    field: npt.NDArray[np.float32], dtype: np.dtype[Any], offset: int, length: int
) -> npt.NDArray[Any]:
    """Views the C array whose first element has `field` at `offset`."""
    size = length * dtype.itemsize
    buffer = (ctypes.c_char * size).from_address(field.ctypes.data - offset)
    return np.frombuffer(memoryview(buffer), dtype)


def _read(items: list[mujoco.MjvGeom], dtype: np.dtype) -> npt.NDArray[np.void]:
    """Copies objects into a structured array by attribute access."""
    table = np.zeros(len(items), dtype)
    for row, item in zip(table, items, strict=True):
        for name in dtype.names or ():
            value = getattr(item, name)
            row[name] = value.encode() if isinstance(value, str) else value
    return table


_PROBE = """
<mujoco><visual><headlight diffuse=".1 .2 .3"/></visual><asset>
  <texture name="t" type="2d" builtin="checker" width="8" height="8"/>
  <material name="m" texture="t" texrepeat="3 5" specular=".25" shininess=".75"
    reflectance=".125" emission=".5"/></asset>
<worldbody><light pos="1 2 3" dir="0 .6 -.8" cutoff="31" exponent="7"/>
  <geom type="plane" size="2 3 .1" material="m"/>
  <geom type="box" size=".1 .2 .3" pos="4 5 6" euler="10 20 30" rgba=".1 .2 .3 .4"/>
</worldbody></mujoco>
"""


@functools.cache
def layout_is_known() -> bool:
    """Tells whether the running MuJoCo lays its structs out as assumed here."""
    model = mujoco.MjModel.from_xml_string(_PROBE)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    scene = mujoco.MjvScene(model, maxgeom=16)
    option = mujoco.MjvOption()
    option.label = mujoco.mjtLabel.mjLABEL_GEOM
    mujoco.mjv_updateScene(
        model, data, option, None, mujoco.MjvCamera(),
        mujoco.mjtCatBit.mjCAT_ALL, scene,
    )  # fmt: skip
    geoms, lights = scene.geoms[: scene.ngeom], scene.lights[: scene.nlight]
    try:
        strides = (
            geoms[1].pos.ctypes.data - geoms[0].pos.ctypes.data,
            lights[1].pos.ctypes.data - lights[0].pos.ctypes.data,
        )
        if strides != (GEOM.itemsize, LIGHT.itemsize):
            return False
        seen_geoms = _view(geoms[0].size, GEOM, _SIZE_AT, len(geoms))
        seen_lights = _view(lights[0].pos, LIGHT, _POS_AT, len(lights))
        read_geoms, read_lights = _read(geoms, GEOM), _read(lights, LIGHT)
    except (AttributeError, IndexError):
        return False
    return all(
        np.array_equal(seen[name], read[name])
        for seen, read in ((seen_geoms, read_geoms), (seen_lights, read_lights))
        for name in read.dtype.names or ()
    )
