import { setMaxListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EventQueue, type InputEvent } from "../src/input/events";
import { type Hit, Pointer } from "../src/input/pointer";
import { FakeElement } from "./support";

const LEFT = { button: 0, buttons: 1 };
const MIDDLE = { button: 1, buttons: 4 };
const RIGHT = { button: 2, buttons: 2 };
const NONE = { button: -1, buttons: 0 };
const TORSO: Hit = { objtype: 5, objid: 3, geom: 4, point: [1, 2, 3] };

let controller: AbortController;
let page: EventTarget;

beforeEach(() => {
  controller = new AbortController();
  setMaxListeners(0, controller.signal);
  page = new EventTarget();
  vi.stubGlobal("window", page);
});

afterEach(() => {
  controller.abort();
  vi.unstubAllGlobals();
});

/** A view of 400 x 200 with a panel in its left 100 pixels. */
function pointer() {
  const element = new FakeElement();
  const queue = new EventQueue();
  const camera = { orbit: vi.fn(), pan: vi.fn(), zoom: vi.fn() };
  const host = {
    camera,
    covers: (x: number) => x < 100,
    uiActive: vi.fn(() => false),
    takesWheel: vi.fn(() => false),
    pick: vi.fn((): Hit | null => null),
    movable: vi.fn(() => true),
    selectedBody: vi.fn(() => 0),
    use: vi.fn(),
    focused: vi.fn(() => false),
    post: (event: InputEvent) => queue.push(event),
    setCursor: vi.fn(),
  };
  new Pointer(element as unknown as HTMLElement, host, controller.signal);
  const drag = (button: object, from: number[], to: number[], keys = {}) => {
    const [x0, y0] = from;
    const [x1, y1] = to;
    element.fire("pointerdown", { x: x0, y: y0, ...button, ...keys });
    element.fire("pointermove", { x: x1, y: y1, ...button, button: -1, ...keys });
    element.fire("pointerup", { x: x1, y: y1, ...button, buttons: 0, ...keys });
  };
  return { element, queue, camera, host, drag };
}

describe("a press inside of a panel", () => {
  it("is ImGui's, with a move first, in ImGui's order of buttons", () => {
    const { queue, drag } = pointer();
    drag(RIGHT, [50, 60], [50, 60]);
    expect(queue.take().filter(({ t }) => t !== "move")).toEqual([
      { t: "down", b: 1, x: 50, y: 60, m: 0 },
      { t: "up", b: 1, x: 50, y: 60, m: 0 },
    ]);
    drag(MIDDLE, [50, 60], [50, 60], { ctrlKey: true, shiftKey: true });
    expect(queue.take()).toContainEqual({ t: "down", b: 2, x: 50, y: 60, m: 3 });
  });

  it("stays ImGui's while it is dragged out of the panel", () => {
    const { queue, camera, drag } = pointer();
    drag(LEFT, [50, 60], [300, 90]);
    expect(queue.take()).toContainEqual({ t: "up", b: 0, x: 300, y: 90, m: 0 });
    expect(camera.orbit).not.toHaveBeenCalled();
  });

  it("lasts until the last of several buttons is up", () => {
    const { element, queue } = pointer();
    element.fire("pointerdown", { x: 50, y: 50, ...LEFT });
    element.fire("pointermove", { x: 50, y: 50, button: 2, buttons: 3 });
    element.fire("pointermove", { x: 50, y: 50, button: 0, buttons: 2 });
    element.fire("pointerup", { x: 50, y: 50, button: 2, buttons: 0 });
    const presses = queue
      .take()
      .flatMap((e) => (e.t === "down" || e.t === "up" ? [[e.t, e.b]] : []));
    expect(presses).toEqual([
      ["down", 0],
      ["down", 1],
      ["up", 0],
      ["up", 1],
    ]);
  });

  it("ends when the browser takes the pointer away", () => {
    const { element, queue } = pointer();
    element.fire("pointerdown", { x: 50, y: 50, ...LEFT });
    element.fire("pointercancel", { x: 50, y: 50, ...LEFT });
    expect(queue.take()).toContainEqual({ t: "up", b: 0, x: 50, y: 50, m: 0 });
  });
});

