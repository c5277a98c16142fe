// Holds the two implementations of docs/wire.md to each other, by files in tests/vectors.
// python/*: packets that Python wrote, to be read here. js/*: packets and heads that this
// side writes, to be read by Python's tests; UPDATE_VECTORS=1 writes them anew.
//
// NAME.bin is a packet. NAME.json tells what a reader must find in it: `{blocks: [{tag,
// flags, count, payload}]}`, where `payload` is hex after inflation (UI_LIST and UI_TEXTURE:
// as stored), and where a block has `table`, its size, also `rows` and `offset`; or
// `{error: true}` for a packet that must be refused. A NAME.json without a NAME.bin is
// something else: `heads.json` lists message heads.

import { setMaxListeners } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Connection } from "../src/connection";
import { Keyboard } from "../src/input/keyboard";
import { Pointer } from "../src/input/pointer";
import {
  type Block,
  bytesOf,
  readPacket,
  readRows,
  Tag,
  VERSION,
  WireError,
  writePacket,
} from "../src/wire";
import {
  block,
  FakeElement,
  FakeModel,
  Flag,
  join,
  listBody,
  listHead,
  rectangle,
  uiFrame,
  zipped,
} from "./support";

const ROOT = fileURLToPath(new URL("../../tests/vectors/", import.meta.url));
const PYTHON = `${ROOT}python/`;
const JS = `${ROOT}js/`;

interface Described {
  tag: number;
  flags: number;
  count: number;
  payload: string;
  table?: number;
  rows?: number[];
  offset?: number;
}

interface Vector {
  error?: boolean;
  blocks?: Described[];
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

/** What `readPacket` and `readRows` find, in the form of the JSON files. */
function described(
  blocks: readonly Block[],
  tables: (number | undefined)[],
): Described[] {
  return blocks.map((read, i) => {
    const { tag, flags, count, payload } = read;
    const base = { tag, flags, count, payload: hex(bytesOf(payload)) };
    const table = tables[i];
    if (table === undefined) return base;
    const { rows, offset } = readRows(read, table);
    return { ...base, table, rows: [...rows], offset };
  });
}

function namesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".bin"))
    .map((name) => name.slice(0, -4));
}

describe("packets that Python wrote", () => {
  if (!existsSync(PYTHON) && !process.env.CI) {
    it.skip("are not here: pytest writes them into tests/vectors/python", () =>
      undefined);
    return;
  }
  const names = existsSync(PYTHON) ? namesIn(PYTHON) : [];
  it("are here", () => {
    expect(names).not.toEqual([]);
  });
  it.each(names)("%s says here what it says there", (name) => {
    const packet = new Uint8Array(readFileSync(`${PYTHON}${name}.bin`));
    const vector = JSON.parse(readFileSync(`${PYTHON}${name}.json`, "utf8")) as Vector;
    if (vector.error) {
      expect(() => readPacket(packet)).toThrow(WireError);
      return;
    }
    const tables = vector.blocks?.map(({ table }) => table) ?? [];
    expect(described(readPacket(packet), tables)).toEqual(vector.blocks);
  });
});

const ROWS = 20;
const row = Float32Array.of(0.5, -1, 2);
const rowMode = (mode: number) => mode << 8;
const list = rectangle(7, [1, 2, 3, 4], [10, 20, 30, 40]);

/** Packets, and for blocks with a row set the size of their table. */
const PACKETS: Record<string, { blocks: Block[]; tables?: (number | undefined)[] }> = {
  empty: { blocks: [] },
  padding: {
    blocks: [1, 2, 3, 4, 5].map((n) =>
      block(Tag.LABEL, join([n, n, n, n, n].slice(0, n)), n),
    ),
  },
  unknown_tag: {
    blocks: [block(4095, join([1, 2, 3]), 9, Flag.ZLIB), block(Tag.SIZE, join(row), 1)],
  },
  zlib: {
    blocks: [block(Tag.RGBA, zipped(join(new Float32Array(400))), 100, Flag.ZLIB)],
  },
  rows: {
    tables: [ROWS, ROWS, ROWS, ROWS, 70_000],
    blocks: [
      block(Tag.SIZE, join(row, row), 2, rowMode(0)),
      block(Tag.SIZE, join([0b10000001, 0, 0b1000, 0], row, row, row), 3, rowMode(1)),
      block(Tag.SIZE, join(Uint16Array.of(3, 4, 19, 0), row, row, row), 3, rowMode(2)),
      block(Tag.SIZE, join(Uint32Array.of(0, 19), row, row), 2, rowMode(3)),
      block(Tag.SIZE, join(Uint32Array.of(69_999), row), 1, rowMode(3)),
    ],
  },
  ui: {
    blocks: [
      block(Tag.UI_FRAME, uiFrame([7]), 1),
      block(Tag.UI_LIST, join(listHead(list), zipped(listBody(list))), 0, Flag.ZLIB),
      block(Tag.UI_RECTS, join(Float32Array.of(1, 2, 3, 4)), 1),
    ],
  },
};

