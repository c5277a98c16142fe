import { afterEach, describe, expect, it } from "vitest";
import { begin, present, sharedGL } from "../../src/gl";
import { GeomType, type SceneDescription } from "../../src/scene/description";
import { Scene } from "../../src/scene/scene";
import { SceneView } from "../../src/scene/view";
import { Tag } from "../../src/wire";
import { EMPTY_SCENE } from "../support";
import {
  ambientLight,
  cameraBlock,
  floatBlock,
  frameBlock,
  type GeomSpec,
  geomBlocks,
} from "./packets";

const CULL_FACE = 1 << 10;
const SIZE = 64;

const MODEL: SceneDescription = { ...EMPTY_SCENE, name: "test", shadowsize: 256 };

const views: SceneView[] = [];

afterEach(() => {
  for (const view of views.splice(0)) view.dispose();
});

function show(geoms: readonly GeomSpec[], ambient = 0.5) {
  const scene = new Scene();
  scene.describe(1, MODEL);
  const head = frameBlock(geoms.length, 1, { flags: CULL_FACE });
  const blocks = [head, ...geomBlocks(geoms), ambientLight(ambient), cameraBlock(3)];
  scene.frame(blocks, true);
  const canvas = document.createElement("canvas");
  const view = new SceneView(scene, canvas);
  views.push(view);
  view.resize(SIZE, SIZE, 1);
  return { scene, view, canvas };
}

/** The colour at x, y in [0, 1] of the view's picture. */
async function pixels(view: SceneView) {
  const image = await createImageBitmap(await view.snapshot());
  const pen = new OffscreenCanvas(image.width, image.height).getContext("2d");
  pen?.drawImage(image, 0, 0);
  return (x: number, y: number) => [
    ...(pen?.getImageData(x * image.width, y * image.height, 1, 1).data ?? []),
  ];
}

function expectColor(got: number[], wanted: number[]) {
  wanted.forEach((value, k) => {
    expect(Math.abs((got[k] as number) - value)).toBeLessThanOrEqual(2);
  });
}

/** Lets display frames pass until the view draws. */
async function drawn(view: SceneView): Promise<void> {
  await expect
    .poll(() => view.render(performance.now()), { interval: 16, timeout: 5000 })
    .toBe(true);
}

const RED: GeomSpec = { type: GeomType.SPHERE, rgba: [1, 0, 0, 1] };

