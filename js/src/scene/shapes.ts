// The built-in shapes of MuJoCo's scenes as vertex arrays, in the units in which a geom's
// `size` scales them. Pure arithmetic; `batches.ts` puts them on the GPU.
//
// A vertex is four numbers: (x, y, z) times the geom's size is the local position, and
// `cap` times the mean of the two radii is added to z, so that the caps of a capsule stay
// round whatever its length. What each shape spans follows MuJoCo's own renderer: its
// built-in geometry (render_context.c) and how it places it (render_gl3.c, renderGeom).

import { GeomType } from "./description";

export interface Shape {
  /** x, y, z, cap. */
  vertex: Float32Array<ArrayBuffer>;
  normal: Float32Array<ArrayBuffer>;
  /** Where 2-D textures are looked up. */
  uv: Float32Array<ArrayBuffer>;
  /** Where cube textures are looked up: the place on the unscaled part. */
  object: Float32Array<ArrayBuffer>;
  index: Uint16Array<ArrayBuffer>;
}

/** How finely curved and flat surfaces are cut. */
export interface Detail {
  slices: number;
  stacks: number;
  /** Divisions along a flat or straight side: only lighting by vertex needs more than 1. */
  quads: number;
}

/** MuJoCo's arrow heads are wider than their shafts by this factor (render_gl3.c). */
const HEAD_WIDTH = 1.75;

interface Point {
  p: number[];
  n: number[];
  uv: [number, number];
  cap?: number;
}

type Grid = (u: number, v: number) => Point;

interface Part {
  scale: [number, number, number];
  lift: number;
}

const WHOLE: Part = { scale: [1, 1, 1], lift: 0 };

class Builder {
  readonly vertex: number[] = [];
  readonly normal: number[] = [];
  readonly uv: number[] = [];
  readonly object: number[] = [];
  readonly index: number[] = [];

  /** A surface over [0, 1] x [0, 1], facing the side from which u, v turn left. */
  grid(nu: number, nv: number, at: Grid, { scale, lift }: Part = WHOLE): this {
    const first = this.vertex.length / 4;
    for (let j = 0; j <= nv; j++) {
      for (let i = 0; i <= nu; i++) {
        const { p, n, uv, cap = 0 } = at(i / nu, j / nv);
        this.uv.push(...uv);
        const [x, y, z] = p as [number, number, number];
        this.vertex.push(x * scale[0], y * scale[1], z * scale[2] + lift, cap);
        this.object.push(x, y, z + cap);
        const [nx, ny, nz] = n.map((value, k) => value / (scale[k] as number));
        const length = Math.hypot(nx as number, ny as number, nz as number);
        for (const value of [nx, ny, nz]) this.normal.push((value as number) / length);
      }
    }
    for (let j = 0; j < nv; j++) {
      for (let i = 0; i < nu; i++) {
        const a = first + j * (nu + 1) + i;
        const b = a + nu + 1;
        this.index.push(a, a + 1, b + 1, a, b + 1, b);
      }
    }
    return this;
  }

  /** The band of a unit sphere from elevation `from` to `to`, raised to z = `base`. */
  band({ slices, stacks }: Detail, from: number, to: number, base = 0): this {
    const rows = Math.max(2, Math.round((stacks * (to - from)) / Math.PI));
    return this.grid(slices, rows, (u, v) => {
      const azimuth = u * 2 * Math.PI;
      const elevation = from + v * (to - from);
      const c = Math.cos(elevation);
      const x = Math.cos(azimuth) * c;
      const y = Math.sin(azimuth) * c;
      const z = Math.sin(elevation);
      const n = [x, y, z];
      const height = elevation / Math.PI;
      if (base === 0) return { p: n, n, uv: [u, 0.5 - height] };
      const uv: Point["uv"] = [u, (base > 0 ? 1 : 0) - 2 * height];
      return { p: [x, y, base], n, uv, cap: z };
    });
  }

  tube({ slices, quads }: Detail, part = WHOLE): this {
    const side: Grid = (u, v) => {
      const x = Math.cos(u * 2 * Math.PI);
      const y = Math.sin(u * 2 * Math.PI);
      return { p: [x, y, 2 * v - 1], n: [x, y, 0], uv: [u, 1 - v] };
    };
    return this.grid(slices, quads, side, part);
  }

  disk({ slices, quads }: Detail, z: number, up: 1 | -1, part = WHOLE): this {
    const face: Grid = (u, v) => {
      const r = up > 0 ? 1 - v : v;
      const azimuth = u * 2 * Math.PI;
      const x = Math.cos(azimuth) * r;
      const y = Math.sin(azimuth) * r;
      return { p: [x, y, z], n: [0, 0, up], uv: [0.5 + 0.5 * x, 0.5 + 0.5 * y] };
    };
    return this.grid(slices, quads, face, part);
  }

  /** A cone of unit radius and height on z = 0, or hanging from it. */
  cone(detail: Detail, up: 1 | -1, part: Part): this {
    const mantle: Grid = (u, v) => {
      const r = up > 0 ? 1 - v : v;
      const x = Math.cos(u * 2 * Math.PI);
      const y = Math.sin(u * 2 * Math.PI);
      return { p: [x * r, y * r, up * (1 - r)], n: [x, y, up], uv: [u, r] };
    };
    this.grid(detail.slices, detail.quads, mantle, part);
    return this.disk(detail, 0, -up as 1 | -1, part);
  }