describe("a drag over the scene", () => {
  it.each([
    ["orbits", "orbit", LEFT, {}, [0.5, 0.25]],
    ["with the right button pans", "pan", RIGHT, {}, [0.5, 0.25, false]],
    [
      "with right and Shift pans over the ground",
      "pan",
      RIGHT,
      { shiftKey: true },
      [0.5, 0.25, true],
    ],
    ["with left and Shift pans", "pan", LEFT, { shiftKey: true }, [0.5, 0.25, false]],
    ["with the wheel button zooms", "zoom", MIDDLE, {}, [0.25]],
  ] as const)("%s by fractions of the height", (_, move, button, keys, args) => {
    const { camera, queue, drag } = pointer();
    drag(button, [200, 50], [300, 100], keys);
    expect(camera[move]).toHaveBeenCalledExactlyOnceWith(...args);
    expect(queue.take().filter(({ t }) => t !== "move")).toEqual([]);
  });

  it("takes the focus and captures the pointer until it ends", () => {
    const { element, host, drag } = pointer();
    element.fire("pointerdown", { x: 200, y: 50, ...LEFT });
    expect(host.use).toHaveBeenCalled();
    expect(element.captured.size).toBe(1);
    element.fire("pointerup", { x: 200, y: 50, ...LEFT, buttons: 0 });
    expect(element.captured.size).toBe(0);
    drag(LEFT, [200, 50], [210, 50]);
  });

  it("is told to ImGui as a click where that ends something open there", () => {
    const { queue, host, drag } = pointer();
    host.uiActive.mockReturnValue(true);
    drag(LEFT, [200, 50], [300, 50]);
    expect(
      queue
        .take()
        .slice(0, 3)
        .map(({ t }) => t),
    ).toEqual(["move", "down", "up"]);
  });

  it("with the right button opens no menu, neither the browser's nor the notebook's", () => {
    const { element } = pointer();
    const event = new Event("contextmenu", { bubbles: true, cancelable: true });
    const stopped = vi.spyOn(event, "stopPropagation");
    element.dispatchEvent(event);
    expect([event.defaultPrevented, stopped.mock.calls.length]).toEqual([true, 1]);
  });

  it("belongs to one pointer", () => {
    const { element, camera } = pointer();
    element.fire("pointerdown", { x: 200, y: 50, ...LEFT });
    element.fire("pointermove", { x: 300, y: 50, ...LEFT, pointerId: 2 });
    expect(camera.orbit).not.toHaveBeenCalled();
  });
});

describe("Ctrl and a drag", () => {
  const CTRL = { ctrlKey: true };

  it.each([
    ["left turns", LEFT, {}, "rotate_v"],
    ["left and Shift turn level", LEFT, { shiftKey: true }, "rotate_h"],
    ["left and Alt push upright", LEFT, { altKey: true }, "translate_v"],
    [
      "left, Alt and Shift push over the ground",
      LEFT,
      { altKey: true, shiftKey: true },
      "translate_h",
    ],
    ["right pushes upright", RIGHT, {}, "translate_v"],
    ["right and Shift push over the ground", RIGHT, { shiftKey: true }, "translate_h"],
  ] as const)(
    "%s the body under the pointer, selected first",
    (_, button, keys, mode) => {
      const { queue, host, camera, drag } = pointer();
      host.pick.mockReturnValue(TORSO);
      drag(button, [200, 50], [300, 100], { ...CTRL, ...keys });
      const m = 1 + ("shiftKey" in keys ? 2 : 0) + ("altKey" in keys ? 4 : 0);
      expect(queue.take()).toEqual([
        { t: "pick", ...TORSO, x: 200, y: 50, m, b: 0, n: 1 },
        { t: "perturb", a: "start", mode },
        { t: "perturb", a: "move", dx: 0.5, dy: 0.25 },
        { t: "perturb", a: "end" },
      ]);
      expect(camera.orbit).not.toHaveBeenCalled();
    },
  );

  it.each([
    ["nothing", null],
    ["what does not move", TORSO],
  ])("over %s goes to the selected body and leaves it selected", (_, hit) => {
    const { queue, host, drag } = pointer();
    host.pick.mockReturnValue(hit);
    host.movable.mockReturnValue(false);
    host.selectedBody.mockReturnValue(2);
    drag(LEFT, [200, 50], [300, 100], CTRL);
    expect(queue.take().map((event) => event.t)).toEqual([
      "perturb",
      "perturb",
      "perturb",
    ]);
  });

  it("moves the camera when there is no body to push", () => {
    const { queue, camera, drag } = pointer();
    drag(LEFT, [200, 50], [300, 100], CTRL);
    expect(queue.take()).toEqual([]);
    expect(camera.orbit).toHaveBeenCalled();
  });

  it("ends when the browser takes the pointer away", () => {
    const { element, queue, host } = pointer();
    host.selectedBody.mockReturnValue(2);
    element.fire("pointerdown", { x: 200, y: 50, ...LEFT, ...CTRL });
    element.fire("lostpointercapture", { x: 200, y: 50, ...NONE });
    expect(queue.take().at(-1)).toEqual({ t: "perturb", a: "end" });
  });
});

describe("a double click", () => {
  const click = (
    p: ReturnType<typeof pointer>,
    x: number,
    timeStamp: number,
    button = LEFT,
  ) => {
    p.element.fire("pointerdown", { x, y: 50, ...button, timeStamp });
    p.element.fire("pointerup", { x, y: 50, ...button, buttons: 0, timeStamp });
  };
  const picks = (p: ReturnType<typeof pointer>) =>
    p.queue.take().filter(({ t }) => t === "pick");

  it("picks what is under the pointer", () => {
    const p = pointer();
    p.host.pick.mockReturnValue(TORSO);
    click(p, 200, 1000);
    expect(picks(p)).toEqual([]);
    click(p, 202, 1200);
    expect(picks(p)).toEqual([
      { t: "pick", ...TORSO, x: 202, y: 50, m: 0, b: 0, n: 2 },
    ]);
  });

  it("beside everything says so", () => {
    const p = pointer();
    click(p, 200, 1000, RIGHT);
    click(p, 200, 1200, RIGHT);
    expect(picks(p)).toMatchObject([{ geom: -1, objid: -1, b: 1, n: 2 }]);
  });

  it.each([
    ["too late", 200, 1600, LEFT],
    ["elsewhere", 220, 1200, LEFT],
    ["with another button", 200, 1200, RIGHT],
  ])("is none when the second press comes %s", (_, x, at, button) => {
    const p = pointer();
    click(p, 200, 1000);
    click(p, x, at, button);
    expect(picks(p)).toEqual([]);
  });
});

