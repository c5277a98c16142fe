import { describe, expect, it } from "vitest";
import { Scene } from "../../src/scene/scene";
import {
  Finish,
  LightAt,
  LOOK_FLOATS,
  Look,
  POSE_FLOATS,
} from "../../src/scene/tables";
import { type Block, readPacket, Tag, WireError } from "../../src/wire";
import { floatBlock, frameBlock } from "./packets";
import { bytes, fakeDecoder, shownScene, vectors } from "./vectors";

const blocks = () => readPacket(bytes(vectors.frame));

describe("Scene.describe", () => {
  it("asks for each asset once, and for none that it has", async () => {
    const scene = await shownScene();
    const { meshes, textures } = vectors.scene;
    expect(scene.describe(2, vectors.scene)).toEqual([textures[0]?.hash]);
    await scene.asset(textures[0]?.hash as string, new Uint8Array());
    expect(scene.describe(3, vectors.scene)).toEqual([]);
    const twice = { ...vectors.scene, meshes: [...meshes, ...meshes] };
    expect(new Scene(fakeDecoder(4, 4)).describe(1, twice)).toHaveLength(2);
  });

  it("forgets the last model's geoms and assets", async () => {
    const scene = await shownScene();
    scene.describe(2, { ...vectors.scene, meshes: [], textures: [] });
    expect(scene.ngeom).toBe(0);
    expect(scene.has(vectors.scene.meshes[0]?.hash as string)).toBe(false);
  });
});

describe("Scene.asset", () => {
  it("decodes a mesh, and gives edges the normals of their faces", async () => {
    const scene = await shownScene();
    const mesh = scene.mesh(0);
    expect(mesh?.index).toHaveLength(12);
    const { position, normal, index } = mesh as NonNullable<typeof mesh>;
    // A tetrahedron has nothing but edges: each corner's normal is that of its face.
    for (let t = 0; t < index.length; t += 3) {
      const [a, b, c] = [...index.subarray(t, t + 3)].map((i) =>
        position.subarray(3 * i, 3 * i + 3),
      ) as [Float32Array, Float32Array, Float32Array];
      const u = b.map((v, k) => v - (a[k] as number));
      const w = c.map((v, k) => v - (a[k] as number));
      const n = [0, 1, 2].map((k) => {
        const [i, j] = [(k + 1) % 3, (k + 2) % 3];
        return (
          (u[i] as number) * (w[j] as number) - (u[j] as number) * (w[i] as number)
        );
      });
      const length = Math.hypot(...n);
      for (const corner of index.subarray(t, t + 3)) {
        n.forEach((value, k) => {
          expect((normal[4 * corner + k] as number) / 32767).toBeCloseTo(
            value / length,
            3,
          );
        });
      }
    }
  });

  it("cuts a stacked cube texture into six faces, and takes a square for all six", async () => {
    const texture = vectors.scene.textures[0] as (typeof vectors.scene.textures)[0];
    for (const height of [24, 4]) {
      const scene = new Scene(fakeDecoder(4, height));
      const info = { ...texture, type: "cube" as const, height };
      scene.describe(1, { ...vectors.scene, textures: [info] });
      await scene.asset(texture.hash, new Uint8Array());
      const faces = scene.texture(0)?.faces ?? [];
      expect(faces.map((face) => [face.width, face.height])).toEqual(
        Array(6).fill([4, 4]),
      );
    }
  });

  it("refuses what no model asked for, and what is damaged", async () => {
    const scene = new Scene(fakeDecoder(5, 4));
    scene.describe(1, vectors.scene);
    await expect(scene.asset("feed", new Uint8Array())).rejects.toThrow(/feed/);
    const [mesh, texture] = [vectors.scene.meshes[0], vectors.scene.textures[0]];
    const asset = scene.asset(mesh?.hash as string, Uint8Array.of(1, 2, 3));
    await expect(asset).rejects.toThrow(WireError);
    const png = scene.asset(texture?.hash as string, new Uint8Array());
    await expect(png).rejects.toThrow(/5 x 4.*4 x 4/);
  });
});

