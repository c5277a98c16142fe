import { beforeEach, describe, expect, it, vi } from "vitest";
import { UiState } from "../src/ui/lists";
import { UiRenderer } from "../src/ui/renderer";
import { uiSurface } from "../src/ui/surface";
import { readPacket, Tag, writePacket } from "../src/wire";
import {
  block,
  join,
  type ListParts,
  listBody,
  listHead,
  rectangle,
  uiFrame,
} from "./support";

const WIDTH = 64;
const HEIGHT = 48;
const RED = [255, 0, 0, 255];
const HALF_GREEN = [0, 255, 0, 128];

const white = block(
  Tag.UI_TEXTURE,
  join(Uint32Array.of(1, 1, 1, 0, 0, 1, 1, 0), [255, 255, 255, 255]),
);
const lists = (...all: ListParts[]) => [
  block(Tag.UI_FRAME, uiFrame(all.map(({ id }) => id)), all.length),
  ...all.map((list) => block(Tag.UI_LIST, join(listHead(list), listBody(list)))),
];

let ui: UiState;
let renderer: UiRenderer;
let canvas: HTMLCanvasElement;
const lost = vi.fn();

function apply(full: boolean, ...blocks: ReturnType<typeof block>[]): void {
  ui.apply(readPacket(writePacket(blocks)), full);
}

/** Draws and reads the pixel at x, y of the picture, alpha not premultiplied. */
function draw(dpr = 1) {
  renderer.draw(canvas, WIDTH, HEIGHT, dpr);
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
  copy?.drawImage(canvas, 0, 0);
  return (x: number, y: number) => [...(copy?.getImageData(x, y, 1, 1).data ?? [])];
}

beforeEach(() => {
  ui = new UiState();
  renderer = new UiRenderer(ui, lost);
  canvas = document.createElement("canvas");
  lost.mockClear();
});

