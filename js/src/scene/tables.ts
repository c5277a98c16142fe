// The geom and light tables that /state frames update: plain typed arrays, a row a geom or
// a light, and for each geom row what changed since the picture was last built from it.
// `frame.ts` writes them, the GPU side and the picking read them. No WebGL.

/** What changed in a geom row: bits of {@link GeomTable.touched}. */
export const Touch = {
  POSE: 1,
  SIZE: 2,
  COLOR: 4,
  /** Type, mesh, material, label: the row may belong to another batch now. */
  LOOK: 8,
} as const;

/** The integers of a LOOK row, in its order (docs/wire.md). */
export const Look = {
  TYPE: 0,
  DATAID: 1,
  OBJTYPE: 2,
  OBJID: 3,
  CATEGORY: 4,
  MATID: 5,
  TEXID: 6,
  TEXUNIFORM: 7,
  TEXCOORD: 8,
  SEGID: 9,
} as const;
export const LOOK_INTS = 10;

/** The floats of a LOOK row, in its order. */
export const Finish = {
  EMISSION: 0,
  SPECULAR: 1,
  SHININESS: 2,
  REFLECTANCE: 3,
  TEXREPEAT_S: 4,
  TEXREPEAT_T: 5,
} as const;
export const LOOK_FLOATS = 6;
export const POSE_FLOATS = 12;

export class GeomTable {
  count = 0;
  /** Position, then the rotation matrix row by row. */
  pose = new Float32Array(0);
  size = new Float32Array(0);
  rgba = new Float32Array(0);
  look = new Int32Array(0);
  finish = new Float32Array(0);
  castshadow = new Uint8Array(0);
  labels: string[] = [];
  touched = new Uint8Array(0);

  /** Sets the number of rows; rows past it are gone, those below keep what they hold. */
  resize(count: number): void {
    const capacity = this.touched.length;
    if (count > capacity) {
      const rows = Math.max(count, 2 * capacity, 32);
      this.pose = grown(this.pose, rows * POSE_FLOATS);
      this.size = grown(this.size, rows * 3);
      this.rgba = grown(this.rgba, rows * 4);
      this.look = grown(this.look, rows * LOOK_INTS);
      this.finish = grown(this.finish, rows * LOOK_FLOATS);
      this.castshadow = grown(this.castshadow, rows);
      this.touched = grown(this.touched, rows);
    }
    for (let row = this.count; row < count; row++) this.labels[row] = "";
    this.labels.length = count;
    this.count = count;
  }

  int(row: number, field: number): number {
    return this.look[row * LOOK_INTS + field] ?? -1;
  }
}

export const LIGHT_INTS = 4;
export const LIGHT_FLOATS = 24;

/** Offsets of a light's floats, in the order of a LIGHT row (docs/wire.md). */
export const LightAt = {
  POS: 0,
  DIR: 3,
  ATTENUATION: 6,
  CUTOFF: 9,
  EXPONENT: 10,
  AMBIENT: 11,
  DIFFUSE: 14,
  SPECULAR: 17,
} as const;

export const LightBit = { HEADLIGHT: 1, CASTSHADOW: 2 } as const;

export class LightTable {
  count = 0;
  /** id, type, texid, bits. */
  ints = new Int32Array(0);
  floats = new Float32Array(0);

  resize(count: number): void {
    if (count * LIGHT_INTS > this.ints.length) {
      this.ints = grown(this.ints, count * LIGHT_INTS);
      this.floats = grown(this.floats, count * LIGHT_FLOATS);
    }
    this.count = count;
  }

  type(row: number): number {
    return this.ints[row * LIGHT_INTS + 1] ?? 0;
  }

  has(row: number, bit: number): boolean {
    return ((this.ints[row * LIGHT_INTS + 3] ?? 0) & bit) !== 0;
  }
}

function grown<T extends Float32Array | Int32Array | Uint8Array>(
  old: T,
  length: number,
): T {
  const next = new (old.constructor as new (length: number) => T)(length);
  next.set(old);
  return next;
}
