// What lies under the pointer: the first geom that a ray meets, exact for each shape and
// for each triangle of a mesh. Arithmetic only; called by SceneView.pick.

import type { MeshData } from "./assets";
import { CATEGORY_DECOR, GeomType, type Vec3 } from "./description";
import { addScaled, dot, sub } from "./matrix";
import type { Scene } from "./scene";
import { Look, POSE_FLOATS } from "./tables";

export interface Hit {
  objtype: number;
  objid: number;
  /** Row of the geom in the scene. */
  geom: number;
  point: Vec3;
}

/** The nearest geom that is part of the model, or null. `direction` is a unit vector. */
export function pickGeom(scene: Scene, origin: Vec3, direction: Vec3): Hit | null {
  const { geoms } = scene;
  let nearest = Number.POSITIVE_INFINITY;
  let found = -1;
  for (let row = 0; row < geoms.count; row++) {
    if (geoms.int(row, Look.CATEGORY) === CATEGORY_DECOR) continue;
    const t = distanceTo(scene, row, origin, direction);
    if (t < nearest) {
      nearest = t;
      found = row;
    }
  }
  if (found < 0) return null;
  return {
    objtype: geoms.int(found, Look.OBJTYPE),
    objid: geoms.int(found, Look.OBJID),
    geom: found,
    point: addScaled(origin, direction, nearest),
  };
}

/** How far along the ray geom `row` begins; infinity when the ray misses it. */
function distanceTo(scene: Scene, row: number, origin: Vec3, direction: Vec3): number {
  const { geoms } = scene;
  const pose = geoms.pose.subarray(row * POSE_FLOATS, (row + 1) * POSE_FLOATS);
  const local = (v: Vec3): Vec3 => {
    const along = (c: number) =>
      v[0] * (pose[3 + c] as number) +
      v[1] * (pose[6 + c] as number) +
      v[2] * (pose[9 + c] as number);
    return [along(0), along(1), along(2)];
  };
  const at: Vec3 = [pose[0] as number, pose[1] as number, pose[2] as number];
  const p = local(sub(origin, at));
  const v = local(direction);
  const [a, b, c] = geoms.size.subarray(3 * row, 3 * row + 3) as unknown as Vec3;
  switch (geoms.int(row, Look.TYPE)) {
    case GeomType.PLANE:
      return plane(p, v, a, b);
    case GeomType.SPHERE:
    case GeomType.ELLIPSOID:
      return ellipsoid(p, v, [a, b, c]);
    case GeomType.CAPSULE:
      return Math.min(tube(p, v, a, c), ball(p, v, a, c), ball(p, v, a, -c));
    case GeomType.CYLINDER:
      return Math.min(tube(p, v, a, c), disk(p, v, a, c), disk(p, v, a, -c));
    case GeomType.BOX:
      return box(p, v, [-a, -b, -c], [a, b, c]);
    case GeomType.MESH:
    case GeomType.SDF: {
      const mesh = scene.mesh(geoms.int(row, Look.DATAID));
      return mesh ? triangles(p, v, mesh) : Number.POSITIVE_INFINITY;
    }
    default:
      return Number.POSITIVE_INFINITY;
  }
}

const MISS = Number.POSITIVE_INFINITY;

function plane(p: Vec3, v: Vec3, sx: number, sy: number): number {
  const t = -p[2] / v[2];
  if (!(t > 0)) return MISS;
  const inside = (k: 0 | 1, size: number) =>
    size <= 0 || Math.abs(p[k] + t * v[k]) <= size;
  return inside(0, sx) && inside(1, sy) ? t : MISS;
}

/** The smaller positive root of a t² + 2 b t + c, if `keep` accepts it. */
function root(a: number, b: number, c: number, keep: (t: number) => boolean): number {
  const under = b * b - a * c;
  if (!(under >= 0) || a === 0) return MISS;
  const s = Math.sqrt(under);
  for (const t of [(-b - s) / a, (-b + s) / a]) if (t > 0 && keep(t)) return t;
  return MISS;
}

const always = () => true;

