import { describe, expect, it } from "vitest";
import { GeomType } from "../../src/scene/description";
import { lineSegments, makeShape, type Shape } from "../../src/scene/shapes";

const DETAIL = { slices: 28, stacks: 16, quads: 2 };

function shape(type: number): Shape {
  return makeShape(type, DETAIL) as Shape;
}

/** The volume inside of a closed shape at a size: by the divergence theorem. */
function volume({ vertex, index }: Shape, [a, b, c]: [number, number, number]): number {
  const at = (i: number) => {
    const v = vertex.subarray(4 * i, 4 * i + 4) as unknown as [
      number,
      number,
      number,
      number,
    ];
    return [v[0] * a, v[1] * b, v[2] * c + (v[3] * (a + b)) / 2] as const;
  };
  let sum = 0;
  for (let t = 0; t < index.length; t += 3) {
    const [p, q, r] = [0, 1, 2].map((k) => at(index[t + k] as number)) as [
      readonly [number, number, number],
      readonly [number, number, number],
      readonly [number, number, number],
    ];
    sum +=
      p[0] * (q[1] * r[2] - q[2] * r[1]) +
      p[1] * (q[2] * r[0] - q[0] * r[2]) +
      p[2] * (q[0] * r[1] - q[1] * r[0]);
  }
  return sum / 6;
}

// Positive volumes also say that every face looks outward.
const { PI } = Math;
const cases: [string, number, [number, number, number], number][] = [
  ["sphere", GeomType.SPHERE, [1, 1, 1], (4 / 3) * PI],
  ["ellipsoid", GeomType.SPHERE, [1, 2, 3], 8 * PI],
  ["capsule", GeomType.CAPSULE, [1, 1, 2], 4 * PI + (4 / 3) * PI],
  ["cylinder", GeomType.CYLINDER, [1, 1, 2], 4 * PI],
  ["box", GeomType.BOX, [1, 2, 3], 48],
  // A shaft of 2/6 and a cone 1.75 times as wide of 1/6 of the size.
  ["arrow", GeomType.ARROW, [1, 1, 6], 2 * PI + (PI * 1.75 ** 2) / 3],
  ["arrow without wedge", GeomType.ARROW1, [1, 1, 6], 2 * PI + PI / 3],
];

describe("makeShape", () => {
  for (const [name, type, size, wanted] of cases) {
    it(`makes a closed ${name} of the size that MuJoCo gives it`, () => {
      const got = volume(shape(type), size);
      expect(got / wanted).toBeGreaterThan(0.96);
      expect(got / wanted).toBeLessThanOrEqual(1 + 1e-6);
    });
  }

  it("has unit normals, and one of each vertex attribute a vertex", () => {
    for (const type of [0, 2, 3, 5, 6, 100, 101, 102, 108]) {
      const { vertex, normal, uv, object } = shape(type);
      const n = vertex.length / 4;
      expect([normal.length, uv.length, object.length]).toEqual([3 * n, 2 * n, 3 * n]);
      for (let i = 0; i < n; i++) {
        expect(Math.hypot(...normal.subarray(3 * i, 3 * i + 3))).toBeCloseTo(1, 5);
      }
    }
  });

  it("spans a double arrow over its size, both heads at the ends", () => {
    const { vertex } = shape(GeomType.ARROW2);
    const z = vertex.filter((_, i) => i % 4 === 2);
    expect([Math.min(...z), Math.max(...z)]).toEqual([-0.5, 0.5]);
  });

  it("makes nothing of what it does not know", () => {
    for (const type of [GeomType.MESH, GeomType.HFIELD, GeomType.LABEL, 12345]) {
      expect(makeShape(type, DETAIL)).toBeNull();
    }
  });
});

describe("lineSegments", () => {
  it("draws the twelve edges of a box, each of them once", () => {
    const ends = lineSegments(GeomType.LINEBOX) as Float32Array;
    const edges = new Set<string>();
    for (let i = 0; i < ends.length; i += 6) {
      const [a, b] = [ends.subarray(i, i + 3), ends.subarray(i + 3, i + 6)];
      expect(a.filter((v, k) => v !== b[k])).toHaveLength(1);
      edges.add([a.join(), b.join()].sort().join(" "));
    }
    expect(edges.size).toBe(12);
  });
});