describe("hovering", () => {
  it("is told while over a panel, and once when it leaves", () => {
    const { element, queue } = pointer();
    for (const x of [300, 90, 110, 120]) {
      element.fire("pointermove", { x, y: 50, ...NONE });
      queue.push({ t: "focus", d: 1 });
    }
    const moves = queue.take().filter(({ t }) => t === "move");
    expect(moves).toEqual([
      { t: "move", x: 90, y: 50 },
      { t: "move", x: 110, y: 50 },
    ]);
  });

  it("ends when the pointer leaves the view", () => {
    const { element, queue } = pointer();
    element.fire("pointermove", { x: 90, y: 50, ...NONE });
    element.fire("pointerleave");
    expect(queue.take().at(-1)).toEqual({ t: "leave" });
  });
});

describe("the wheel", () => {
  it.each([
    ["pixels", 0, 100, 1],
    ["lines", 1, 3, 1],
    ["pages", 2, 1, 1],
  ])("counts notches of %s, up positive", (_, deltaMode, delta, notches) => {
    const { element, queue } = pointer();
    element.fire("wheel", { x: 50, y: 50, deltaX: delta, deltaY: delta, deltaMode });
    expect(queue.take()).toEqual([
      { t: "wheel", dx: -notches, dy: -notches, x: 50, y: 50 },
    ]);
  });

  it("zooms over the scene as Studio does and keeps the page from scrolling", () => {
    const { element, camera } = pointer();
    const event = element.fire("wheel", {
      x: 200,
      y: 50,
      deltaX: 0,
      deltaY: 100,
      deltaMode: 0,
    });
    expect(camera.zoom).toHaveBeenCalledWith(1 / 50);
    expect(event.defaultPrevented).toBe(true);
  });

  it("is told over the scene, too, and zooms nothing while the kernel takes it", () => {
    const { element, camera, host, queue } = pointer();
    host.takesWheel.mockReturnValue(true);
    element.fire("wheel", { x: 200, y: 50, deltaX: 100, deltaY: -100, deltaMode: 0 });
    expect(queue.take()).toEqual([{ t: "wheel", dx: -1, dy: 1, x: 200, y: 50 }]);
    expect(camera.zoom).not.toHaveBeenCalled();
  });

  it("goes on scrolling a page that is being scrolled, unless the view has the focus", () => {
    const { element, camera, host } = pointer();
    const turn = (timeStamp: number) =>
      element.fire("wheel", {
        x: 200,
        y: 50,
        deltaX: 0,
        deltaY: 100,
        deltaMode: 0,
        timeStamp,
      });
    const scroll = new Event("wheel");
    Object.defineProperty(scroll, "timeStamp", { value: 1000 });
    page.dispatchEvent(scroll);
    expect(turn(1100).defaultPrevented).toBe(false);
    host.focused.mockReturnValue(true);
    expect(turn(1200).defaultPrevented).toBe(true);
    host.focused.mockReturnValue(false);
    expect(turn(1400).defaultPrevented).toBe(true);
    expect(camera.zoom).toHaveBeenCalledTimes(2);
  });
});

describe("the queue", () => {
  it("keeps one of moves in a row, and the sum of wheels and pushes", () => {
    const queue = new EventQueue();
    queue.push({ t: "move", x: 1, y: 1 });
    queue.push({ t: "move", x: 2, y: 2 });
    queue.push({ t: "wheel", dx: 0, dy: 1, x: 2, y: 2 });
    queue.push({ t: "wheel", dx: 1, dy: 1, x: 3, y: 3 });
    queue.push({ t: "perturb", a: "start", mode: "rotate_v" });
    queue.push({ t: "perturb", a: "move", dx: 0.25, dy: 0 });
    queue.push({ t: "perturb", a: "move", dx: 0.25, dy: 0.5 });
    expect(queue.take()).toEqual([
      { t: "move", x: 2, y: 2 },
      { t: "wheel", dx: 1, dy: 2, x: 3, y: 3 },
      { t: "perturb", a: "start", mode: "rotate_v" },
      { t: "perturb", a: "move", dx: 0.5, dy: 0.5 },
    ]);
    expect(queue.length).toBe(0);
  });

  it("never merges over an event between", () => {
    const queue = new EventQueue();
    queue.push({ t: "move", x: 1, y: 1 });
    queue.push({ t: "down", b: 0, x: 1, y: 1, m: 0 });
    queue.push({ t: "move", x: 2, y: 2 });
    expect(queue.length).toBe(3);
  });
});
