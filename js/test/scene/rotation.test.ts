import { describe, expect, it } from "vitest";
import { decodeRotation } from "../../src/scene/rotation";

const MAX = 32766;

/** The encoding as docs/wire.md has it. */
function encode(quat: readonly number[]): DataView {
  const left = quat.reduce(
    (best, c, i) => (Math.abs(c) > Math.abs(quat[best] as number) ? i : best),
    0,
  );
  const sign = Math.sign(quat[left] as number);
  let bits = BigInt(left);
  let shift = 2n;
  quat.forEach((c, i) => {
    if (i === left) return;
    bits |= BigInt(Math.round(((c * sign * Math.SQRT2 + 1) / 2) * MAX)) << shift;
    shift += 15n;
  });
  const view = new DataView(new ArrayBuffer(9));
  for (let i = 0; i < 6; i++)
    view.setUint8(3 + i, Number((bits >> BigInt(8 * i)) & 255n));
  return view;
}

function matrixOf([w, x, y, z]: readonly [number, number, number, number]): number[] {
  return [
    ...[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
    ...[2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
    ...[2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
  ];
}

describe("decodeRotation", () => {
  it("keeps the identity, and half turns, exact", () => {
    for (const quat of [
      [1, 0, 0, 0],
      [0, 1, 0, 0],
      [0, 0, 0, -1],
    ] as const) {
      const out = new Float32Array(12);
      decodeRotation(encode(quat), 3, out, 3);
      expect([...out.subarray(3)].map((v) => v + 0)).toEqual(
        matrixOf(quat).map((v) => v + 0),
      );
    }
  });

  it("decodes any rotation to about a ten-thousandth, wherever it lies", () => {
    for (let i = 1; i < 500; i++) {
      const raw = [1, 2, 3, 4].map((k) => Math.sin(i * k * 1.7 + k));
      const length = Math.hypot(...raw);
      const quat = raw.map((c) => c / length) as [number, number, number, number];
      const out = new Float32Array(9);
      decodeRotation(encode(quat), 3, out, 0);
      matrixOf(quat).forEach((value, k) => {
        expect(Math.abs((out[k] as number) - value)).toBeLessThan(3e-4);
      });
    }
  });
});