/** Message heads of every type that this side sends, made by the code that sends them. */
async function heads(): Promise<object[]> {
  const controller = new AbortController();
  const { signal } = controller;
  setMaxListeners(0, signal);
  const model = new FakeModel();
  const connection = new Connection({
    model,
    client: "page",
    signal,
    scene: {
      describe: () => ["ab12"],
      asset: async () => undefined,
      frame: () => undefined,
    },
    ui: { apply: () => undefined },
    store: {
      load: async () => undefined,
      save: async () => undefined,
      forget: async () => undefined,
    },
    memory: { load: () => ({ theme: "dark" }), save: () => undefined },
    changed: () => undefined,
    window: () => undefined,
    clipboard: () => undefined,
  });
  const view = {
    view: "page.1",
    width: 400,
    height: 200,
    dpr: 1.5,
    theme: "light",
    visible: true,
    mode: "cell",
  } as const;
  const other = { ...view, view: "page.2", mode: "window" } as const;
  connection.report([view]);
  connection.report([{ ...view, visible: false }]);
  connection.report([view, other]);
  connection.take("page.2");
  connection.report([view]);
  model.receive({
    type: "model",
    version: VERSION,
    gen: 3,
    scene: { meshes: [{ hash: "ab12", bytes: 4 }] },
  });
  await vi.waitFor(() => expect(model.sent.at(-1)?.type).toBe("assets"));
  model.receive({ type: "asset", hash: "ab12", offset: 0, total: 4 }, [
    new ArrayBuffer(4),
  ]);
  const state = writePacket([]).buffer;
  model.receive({ type: "frame", gen: 3, seq: 1, base: null, streams: ["state"] }, [
    state,
  ]);
  connection.drawn();
  act(connection, signal);
  connection.postCamera({
    generation: 1,
    lookat: [0, 0, 1],
    distance: 2,
    azimuth: 90,
    elevation: -20,
  });
  connection.postStats({ fps: 30, draw_ms: 12.5, scale: 0.66 });
  connection.flush();
  model.receive({ type: "frame", gen: 3, seq: 5, base: 4, streams: ["state"] }, [
    state,
  ]);
  vi.advanceTimersByTime(3000);
  connection.bye();
  controller.abort();
  return model.sent;
}

/** A person's hand: every kind of event. */
function act(connection: Connection, signal: AbortSignal): void {
  const stage = new FakeElement();
  const keys = new FakeElement();
  const post = connection.post.bind(connection);
  const camera = {
    orbit: () => undefined,
    pan: () => undefined,
    zoom: () => undefined,
  };
  new Pointer(
    stage as unknown as HTMLElement,
    {
      camera,
      covers: (x) => x < 100,
      uiActive: () => false,
      takesWheel: () => false,
      pick: () => ({ objtype: 5, objid: 3, geom: 4, point: [0.5, 0, 1.25] }),
      movable: () => true,
      selectedBody: () => 0,
      use: () => undefined,
      focused: () => true,
      setCursor: () => undefined,
      post,
    },
    signal,
  );
  const textarea = keys as unknown as HTMLTextAreaElement;
  new Keyboard(
    textarea,
    {
      wantsText: () => true,
      takes: () => false,
      popupOpen: () => false,
      release: () => undefined,
      toggleWindow: () => undefined,
      post,
    },
    signal,
  );
  const at = (x: number, y: number, buttons: number, more = {}) => ({
    x,
    y,
    button: buttons === 2 ? 2 : 0,
    buttons,
    timeStamp: 0,
    ...more,
  });
  stage.fire("pointermove", at(50, 20.25, 0));
  stage.fire("pointerdown", at(50, 20, 1, { shiftKey: true }));
  stage.fire("pointerup", at(60, 20, 0));
  stage.fire("wheel", { x: 60, y: 20, deltaX: 0, deltaY: -100, deltaMode: 0 });
  stage.fire("pointerleave");
  const ctrl = { ctrlKey: true };
  stage.fire("pointerdown", at(200, 100, 2, ctrl));
  stage.fire("pointermove", at(220, 90, 2, ctrl));
  stage.fire("pointerup", at(220, 90, 0, ctrl));
  keys.fire("focus");
  keys.fire("keydown", { code: "KeyA", key: "a", repeat: false });
  keys.fire("input", { data: "a", inputType: "insertText" });
  keys.fire("keyup", { code: "KeyA", key: "a", repeat: false });
  keys.fire("compositionstart");
  keys.fire("compositionend", { data: "日本" });
  keys.fire("paste", { clipboardData: { getData: () => "0.5" } });
  keys.fire("blur");
  connection.post({ t: "command", name: "pause" });
}

describe("what this side writes", () => {
  beforeEach(() => {
    vi.useFakeTimers({
      toFake: ["setInterval", "clearInterval", "performance"],
      now: 0,
    });
    vi.stubGlobal("window", new EventTarget());
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  /** Compares with the committed file, or replaces it. */
  function check(name: string, fresh: Uint8Array | string): void {
    const path = `${JS}${name}`;
    if (process.env.UPDATE_VECTORS) {
      mkdirSync(JS, { recursive: true });
      writeFileSync(path, fresh);
    }
    const hint = `${name} differs: if it should, run UPDATE_VECTORS=1 npm test`;
    const kept = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
    expect(kept.equals(Buffer.from(fresh as string)), hint).toBe(true);
  }

  it.each(Object.entries(PACKETS))(
    "the packet %s is the committed one",
    (name, { blocks, tables }) => {
      const packet = writePacket(blocks);
      const vector = { blocks: described(readPacket(packet), tables ?? []) };
      check(`${name}.bin`, packet);
      check(`${name}.json`, `${JSON.stringify(vector, null, 1)}\n`);
    },
  );

  it("the heads are the committed ones", async () => {
    check("heads.json", `${JSON.stringify(await heads(), null, 1)}\n`);
  });
});
