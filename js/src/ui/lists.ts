// What Dear ImGui drew, decoded from the /ui blocks of docs/wire.md: draw lists, their
// order, textures to upload and the areas that belong to ImGui. The connection applies
// packets, the renderer draws, the pointer asks for the areas. Pure: no WebGL, no DOM.

import { type Block, bytesOf, Flag, inflate, Tag, viewOf, WireError } from "../wire";

export const COMMAND_BYTES = 32;
export const VERTEX_BYTES = 20;

const LIST_HEAD_BYTES = 16;
const TEXTURE_HEAD_BYTES = 32;
const FRAME_BYTES = 24;
const RECT_BYTES = 16;
const MAX_U16_VERTICES = 65535;
const MAX_TEXTURE_SIDE = 16384;

/** One ImDrawList. The parts are views of `body`, which starts at offset 0 of its memory. */
export interface DrawList {
  id: number;
  /** Another for every body that was ever here. */
  version: number;
  body: Uint8Array<ArrayBuffer>;
  /** 8 words a command: clip rect, texture, vertex offset, index offset, elements. */
  commandFloats: Float32Array;
  commandWords: Uint32Array;
  vertices: Uint8Array;
  indices: Uint16Array | Uint32Array;
}

export interface TextureUpload {
  id: number;
  /** Size of the whole texture. */
  width: number;
  height: number;
  /** The part that the pixels cover. */
  x: number;
  y: number;
  w: number;
  h: number;
  /** One byte a pixel instead of RGBA. */
  alphaOnly: boolean;
  pixels: Uint8Array;
}

/** Texture work for the renderer, in order; `reset` drops every texture. */
export type TextureTask =
  | { kind: "reset" }
  | { kind: "gone"; id: number }
  | { kind: "upload"; upload: TextureUpload };

/** The panels as they were last sent. */
export class UiState {
  width = 0;
  height = 0;
  wantsMouse = false;
  wantsKeyboard = false;
  wantsText = false;
  /** `ImGuiMouseCursor`. */
  cursor = 0;
  /** Ids of the lists in drawing order. */
  order: readonly number[] = [];
  /** x0, y0, x1, y1 in CSS pixels of each area that belongs to ImGui. */
  rects: Float32Array = new Float32Array(0);
  readonly lists = new Map<number, DrawList>();
  /** Grows whenever a redraw is due. */
  version = 0;
  #tasks: TextureTask[] = [];
  #previousOrder: readonly number[] = [];
  #bodies = 0;

  /** Applies a /ui packet; `full` says that it repeats everything. */
  apply(blocks: readonly Block[], full: boolean): void {
    if (full) this.#clear();
    for (const block of blocks) {
      switch (block.tag) {
        case Tag.UI_FRAME:
          this.#frame(block);
          break;
        case Tag.UI_LIST:
          this.#list(block);
          break;
        case Tag.UI_RECTS:
          this.rects = floats(block, 4);
          break;
        case Tag.UI_TEXTURE:
          this.#tasks.push({ kind: "upload", upload: readTexture(block) });
          break;
        case Tag.UI_TEXTURE_GONE:
          for (const id of words(block)) this.#tasks.push({ kind: "gone", id });
          break;
      }
    }
    if (blocks.some((block) => block.tag === Tag.UI_FRAME)) this.#forget();
    this.version++;
  }

  /** Takes the texture work that came since the last call. */
  takeTextureTasks(): TextureTask[] {
    const tasks = this.#tasks;
    this.#tasks = [];
    return tasks;
  }

  /** Whether a point of the view, in CSS pixels, belongs to ImGui. */
  covers(x: number, y: number): boolean {
    for (let i = 0; i + 3 < this.rects.length; i += 4) {
      const [x0, y0, x1, y1] = this.rects.subarray(i, i + 4) as unknown as Rect;
      if (x >= x0 && y >= y0 && x < x1 && y < y1) return true;
    }
    return false;
  }

