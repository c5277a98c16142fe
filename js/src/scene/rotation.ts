// The 48-bit "smallest three" rotations of docs/wire.md, decoded to 3 x 3 matrices.
// Called for every pose that a frame brings, so it writes in place.

const FIELD_MAX = 32766;
const STEP = (2 * Math.SQRT1_2) / FIELD_MAX;

const quat = new Float64Array(4);

/** Writes the matrix, row by row, of the rotation at `at` to `out[to..to + 9)`. */
export function decodeRotation(
  v: DataView,
  at: number,
  out: Float32Array,
  to: number,
): void {
  // 48 bits as 16 + 32; the fields are 15 bits each, from bit 2 on.
  const low = v.getUint16(at, true);
  const high = v.getUint32(at + 2, true);
  const left = low & 3;
  const a = ((low >>> 2) | (high << 14)) & 0x7fff;
  const b = (high >>> 1) & 0x7fff;
  const c = (high >>> 16) & 0x7fff;
  let k = 0;
  let rest = 1;
  for (let i = 0; i < 4; i++) {
    if (i === left) continue;
    const value = (k === 0 ? a : k === 1 ? b : c) * STEP - Math.SQRT1_2;
    k++;
    // The middle code is zero by definition; the subtraction above leaves rounding there.
    quat[i] = Math.abs(value) < STEP / 4 ? 0 : value;
    rest -= (quat[i] as number) ** 2;
  }
  quat[left] = Math.sqrt(Math.max(0, rest));
  writeMatrix(out, to);
}

function writeMatrix(out: Float32Array, to: number): void {
  const [w, x, y, z] = quat as unknown as [number, number, number, number];
  out[to] = 1 - 2 * (y * y + z * z);
  out[to + 1] = 2 * (x * y - w * z);
  out[to + 2] = 2 * (x * z + w * y);
  out[to + 3] = 2 * (x * y + w * z);
  out[to + 4] = 1 - 2 * (x * x + z * z);
  out[to + 5] = 2 * (y * z - w * x);
  out[to + 6] = 2 * (x * z - w * y);
  out[to + 7] = 2 * (y * z + w * x);
  out[to + 8] = 1 - 2 * (x * x + y * y);
}
