// Frames made by hand: blocks of docs/wire.md for tests that need a scene of their own.

import { type Block, Tag, viewOf } from "../../src/wire";

const ROWS_U16 = 2 << 8;

export function frameBlock(
  ngeom: number,
  nlight: number,
  { time = 1, flags = 0 } = {},
): Block {
  const payload = new DataView(new ArrayBuffer(32));
  payload.setFloat64(0, time, true);
  payload.setUint32(8, ngeom, true);
  payload.setUint32(12, nlight, true);
  payload.setUint32(16, flags, true);
  return { tag: Tag.FRAME, flags: 0, count: 0, payload };
}

/** A block of float rows 0 .. n-1, or of the rows that `rows` names. */
export function floatBlock(
  tag: number,
  values: readonly number[],
  n: number,
  rows?: readonly number[],
): Block {
  const names = rows ?? [];
  const set = (names.length * 2 + 3) & ~3;
  const payload = new DataView(new ArrayBuffer(set + values.length * 4));
  names.forEach((row, i) => {
    payload.setUint16(2 * i, row, true);
  });
  values.forEach((value, i) => {
    payload.setFloat32(set + 4 * i, value, true);
  });
  return { tag, flags: rows ? ROWS_U16 : 0, count: n, payload };
}

export interface GeomSpec {
  type: number;
  pos?: [number, number, number];
  size?: [number, number, number];
  rgba?: [number, number, number, number];
  emission?: number;
  label?: string;
}

const UPRIGHT = [1, 0, 0, 0, 1, 0, 0, 0, 1];

/** What a full frame says of these geoms. */
export function geomBlocks(geoms: readonly GeomSpec[]): Block[] {
  const n = geoms.length;
  const look = new DataView(new ArrayBuffer(68 * n));
  geoms.forEach(({ type, emission = 0 }, i) => {
    const at = 68 * i;
    // type, dataid, objtype (mjOBJ_GEOM), objid, category (dynamic), no material, no texture
    [type, -1, 5, i, 2, -1, -1, 0, 0, i].forEach((value, k) => {
      look.setInt32(at + 4 * k, value, true);
    });
    look.setFloat32(at + 40, emission, true);
  });
  const texts = geoms.flatMap(({ label = "" }) => {
    const text = new TextEncoder().encode(label);
    return [text.length, ...text];
  });
  return [
    floatBlock(
      Tag.POSE_F32,
      geoms.flatMap(({ pos = [0, 0, 0] }) => [...pos, ...UPRIGHT]),
      n,
    ),
    floatBlock(
      Tag.SIZE,
      geoms.flatMap(({ size = [0.5, 0.5, 0.5] }) => size),
      n,
    ),
    floatBlock(
      Tag.RGBA,
      geoms.flatMap(({ rgba = [1, 1, 1, 1] }) => rgba),
      n,
    ),
    { tag: Tag.LOOK, flags: 0, count: n, payload: look },
    { tag: Tag.LABEL, flags: 0, count: n, payload: viewOf(Uint8Array.from(texts)) },
  ];
}

/** A headlight of this ambient colour, and nothing else of it. */
export function ambientLight(ambient: number): Block {
  const payload = new DataView(new ArrayBuffer(112));
  payload.setInt32(0, -1, true);
  payload.setInt32(4, 1, true);
  payload.setUint32(12, 1, true);
  for (let k = 0; k < 3; k++) payload.setFloat32(16 + 4 * (11 + k), ambient, true);
  return { tag: Tag.LIGHT, flags: 0, count: 1, payload };
}

/** A free camera that looks along y at the origin. */
export function cameraBlock(distance: number): Block {
  const payload = new DataView(new ArrayBuffer(44));
  payload.setUint32(0, 1, true);
  payload.setInt32(8, -1, true);
  payload.setInt32(12, -1, true);
  payload.setFloat32(32, distance, true);
  payload.setFloat32(36, 90, true);
  return { tag: Tag.CAMERA, flags: 0, count: 1, payload };
}

export interface PictureSpec {
  id: number;
  width: number;
  height: number;
  pos?: [number, number, number];
}

/** Pictures from cameras that look along y as `cameraBlock`'s does. */
export function pictureBlock(...pictures: readonly PictureSpec[]): Block {
  const payload = new DataView(new ArrayBuffer(80 * pictures.length));
  // The lens of EMPTY_SCENE's free camera.
  const near = 0.01;
  const top = near * Math.tan(Math.PI / 8);
  pictures.forEach(({ id, width, height, pos = [0, -3, 0] }, i) => {
    [id, width, height, 0].forEach((word, k) => {
      payload.setUint32(80 * i + 4 * k, word, true);
    });
    [...pos, 0, 1, 0, 0, 0, 1, 0, 0, -top, top, near, 50].forEach((value, k) => {
      payload.setFloat32(80 * i + 16 + 4 * k, value, true);
    });
  });
  return { tag: Tag.PICTURE, flags: 0, count: pictures.length, payload };
}
