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

/** By their number in a UI_TEXTURE: bytes a pixel. */
const FORMATS = [
  { format: "rgba", depth: 4 },
  { format: "alpha", depth: 1 },
  { format: "rgb", depth: 3 },
] as const;

export type TextureFormat = (typeof FORMATS)[number]["format"];

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
  /** "alpha": one byte a pixel; its colour is white. */
  format: TextureFormat;
  pixels: Uint8Array;
}

/** A texture that this page made itself, rows from the top, RGBA. */
export interface OwnTexture {
  id: number;
  width: number;
  height: number;
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
  popupOpen = false;
  /** Whether the wheel is the kernel's over the scene, too. */
  takesWheel = false;
  /** `ImGuiMouseCursor`. */
  cursor = 0;
  /** Ids of the lists in drawing order. */
  order: readonly number[] = [];
  /** x0, y0, x1, y1 in CSS pixels of each area that belongs to ImGui. */
  rects: Float32Array = new Float32Array(0);
  readonly lists = new Map<number, DrawList>();
  /**
   * Whether this page draws the panels. One that does not lets texture work go, which
   * would heap up for nobody; who starts to draw gets a full packet.
   */
  drawn = true;
  /** Grows whenever a redraw is due. */
  version = 0;
  #tasks: TextureTask[] = [];
  #previousOrder: readonly number[] = [];
  #bodies = 0;
  /** The textures of this page's own: the kernel cannot send them again. */
  readonly #own = new Map<number, TextureUpload>();

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
          if (this.drawn) {
            this.#tasks.push({ kind: "upload", upload: readTexture(block) });
          }
          break;
        case Tag.UI_TEXTURE_GONE:
          for (const id of words(block)) this.#push({ kind: "gone", id });
          break;
      }
    }
    if (blocks.some((block) => block.tag === Tag.UI_FRAME)) this.#forget();
    this.version++;
  }

  /** Takes a texture of this page's own, in place of the last one of its id. */
  setOwn({ id, width, height, pixels }: OwnTexture): void {
    const part = { x: 0, y: 0, w: width, h: height };
    const upload = { id, width, height, ...part, format: "rgba", pixels } as const;
    this.#own.set(id, upload);
    this.#push({ kind: "upload", upload });
    this.version++;
  }

  /** Lets go of a texture of this page's own. */
  dropOwn(id: number): void {
    if (this.#own.delete(id)) this.#push({ kind: "gone", id });
  }

  #push(task: TextureTask): void {
    if (this.drawn) this.#tasks.push(task);
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
    this.popupOpen = this.takesWheel = false;
    this.cursor = 0;
    this.#tasks = [{ kind: "reset" }];
    for (const upload of this.#own.values()) {
      this.#tasks.push({ kind: "upload", upload });
    }
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
    this.popupOpen = (flags & 8) !== 0;
    this.takesWheel = (flags & 16) !== 0;
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
    const list = split(id, body, nvert, nindex, ncommand, ++this.#bodies);
    if (flags & Flag.XOR) {
      if (!old) throw new WireError(`UI_LIST ${id} is a difference to nothing`);
      list.vertices.set(interleaved(list.vertices));
      for (const part of PARTS) mix(partOf(list, part), partOf(old, part));
    }
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

const PARTS = ["commandWords", "vertices", "indices"] as const;

function partOf(list: DrawList, part: (typeof PARTS)[number]): Uint8Array {
  const { buffer, byteOffset, byteLength } = list[part];
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** XORs bytes with others, over the shorter of the two. */
function mix(bytes: Uint8Array, old: Uint8Array): void {
  const shared = Math.min(bytes.length, old.length);
  for (let i = 0; i < shared; i++) (bytes[i] as number) ^= old[i] as number;
}

/** Vertices whose bytes stand plane by plane: byte 0 of all, byte 1 of all, and so on. */
function interleaved(planes: Uint8Array): Uint8Array {
  const count = planes.length / VERTEX_BYTES;
  const vertices = new Uint8Array(planes.length);
  for (let byte = 0, from = 0; byte < VERTEX_BYTES; byte++) {
    for (let i = 0; i < count; i++) {
      vertices[i * VERTEX_BYTES + byte] = planes[from++] as number;
    }
  }
  return vertices;
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
  const [id, width, height, x, y, w, h, number] = Array.from({ length: 8 }, (_, i) =>
    payload.getUint32(i * 4, true),
  ) as [number, number, number, number, number, number, number, number];
  const known = FORMATS[number];
  if (!known) throw new WireError(`UI_TEXTURE ${id} is of unknown format ${number}`);
  if (Math.max(width, height) > MAX_TEXTURE_SIDE || x + w > width || y + h > height) {
    throw new WireError(
      `UI_TEXTURE ${id} updates ${w} x ${h} at ${x}, ${y} of ${width} x ${height}`,
    );
  }
  const stored =
    flags & Flag.ZLIB
      ? inflate(payload, TEXTURE_HEAD_BYTES)
      : viewOf(bytesOf(payload, TEXTURE_HEAD_BYTES));
  const expected = w * h * known.depth;
  if (stored.byteLength !== expected) {
    throw new WireError(
      `UI_TEXTURE ${id} has ${stored.byteLength} bytes of pixels, not ${expected}`,
    );
  }
  // A copy, because the message's memory need not outlive this call.
  const pixels = bytesOf(stored).slice();
  return { id, width, height, x, y, w, h, format: known.format, pixels };
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