  /** One face of the unit box; `axes` are its normal, right and up, as signed 1, 2, 3. */
  face(quads: number, axes: [number, number, number]): this {
    const unit = (axis: number) =>
      [1, 2, 3].map((k) => (Math.abs(axis) === k ? Math.sign(axis) : 0));
    const [n, right, up] = axes.map(unit) as [number[], number[], number[]];
    // Textures lie along the two other axes in their order, whichever way the face looks.
    const [s, t] = [0, 1, 2].filter((k) => n[k] === 0) as [number, number];
    const flat: Grid = (u, v) => {
      const p = n.map(
        (value, k) =>
          value + (2 * u - 1) * (right[k] as number) + (2 * v - 1) * (up[k] as number),
      );
      const at = (k: number) => 0.5 * (p[k] as number);
      return { p, n, uv: [0.5 + at(s), 0.5 - at(t)] };
    };
    return this.grid(quads, quads, flat);
  }

  done(): Shape {
    return {
      vertex: new Float32Array(this.vertex),
      normal: new Float32Array(this.normal),
      uv: new Float32Array(this.uv),
      object: new Float32Array(this.object),
      index: new Uint16Array(this.index),
    };
  }
}

const BOX_FACES: [number, number, number][] = [
  [3, 1, 2],
  [-3, 2, 1],
  [1, 2, 3],
  [-1, 3, 2],
  [-2, 1, 3],
  [2, 3, 1],
];

function arrow(detail: Detail, head: number): Shape {
  // Shaft and head share size[2] as 2 : 1, and MuJoCo's size[2] is twice the length.
  const shaft: Part = { scale: [1, 1, 1 / 6], lift: 1 / 6 };
  const tip: Part = { scale: [head, head, 1 / 6], lift: 1 / 3 };
  return new Builder()
    .disk(detail, -1, -1, shaft)
    .tube(detail, shaft)
    .disk(detail, 1, 1, shaft)
    .cone(detail, 1, tip)
    .done();
}

function doubleArrow(detail: Detail): Shape {
  const scale: Part["scale"] = [HEAD_WIDTH, HEAD_WIDTH, 1 / 6];
  return new Builder()
    .tube(detail, { scale: [1, 1, 1 / 3], lift: 0 })
    .cone(detail, 1, { scale, lift: 1 / 3 })
    .cone(detail, -1, { scale, lift: -1 / 3 })
    .done();
}

const HALF_PI = Math.PI / 2;

/** The shape of a geom type, or null when it is none of the built-in ones. */
export function makeShape(type: number, detail: Detail): Shape | null {
  const build = new Builder();
  switch (type) {
    case GeomType.PLANE:
      return build
        .grid(planeQuads(detail), planeQuads(detail), (u, v) => ({
          p: [2 * u - 1, 2 * v - 1, 0],
          n: [0, 0, 1],
          uv: [u, 1 - v],
        }))
        .done();
    case GeomType.SPHERE:
    case GeomType.ELLIPSOID:
      return build.band(detail, -HALF_PI, HALF_PI).done();
    case GeomType.CAPSULE:
      return build
        .band(detail, -HALF_PI, 0, -1)
        .tube(detail)
        .band(detail, 0, HALF_PI, 1)
        .done();
    case GeomType.CYLINDER:
      return build.disk(detail, -1, -1).tube(detail).disk(detail, 1, 1).done();
    case GeomType.BOX:
      for (const axes of BOX_FACES) build.face(detail.quads, axes);
      return build.done();
    case GeomType.ARROW:
      return arrow(detail, HEAD_WIDTH);
    case GeomType.ARROW1:
      return arrow(detail, 1);
    case GeomType.ARROW2:
      return doubleArrow(detail);
    case GeomType.TRIANGLE:
      return {
        vertex: new Float32Array([0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0]),
        normal: new Float32Array([0, 0, 1, 0, 0, 1, 0, 0, 1]),
        uv: new Float32Array([0, 0, 1, 0, 0, 1]),
        object: new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]),
        index: new Uint16Array([0, 1, 2]),
      };
    default:
      return null;
  }
}

/** A floor lit by vertex needs many more divisions than the side of a box. */
function planeQuads({ quads }: Detail): number {
  return quads === 1 ? 1 : 16 * quads;
}

/** The edges of LINE and LINEBOX: from and to, in units of the geom's size. */
export function lineSegments(type: number): Float32Array<ArrayBuffer> | null {
  if (type === GeomType.LINE) return new Float32Array([0, 0, 0, 0, 0, 1]);
  if (type !== GeomType.LINEBOX) return null;
  const ends: number[] = [];
  for (let axis = 0; axis < 3; axis++) {
    for (const a of [-1, 1]) {
      for (const b of [-1, 1]) {
        for (const end of [-1, 1]) {
          const corner = [a, b];
          corner.splice(axis, 0, end);
          ends.push(...corner);
        }
      }
    }
  }
  return new Float32Array(ends);
}
