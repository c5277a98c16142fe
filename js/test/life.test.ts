import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { BUSY_MS, NUDGE_MS, PING_MS, SILENCE_MS } from "../src/liveness";
import {
  beginConnections,
  connect,
  connected,
  controller,
  endConnections,
  VIEW,
} from "./connecting";
import { FakeModel } from "./support";

beforeEach(beginConnections);
afterEach(endConnections);

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

  it("is asked for soon after what a person did, and busy without an answer", () => {
    const { model, connection } = connected();
    connection.post({ t: "leave" });
    connection.flush();
    vi.advanceTimersByTime(NUDGE_MS + 300);
    expect(model.take("ping")).toHaveLength(1);
    expect(connection.life.life).toBe("live");
    vi.advanceTimersByTime(BUSY_MS);
    expect(connection.life).toMatchObject({
      life: "busy",
      text: expect.stringMatching(/^The kernel is busy: /),
    });
    model.receive({ type: "pong", t: 0 });
    expect(connection.life).toMatchObject({ life: "live", text: "" });
  });

  it("is not asked for after input that a frame answers", () => {
    const { model, connection, frame } = connected();
    connection.post({ t: "leave" });
    connection.flush();
    frame(2, 1);
    vi.advanceTimersByTime(PING_MS - 500);
    expect(model.take("ping")).toEqual([]);
  });

  it("is not asked for while frames come or nobody looks", () => {
    const { model, connection, frame } = connected();
    for (let seq = 2; seq < 12; seq++) {
      vi.advanceTimersByTime(1000);
      frame(seq, seq - 1);
    }
    connection.report([{ ...VIEW, visible: false }]);
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
    const { connection } = connect({}, model);
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