describe("the panels' renderer", () => {
  it("draws rectangles where they are and leaves the rest transparent", () => {
    apply(true, white, ...lists(rectangle(1, [8, 4, 24, 16], RED)));
    const at = draw();
    expect([canvas.width, canvas.height]).toEqual([WIDTH, HEIGHT]);
    expect(at(8, 4)).toEqual(RED);
    expect(at(23, 15)).toEqual(RED);
    for (const [x, y] of [
      [7, 4],
      [8, 3],
      [24, 15],
      [23, 16],
      [8, 40],
    ] as const) {
      expect(at(x, y)[3]).toBe(0);
    }
  });

  it("is sharp at two device pixels a CSS pixel", () => {
    apply(true, white, ...lists(rectangle(1, [8.5, 4, 24, 16], RED)));
    const at = draw(2);
    expect(canvas.width).toBe(2 * WIDTH);
    expect([at(16, 8)[3], at(17, 8)[3]]).toEqual([0, 255]);
  });

  it("blends in order, and hands alpha on so that the scene shows through", () => {
    const under = rectangle(1, [0, 0, 20, 20], RED);
    const over = rectangle(2, [10, 0, 40, 20], HALF_GREEN);
    apply(true, white, ...lists(under, over));
    const at = draw();
    const [r, g, , a] = at(15, 5) as [number, number, number, number];
    expect([Math.abs(r - 127) <= 1, Math.abs(g - 128) <= 1, a]).toEqual([
      true,
      true,
      255,
    ]);
    expect(at(30, 5)).toEqual(HALF_GREEN);
  });

  it("cuts at the clip rectangle, also where that is outside of the view", () => {
    apply(true, white, ...lists(rectangle(1, [0, 0, 64, 48], RED, [-10, 10, 20, 999])));
    const at = draw();
    expect([at(5, 9)[3], at(5, 10)[3], at(19, 47)[3], at(20, 20)[3]]).toEqual([
      0, 255, 255, 0,
    ]);
  });

  it("updates a part of a texture, whatever the rows' alignment", () => {
    const red = join(...Array(15).fill(RED));
    const texture = block(
      Tag.UI_TEXTURE,
      join(Uint32Array.of(1, 5, 3, 0, 0, 5, 3, 0), red),
    );
    const blue = join(...Array(3).fill([0, 0, 255, 255]));
    const part = block(
      Tag.UI_TEXTURE,
      join(Uint32Array.of(1, 5, 3, 2, 2, 3, 1, 0), blue),
    );
    const list = rectangle(1, [0, 0, 50, 30], [255, 255, 255, 255]);
    for (const [i, [u, v]] of (
      [
        [0, 0],
        [1, 0],
        [1, 1],
        [0, 1],
      ] as const
    ).entries()) {
      Object.assign(list.vertices[i] as object, { u, v });
    }
    apply(true, texture, part, ...lists(list));
    const at = draw();
    expect(at(45, 25)).toEqual([0, 0, 255, 255]);
    expect(at(5, 25)).toEqual(RED);
    expect(at(45, 5)).toEqual(RED);
  });

  it.each([
    ["without alpha", 2, [255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9]],
    [
      "of the page's own",
      0,
      [255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 9, 9, 9, 255],
    ],
  ])("shows the first row of a texture %s above", (_, format, pixels) => {
    const list = rectangle(1, [0, 0, 40, 40], [255, 255, 255, 255]);
    for (const [i, [u, v]] of (
      [
        [0, 0],
        [1, 0],
        [1, 1],
        [0, 1],
      ] as const
    ).entries()) {
      Object.assign(list.vertices[i] as object, { u, v });
    }
    const head = Uint32Array.of(1, 2, 2, 0, 0, 2, 2, format);
    if (format === 2)
      apply(true, block(Tag.UI_TEXTURE, join(head, pixels)), ...lists(list));
    else {
      apply(true, ...lists(list));
      ui.setOwn({ id: 1, width: 2, height: 2, pixels: Uint8Array.from(pixels) });
    }
    const at = draw();
    expect(at(5, 5)).toEqual(RED);
    expect(at(35, 5)).toEqual([0, 255, 0, 255]);
    expect(at(5, 35)).toEqual([0, 0, 255, 255]);
  });

  it("takes a texture of one channel as alpha", () => {
    const alpha = block(
      Tag.UI_TEXTURE,
      join(Uint32Array.of(1, 1, 1, 0, 0, 1, 1, 1), [128]),
    );
    apply(true, alpha, ...lists(rectangle(1, [0, 0, 9, 9], RED)));
    expect(draw()(4, 4)).toEqual([255, 0, 0, 128]);
  });

  it("adds the command's offsets to vertices and indices", () => {
    const list = rectangle(1, [0, 0, 10, 10], RED);
    const other = rectangle(1, [30, 30, 40, 40], HALF_GREEN);
    list.vertices.push(...other.vertices);
    list.indices.push(...other.indices);
    list.commands.push({
      clip: [0, 0, 99, 99],
      texture: 1,
      vertex: 4,
      index: 6,
      count: 6,
    });
    apply(true, white, ...lists(list));
    const at = draw();
    expect([at(5, 5), at(35, 35)]).toEqual([RED, HALF_GREEN]);
  });

  it("skips a command whose texture is gone", () => {
    apply(true, white, ...lists(rectangle(1, [0, 0, 9, 9], RED)));
    expect(draw()(4, 4)).toEqual(RED);
    apply(false, block(Tag.UI_TEXTURE_GONE, join(Uint32Array.of(1)), 1));
    expect(draw()(4, 4)[3]).toBe(0);
  });

  it("draws the new body of a list, and no list that is not named", () => {
    apply(true, white, ...lists(rectangle(1, [0, 0, 9, 9], RED)));
    draw();
    apply(false, ...lists(rectangle(1, [20, 0, 29, 9], RED)));
    const at = draw();
    expect([at(4, 4)[3], at(24, 4)[3]]).toEqual([0, 255]);
    apply(false, ...lists());
    expect(draw()(24, 4)[3]).toBe(0);
  });

  it("serves several views one after the other", () => {
    apply(true, white, ...lists(rectangle(1, [0, 0, 9, 9], RED)));
    const other = document.createElement("canvas");
    renderer.draw(other, 20, 10, 1);
    expect(draw()(4, 4)).toEqual(RED);
    expect([other.width, other.height]).toEqual([20, 10]);
  });

  it("leaves no WebGL error", () => {
    apply(true, white, ...lists(rectangle(1, [0, 0, 9, 9], RED)));
    draw();
    const { gl } = uiSurface();
    expect(gl.getError()).toBe(gl.NO_ERROR);
  });

  it("asks for its textures again when the context was lost", async () => {
    apply(true, white, ...lists(rectangle(1, [0, 0, 9, 9], RED)));
    draw();
    const { gl, canvas: shared } = uiSurface();
    const extension = gl.getExtension("WEBGL_lose_context");
    const restored = new Promise((done) =>
      shared.addEventListener("webglcontextrestored", done, { once: true }),
    );
    extension?.loseContext();
    await vi.waitFor(() => expect(gl.isContextLost()).toBe(true));
    renderer.draw(canvas, WIDTH, HEIGHT, 1);
    await new Promise((done) => setTimeout(done));
    extension?.restoreContext();
    await restored;
    renderer.draw(canvas, WIDTH, HEIGHT, 1);
    expect(lost).toHaveBeenCalledOnce();
    apply(true, white, ...lists(rectangle(1, [0, 0, 9, 9], RED)));
    expect(draw()(4, 4)).toEqual(RED);
  });
});
