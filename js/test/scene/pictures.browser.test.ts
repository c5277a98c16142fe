import { afterEach, describe, expect, it, vi } from "vitest";
import { GeomType } from "../../src/scene/description";
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
  type PictureSpec,
  pictureBlock,
} from "./packets";

const WIDTH = 96;
const HEIGHT = 64;
const SHADOW_AND_CULL = 1 | (1 << 10);

/** Different in each corner, so that no flip goes unseen. */
const GEOMS: GeomSpec[] = [
  {
    type: GeomType.BOX,
    pos: [-0.8, 0, 0.6],
    rgba: [1, 0, 0, 1],
    size: [0.3, 0.3, 0.2],
  },
  {
    type: GeomType.SPHERE,
    pos: [0.9, 0, 0.5],
    rgba: [0, 1, 0, 1],
    size: [0.3, 0.3, 0.3],
  },
  {
    type: GeomType.BOX,
    pos: [0.6, 0, -0.6],
    rgba: [0, 0, 1, 0.5],
    size: [0.4, 0.1, 0.1],
  },
];

class Sink {
  textures = new Map<number, { width: number; height: number; pixels: Uint8Array }>();
  set = vi.fn();
  setOwn({
    id,
    ...rest
  }: {
    id: number;
    width: number;
    height: number;
    pixels: Uint8Array;
  }) {
    this.set(id);
    this.textures.set(id, rest);
  }
  dropOwn(id: number) {
    this.textures.delete(id);
  }
}

const views: SceneView[] = [];

afterEach(() => {
  for (const view of views.splice(0)) view.dispose();
});

function show(...pictures: PictureSpec[]) {
  const scene = new Scene();
  scene.describe(1, { ...EMPTY_SCENE, shadowsize: 256 });
  const head = frameBlock(GEOMS.length, 1, { flags: SHADOW_AND_CULL });
  const blocks = [head, ...geomBlocks(GEOMS), ambientLight(0.6), cameraBlock(3)];
  scene.frame([...blocks, pictureBlock(...pictures)], true);
  const sink = new Sink();
  const view = new SceneView(scene, document.createElement("canvas"), sink);
  views.push(view);
  view.resize(WIDTH, HEIGHT, 1);
  return { scene, view, sink };
}

/** Lets display frames pass until `done`. */
async function until(view: SceneView, done: () => boolean): Promise<void> {
  await expect
    .poll(
      () => {
        view.render(performance.now());
        return done();
      },
      { interval: 10, timeout: 10_000 },
    )
    .toBe(true);
}

/** Lets display frames pass until the view draws. */
async function drawn(view: SceneView): Promise<void> {
  await expect
    .poll(() => view.render(performance.now()), { interval: 10, timeout: 10_000 })
    .toBe(true);
}

async function snapshot(view: SceneView): Promise<Uint8ClampedArray> {
  const image = await createImageBitmap(await view.snapshot());
  const pen = new OffscreenCanvas(image.width, image.height).getContext("2d");
  pen?.drawImage(image, 0, 0);
  return pen?.getImageData(0, 0, image.width, image.height).data as Uint8ClampedArray;
}

const ID = 1 << 25;

describe("a picture", () => {
  it("shows what a view shows from the same camera, at its best when all is still", async () => {
    const { view, sink } = show({ id: ID, width: WIDTH, height: HEIGHT });
    const wanted = await snapshot(view);
    const [left, right] = [4 * (16 * WIDTH + 27), 4 * (19 * WIDTH + 71)];
    expect(wanted[left]).toBeGreaterThan(100);
    expect(wanted[right + 1]).toBeGreaterThan(100);
    await until(view, () => {
      const got = sink.textures.get(ID)?.pixels;
      return !!got && got.every((v, i) => Math.abs(v - (wanted[i] as number)) <= 1);
    });
    expect(sink.textures.get(ID)).toMatchObject({ width: WIDTH, height: HEIGHT });
  });

  it("is drawn for each picture of its own size", async () => {
    const one = { id: ID, width: 40, height: 30 };
    const other: PictureSpec = {
      id: ID + 1,
      width: 20,
      height: 60,
      pos: [0.9, -3, 0.5],
    };
    const { view, sink } = show(one, other);
    await until(view, () => sink.textures.get(ID + 1)?.height === 60);
    await until(view, () => sink.textures.get(ID)?.width === 40);
    const { pixels } = sink.textures.get(ID + 1) as { pixels: Uint8Array };
    // This one's camera looks at the green ball.
    const middle = 4 * (30 * 20 + 10);
    expect(pixels[middle + 1]).toBeGreaterThan(100);
    expect(pixels[middle]).toBeLessThan(10);
  });

  it("is drawn again when the world or its camera changed, and only then", async () => {
    const { scene, view, sink } = show({ id: ID, width: 32, height: 32 });
    // At once, and at its best when all is still.
    const before = 2;
    await until(view, () => sink.set.mock.calls.length === before);
    view.camera.orbit(0.1, 0);
    await drawn(view);
    await drawn(view);
    expect(sink.set.mock.calls.length).toBe(before);

    const red = Array.from({ length: 3 }, () => [1, 0, 0, 1]).flat();
    scene.frame(
      [frameBlock(3, 1, { flags: SHADOW_AND_CULL }), floatBlock(Tag.RGBA, red, 3)],
      false,
    );
    await until(view, () => sink.set.mock.calls.length > before);
    const next = sink.set.mock.calls.length;
    const moved = pictureBlock({ id: ID, width: 32, height: 32, pos: [0, -5, 0] });
    scene.frame([frameBlock(3, 1, { flags: SHADOW_AND_CULL }), moved], false);
    await until(view, () => sink.set.mock.calls.length > next);
  });

  it("is let go when no panel shows it any more", async () => {
    const { scene, view, sink } = show({ id: ID, width: 32, height: 32 });
    await until(view, () => sink.textures.has(ID));
    scene.frame([frameBlock(3, 1, { flags: SHADOW_AND_CULL }), pictureBlock()], false);
    await until(view, () => !sink.textures.has(ID));
  });

  it("ends with the last view", async () => {
    const { view, sink } = show({ id: ID, width: 32, height: 32 });
    await until(view, () => sink.textures.has(ID));
    view.dispose();
    expect(sink.textures.size).toBe(0);
  });
});
