import { describe, expect, it } from "vitest";
import { ViewCamera } from "../../src/scene/camera";
import { Scene } from "../../src/scene/scene";
import { Tag, WireError } from "../../src/wire";
import { EMPTY_SCENE } from "../support";
import { floatBlock, frameBlock } from "./packets";

const NUMBERS = Array.from({ length: 26 }, (_, i) => i + 1);

function shown() {
  const scene = new Scene();
  scene.describe(1, EMPTY_SCENE);
  scene.frame([frameBlock(0, 0)], true);
  return scene;
}

describe("VISUAL", () => {
  it("stands in place of the description's numbers, and leaves the rest", () => {
    const scene = shown();
    scene.frame([frameBlock(0, 0), floatBlock(Tag.VISUAL, NUMBERS, 0)], false);
    expect(scene.description).toEqual({
      ...EMPTY_SCENE,
      extent: 1,
      center: [2, 3, 4],
      fovy: 5,
      orthographic: true,
      znear: 7,
      zfar: 8,
      fogstart: 9,
      fogend: 10,
      haze: 11,
      shadowclip: 12,
      shadowscale: 13,
      linewidth: 14,
      fog_rgba: [15, 16, 17, 18],
      haze_rgba: [19, 20, 21, 22],
      shadowsize: 23,
      numslices: 24,
      numstacks: 25,
      numquads: 26,
    });
  });

  it("makes the picture, and those of other cameras, stale; but no other model", () => {
    const scene = shown();
    const { version, worldVersion, modelVersion } = scene;
    scene.frame([frameBlock(0, 0), floatBlock(Tag.VISUAL, NUMBERS, 0)], false);
    expect(scene.version).toBeGreaterThan(version);
    expect(scene.worldVersion).toBeGreaterThan(worldVersion);
    expect(scene.modelVersion).toBe(modelVersion);
  });

  it("that is too short is refused and changes nothing", () => {
    const scene = shown();
    const short = floatBlock(Tag.VISUAL, NUMBERS.slice(1), 0);
    expect(() => scene.frame([frameBlock(0, 0), short], false)).toThrow(WireError);
    expect(scene.description).toEqual(EMPTY_SCENE);
  });
});

describe("refit", () => {
  it("changes the lens, and the camera stays where the person moved it", () => {
    const camera = new ViewCamera();
    camera.configure(EMPTY_SCENE);
    camera.orbit(0.1, 0);
    const before = camera.eye();
    camera.refit({ ...EMPTY_SCENE, fovy: 2 * EMPTY_SCENE.fovy });
    expect(camera.eye().top).toBeGreaterThan(before.top);
    expect(camera.eye().pos).toEqual(before.pos);
  });
});
