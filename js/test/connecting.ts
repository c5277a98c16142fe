// A connection whose two ends are the test, for what a kernel and a person do to it.

import { setMaxListeners } from "node:events";
import { vi } from "vitest";
import { Connection } from "../src/connection";
import { Tag, VERSION, writePacket } from "../src/wire";
import { block, FakeModel, join } from "./support";

export const VIEW = {
  view: "page.1",
  width: 300,
  height: 200,
  dpr: 2,
  theme: "dark",
  visible: true,
  mode: "cell",
} as const;
export const OTHER = { ...VIEW, view: "page.2", width: 500 } as const;
export const STATE = writePacket([block(Tag.FRAME, join(new Uint8Array(32)))]).buffer;
export const DESCRIPTION = { meshes: [{ hash: "aa", bytes: 6 }], textures: [] };

/** Ends the connections of the running test. */
export let controller = new AbortController();

export function connect(
  stored: Record<string, Uint8Array<ArrayBuffer>> = {},
  model = new FakeModel(),
) {
  const scene = {
    lacking: [] as string[],
    describe: vi.fn(() => scene.lacking),
    asset: vi.fn(async (_hash: string, _bytes: Uint8Array) => undefined),
    frame: vi.fn(),
  };
  const ui = { apply: vi.fn() };
  const store = {
    load: vi.fn(async (hash: string) => stored[hash]),
    save: vi.fn(async () => undefined),
    forget: vi.fn(async () => undefined),
  };
  const memory = { load: vi.fn((): object | null => null), save: vi.fn() };
  const options = {
    model,
    client: "page",
    signal: controller.signal,
    scene,
    ui,
    store,
    memory,
    changed: vi.fn(),
    window: vi.fn(),
    clipboard: vi.fn(),
  };
  const connection = new Connection(options);
  const describeModel = (gen = 1) =>
    model.receive({ type: "model", version: VERSION, gen, scene: DESCRIPTION });
  const frame = (seq: number, base: number | null, gen = 1) =>
    model.receive({ type: "frame", gen, seq, base, streams: ["state"] }, [STATE]);
  return { ...options, connection, describeModel, frame };
}

/** A connection that showed a model and its first frame. */
export function connected() {
  const all = connect();
  all.connection.report([VIEW]);
  all.describeModel();
  all.frame(1, null);
  all.model.sent = [];
  return all;
}

/** Has time stand still until the test moves it; connections end with `endConnections`. */
export function beginConnections(): void {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  controller = new AbortController();
  setMaxListeners(0, controller.signal);
}

export function endConnections(): void {
  controller.abort();
  vi.useRealTimers();
}
