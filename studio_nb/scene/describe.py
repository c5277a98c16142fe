"""The `scene` JSON of a `model` message: what a page must know once a model.

Called on the viewer thread when a model arrives; registers the model's meshes
and textures with the `AssetStore` that serves them. What of it a person can change
in a panel is read again for each frame, see `visual`.
"""

import functools
import operator
from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np

from studio_nb.scene import assets

_TEXTURE_TYPES = {
    mujoco.mjtTexture.mjTEXTURE_2D: "2d",
    mujoco.mjtTexture.mjTEXTURE_CUBE: "cube",
    mujoco.mjtTexture.mjTEXTURE_SKYBOX: "skybox",
}

# What a panel can change of the description, in the order of the VISUAL block
# (docs/wire.md): the key, how to read it, and its type in the description.
_VISUAL: tuple[tuple[str, Callable[[mujoco.MjModel], Any], Callable[[Any], Any]], ...]
_VISUAL = tuple(
    (path.rpartition(".")[2] + suffix, operator.attrgetter(path), kind)
    for path, suffix, kind in (
        ("stat.extent", "", float),
        ("stat.center", "", np.ndarray.tolist),
        ("vis.global_.fovy", "", float),
        ("vis.global_.orthographic", "", bool),
        ("vis.map.znear", "", float),
        ("vis.map.zfar", "", float),
        ("vis.map.fogstart", "", float),
        ("vis.map.fogend", "", float),
        ("vis.map.haze", "", float),
        ("vis.map.shadowclip", "", float),
        ("vis.map.shadowscale", "", float),
        ("vis.global_.linewidth", "", float),
        ("vis.rgba.fog", "_rgba", np.ndarray.tolist),
        ("vis.rgba.haze", "_rgba", np.ndarray.tolist),
        ("vis.quality.shadowsize", "", int),
        ("vis.quality.numslices", "", int),
        ("vis.quality.numstacks", "", int),
        ("vis.quality.numquads", "", int),
    )
)


def visual(model: mujoco.MjModel) -> bytes:
    """Returns what panels can change of the description, as the VISUAL block."""
    values: list[float] = []
    for _, read, kind in _VISUAL:
        value = kind(read(model))
        values += value if isinstance(value, list) else (value,)
    return np.array(values, "<f4").tobytes()


def describe(model: mujoco.MjModel, store: assets.AssetStore) -> dict[str, Any]:
    """Returns the description of `model` (docs/wire.md, "/model").

    Args:
        model: A compiled model.
        store: Takes the meshes and textures that the description names.
    """
    name = functools.partial(_name, model)
    textures = [_texture(model, i, store) for i in range(model.ntex)]
    skyboxes = [i for i, tex in enumerate(textures) if tex["type"] == "skybox"]
    return {
        "name": model.names[: model.names.index(b"\0")].decode(errors="replace"),
        **{key: kind(read(model)) for key, read, kind in _VISUAL},
        "meshes": [_mesh(model, i, store) for i in range(model.nmesh)],
        "textures": textures,
        "materials": [
            {
                "name": name(mujoco.mjtObj.mjOBJ_MATERIAL, i),
                "texid": model.mat_texid[i].tolist(),
                "texuniform": bool(model.mat_texuniform[i]),
                "texrepeat": model.mat_texrepeat[i].tolist(),
                **{
                    key: float(getattr(model, f"mat_{key}")[i])
                    for key in (
                        "emission", "specular", "shininess", "reflectance",
                        "metallic", "roughness",
                    )
                },
                "rgba": model.mat_rgba[i].tolist(),
            }
            for i in range(model.nmat)
        ],
        "skybox": skyboxes[0] if skyboxes else -1,
    }  # fmt: skip


def _name(model: mujoco.MjModel, kind: mujoco.mjtObj, index: int) -> str:
    return mujoco.mj_id2name(model, kind, index) or ""


def _mesh(model: mujoco.MjModel, i: int, store: assets.AssetStore) -> dict[str, Any]:
    parts = assets.mesh_parts(model, i)
    return {
        "hash": store.add(
            "mesh 1", list(parts.values()), functools.partial(assets.mesh_asset, parts)
        ),
        "bytes": sum(part.nbytes for part in parts.values()),
        "name": _name(model, mujoco.mjtObj.mjOBJ_MESH, i),
        "nvert": len(parts["vert"]),
        "nface": len(parts["face"]),
    }


def _texture(model: mujoco.MjModel, i: int, store: assets.AssetStore) -> dict[str, Any]:
    pixels = assets.texture_pixels(model, i)
    kind = _TEXTURE_TYPES[mujoco.mjtTexture(model.tex_type[i])]
    srgb = model.tex_colorspace[i] == mujoco.mjtColorSpace.mjCOLORSPACE_SRGB
    return {
        "hash": store.add(
            f"png 1 {kind}", [pixels], functools.partial(assets.png, pixels)
        ),
        "bytes": pixels.nbytes,
        "name": _name(model, mujoco.mjtObj.mjOBJ_TEXTURE, i),
        "type": kind,
        "width": pixels.shape[1],
        "height": pixels.shape[0],
        "nchannel": pixels.shape[2],
        "srgb": bool(srgb),
    }
