import { describe, expect, it } from "vitest";
import { UiState } from "../src/ui/lists";
import { readPacket, Tag, WireError, writePacket } from "../src/wire";
import {
  block,
  difference,
  Flag,
  join,
  type ListParts,
  listBody,
  listHead,
  rectangle,
  uiFrame,
  zipped,
} from "./support";

const first = rectangle(7, [0, 0, 10, 10], [255, 0, 0, 255]);
const moved = rectangle(7, [5, 0, 15, 10], [255, 0, 0, 255]);
const plain = (list: ListParts) =>
  block(Tag.UI_LIST, join(listHead(list), listBody(list)));
const frame = (...order: number[]) => block(Tag.UI_FRAME, uiFrame(order), order.length);

/** A state that has applied packets of these blocks; the first is a full one. */
function state(...packets: ReturnType<typeof block>[][]): UiState {
  const ui = new UiState();
  for (const [i, blocks] of packets.entries()) {
    ui.apply(readPacket(writePacket(blocks)), i === 0);
  }
  return ui;
}

const bodyOf = (ui: UiState, id = 7) => [...(ui.lists.get(id)?.body ?? [])];

describe("UI_LIST", () => {
  it("splits into commands, vertices and indices", () => {
    const list = state([frame(7), plain(first)]).lists.get(7);
    expect([...(list?.commandFloats.subarray(0, 4) ?? [])]).toEqual([0, 0, 1000, 1000]);
    expect([...(list?.commandWords.subarray(4) ?? [])]).toEqual([1, 0, 0, 6]);
    expect(list?.vertices.length).toBe(4 * 20);
    expect([...(list?.indices ?? [])]).toEqual([0, 1, 2, 0, 2, 3]);
  });

  it("has indices of 4 bytes when there are more than 65535 vertices", () => {
    const corner = first.vertices[0] as ListParts["vertices"][0];
    const big = {
      ...first,
      vertices: Array(65536).fill(corner),
      indices: [65535, 0, 1],
    };
    big.commands = [{ clip: [0, 0, 1, 1], texture: 1, vertex: 0, index: 0, count: 3 }];
    const list = state([frame(7), plain(big)]).lists.get(7);
    expect([...(list?.indices ?? [])]).toEqual([65535, 0, 1]);
  });

  it("undoes a difference to the list of the same id", () => {
    const body = difference(moved, first);
    const delta = block(Tag.UI_LIST, join(listHead(moved), body), 0, Flag.XOR);
    expect(bodyOf(state([frame(7), plain(first)], [frame(7), delta]))).toEqual([
      ...listBody(moved),
    ]);
  });

  it("undoes ZLIB before XOR, and leaves the head out of both", () => {
    const body = zipped(difference(moved, first));
    const flags = Flag.XOR | Flag.ZLIB;
    const delta = block(Tag.UI_LIST, join(listHead(moved), body), 0, flags);
    expect(bodyOf(state([frame(7), plain(first)], [frame(7), delta]))).toEqual([
      ...listBody(moved),
    ]);
  });

  it.each([
    ["longer", { ...moved, indices: [...moved.indices, 0, 1, 2] }],
    ["shorter", { ...moved, indices: [], commands: [] }],
  ])("takes the rest of a %s body as it is", (_, other) => {
    const body = difference(other, first);
    const delta = block(Tag.UI_LIST, join(listHead(other), body), 0, Flag.XOR);
    expect(bodyOf(state([frame(7), plain(first)], [frame(7), delta]))).toEqual([
      ...listBody(other),
    ]);
  });

  it("does not write into the memory of the message", () => {
    const packet = writePacket([frame(7), plain(first)]);
    const before = packet.slice();
    const ui = new UiState();
    ui.apply(readPacket(packet), true);
    const zeros = new Uint8Array(listBody(first).length).fill(0xff);
    const delta = block(Tag.UI_LIST, join(listHead(first), zeros), 0, Flag.XOR);
    expect(() => ui.apply([delta], false)).toThrow(WireError);
    expect(packet).toEqual(before);
  });

  it("is kept for one frame that does not name it, and forgotten after the second", () => {
    const ui = state([frame(7), plain(first)], [frame()]);
    expect(ui.lists.has(7)).toBe(true);
    ui.apply(readPacket(writePacket([frame()])), false);
    expect(ui.lists.has(7)).toBe(false);
  });

  it("gets another version with each body, also after it was forgotten", () => {
    const ui = state([frame(7), plain(first)]);
    const version = ui.lists.get(7)?.version;
    ui.apply(readPacket(writePacket([frame(7), plain(first)])), true);
    expect(ui.lists.get(7)?.version).not.toBe(version);
  });

  const head = (...words: number[]) =>
    block(Tag.UI_LIST, join(Uint32Array.of(...words)));
  const drawing = (change: Partial<ListParts["commands"][0]>) =>
    plain({ ...first, commands: [{ ...first.commands[0], ...change } as never] });
  it.each([
    ["no head", block(Tag.UI_LIST, join([1, 2, 3]))],
    ["less body than its head says", head(7, 4, 6, 1)],
    [
      "more body than its head says",
      block(Tag.UI_LIST, join(listHead(first), listBody(first), [0, 0, 0, 0])),
    ],
    ["four billion vertices", head(7, 0xffffffff, 0xffffffff, 0xffffffff)],
    [
      "a difference to nothing",
      block(Tag.UI_LIST, join(listHead(first), listBody(first)), 0, Flag.XOR),
    ],
    ["indices past its end", drawing({ count: 9 })],
    ["an index offset past its end", drawing({ index: 0xffffffff })],
    ["a vertex offset past its end", drawing({ vertex: 4 })],
  ])("is refused with %s", (_, list) => {
    expect(() => state([frame(7), list])).toThrow(WireError);
  });
});

