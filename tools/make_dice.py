"""Makes the mesh and texture of the dice in studio_nb/models; run it to change them.

A die is a cube with rounded edges, one grid a face. Its texture has the six faces in
two rows, 1 2 3 over 6 5 4, so that opposite faces add up to seven.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

ASSETS = Path(__file__).parents[1] / "studio_nb" / "models" / "assets"
RADIUS = 0.28  # of the rounded edge, in half edges of the cube
STEPS = 4  # grid lines across a rounded edge
TILE = 128  # pixels a face
PIP = 0.11  # radius of a pip, in edges
SPREAD = 0.48  # of an outer pip from the middle, in half edges
PIPS = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (-1, 1), (1, -1), (1, 1)],
    5: [(-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)],
    6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)],
}
# Outward normal, then the direction of u, of each face; v follows by the right hand.
FACES = {
    1: ((0, 0, 1), (1, 0, 0)),
    2: ((1, 0, 0), (0, 1, 0)),
    3: ((0, 1, 0), (0, 0, 1)),
    4: ((0, -1, 0), (1, 0, 0)),
    5: ((-1, 0, 0), (0, 0, 1)),
    6: ((0, 0, -1), (0, 1, 0)),
}
TILES = {1: (0, 0), 2: (1, 0), 3: (2, 0), 6: (0, 1), 5: (1, 1), 4: (2, 1)}


def grid_lines() -> np.ndarray:
    """Where the grid lines of a face lie in [-1, 1]: only rounded edges need them."""
    edge = 1 - RADIUS + RADIUS * np.tan(np.linspace(0, np.pi / 4, STEPS))
    return np.concatenate([-edge[::-1], edge])


def face_grid(face: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions (n, n, 3), normals (n, n, 3) and texture coordinates (n, n, 2)."""
    normal, u = (np.array(axis, float) for axis in FACES[face])
    v = np.cross(normal, u)
    a, b = np.meshgrid(grid_lines(), grid_lines(), indexing="ij")
    cube = normal + a[..., None] * u + b[..., None] * v
    core = np.clip(cube, RADIUS - 1, 1 - RADIUS)
    out = cube - core
    out /= np.linalg.norm(out, axis=-1, keepdims=True)
    column, row = TILES[face]
    uv = np.stack([(column + (a + 1) / 2) / 3, 1 - (row + (1 - b) / 2) / 2], axis=-1)
    return core + RADIUS * out, out, uv


def obj() -> str:
    """The die, 2 units an edge, as the text of an OBJ file."""
    lines: list[str] = []
    faces: list[str] = []
    for index, face in enumerate(FACES):
        position, normal, uv = face_grid(face)
        n = len(position)
        for name, rows in (("v", position), ("vn", normal), ("vt", uv)):
            lines += [
                f"{name} " + " ".join(f"{x:.4f}".rstrip("0").rstrip(".") for x in row)
                for row in rows.reshape(n * n, -1)
            ]
        for i in range(n - 1):
            for j in range(n - 1):
                first = 1 + index * n * n + i * n + j
                corners = (first, first + n, first + n + 1, first + 1)
                faces.append("f " + " ".join(f"{c}/{c}/{c}" for c in corners))
    return "\n".join([*lines, *faces, ""])


def texture() -> np.ndarray:
    """The six faces with their pips, smoothed over a pixel, as an RGB image."""
    ivory, ink = np.array([250, 247, 240]), np.array([32, 34, 40])
    image = np.empty((2 * TILE, 3 * TILE, 3))
    x, y = np.meshgrid(*2 * [(np.arange(TILE) + 0.5) / TILE * 2 - 1])
    for face, (column, row) in TILES.items():
        distances = [np.hypot(x - SPREAD * i, y - SPREAD * j) for i, j in PIPS[face]]
        gap = np.minimum.reduce(distances)
        paper = np.clip((gap - 2 * PIP) * TILE / 2 + 0.5, 0, 1)[..., None]
        tile = paper * ivory + (1 - paper) * ink
        image[row * TILE : (row + 1) * TILE, column * TILE : (column + 1) * TILE] = tile
    return image.round().astype(np.uint8)


def main() -> None:
    """Writes both files."""
    ASSETS.mkdir(parents=True, exist_ok=True)
    (ASSETS / "die.obj").write_text(obj())
    Image.fromarray(texture()).save(ASSETS / "die.png", optimize=True)


if __name__ == "__main__":
    main()