function ellipsoid(p: Vec3, v: Vec3, size: Vec3): number {
  const q: Vec3 = [p[0] / size[0], p[1] / size[1], p[2] / size[2]];
  const w: Vec3 = [v[0] / size[0], v[1] / size[1], v[2] / size[2]];
  return root(dot(w, w), dot(q, w), dot(q, q) - 1, always);
}

function ball(p: Vec3, v: Vec3, radius: number, z: number): number {
  const q: Vec3 = [p[0], p[1], p[2] - z];
  // Only the half that caps the capsule: the other lies inside of it.
  return root(
    dot(v, v),
    dot(q, v),
    dot(q, q) - radius * radius,
    (t) => (q[2] + t * v[2]) * z >= 0,
  );
}

function tube(p: Vec3, v: Vec3, radius: number, half: number): number {
  return root(
    v[0] * v[0] + v[1] * v[1],
    p[0] * v[0] + p[1] * v[1],
    p[0] * p[0] + p[1] * p[1] - radius * radius,
    (t) => Math.abs(p[2] + t * v[2]) <= half,
  );
}

function disk(p: Vec3, v: Vec3, radius: number, z: number): number {
  const t = (z - p[2]) / v[2];
  if (!(t > 0)) return MISS;
  return Math.hypot(p[0] + t * v[0], p[1] + t * v[1]) <= radius ? t : MISS;
}

/** Where the ray enters a box; where it leaves it, when it begins inside. */
function box(p: Vec3, v: Vec3, low: Vec3, high: Vec3): number {
  let enter = Number.NEGATIVE_INFINITY;
  let leave = MISS;
  for (const k of [0, 1, 2] as const) {
    if (v[k] === 0) {
      if (p[k] < low[k] || p[k] > high[k]) return MISS;
      continue;
    }
    const t0 = (low[k] - p[k]) / v[k];
    const t1 = (high[k] - p[k]) / v[k];
    enter = Math.max(enter, Math.min(t0, t1));
    leave = Math.min(leave, Math.max(t0, t1));
  }
  if (!(enter <= leave) || leave <= 0) return MISS;
  return enter > 0 ? enter : leave;
}

/** Möller and Trumbore, "Fast, minimum storage ray/triangle intersection" (1997). */
function triangles(p: Vec3, v: Vec3, { position, index, bounds }: MeshData): number {
  const corner = (k: number) => bounds.subarray(k, k + 3) as unknown as Vec3;
  if (box(p, v, corner(0), corner(3)) === MISS) return MISS;
  const [px, py, pz] = p;
  const [vx, vy, vz] = v;
  let nearest = MISS;
  const at = (i: number) => position[i] as number;
  for (let i = 0; i < index.length; i += 3) {
    const a = 3 * (index[i] as number);
    const b = 3 * (index[i + 1] as number);
    const c = 3 * (index[i + 2] as number);
    const ax = at(a);
    const ay = at(a + 1);
    const az = at(a + 2);
    const e1x = at(b) - ax;
    const e1y = at(b + 1) - ay;
    const e1z = at(b + 2) - az;
    const e2x = at(c) - ax;
    const e2y = at(c + 1) - ay;
    const e2z = at(c + 2) - az;
    const hx = vy * e2z - vz * e2y;
    const hy = vz * e2x - vx * e2z;
    const hz = vx * e2y - vy * e2x;
    const det = e1x * hx + e1y * hy + e1z * hz;
    if (det === 0) continue;
    const sx = px - ax;
    const sy = py - ay;
    const sz = pz - az;
    const u = (sx * hx + sy * hy + sz * hz) / det;
    if (u < 0 || u > 1) continue;
    const qx = sy * e1z - sz * e1y;
    const qy = sz * e1x - sx * e1z;
    const qz = sx * e1y - sy * e1x;
    const w = (vx * qx + vy * qy + vz * qz) / det;
    if (w < 0 || u + w > 1) continue;
    const t = (e2x * qx + e2y * qy + e2z * qz) / det;
    if (t > 0 && t < nearest) nearest = t;
  }
  return nearest;
}
