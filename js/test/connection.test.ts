import { setMaxListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Connection } from "../src/connection";
import { PING_MS, SILENCE_MS } from "../src/liveness";
import { Tag, VERSION, WireError, writePacket } from "../src/wire";
import { block, FakeModel, join } from "./support";

const VIEW = { width: 300, height: 200, dpr: 2, theme: "dark", visible: true } as const;
const STATE = writePacket([block(Tag.FRAME, join(new Uint8Array(32)))]).buffer;
const DESCRIPTION = { meshes: [{ hash: "aa", bytes: 6 }], textures: [] };

let controller: AbortController;

function connect(stored: Record<string, Uint8Array<ArrayBuffer>> = {}) {
  const model = new FakeModel();
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
  const changed = vi.fn();
  const clipboard = vi.fn();
  const connection = new Connection({
    model,
    client: "page",
    signal: controller.signal,
    scene,
    ui,
    store,
    changed,
    clipboard,
  });
  const describeModel = (gen = 1) =>
    model.receive({ type: "model", version: VERSION, gen, scene: DESCRIPTION });
  const frame = (seq: number, base: number | null, gen = 1) =>
    model.receive({ type: "frame", gen, seq, base, streams: ["state"] }, [STATE]);
  return {
    model,
    scene,
    ui,
    store,
    changed,
    clipboard,
    connection,
    describeModel,
    frame,
  };
}

/** A connection that showed a model and its first frame. */
function connected() {
  const all = connect();
  all.connection.report(VIEW);
  all.describeModel();
  all.frame(1, null);
  all.model.sent = [];
  return all;
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  controller = new AbortController();
  setMaxListeners(0, controller.signal);
});

afterEach(() => {
  controller.abort();
  vi.useRealTimers();
});

describe("the handshake", () => {
  it("sends nothing before a view is known", () => {
    const { model, connection } = connect();
    connection.drawn();
    vi.advanceTimersByTime(10_000);
    expect(model.sent).toEqual([]);
  });

  it("says ready with the version and the view, once", () => {
    const { model, connection } = connect();
    connection.report(VIEW);
    connection.report({ ...VIEW });
    expect(model.sent).toEqual([
      { type: "ready", version: 1, client: "page", ...VIEW },
    ]);
  });

  it("says ready again while a kernel that talks has not described its model", () => {
    const { model, connection } = connect();
    connection.report(VIEW);
    model.receive({ type: "status", level: "info", text: "" });
    vi.advanceTimersByTime(3000);
    expect(model.take("ready").length).toBeGreaterThan(1);
  });

  it("tells a change of the view", () => {
    const { model, connection } = connected();
    connection.report({ ...VIEW, visible: false });
    expect(model.sent).toEqual([
      { type: "view", client: "page", ...VIEW, visible: false },
    ]);
  });

  it("says bye once, and ready when it is shown again", () => {
    const { model, connection } = connected();
    connection.bye();
    connection.bye();
    connection.report(VIEW);
    expect(model.sent.map(({ type }) => type)).toEqual(["bye", "ready"]);
  });

  it("refuses a kernel of another version, in words", () => {
    const { model, connection } = connect();
    connection.report(VIEW);
    model.receive({ type: "model", version: 2, gen: 1, scene: DESCRIPTION });
    expect(connection.status).toMatchObject({ level: "error", text: /version 2/ });
  });
});

