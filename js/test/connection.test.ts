import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { WireError, writePacket } from "../src/wire";
import {
  beginConnections,
  connect,
  connected,
  DESCRIPTION,
  endConnections,
  OTHER,
  STATE,
  VIEW,
} from "./connecting";
import type { FakeModel } from "./support";

beforeEach(beginConnections);
afterEach(endConnections);

describe("the handshake", () => {
  it("sends nothing before a view is known", () => {
    const { model, connection } = connect();
    connection.drawn();
    vi.advanceTimersByTime(10_000);
    expect(model.sent).toEqual([]);
  });

  it("says ready with the version and the view, once", () => {
    const { model, connection } = connect();
    connection.report([VIEW]);
    connection.report([{ ...VIEW }]);
    expect(model.sent).toEqual([
      { type: "ready", version: 1, client: "page", ...VIEW, memory: null },
    ]);
  });

  it("says ready again while a kernel that talks has not described its model", () => {
    const { model, connection } = connect();
    connection.report([VIEW]);
    model.receive({ type: "status", level: "info", text: "" });
    vi.advanceTimersByTime(3000);
    expect(model.take("ready").length).toBeGreaterThan(1);
  });

  it("tells a change of the view", () => {
    const { model, connection } = connected();
    connection.report([{ ...VIEW, visible: false }]);
    expect(model.sent).toEqual([
      { type: "view", client: "page", ...VIEW, visible: false },
    ]);
  });

  it("says bye once, and ready when it is shown again", () => {
    const { model, connection } = connected();
    connection.bye();
    connection.bye();
    connection.report([VIEW]);
    expect(model.sent.map(({ type }) => type)).toEqual(["bye", "ready"]);
  });

  it("brings what the browser has kept, and keeps what the kernel says", () => {
    const { model, memory, connection } = connect();
    memory.load.mockReturnValue({ theme: "dark" });
    connection.report([VIEW]);
    expect(model.take("ready")[0]).toMatchObject({ memory: { theme: "dark" } });
    model.receive({ type: "memory", value: { theme: "light" } });
    model.receive({ type: "memory", value: 3 });
    expect(memory.save.mock.calls).toEqual([[{ theme: "light" }]]);
  });

  it("refuses a kernel of another version, in words", () => {
    const { model, connection } = connect();
    connection.report([VIEW]);
    model.receive({ type: "model", version: 2, gen: 1, scene: DESCRIPTION });
    expect(connection.status).toMatchObject({ level: "error", text: /version 2/ });
  });
});

describe("several views", () => {
  it("are told of one by one, those that went first", () => {
    const { model, connection } = connected();
    connection.report([VIEW, OTHER]);
    connection.report([VIEW, { ...OTHER, width: 400 }]);
    connection.report([{ ...VIEW, view: "page.3" }]);
    expect(
      model.sent.map(({ type, view, width, gone }) => [type, view, gone ?? width]),
    ).toEqual([
      ["view", "page.2", 500],
      ["view", "page.2", 400],
      ["view", "page.1", true],
      ["view", "page.2", true],
      ["view", "page.3", 300],
    ]);
  });

  it("are all told of when the page says ready", () => {
    const { model, connection } = connect();
    connection.report([VIEW, OTHER]);
    expect(model.sent.map(({ type, view }) => [type, view])).toEqual([
      ["ready", "page.1"],
      ["view", "page.2"],
    ]);
  });

  it("have one that controls, whose page answers for it", () => {
    const { model, connection, changed } = connected();
    changed.mockClear();
    expect(connection.control).toBeUndefined();
    model.receive({ type: "control", view: "page.1" });
    expect(connection.control).toBe("page.1");
    expect(model.take()).toEqual([{ type: "view", client: "page", ...VIEW }]);
    model.receive({ type: "control", view: "elsewhere.1" });
    expect(model.sent).toEqual([]);
    expect(changed).toHaveBeenCalledTimes(2);
  });

  it("ask for control with all that the kernel must know", () => {
    const { model, connection } = connected();
    connection.take("page.1");
    connection.take("page.9");
    expect(model.sent).toEqual([{ type: "take", client: "page", ...VIEW }]);
  });

  it("are asked by name to fill the window", () => {
    const { model, window } = connected();
    model.receive({ type: "window", view: "page.1", mode: "screen" });
    model.receive({ type: "window", view: "page.1", mode: "wall" });
    expect(window.mock.calls).toEqual([["page.1", "screen"]]);
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
    all.connection.report([VIEW]);
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