describe("SceneView", () => {
  it("shows a geom in MuJoCo's light on an opaque black ground", async () => {
    const at = await pixels(show([RED]).view);
    expectColor(at(0.5, 0.5), [128, 0, 0, 255]);
    expectColor(at(0.05, 0.05), [0, 0, 0, 255]);
  });

  it("adds emission, and clamps each sum of light", async () => {
    const geom: GeomSpec = { ...RED, rgba: [1, 0.2, 0, 1], emission: 0.8 };
    expectColor((await pixels(show([geom]).view))(0.5, 0.5), [255, 66, 0, 255]);
  });

  it("blends transparent geoms twice, as MuJoCo does", async () => {
    const glass: GeomSpec = {
      type: GeomType.BOX,
      pos: [0, -1, 0],
      size: [0.3, 0.1, 0.3],
      rgba: [0, 0, 1, 0.4],
    };
    const at = await pixels(show([RED, glass], 1).view);
    const through = 0.6 * 0.6;
    expectColor(at(0.5, 0.5), [255 * through, 0, 255 * (1 - through), 255]);
  });

  it("draws every type of geom that it knows without an error of WebGL", async () => {
    const types = [
      0, 2, 3, 4, 5, 6, 7, 8, 100, 101, 102, 103, 104, 107, 108, 1, 105, 777,
    ];
    const geoms = types.map((type, i): GeomSpec => {
      return {
        type,
        pos: [i / 20 - 0.4, 0, 0],
        size: [0.1, 0.1, 0.2],
        label: `g${i} ü`,
      };
    });
    const { gl } = sharedGL();
    while (gl.getError() !== gl.NO_ERROR);
    await pixels(show(geoms).view);
    expect(gl.getError()).toBe(gl.NO_ERROR);
  });

  it("writes labels over what is in front of them", async () => {
    const front: GeomSpec = { ...RED, pos: [0, -1, 0], size: [0.9, 0.9, 0.9] };
    const label: GeomSpec = { type: GeomType.LABEL, label: "MMMM" };
    const at = await pixels(show([front, label], 0).view);
    // The text begins at the middle of the picture and stands above it.
    const greens = Array.from({ length: SIZE * 16 }, (_, i) => {
      return at(
        (i % SIZE) / SIZE,
        (SIZE / 4 + Math.floor(i / SIZE)) / SIZE,
      )[1] as number;
    });
    expect(Math.max(...greens)).toBeGreaterThan(200);
  });

  it("leaves out a geom whose pose is not a number, and nothing else", async () => {
    const { scene, view } = show([RED, { ...RED, pos: [0, 0, 0.9] }]);
    const broken = Array(12).fill(Number.NaN);
    scene.frame(
      [
        frameBlock(2, 1, { flags: CULL_FACE }),
        floatBlock(Tag.POSE_F32, broken, 1, [1]),
      ],
      false,
    );
    const at = await pixels(view);
    expectColor(at(0.5, 0.5), [128, 0, 0, 255]);
    expectColor(at(0.5, 0.1), [0, 0, 0, 255]);
  });

  it("shows an empty scene as black, and what comes after it", async () => {
    const { scene, view } = show([]);
    expectColor((await pixels(view))(0.5, 0.5), [0, 0, 0, 255]);
    const head = frameBlock(1, 1, { flags: CULL_FACE });
    scene.frame([head, ...geomBlocks([RED])], false);
    expectColor((await pixels(view))(0.5, 0.5), [128, 0, 0, 255]);
  });

  it("draws when something changed, and once more at its best when nothing did", async () => {
    const { view, canvas } = show([RED]);
    await drawn(view);
    await drawn(view);
    expect(view.stats.scale).toBe(1);
    expect([canvas.width, canvas.height]).toEqual([SIZE, SIZE]);
    for (let i = 0; i < 10; i++) {
      await new Promise(requestAnimationFrame);
      expect(view.render(performance.now())).toBe(false);
    }
    view.camera.orbit(0.1, 0);
    await drawn(view);
  });

  it("picks the geom under the pointer", async () => {
    const { view } = show([{ ...RED, pos: [0.6, 0, 0.6] }, RED]);
    view.render(performance.now());
    expect(view.pick(SIZE / 2, SIZE / 2)).toMatchObject({
      objtype: 5,
      objid: 1,
      geom: 1,
    });
    expect(view.pick(1, SIZE - 1)).toBeNull();
  });

  it("draws the same again after its context was lost", async () => {
    const { view } = show([RED]);
    const { gl, generation } = sharedGL();
    await pixels(view);
    const loss = gl.getExtension("WEBGL_lose_context");
    loss?.loseContext();
    await expect.poll(() => gl.isContextLost()).toBe(true);
    expect(view.render(performance.now())).toBe(false);
    await new Promise((resolve) => setTimeout(resolve));
    loss?.restoreContext();
    await expect.poll(() => sharedGL().generation).toBe(generation + 1);
    expectColor((await pixels(view))(0.5, 0.5), [128, 0, 0, 255]);
  });

  it("frees what it holds on the GPU with the last view of a scene", async () => {
    const { memory } = sharedGL().renderer.info;
    const before = { ...memory };
    const { scene, view } = show([RED, { type: GeomType.BOX, label: "box" }]);
    const second = new SceneView(scene, document.createElement("canvas"));
    second.resize(SIZE, SIZE, 1);
    await pixels(view);
    view.dispose();
    await pixels(second);
    expect(memory.geometries).toBeGreaterThan(before.geometries);
    second.dispose();
    second.dispose();
    expect(memory.geometries).toBe(before.geometries);
    expect(memory.textures).toBe(before.textures);
  });
});

describe("present", () => {
  it("keeps colours premultiplied by alpha", () => {
    const { gl } = begin(8, 8);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.disable(gl.SCISSOR_TEST);
    gl.colorMask(true, true, true, true);
    gl.clearColor(0.5, 0, 0, 0.5);
    gl.clear(gl.COLOR_BUFFER_BIT);
    const canvas = document.createElement("canvas");
    present(canvas, 8, 8);
    const pen = new OffscreenCanvas(8, 8).getContext("2d");
    pen?.drawImage(canvas, 0, 0);
    expectColor([...(pen?.getImageData(4, 4, 1, 1).data ?? [])], [255, 0, 0, 128]);
    sharedGL().renderer.resetState();
  });

  it("refuses a size that was not drawn", () => {
    begin(8, 8);
    const canvas = document.createElement("canvas");
    expect(() => present(canvas, 9, 8)).toThrow(/8 x 8.*9 x 8/s);
  });
});
