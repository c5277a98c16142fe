import { describe, expect, it } from "vitest";
import { Scene } from "../../src/scene/scene";
import { WireError } from "../../src/wire";
import { EMPTY_SCENE } from "../support";
import { cameraBlock, frameBlock, pictureBlock } from "./packets";

function shown() {
  const scene = new Scene();
  scene.describe(1, EMPTY_SCENE);
  scene.frame([frameBlock(0, 0), pictureBlock({ id: 7, width: 4, height: 3 })], true);
  return scene;
}

describe("PICTURE", () => {
  it("tells size and camera", () => {
    const [picture] = shown().pictures;
    expect(picture).toMatchObject({ id: 7, width: 4, height: 3 });
    expect(picture?.camera).toMatchObject({
      pos: [0, -3, 0],
      forward: [0, 1, 0],
      up: [0, 0, 1],
      far: 50,
      orthographic: false,
    });
  });

  it("stands for all pictures, until the next one", () => {
    const scene = shown();
    const [before] = scene.pictures;
    scene.frame([frameBlock(0, 0)], false);
    expect(scene.pictures).toEqual([before]);
    scene.frame(
      [frameBlock(0, 0), pictureBlock({ id: 9, width: 4, height: 3 })],
      false,
    );
    expect(scene.pictures.map(({ id }) => id)).toEqual([9]);
    scene.frame([frameBlock(0, 0), pictureBlock()], false);
    expect(scene.pictures).toEqual([]);
  });

  it("is over with a full frame that has none, and with the model", () => {
    const scene = shown();
    scene.frame([frameBlock(0, 0)], true);
    expect(scene.pictures).toEqual([]);
    const other = shown();
    other.describe(2, EMPTY_SCENE);
    expect(other.pictures).toEqual([]);
  });

  it("leaves the view's own picture and the world as they are", () => {
    const scene = shown();
    const { version, worldVersion } = scene;
    scene.frame(
      [frameBlock(0, 0), pictureBlock({ id: 9, width: 4, height: 3 })],
      false,
    );
    expect([scene.version, scene.worldVersion]).toEqual([version, worldVersion]);
  });

  it("is not drawn again for a camera of the view's", () => {
    const scene = shown();
    const { version, worldVersion } = scene;
    scene.frame([frameBlock(0, 0), cameraBlock(3)], false);
    expect(scene.version).toBeGreaterThan(version);
    expect(scene.worldVersion).toBe(worldVersion);
  });

  it.each([
    ["cut", { ...pictureBlock({ id: 7, width: 4, height: 3 }), count: 2 }],
    ["without a size", pictureBlock({ id: 7, width: 0, height: 3 })],
    ["of an unbelievable size", pictureBlock({ id: 7, width: 4, height: 1e6 })],
  ])("is refused when it is %s, and nothing changes", (_, block) => {
    const scene = shown();
    const before = scene.pictures;
    expect(() => scene.frame([frameBlock(0, 0), block], false)).toThrow(WireError);
    expect(scene.pictures).toBe(before);
  });
});
