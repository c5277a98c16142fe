import { describe, expect, it } from "vitest";
import { CATEGORY_DECOR } from "../../src/scene/description";
import { pickGeom } from "../../src/scene/pick";
import { LOOK_INTS, Look } from "../../src/scene/tables";
import { shownScene, vectors } from "./vectors";

describe("pickGeom", () => {
  it("meets the geoms that mj_ray meets, where it meets them", async () => {
    const scene = await shownScene();
    const hits = new Set<number>();
    for (const { origin, direction, geom, distance } of vectors.rays) {
      const hit = pickGeom(scene, origin, direction);
      expect(hit?.objid ?? -1).toBe(geom);
      if (!hit) continue;
      hits.add(geom);
      const wanted = origin.map((o, k) => o + distance * (direction[k] as number));
      // Poses travel with 24 and 15 bits.
      wanted.forEach((value, k) => {
        expect(Math.abs((hit.point[k] as number) - value)).toBeLessThan(2e-3);
      });
    }
    expect(hits.size).toBe(8);
  });

  it("looks through decorations", async () => {
    const scene = await shownScene();
    const { origin, direction } = vectors.rays.find(({ geom }) => geom === 1) as {
      origin: [number, number, number];
      direction: [number, number, number];
    };
    const row = pickGeom(scene, origin, direction)?.geom as number;
    scene.geoms.look[row * LOOK_INTS + Look.CATEGORY] = CATEGORY_DECOR;
    expect(pickGeom(scene, origin, direction)?.geom).not.toBe(row);
  });

  it("meets nothing where there is nothing, or no number", async () => {
    const scene = await shownScene();
    expect(pickGeom(scene, [0, 0, 5], [0, 0, 1])).toBeNull();
    scene.geoms.pose.fill(Number.NaN);
    expect(pickGeom(scene, [0, 0, 5], [0, 0, -1])).toBeNull();
  });
});
