// What several tests need: packets made by hand, a model without a kernel, a view's element
// without a DOM.

import { zlibSync } from "fflate";
import type { Buffers, Head, Model } from "../src/host";
import type { SceneDescription } from "../src/scene/description";
import { type Block, Flag, viewOf } from "../src/wire";

/** A model without anything in it. */
export const EMPTY_SCENE: SceneDescription = {
  name: "empty",
  extent: 1,
  center: [0, 0, 0],
  fovy: 45,
  orthographic: false,
  znear: 0.01,
  zfar: 50,
  fogstart: 3,
  fogend: 10,
  haze: 0.3,
  shadowclip: 1,
  shadowscale: 0.6,
  linewidth: 1,
  fog_rgba: [0, 0, 0, 1],
  haze_rgba: [1, 1, 1, 1],
  shadowsize: 1024,
  numslices: 28,
  numstacks: 16,
  numquads: 4,
  meshes: [],
  textures: [],
  materials: [],
  skybox: -1,
};

export function block(tag: number, bytes: Uint8Array, count = 0, flags = 0): Block {
  return { tag, flags, count, payload: viewOf(bytes) };
}

/** The bytes of typed arrays and byte lists, one after the other. */
export function join(
  ...parts: (ArrayBufferView | number[])[]
): Uint8Array<ArrayBuffer> {
  const bytes = parts.map((part) =>
    Array.isArray(part)
      ? Uint8Array.from(part)
      : new Uint8Array(part.buffer, part.byteOffset, part.byteLength),
  );
  const joined = new Uint8Array(bytes.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of bytes) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** As docs/wire.md has ZLIB: u32 raw length, then the stream. */
export function zipped(raw: Uint8Array): Uint8Array<ArrayBuffer> {
  return join(Uint32Array.of(raw.length), zlibSync(raw));
}

export interface ListParts {
  id: number;
  commands: {
    clip: number[];
    texture: number;
    vertex: number;
    index: number;
    count: number;
  }[];
  vertices: { x: number; y: number; u: number; v: number; rgba: number[] }[];
  indices: number[];
}

export function listHead({ id, vertices, indices, commands }: ListParts) {
  return Uint32Array.of(id, vertices.length, indices.length, commands.length);
}

export function listBody(list: ListParts) {
  return join(...listParts(list));
}

function listParts({ commands, vertices, indices }: ListParts): Uint8Array[] {
  const words = commands.flatMap((c) => [
    Float32Array.from(c.clip),
    Uint32Array.of(c.texture, c.vertex, c.index, c.count),
  ]);
  const Indices = vertices.length <= 65535 ? Uint16Array : Uint32Array;
  return [join(...words), vertexBytes(vertices), join(Indices.from(indices))];
}

function vertexBytes(vertices: ListParts["vertices"]): Uint8Array {
  const bytes = new Uint8Array(vertices.length * 20);
  const view = viewOf(bytes);
  for (const [i, { x, y, u, v, rgba }] of vertices.entries()) {
    for (const [k, value] of [x, y, u, v].entries()) {
      view.setFloat32(i * 20 + k * 4, value, true);
    }
    bytes.set(rgba, i * 20 + 16);
  }
  return bytes;
}

export function uiFrame(order: number[], flags = 0, cursor = 0, size = [64, 48]) {
  return join(
    Float32Array.of(size[0] as number, size[1] as number, 1),
    Uint32Array.of(flags),
    Int32Array.of(cursor),
    Uint32Array.of(0, ...order),
  );
}

/** A rectangle of one colour, from texture 1, whose first texel is white. */
export function rectangle(
  id: number,
  [x0, y0, x1, y1]: [number, number, number, number],
  rgba: number[],
  clip = [0, 0, 1000, 1000],
): ListParts {
  const corner = (x: number, y: number) => ({ x, y, u: 0, v: 0, rgba });
  return {
    id,
    commands: [{ clip, texture: 1, vertex: 0, index: 0, count: 6 }],
    vertices: [corner(x0, y0), corner(x1, y0), corner(x1, y1), corner(x0, y1)],
    indices: [0, 1, 2, 0, 2, 3],
  };
}

/** A list's body as its difference to another list, as docs/wire.md says. */
export function difference(fresh: ListParts, old: ListParts): Uint8Array<ArrayBuffer> {
  const [commands, vertices, indices] = listParts(fresh).map((part, i) =>
    xored(part, listParts(old)[i] as Uint8Array),
  ) as [Uint8Array, Uint8Array, Uint8Array];
  const count = vertices.length / 20;
  const planes = vertices.map((_, at) => {
    const [byte, i] = [Math.floor(at / count), at % count];
    return vertices[i * 20 + byte] as number;
  });
  return join(commands, planes, indices);
}

function xored(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const out = a.slice() as Uint8Array<ArrayBuffer>;
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    out[i] = (a[i] as number) ^ (b[i] as number);
  }
  return out;
}