describe("Scene.frame", () => {
  it("reads what the kernel packed", async () => {
    const scene = await shownScene();
    const { geoms, lights } = scene;
    expect(scene.ngeom).toBe(8);
    vectors.xmat.forEach((matrix, geom) => {
      const row = [...Array(8).keys()].find((r) => geoms.int(r, Look.OBJID) === geom);
      const at = (row as number) * POSE_FLOATS + 3;
      matrix.forEach((value, k) => {
        expect(geoms.pose[at + k]).toBeCloseTo(value, 3);
      });
    });
    const floor =
      [...Array(8).keys()].find((r) => geoms.int(r, Look.OBJID) === 0) ?? -1;
    const finish = [...geoms.finish.subarray(floor * LOOK_FLOATS)];
    expect(finish[Finish.REFLECTANCE]).toBeCloseTo(0.2);
    expect(finish.slice(Finish.TEXREPEAT_S, Finish.TEXREPEAT_T + 1)).toEqual([2, 3]);
    expect(lights.count).toBe(2);
    expect([...lights.floats.subarray(24 + LightAt.POS, 24 + 6)]).toEqual([
      0, 0, 3, 0, 0, -1,
    ]);
    expect(scene.camera?.generation).toBe(1);
  });

  it("changes only the rows that a delta names, and marks them", async () => {
    const scene = await shownScene();
    const { geoms } = scene;
    geoms.touched.fill(0);
    const before = geoms.size.slice();
    const { version } = scene;
    const size = floatBlock(Tag.SIZE, [7, 8, 9], 1, [3]);
    scene.frame([frameBlock(8, 2, { time: 2.5 }), size], false);
    expect([...geoms.size.subarray(9, 12)]).toEqual([7, 8, 9]);
    expect([...geoms.size.subarray(0, 9)]).toEqual([...before.subarray(0, 9)]);
    expect([...geoms.touched.subarray(0, 8)]).toEqual([0, 0, 0, 2, 0, 0, 0, 0]);
    expect(scene.time).toBe(2.5);
    expect(scene.version).toBeGreaterThan(version);
  });

  it("keeps the picture when only time went on", async () => {
    const scene = await shownScene();
    const { version, renderFlags } = scene;
    scene.frame([frameBlock(8, 2, { time: 3, flags: renderFlags })], false);
    expect(scene.version).toBe(version);
  });

  it("drops rows at the end, and labels with them", async () => {
    const scene = await shownScene();
    scene.geoms.labels[7] = "last";
    scene.frame([frameBlock(7, 2)], false);
    expect(scene.ngeom).toBe(7);
    expect(scene.geoms.labels).toHaveLength(7);
  });

  it("takes a frame without geoms", () => {
    const scene = new Scene();
    scene.frame([frameBlock(0, 0)], true);
    expect(scene.ngeom).toBe(0);
  });

  it("skips blocks that it does not know", async () => {
    const scene = await shownScene();
    const odd = {
      tag: 999,
      flags: 0,
      count: 3,
      payload: new DataView(new ArrayBuffer(1)),
    };
    expect(() => scene.frame([...blocks(), odd], true)).not.toThrow();
  });

  const bad: [string, () => Block[], boolean][] = [
    ["has no FRAME block", () => blocks().slice(1), true],
    [
      "names a row past the table",
      () => [frameBlock(8, 2), floatBlock(Tag.SIZE, [1, 2, 3], 1, [8])],
      false,
    ],
    [
      "is shorter than its rows",
      () => [frameBlock(8, 2), floatBlock(Tag.RGBA, [1, 2], 1, [0])],
      false,
    ],
    [
      "brings a new geom without its look",
      () => [frameBlock(9, 2), floatBlock(Tag.SIZE, [1, 2, 3], 1, [8])],
      false,
    ],
    [
      "is full but not complete",
      () => blocks().filter(({ tag }) => tag !== Tag.LOOK),
      true,
    ],
    ["has more geoms than can be", () => [frameBlock(2 ** 31, 0)], true],
  ];
  for (const [what, make, full] of bad) {
    it(`refuses a packet that ${what}, and leaves the tables as they were`, async () => {
      const scene = await shownScene();
      const before = [scene.geoms.pose, scene.geoms.size, scene.geoms.look].map((a) =>
        a.slice(),
      );
      const { version, time } = scene;
      expect(() => scene.frame(make(), full)).toThrow(WireError);
      expect([scene.geoms.pose, scene.geoms.size, scene.geoms.look]).toEqual(before);
      expect([scene.ngeom, scene.version, scene.time]).toEqual([8, version, time]);
    });
  }
});