describe("frames", () => {
  it("are applied in sequence and acknowledged only when drawn", () => {
    const { model, scene, connection, frame } = connected();
    frame(2, 1);
    expect(scene.frame).toHaveBeenCalledTimes(2);
    expect(model.sent).toEqual([]);
    connection.drawn();
    connection.drawn();
    expect(model.sent).toEqual([{ type: "input", client: "page", ack: 2, gen: 1 }]);
  });

  it("are acknowledged by the newest that a picture holds", () => {
    const { model, connection, frame } = connected();
    for (const seq of [2, 3, 4]) frame(seq, seq - 1);
    connection.drawn();
    expect(model.take("input").map(({ ack }) => ack)).toEqual([4]);
  });

  it("carry each stream's packet to its reader", () => {
    const { model, scene, ui } = connected();
    const panels = writePacket([]).buffer;
    model.receive(
      { type: "frame", gen: 1, seq: 2, base: 1, streams: ["ui", "state"] },
      [panels, STATE],
    );
    expect(ui.apply).toHaveBeenLastCalledWith([], false);
    expect(scene.frame.mock.lastCall?.[0]).toHaveLength(1);
  });

  it("that are full and without panels take the panels away", () => {
    const { ui, frame } = connected();
    frame(9, null);
    expect(ui.apply).toHaveBeenLastCalledWith([], true);
  });

  it("after a gap are dropped until a full one, which was asked for once", () => {
    const { model, scene, frame } = connected();
    for (const seq of [3, 4, 5]) frame(seq, seq - 1);
    expect(scene.frame).toHaveBeenCalledTimes(1);
    expect(model.sent).toHaveLength(1);
    expect(model.sent[0]).toMatchObject({ type: "resync", reason: /3 builds on 2/ });
    frame(6, null);
    frame(7, 6);
    expect(scene.frame).toHaveBeenCalledTimes(3);
  });

  it("after a gap are not acknowledged", () => {
    const { model, connection, frame } = connected();
    connection.drawn();
    frame(3, 2);
    connection.drawn();
    expect(model.take("input").map(({ ack }) => ack)).toEqual([1]);
  });

  it("are asked for again when the full one does not come", () => {
    const { model, frame } = connected();
    frame(3, 2);
    vi.advanceTimersByTime(5000);
    expect(model.take("resync").length).toBeGreaterThan(1);
  });

  it("of an older model are dropped without a word", () => {
    const { model, scene, describeModel, frame } = connected();
    describeModel(2);
    model.sent = [];
    frame(2, 1, 1);
    expect(scene.frame).toHaveBeenCalledTimes(1);
    expect(model.sent).toEqual([]);
  });

  it("of a newer model whose description was lost bring it", () => {
    const { model, frame } = connected();
    vi.advanceTimersByTime(2100);
    model.sent = [];
    frame(2, null, 2);
    expect(model.sent.map(({ type }) => type)).toEqual(["ready"]);
  });

  it.each([
    ["a buffer too few", { streams: ["state", "ui"] }, [STATE]],
    ["no packet in it", { streams: ["state"] }, [new ArrayBuffer(5)]],
  ])("with %s are repaired by a full one", (_, head, buffers) => {
    const { model, connection } = connected();
    model.receive({ type: "frame", gen: 1, seq: 2, base: 1, ...head }, buffers);
    expect(model.take("resync")).toHaveLength(1);
    expect(connection.status.text).toBe("");
  });

  it("that are full and can't be read are reported", () => {
    const { scene, connection, frame } = connected();
    scene.frame.mockImplementation(() => {
      throw new WireError("block 2 is short");
    });
    frame(2, null);
    expect(connection.status).toMatchObject({
      level: "error",
      text: /block 2 is short/,
    });
  });

  it("with a malformed head are reported", () => {
    const { model, connection } = connected();
    model.receive({ type: "frame", gen: 1, seq: "x", base: null, streams: [] });
    expect(connection.status.level).toBe("error");
  });
});

describe("input", () => {
  it("goes in one message a flush, with the model's gen", () => {
    const { model, connection } = connected();
    connection.post({ t: "down", b: 0, x: 1, y: 2, m: 0 });
    connection.post({ t: "up", b: 0, x: 1, y: 2, m: 0 });
    connection.postCamera({ azimuth: 1 });
    connection.postCamera({ azimuth: 2 });
    connection.flush();
    connection.flush();
    expect(model.sent).toEqual([
      {
        type: "input",
        client: "page",
        gen: 1,
        camera: { azimuth: 2 },
        events: [
          { t: "down", b: 0, x: 1, y: 2, m: 0 },
          { t: "up", b: 0, x: 1, y: 2, m: 0 },
        ],
      },
    ]);
  });
});

describe("assets", () => {
  const chunk = (model: FakeModel, hash: string, offset: number, bytes: number[]) =>
    model.receive({ type: "asset", hash, offset, total: 6 }, [
      Uint8Array.from(bytes).buffer,
    ]);

  async function wanting(stored = {}) {
    const all = connect(stored);
    all.connection.report(VIEW);
    all.scene.lacking = ["aa"];
    all.describeModel();
    await vi.waitFor(() => expect(all.model.sent.at(-1)?.type).toBe("assets"));
    return all;
  }

  it("that neither page nor store has are asked for", async () => {
    const { model, connection } = await wanting();
    expect(model.sent.at(-1)).toMatchObject({ gen: 1, need: ["aa"] });
    expect(connection.progress).toEqual({ received: 0, total: 6 });
  });

  it("from the store are not", async () => {
    const bytes = Uint8Array.of(1, 2);
    const { model, scene } = await wanting({ aa: bytes });
    expect(model.sent.at(-1)).toMatchObject({ need: [] });
    expect(scene.asset).toHaveBeenCalledWith("aa", bytes);
  });

  it("are acknowledged by the chunk, put together, kept, and counted", async () => {
    const { model, scene, store, connection } = await wanting();
    chunk(model, "aa", 0, [1, 2, 3, 4]);
    expect(connection.progress).toEqual({ received: 4, total: 6 });
    chunk(model, "aa", 4, [5, 6]);
    expect(model.take("asset_ack").map(({ received }) => received)).toEqual([4, 6]);
    const bytes = Uint8Array.of(1, 2, 3, 4, 5, 6);
    expect(scene.asset).toHaveBeenCalledWith("aa", bytes);
    await vi.waitFor(() => expect(store.save).toHaveBeenCalledWith("aa", bytes));
    expect(connection.progress).toEqual({ received: 0, total: 0 });
  });

  it("past a lost chunk are not taken, and the ack says where to go on", async () => {
    const { model, scene } = await wanting();
    chunk(model, "aa", 4, [5, 6]);
    expect(model.take("asset_ack")).toMatchObject([{ received: 0 }]);
    expect(scene.asset).not.toHaveBeenCalled();
  });

  it("that stop coming are asked for again", async () => {
    const { model } = await wanting();
    chunk(model, "aa", 0, [1, 2, 3, 4]);
    model.sent = [];
    vi.advanceTimersByTime(5000);
    expect(model.take("assets")[0]).toMatchObject({ need: ["aa"] });
  });

  it("of another page are passed over", async () => {
    const { model, scene } = await wanting();
    chunk(model, "bb", 0, [1, 2, 3, 4, 5, 6]);
    expect(model.take("asset_ack")).toEqual([]);
    expect(scene.asset).not.toHaveBeenCalled();
  });

  it("with a chunk past their end are reported", async () => {
    const { model, connection } = await wanting();
    chunk(model, "aa", 4, [5, 6, 7]);
    expect(connection.status.level).toBe("error");
  });
});