describe("UI_FRAME", () => {
  it("says the size, what ImGui wants and the cursor", () => {
    const ui = state([block(Tag.UI_FRAME, uiFrame([], 0b11101, 7, [300, 200]))]);
    expect(ui).toMatchObject({ width: 300, height: 200, cursor: 7, order: [] });
    expect(ui).toMatchObject({
      wantsMouse: true,
      wantsKeyboard: false,
      wantsText: true,
      popupOpen: true,
      takesWheel: true,
    });
  });

  it("may come before the lists that it names", () => {
    expect(state([frame(7), plain(first)]).order).toEqual([7]);
  });

  it("is refused when it names a list that is not there", () => {
    expect(() => state([frame(8), plain(first)])).toThrow(/8/);
  });

  it("is refused when it is cut", () => {
    expect(() => state([block(Tag.UI_FRAME, uiFrame([]), 3)])).toThrow(WireError);
  });
});

describe("UI_RECTS", () => {
  const rects = block(
    Tag.UI_RECTS,
    join(Float32Array.of(10, 10, 20, 20, 40, 0, 50, 5)),
    2,
  );

  it("tells whose the pointer is, upper bounds left out", () => {
    const ui = state([rects]);
    expect(ui.covers(10, 10)).toBe(true);
    expect(ui.covers(45, 4)).toBe(true);
    expect(ui.covers(20, 15)).toBe(false);
    expect(ui.covers(30, 2)).toBe(false);
  });

  it("is refused when it is cut", () => {
    expect(() => state([{ ...rects, count: 3 }])).toThrow(WireError);
  });
});

