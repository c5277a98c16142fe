"""The `scene` JSON of a `model` message: what a page must know once a model.

Called on the viewer thread when a model arrives; registers the model's meshes
and textures with the `AssetStore` that serves them.
"""

import functools
from typing import Any

import mujoco

from studio_nb.scene import assets

_TEXTURE_TYPES = {
    mujoco.mjtTexture.mjTEXTURE_2D: "2d",
    mujoco.mjtTexture.mjTEXTURE_CUBE: "cube",
    mujoco.mjtTexture.mjTEXTURE_SKYBOX: "skybox",
}


def describe(model: mujoco.MjModel, store: assets.AssetStore) -> dict[str, Any]:
    """Returns the description of `model` (docs/wire.md, "/model").

    Args:
        model: A compiled model.
        store: Takes the meshes and textures that the description names.
    """
    vis, name = model.vis, functools.partial(_name, model)
    textures = [_texture(model, i, store) for i in range(model.ntex)]
    skyboxes = [i for i, tex in enumerate(textures) if tex["type"] == "skybox"]
    return {
        "name": model.names[: model.names.index(b"\0")].decode(errors="replace"),
        "extent": float(model.stat.extent),
        "center": model.stat.center.tolist(),
        "fovy": float(vis.global_.fovy),
        "orthographic": bool(vis.global_.orthographic),
        "linewidth": float(vis.global_.linewidth),
        **{
            key: float(getattr(vis.map, key))
            for key in (
                "znear", "zfar", "fogstart", "fogend", "haze", "shadowclip",
                "shadowscale",
            )
        },
        "fog_rgba": vis.rgba.fog.tolist(),
        "haze_rgba": vis.rgba.haze.tolist(),
        "shadowsize": int(vis.quality.shadowsize),
        "numslices": int(vis.quality.numslices),
        "numstacks": int(vis.quality.numstacks),
        "numquads": int(vis.quality.numquads),
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