  #clear(): void {
    this.lists.clear();
    this.order = this.#previousOrder = [];
    this.rects = new Float32Array(0);
    this.wantsMouse = this.wantsKeyboard = this.wantsText = false;
    this.cursor = 0;
    this.#tasks = [{ kind: "reset" }];
  }

  #frame(block: Block): void {
    const { payload, count } = block;
    need(block, FRAME_BYTES + count * 4);
    this.width = payload.getFloat32(0, true);
    this.height = payload.getFloat32(4, true);
    const flags = payload.getUint32(12, true);
    this.wantsMouse = (flags & 1) !== 0;
    this.wantsKeyboard = (flags & 2) !== 0;
    this.wantsText = (flags & 4) !== 0;
    this.cursor = payload.getInt32(16, true);
    this.#previousOrder = this.order;
    this.order = Array.from({ length: count }, (_, i) =>
      payload.getUint32(FRAME_BYTES + i * 4, true),
    );
  }

  #list(block: Block): void {
    const { payload, flags } = block;
    if (payload.byteLength < LIST_HEAD_BYTES) {
      throw new WireError(`a UI_LIST of ${payload.byteLength} bytes has no head`);
    }
    const [id, nvert, nindex, ncommand] = [0, 4, 8, 12].map((at) =>
      payload.getUint32(at, true),
    ) as [number, number, number, number];
    const stored =
      flags & Flag.ZLIB
        ? inflate(payload, LIST_HEAD_BYTES)
        : viewOf(bytesOf(payload, LIST_HEAD_BYTES));
    const indexBytes = nvert <= MAX_U16_VERTICES ? 2 : 4;
    const expected =
      ncommand * COMMAND_BYTES + nvert * VERTEX_BYTES + nindex * indexBytes;
    if (stored.byteLength !== expected) {
      throw new WireError(
        `UI_LIST ${id} has a body of ${stored.byteLength} bytes, its head says ${expected}`,
      );
    }
    const old = this.lists.get(id);
    const body = bytesOf(stored).slice();
    if (flags & Flag.XOR) {
      if (!old) throw new WireError(`UI_LIST ${id} is a difference to nothing`);
      const shared = Math.min(body.length, old.body.length);
      for (let i = 0; i < shared; i++) (body[i] as number) ^= old.body[i] as number;
    }
    const list = split(id, body, nvert, nindex, ncommand, ++this.#bodies);
    checkCommands(list);
    this.lists.set(id, list);
  }

  /** Lets go of lists that neither this frame nor the one before it named. */
  #forget(): void {
    const kept = new Set([...this.order, ...this.#previousOrder]);
    for (const id of this.lists.keys()) if (!kept.has(id)) this.lists.delete(id);
    for (const id of this.order) {
      if (!this.lists.has(id))
        throw new WireError(`UI_FRAME names no known list: ${id}`);
    }
  }
}

type Rect = [number, number, number, number];

function split(
  id: number,
  body: Uint8Array<ArrayBuffer>,
  nvert: number,
  nindex: number,
  ncommand: number,
  version: number,
): DrawList {
  const verticesAt = ncommand * COMMAND_BYTES;
  const indicesAt = verticesAt + nvert * VERTEX_BYTES;
  const Indices = nvert <= MAX_U16_VERTICES ? Uint16Array : Uint32Array;
  return {
    id,
    version,
    body,
    commandFloats: new Float32Array(body.buffer, 0, ncommand * 8),
    commandWords: new Uint32Array(body.buffer, 0, ncommand * 8),
    vertices: body.subarray(verticesAt, indicesAt),
    indices: new Indices(body.buffer, indicesAt, nindex),
  };
}

function checkCommands({ id, commandWords, vertices, indices }: DrawList): void {
  const nvert = vertices.length / VERTEX_BYTES;
  for (let at = 0; at < commandWords.length; at += 8) {
    const [first, offset, count] = commandWords.subarray(at + 5, at + 8) as unknown as [
      number,
      number,
      number,
    ];
    if (offset + count > indices.length || (count > 0 && first >= nvert)) {
      throw new WireError(
        `UI_LIST ${id} draws ${count} indices from ${offset} and vertex ${first}; ` +
          `it has ${indices.length} and ${nvert}`,
      );
    }
  }
}

function readTexture(block: Block): TextureUpload {
  const { payload, flags } = block;
  if (payload.byteLength < TEXTURE_HEAD_BYTES) {
    throw new WireError(`a UI_TEXTURE of ${payload.byteLength} bytes has no head`);
  }
  const [id, width, height, x, y, w, h, format] = Array.from({ length: 8 }, (_, i) =>
    payload.getUint32(i * 4, true),
  ) as [number, number, number, number, number, number, number, number];
  if (format > 1)
    throw new WireError(`UI_TEXTURE ${id} is of unknown format ${format}`);
  if (Math.max(width, height) > MAX_TEXTURE_SIDE || x + w > width || y + h > height) {
    throw new WireError(
      `UI_TEXTURE ${id} updates ${w} x ${h} at ${x}, ${y} of ${width} x ${height}`,
    );
  }
  const stored =
    flags & Flag.ZLIB
      ? inflate(payload, TEXTURE_HEAD_BYTES)
      : viewOf(bytesOf(payload, TEXTURE_HEAD_BYTES));
  const alphaOnly = format === 1;
  const expected = w * h * (alphaOnly ? 1 : 4);
  if (stored.byteLength !== expected) {
    throw new WireError(
      `UI_TEXTURE ${id} has ${stored.byteLength} bytes of pixels, not ${expected}`,
    );
  }
  // A copy, because the message's memory need not outlive this call.
  return { id, width, height, x, y, w, h, alphaOnly, pixels: bytesOf(stored).slice() };
}

function floats(block: Block, each: number): Float32Array {
  need(block, (block.count * RECT_BYTES * each) / 4);
  return Float32Array.from({ length: block.count * each }, (_, i) =>
    block.payload.getFloat32(i * 4, true),
  );
}

function words(block: Block): number[] {
  need(block, block.count * 4);
  return Array.from({ length: block.count }, (_, i) =>
    block.payload.getUint32(i * 4, true),
  );
}

function need(block: Block, bytes: number): void {
  if (block.payload.byteLength !== bytes) {
    throw new WireError(
      `block ${block.tag} with ${block.count} elements has ` +
        `${block.payload.byteLength} bytes, not ${bytes}`,
    );
  }
}