describe("life", () => {
  it("is asked for while nothing comes, and found silent without an answer", () => {
    const { model, connection } = connected();
    vi.advanceTimersByTime(PING_MS + 1000);
    expect(model.take("ping")).toHaveLength(1);
    vi.advanceTimersByTime(SILENCE_MS + 1000);
    expect(connection.life.life).toBe("silent");
    expect(connection.life.text).toMatch(/does not answer/);
  });

  it("comes back with any message", () => {
    const { model, connection } = connected();
    vi.advanceTimersByTime(20_000);
    model.receive({ type: "pong", t: 0 });
    expect(connection.life).toMatchObject({ life: "live", text: "" });
  });

  it("is not asked for while frames come or nobody looks", () => {
    const { model, connection, frame } = connected();
    for (let seq = 2; seq < 12; seq++) {
      vi.advanceTimersByTime(1000);
      frame(seq, seq - 1);
    }
    connection.report({ ...VIEW, visible: false });
    vi.advanceTimersByTime(60_000);
    expect(model.take("ping")).toEqual([]);
    expect(connection.life.life).toBe("live");
  });

  it("ends when the kernel restarts, and nothing is sent any more", () => {
    const { model, connection, changed } = connected();
    changed.mockClear();
    model.emit("comm_live_update");
    expect(connection.life.text).toBe("The kernel was restarted. Run the cell again.");
    expect(changed).toHaveBeenCalled();
    connection.post({ t: "leave" });
    connection.flush();
    vi.advanceTimersByTime(60_000);
    expect(model.sent).toEqual([]);
  });

  it("ends with the session's own word, which a restart does not replace", () => {
    const { model, connection } = connected();
    model.receive({ type: "closed", text: "The session was replaced." });
    model.emit("comm_live_update");
    expect(connection.life).toMatchObject({
      life: "closed",
      text: "The session was replaced.",
    });
  });

  it("after the session's end has one word left: that the view is gone", () => {
    const { model, connection } = connected();
    model.receive({ type: "closed", text: "The session was closed." });
    connection.post({ t: "leave" });
    connection.flush();
    connection.bye();
    expect(model.sent.map(({ type }) => type)).toEqual(["bye"]);
  });

  it("hears from JupyterLab's kernel that it died", () => {
    const slots: ((sender: unknown, status: string) => void)[] = [];
    const statusChanged = {
      connect: (slot: (typeof slots)[0]) => slots.push(slot),
      disconnect: (slot: (typeof slots)[0]) => slots.splice(slots.indexOf(slot), 1),
    };
    const model = new FakeModel();
    Object.assign(model, { widget_manager: { kernel: { statusChanged } } });
    const connection = new Connection({ ...connectOptions(), model });
    slots[0]?.(undefined, "busy");
    expect(connection.life.open).toBe(true);
    slots[0]?.(undefined, "dead");
    expect(connection.life.text).toMatch(/kernel died/);
    controller.abort();
    expect(slots).toEqual([]);
  });

  it("leaves no handler and no timer behind", () => {
    const { model } = connected();
    controller.abort();
    expect(model.listeners).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("what the kernel says to a person", () => {
  it("is kept as the status until it is cleared", () => {
    const { model, connection } = connected();
    model.receive({ type: "status", level: "warning", text: "NaN in qacc" });
    expect(connection.status).toEqual({ level: "warning", text: "NaN in qacc" });
    model.receive({ type: "status", level: "info", text: "" });
    expect(connection.status.text).toBe("");
  });

  it("goes to the clipboard when it was copied", () => {
    const { model, clipboard } = connected();
    model.receive({ type: "clipboard", text: "1.25" });
    expect(clipboard).toHaveBeenCalledWith("1.25");
  });
});

function connectOptions() {
  return {
    client: "page",
    signal: controller.signal,
    scene: { describe: () => [], asset: async () => undefined, frame: () => undefined },
    ui: { apply: () => undefined },
    store: {
      load: async () => undefined,
      save: async () => undefined,
      forget: async () => undefined,
    },
    changed: () => undefined,
    clipboard: () => undefined,
  };
}