describe("UI_TEXTURE", () => {
  const words = (...values: number[]) => Uint32Array.of(...values);
  const pixels = [1, 2, 3, 4, 5, 6, 7, 8];

  it("is queued for the renderer, once", () => {
    const ui = state([
      block(Tag.UI_TEXTURE, join(words(3, 8, 8, 6, 7, 2, 1, 0), pixels)),
    ]);
    const [reset, upload] = ui.takeTextureTasks();
    expect(reset).toEqual({ kind: "reset" });
    expect(upload).toMatchObject({
      upload: { id: 3, width: 8, height: 8, x: 6, y: 7, w: 2, h: 1, format: "rgba" },
    });
    expect(ui.takeTextureTasks()).toEqual([]);
  });

  it("leaves its head out of ZLIB", () => {
    const stored = join(words(3, 8, 8, 0, 0, 4, 2, 1), zipped(Uint8Array.from(pixels)));
    const ui = state([block(Tag.UI_TEXTURE, stored, 0, Flag.ZLIB)]);
    expect(ui.takeTextureTasks()[1]).toMatchObject({
      upload: { format: "alpha", pixels: Uint8Array.from(pixels) },
    });
  });

  it("may be without alpha", () => {
    const stored = join(words(3, 2, 1, 0, 0, 2, 1, 2), pixels.slice(0, 6));
    expect(state([block(Tag.UI_TEXTURE, stored)]).takeTextureTasks()[1]).toMatchObject({
      upload: { format: "rgb", pixels: Uint8Array.from(pixels.slice(0, 6)) },
    });
  });

  it("can be gone", () => {
    const ui = state([block(Tag.UI_TEXTURE_GONE, join(words(3, 4)), 2)]);
    expect(ui.takeTextureTasks().slice(1)).toEqual([
      { kind: "gone", id: 3 },
      { kind: "gone", id: 4 },
    ]);
  });

  it.each([
    ["no head", join([1, 2, 3])],
    ["an unknown format", join(words(3, 8, 8, 0, 0, 2, 1, 3), pixels)],
    ["too few pixels", join(words(3, 8, 8, 0, 0, 2, 2, 0), pixels)],
    ["too many pixels", join(words(3, 8, 8, 0, 0, 1, 1, 0), pixels)],
    ["a part outside of the texture", join(words(3, 8, 8, 7, 0, 2, 1, 0), pixels)],
    [
      "an offset that wraps around",
      join(words(3, 8, 8, 0xffffffff, 0, 2, 1, 0), pixels),
    ],
    ["a side of a million", join(words(3, 1e6, 8, 0, 0, 2, 1, 0), pixels)],
  ])("is refused with %s", (_, bytes) => {
    expect(() => state([block(Tag.UI_TEXTURE, bytes)])).toThrow(WireError);
  });
});

describe("a full frame", () => {
  it("without panels leaves none", () => {
    const ui = state([
      frame(7),
      plain(first),
      block(Tag.UI_RECTS, join(Float32Array.of(0, 0, 9, 9)), 1),
    ]);
    ui.apply([], true);
    expect([ui.order, ui.lists.size, ui.covers(1, 1)]).toEqual([[], 0, false]);
  });
});

describe("a page that does not draw the panels", () => {
  it("lets texture work go, and begins with the full frame that follows", () => {
    const pixels = join(Uint32Array.of(7, 1, 1, 0, 0, 1, 1, 0), [1, 2, 3, 4]);
    const textures = [block(Tag.UI_TEXTURE, pixels)];
    const own = { id: 9, width: 1, height: 1, pixels: Uint8Array.of(1, 2, 3, 4) };
    const ui = state([]);
    ui.takeTextureTasks();
    ui.drawn = false;
    ui.apply(textures, false);
    ui.setOwn(own);
    expect(ui.takeTextureTasks()).toEqual([]);
    ui.drawn = true;
    ui.apply(textures, true);
    expect(ui.takeTextureTasks()).toMatchObject([
      { kind: "reset" },
      { kind: "upload", upload: { id: 9 } },
      { kind: "upload", upload: { id: 7 } },
    ]);
  });
});

describe("a texture of the page's own", () => {
  const own = {
    id: 9,
    width: 2,
    height: 1,
    pixels: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8),
  };
  const upload = { kind: "upload", upload: { ...own, x: 0, y: 0, w: 2, h: 1 } };

  it("asks for a redraw and is uploaded whole", () => {
    const ui = state([]);
    ui.takeTextureTasks();
    const before = ui.version;
    ui.setOwn(own);
    expect(ui.version).toBeGreaterThan(before);
    expect(ui.takeTextureTasks()).toMatchObject([upload]);
  });

  it("outlives a full frame, which cannot bring it", () => {
    const ui = state([]);
    ui.setOwn(own);
    ui.takeTextureTasks();
    ui.apply([], true);
    expect(ui.takeTextureTasks()).toMatchObject([{ kind: "reset" }, upload]);
  });

  it("is gone once it is dropped, again is fine", () => {
    const ui = state([]);
    ui.setOwn(own);
    ui.takeTextureTasks();
    ui.dropOwn(9);
    ui.dropOwn(9);
    expect(ui.takeTextureTasks()).toEqual([{ kind: "gone", id: 9 }]);
    ui.apply([], true);
    expect(ui.takeTextureTasks()).toEqual([{ kind: "reset" }]);
  });
});
