import { setMaxListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EventQueue, type InputEvent } from "../src/input/events";
import { Keyboard } from "../src/input/keyboard";
import { FakeElement } from "./support";

let controller: AbortController;

beforeEach(() => {
  controller = new AbortController();
  setMaxListeners(0, controller.signal);
});

afterEach(() => controller.abort());

describe("the keyboard", () => {
  function keyboard(wantsText = false, popupOpen = false) {
    const element = new FakeElement();
    const queue = new EventQueue();
    const host = {
      wantsText: () => wantsText,
      popupOpen: () => popupOpen,
      post: (event: InputEvent) => queue.push(event),
      release: vi.fn(),
      toggleWindow: vi.fn(),
      takes: vi.fn((_chord: string) => false),
    };
    const textarea = element as unknown as HTMLTextAreaElement;
    const board = new Keyboard(textarea, host, controller.signal);
    const press = (key: string, more = {}) =>
      element.fire("keydown", {
        key,
        code: `Key${key.toUpperCase()}`,
        repeat: false,
        ...more,
      });
    return { element, queue, host, board, press };
  }

  it("sends a key with its code, modifiers and repetition", () => {
    const { element, queue, press } = keyboard();
    press("a", { shiftKey: true, repeat: true });
    element.fire("keyup", { key: "a", code: "KeyA", repeat: false });
    expect(queue.take()).toEqual([
      { t: "key", code: "KeyA", key: "a", d: 1, m: 2, repeat: true },
      { t: "key", code: "KeyA", key: "a", d: 0, m: 0, repeat: false },
    ]);
  });

  it("leaves the browser its keys, unless a plugin wants them", () => {
    const { queue, host, press } = keyboard();
    expect(press("r", { ctrlKey: true }).defaultPrevented).toBe(false);
    host.takes.mockImplementation((chord) => chord === "Ctrl+Shift+R");
    expect(press("R", { ctrlKey: true, shiftKey: true }).defaultPrevented).toBe(true);
    expect(queue.take()).toMatchObject([{ code: "KeyR", d: 1, m: 3 }]);
  });

  it("keeps what it takes from the notebook", () => {
    const { element } = keyboard();
    const outside = vi.fn();
    element.addEventListener("keydown", outside);
    expect(
      element.fire("keydown", { key: "Enter", code: "Enter" }).defaultPrevented,
    ).toBe(true);
    const event = new Event("keydown", { bubbles: true });
    const stopped = vi.spyOn(event, "stopPropagation");
    Object.assign(event, { key: "a", code: "KeyA" });
    element.dispatchEvent(event);
    expect(stopped).toHaveBeenCalled();
  });

  it.each([
    ["F5", {}],
    ["r", { ctrlKey: true }],
    ["w", { metaKey: true }],
  ])("leaves %s to the browser", (key, keys) => {
    const { queue, press } = keyboard();
    expect(press(key, keys).defaultPrevented).toBe(false);
    expect(queue.take()).toEqual([]);
  });

  it("ignores the release of a key that went down elsewhere", () => {
    const { element, queue } = keyboard();
    element.fire("keyup", { key: "Enter", code: "Enter" });
    expect(queue.take()).toEqual([]);
  });

  it("lets go of held keys when the focus leaves", () => {
    const { element, queue, press } = keyboard();
    press("a");
    element.fire("blur");
    expect(queue.take().slice(1)).toEqual([
      { t: "key", code: "KeyA", key: "a", d: 0, m: 0, repeat: false },
      { t: "focus", d: 0 },
    ]);
  });

  it.each([
    ["gives the focus back", false, false, 1],
    ["leaves the focus where text is edited", true, false, 0],
    ["leaves the focus where a popup is open", false, true, 0],
  ])("sends Escape, which %s", (_, wantsText, popupOpen, times) => {
    const { host, press, queue } = keyboard(wantsText, popupOpen);
    const event = press("Escape", { code: "Escape" });
    expect(event.defaultPrevented).toBe(true);
    expect(host.release).toHaveBeenCalledTimes(times);
    expect(queue.take()).toMatchObject([{ code: "Escape", d: 1 }]);
  });

  it.each([
    ["F6", {}],
    ["l", { ctrlKey: true }],
  ])("takes %s from the browser, as MuJoCo's viewers do", (key, keys) => {
    const { queue, press } = keyboard();
    expect(press(key, keys).defaultPrevented).toBe(true);
    expect(queue.take()).toMatchObject([{ key, d: 1 }]);
  });

  it("has F11 fill the window, once a press", () => {
    const { host, queue, press } = keyboard();
    const event = press("F11", { code: "F11" });
    press("F11", { code: "F11", repeat: true });
    expect(event.defaultPrevented).toBe(true);
    expect(host.toggleWindow).toHaveBeenCalledTimes(1);
    expect(queue.take()).toEqual([]);
  });

  it("sends typed text only where ImGui edits some", () => {
    for (const wanted of [true, false]) {
      const { element, queue } = keyboard(wanted);
      element.value = "a";
      element.fire("input", { data: "a", inputType: "insertText" });
      expect(queue.take()).toEqual(wanted ? [{ t: "text", s: "a" }] : []);
      expect(element.value).toBe("");
    }
  });

  it("sends what an input method composed, once, and no keys meanwhile", () => {
    const { element, queue, press } = keyboard(true);
    element.fire("compositionstart");
    press("n", { isComposing: true });
    element.fire("input", { data: "に", inputType: "insertCompositionText" });
    element.fire("compositionend", { data: "日本" });
    element.fire("input", { data: "日本", inputType: "insertCompositionText" });
    expect(queue.take()).toEqual([{ t: "text", s: "日本" }]);
  });

  it("sends pasted text in place of the key", () => {
    const { element, queue, press } = keyboard(true);
    expect(press("v", { ctrlKey: true }).defaultPrevented).toBe(false);
    element.fire("paste", { clipboardData: { getData: () => "0.5" } });
    expect(queue.take()).toEqual([{ t: "paste", s: "0.5" }]);
  });

  it("shows a screen keyboard only for text", () => {
    for (const wanted of [true, false]) {
      const { element, board } = keyboard(wanted);
      board.update();
      expect(element.inputMode).toBe(wanted ? "text" : "none");
    }
  });
});