export { Flag };

type Handler = (...args: unknown[]) => void;

/** A widget model whose other end is the test. */
export class FakeModel implements Model {
  sent: Head[] = [];
  saved = 0;
  onsend: ((head: Head) => void) | undefined;
  #handlers = new Map<string, Set<Handler>>();

  constructor(readonly traits: Record<string, unknown> = {}) {}

  get = (name: string) => this.traits[name];
  set = (name: string, value: unknown) => {
    this.traits[name] = value;
  };
  save_changes = () => {
    this.saved++;
  };
  send = (head: Head) => {
    // As the comm does: what is not JSON does not arrive.
    const sent = JSON.parse(JSON.stringify(head)) as Head;
    this.sent.push(sent);
    this.onsend?.(sent);
  };
  on = (name: string, handler: (...args: never[]) => void) => {
    const handlers = this.#handlers.get(name) ?? new Set();
    this.#handlers.set(name, handlers.add(handler as Handler));
  };
  off = (name: string, handler?: ((...args: never[]) => void) | null) => {
    if (handler) this.#handlers.get(name)?.delete(handler as Handler);
    else this.#handlers.delete(name);
  };

  emit(name: string, ...args: unknown[]): void {
    for (const handler of [...(this.#handlers.get(name) ?? [])]) handler(...args);
  }

  receive(head: Head, buffers: Buffers = []): void {
    this.emit("msg:custom", head, buffers);
  }

  take(type?: string): Head[] {
    const taken = this.sent.filter((head) => type === undefined || head.type === type);
    this.sent = this.sent.filter((head) => !taken.includes(head));
    return taken;
  }

  get listeners(): number {
    return [...this.#handlers.values()].reduce((sum, { size }) => sum + size, 0);
  }
}

/** An element of 400 x 200 CSS pixels at 10, 20 of the page, for Node. */
export class FakeElement extends EventTarget {
  value = "";
  inputMode = "";
  captured = new Set<number>();
  getBoundingClientRect = () => ({ left: 10, top: 20, width: 400, height: 200 });
  setPointerCapture = (id: number) => void this.captured.add(id);
  hasPointerCapture = (id: number) => this.captured.has(id);
  releasePointerCapture = (id: number) => void this.captured.delete(id);

  /** Dispatches an event with the fields of `init`; x and y are the element's own. */
  fire(name: string, init: Record<string, unknown> = {}): Event {
    const event = new Event(name, { bubbles: true, cancelable: true });
    const { x = 0, y = 0, ...rest } = init as { x?: number; y?: number };
    const fields = {
      ctrlKey: false,
      shiftKey: false,
      altKey: false,
      metaKey: false,
      pointerId: 1,
      clientX: x + 10,
      clientY: y + 20,
      ...rest,
    };
    for (const [key, value] of Object.entries(fields)) {
      Object.defineProperty(event, key, { value });
    }
    this.dispatchEvent(event);
    return event;
  }
}
