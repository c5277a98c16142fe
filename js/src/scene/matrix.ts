// The few operations on 3-vectors and column-major 4 x 4 matrices that the scene needs,
// in double precision and without three.js, so that cameras and rays are tested in Node.

import type { Vec3 } from "./description";

/** Column-major, as WebGL takes it. */
export type Mat4 = Float64Array;

export function dot(a: Vec3, b: Vec3): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

export function cross(a: Vec3, b: Vec3): Vec3 {
  return [
    a[1] * b[2] - a[2] * b[1],
    a[2] * b[0] - a[0] * b[2],
    a[0] * b[1] - a[1] * b[0],
  ];
}

export function sub(a: Vec3, b: Vec3): Vec3 {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

/** a + s b */
export function addScaled(a: Vec3, b: Vec3, s: number): Vec3 {
  return [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
}

/** A unit vector; (0, 0, 1) for one that has no direction, as MuJoCo's renderer does. */
export function normalized(v: Vec3): Vec3 {
  const length = Math.hypot(v[0], v[1], v[2]);
  return length < 1e-10 ? [0, 0, 1] : [v[0] / length, v[1] / length, v[2] / length];
}

/** World to eye, for an eye at `pos` that looks along `forward`. */
export function lookAlong(pos: Vec3, forward: Vec3, up: Vec3, out: Mat4): Mat4 {
  const f = normalized(forward);
  const s = normalized(cross(f, up));
  const u = cross(s, f);
  out.set([s[0], u[0], -f[0], 0, s[1], u[1], -f[1], 0, s[2], u[2], -f[2], 0]);
  out.set([-dot(s, pos), -dot(u, pos), dot(f, pos), 1], 12);
  return out;
}

export interface Box {
  left: number;
  right: number;
  bottom: number;
  top: number;
  near: number;
  far: number;
}

/** OpenGL's glFrustum. */
export function frustum({ left, right, bottom, top, near, far }: Box, out: Mat4): Mat4 {
  out.fill(0);
  out[0] = (2 * near) / (right - left);
  out[5] = (2 * near) / (top - bottom);
  out[8] = (right + left) / (right - left);
  out[9] = (top + bottom) / (top - bottom);
  out[10] = -(far + near) / (far - near);
  out[11] = -1;
  out[14] = (-2 * far * near) / (far - near);
  return out;
}

/** OpenGL's glOrtho. */
export function ortho({ left, right, bottom, top, near, far }: Box, out: Mat4): Mat4 {
  out.fill(0);
  out[0] = 2 / (right - left);
  out[5] = 2 / (top - bottom);
  out[10] = -2 / (far - near);
  out[12] = -(right + left) / (right - left);
  out[13] = -(top + bottom) / (top - bottom);
  out[14] = -(far + near) / (far - near);
  out[15] = 1;
  return out;
}

/** out = a b; `out` must be neither of them. */
export function multiply(a: Mat4, b: Mat4, out: Mat4): Mat4 {
  for (let c = 0; c < 4; c++) {
    for (let r = 0; r < 4; r++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) {
        sum += (a[r + 4 * k] as number) * (b[k + 4 * c] as number);
      }
      out[r + 4 * c] = sum;
    }
  }
  return out;
}
