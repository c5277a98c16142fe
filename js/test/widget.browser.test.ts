import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { open, type Widget } from "../src/widget";
import { Tag, VERSION, writePacket } from "../src/wire";
import "../src/widget.css";
import type { View } from "../src/view";
import {
  block,
  EMPTY_SCENE,
  FakeModel,
  join,
  listBody,
  listHead,
  rectangle,
  uiFrame,
} from "./support";

const FRAME = block(
  Tag.FRAME,
  join(new Float64Array(1), Uint32Array.of(0, 0, 0, 0), Int32Array.of(0), [0, 0, 0, 0]),
);
const CAMERA = block(
  Tag.CAMERA,
  join(
    Uint32Array.of(1),
    Int32Array.of(0, -1, -1, 0),
    Float32Array.of(0, 0, 0, 2, 90, -45),
  ),
);
const panel = rectangle(1, [0, 0, 40, 40], [255, 0, 0, 255]);
const PANELS = [
  block(Tag.UI_FRAME, uiFrame([1]), 1),
  block(
    Tag.UI_TEXTURE,
    join(Uint32Array.of(1, 1, 1, 0, 0, 1, 1, 0), [255, 255, 255, 255]),
  ),
  block(Tag.UI_LIST, join(listHead(panel), listBody(panel))),
  block(Tag.UI_RECTS, join(Float32Array.of(0, 0, 40, 40)), 1),
];

let controller: AbortController;
let model: FakeModel;
let widget: Widget;

beforeEach(() => {
  controller = new AbortController();
  model = new FakeModel({ height: 200 });
  widget = open({ model, client: "page", signal: controller.signal, early: [] });
});

afterEach(() => {
  controller.abort();
  document.body.replaceChildren();
});

function show(): { el: HTMLElement; close: () => void; view: HTMLElement } {
  const el = document.createElement("div");
  el.tabIndex = -1;
  el.style.width = "320px";
  document.body.append(el);
  const close = widget.render(el);
  return { el, close, view: el.firstElementChild as HTMLElement };
}

const ids = () => [...widget.views].map(({ id }) => id);
const camera = (index: number) => ([...widget.views][index] as View).scene.camera;

function buttonOf(view: HTMLElement, text: string): HTMLButtonElement | undefined {
  return [...view.querySelectorAll("button")].find(
    ({ textContent, offsetWidth }) => textContent === text && offsetWidth > 0,
  );
}

const watches = (view: HTMLElement) => buttonOf(view, "Take control") !== undefined;

/** Lets animation frames pass, where the test is that nothing happens in them. */
async function frames(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise(requestAnimationFrame);
}

const heads = (type: string) => model.sent.filter((head) => head.type === type);

/** Answers a `ready` as a kernel does: the model and a full frame. */
async function serve(panels = true): Promise<void> {
  await vi.waitFor(() =>
    expect(heads("ready").at(-1)).toMatchObject({ visible: true }),
  );
  model.receive({ type: "model", version: VERSION, gen: 1, scene: EMPTY_SCENE });
  const state = writePacket([FRAME, CAMERA]).buffer;
  const ui = writePacket(PANELS).buffer;
  const head = { type: "frame", gen: 1, seq: 1, base: null };
  if (panels) model.receive({ ...head, streams: ["state", "ui"] }, [state, ui]);
  else model.receive({ ...head, streams: ["state"] }, [state]);
  await vi.waitFor(
    () => expect(heads("input").some(({ ack }) => ack === 1)).toBe(true),
    5000,
  );
}

/** The panels' pixel at x, y of a view. */
function pixel(view: HTMLElement, x: number, y: number): number[] {
  const canvas = view.querySelector<HTMLCanvasElement>(".snb-ui") as HTMLCanvasElement;
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
  copy?.drawImage(canvas, 0, 0);
  return [...(copy?.getImageData(x, y, 1, 1).data ?? [])];
}

function pointerAt(
  view: HTMLElement,
  name: string,
  x: number,
  y: number,
  more = {},
): void {
  const stage = view.querySelector(".snb-stage") as HTMLElement;
  const box = stage.getBoundingClientRect();
  const where = { clientX: box.left + x, clientY: box.top + y };
  stage.dispatchEvent(
    new PointerEvent(name, { bubbles: true, cancelable: true, ...where, ...more }),
  );
}

/** Drags with the left button. */
function drag(view: HTMLElement, [x0, y0]: number[], [x1, y1]: number[]): void {
  const stage = view.querySelector(".snb-stage") as HTMLElement;
  stage.setPointerCapture = () => undefined;
  pointerAt(view, "pointerdown", x0 as number, y0 as number, { buttons: 1 });
  pointerAt(view, "pointermove", x1 as number, y1 as number, { buttons: 1 });
  pointerAt(view, "pointerup", x1 as number, y1 as number);
}

function press(view: HTMLElement, key: string): void {
  const keys = view.querySelector<HTMLElement>(".snb-keys") as HTMLElement;
  keys.focus();
  keys.dispatchEvent(
    new KeyboardEvent("keydown", { key, code: key, bubbles: true, cancelable: true }),
  );
}

describe("a view", () => {
  it("has the widget's height from the start and says how large it is", async () => {
    const { view } = show();
    expect(view.getBoundingClientRect().height).toBe(200);
    await vi.waitFor(() => expect(heads("ready")).toHaveLength(1));
    expect(heads("ready")[0]).toMatchObject({
      width: 318,
      height: 198,
      client: "page",
    });
  });

  it("draws what came and acknowledges it", async () => {
    const { view } = show();
    await serve();
    expect(pixel(view, 20, 20)).toEqual([255, 0, 0, 255]);
    expect(pixel(view, 60, 60)[3]).toBe(0);
  });

  it("sends a press on a panel to ImGui and a drag beside it to the camera", async () => {
    const { view } = show();
    await serve();
    pointerAt(view, "pointermove", 20, 20);
    expect(view.querySelector<HTMLElement>(".snb-stage")?.style.cursor).toBe("default");
    await vi.waitFor(() =>
      expect(heads("input").at(-1)?.events).toEqual([{ t: "move", x: 20, y: 20 }]),
    );
    const stage = view.querySelector(".snb-stage") as HTMLElement;
    stage.setPointerCapture = () => undefined;
    pointerAt(view, "pointerdown", 100, 100, { buttons: 1 });
    pointerAt(view, "pointermove", 199, 100, { buttons: 1 });
    await vi.waitFor(() =>
      expect(heads("input").find(({ camera }) => camera)?.camera).toMatchObject({
        generation: 1,
        azimuth: expect.closeTo(0, 5),
      }),
    );
    expect(document.activeElement?.className).toBe("snb-keys");
  });

  it("gives the focus back to what is around it on Escape", async () => {
    const { el, view } = show();
    const keys = view.querySelector<HTMLElement>(".snb-keys") as HTMLElement;
    keys.focus();
    keys.dispatchEvent(
      new KeyboardEvent("keydown", { key: "Escape", code: "Escape", bubbles: true }),
    );
    expect(document.activeElement).toBe(el);
  });

  it("that is scrolled away is said to be hidden, and draws nothing", async () => {
    const { el } = show();
    await serve();
    el.style.marginTop = "10000px";
    await vi.waitFor(() =>
      expect(heads("view").at(-1)).toMatchObject({ visible: false }),
    );
    model.receive({ type: "frame", gen: 1, seq: 2, base: 1, streams: ["state"] }, [
      writePacket([FRAME]).buffer,
    ]);
    await new Promise((done) => setTimeout(done, 200));
    expect(heads("input").some(({ ack }) => ack === 2)).toBe(false);
    el.style.marginTop = "0";
    await vi.waitFor(() =>
      expect(heads("input").some(({ ack }) => ack === 2)).toBe(true),
    );
  });

  it("keeps its picture and its camera when it is taken out of the page and put back", async () => {
    const { el, view } = show();
    await serve();
    el.remove();
    await vi.waitFor(() =>
      expect(heads("view").at(-1)).toMatchObject({ visible: false, width: 318 }),
    );
    document.body.append(el);
    await vi.waitFor(() =>
      expect(heads("view").at(-1)).toMatchObject({ visible: true }),
    );
    expect(pixel(view, 20, 20)).toEqual([255, 0, 0, 255]);
    expect(heads("ready")).toHaveLength(1);
  });

  it("keeps no texture work while a view of another page has control", async () => {
    show();
    await serve();
    model.receive({ type: "control", view: "elsewhere.1" });
    expect(widget.ui.drawn).toBe(false);
    model.receive({ type: "control", view: ids()[0] });
    expect(widget.ui.drawn).toBe(true);
  });

  it("copies where the page may not write to the clipboard", async () => {
    vi.spyOn(navigator.clipboard, "writeText").mockRejectedValue(new Error("denied"));
    const { view } = show();
    await serve();
    const copied = vi.fn();
    const keys = view.querySelector("textarea");
    const listen = ({ clipboardData }: ClipboardEvent) =>
      copied(clipboardData?.getData("text/plain"));
    keys?.addEventListener("copy", listen, { capture: true });
    keys?.focus();
    await userEvent.keyboard("{Control>}c{/Control}");
    model.receive({ type: "clipboard", text: "1.25" });
    await vi.waitFor(() => expect(copied).toHaveBeenCalledWith("1.25"));
    vi.restoreAllMocks();
  });

  it("that is alone is in control, and has nothing to say about it", async () => {
    const { view } = show();
    await serve();
    expect(watches(view)).toBe(false);
    expect(heads("ready")[0]).toMatchObject({ mode: "cell", memory: null });
  });

  it("that watches has no panels, no input and a camera of its own", async () => {
    const first = show();
    await serve();
    const second = show();
    await vi.waitFor(() => expect(heads("view").at(-1)?.view).toBe(ids()[1]));
    model.receive({ type: "control", view: ids()[0] });
    expect(watches(second.view)).toBe(true);
    expect(watches(first.view)).toBe(false);
    expect(second.view.querySelector<HTMLElement>(".snb-ui")?.offsetWidth).toBe(0);
    await vi.waitFor(() => expect(camera(1).own).toBe(true), 5000);
    model.sent = [];
    drag(second.view, [20, 20], [119, 20]);
    expect(camera(1).azimuth).toBeCloseTo(0);
    expect(camera(0).azimuth).toBeCloseTo(90);
    await frames(3);
    expect(heads("input").filter(({ events, camera }) => events || camera)).toEqual([]);
  });

  it("that watches asks for control, and brings its camera", async () => {
    const first = show();
    await serve();
    const second = show();
    await vi.waitFor(() => expect(heads("view").at(-1)?.view).toBe(ids()[1]));
    model.receive({ type: "control", view: ids()[0] });
    await vi.waitFor(() => expect(camera(1).own).toBe(true), 5000);
    drag(second.view, [20, 20], [119, 20]);
    buttonOf(second.view, "Take control")?.click();
    expect(heads("take")).toMatchObject([{ view: ids()[1], width: 318 }]);
    model.receive({ type: "control", view: ids()[1] });
    expect(watches(second.view)).toBe(false);
    expect(watches(first.view)).toBe(true);
    await vi.waitFor(() =>
      expect(heads("input").find(({ camera }) => camera)?.camera).toMatchObject({
        generation: 1,
        azimuth: expect.closeTo(0, 5),
        free: true,
      }),
    );
    await vi.waitFor(() =>
      expect(pixel(second.view, 20, 20)).toEqual([255, 0, 0, 255]),
    );
    expect(heads("view").at(-1)?.view).toBe(ids()[1]);
    expect([camera(0).own, camera(0).azimuth]).toEqual([true, 90]);
  });

  it("that is taken away leaves the others, and the last one says bye", async () => {
    const first = show();
    await serve();
    const second = show();
    await vi.waitFor(() => expect(heads("view").at(-1)?.view).toBe(ids()[1]));
    const [, id] = ids();
    second.close();
    expect(heads("view").at(-1)).toMatchObject({ view: id, gone: true });
    expect(heads("bye")).toEqual([]);
    first.close();
    await vi.waitFor(() => expect(heads("bye")).toHaveLength(1));
    expect(document.querySelector(".snb-view")).toBeNull();
  });

  it("that moves to another cell keeps the camera as the person turned it", async () => {
    const first = show();
    await serve();
    const stage = first.view.querySelector(".snb-stage") as HTMLElement;
    stage.setPointerCapture = () => undefined;
    pointerAt(first.view, "pointerdown", 100, 100, { buttons: 1 });
    pointerAt(first.view, "pointermove", 199, 100, { buttons: 1 });
    await vi.waitFor(() =>
      expect(heads("input").some(({ camera }) => camera)).toBe(true),
    );
    first.close();
    show();
    const view = await vi.waitFor(() => {
      const [last] = [...widget.views];
      expect(last?.scene.camera.azimuth).toBeCloseTo(0);
      return last;
    });
    expect(view?.scene.camera.generation).toBe(1);
    expect(heads("bye")).toEqual([]);
  });

  it("says in one line that the kernel was restarted, and keeps its picture", async () => {
    const { view } = show();
    await serve();
    model.emit("comm_live_update");
    expect(view.textContent).toContain("The kernel was restarted. Run the cell again.");
    expect(view.classList.contains("snb-dead")).toBe(true);
    expect(pixel(view, 20, 20)).toEqual([255, 0, 0, 255]);
  });

  it("shows the kernel's line until it is cleared", async () => {
    const { view } = show();
    model.receive({ type: "status", level: "warning", text: "NaN in qacc" });
    expect(view.textContent).toContain("NaN in qacc");
    model.receive({ type: "status", level: "info", text: "" });
    expect(view.textContent).not.toContain("NaN");
  });

  it("has plain buttons where there are no panels", async () => {
    const { view } = show();
    await serve(false);
    const buttons = [...view.querySelectorAll("button")].filter(
      ({ offsetWidth }) => offsetWidth > 0,
    );
    expect(buttons.map(({ textContent }) => textContent)).toEqual([
      "Run",
      "Pause",
      "Step",
      "Reset",
    ]);
    buttons[1]?.click();
    await vi.waitFor(() =>
      expect(heads("input").at(-1)?.events).toEqual([{ t: "command", name: "pause" }]),
    );
  });

  it("changes its height by the keys of its handle, for all views", async () => {
    const { view } = show();
    const handle = view.querySelector<HTMLElement>("[role=separator]") as HTMLElement;
    handle.dispatchEvent(
      new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true }),
    );
    expect([model.traits.height, model.saved]).toEqual([220, 1]);
    model.traits.height = 300;
    model.emit("change:height");
    expect(view.getBoundingClientRect().height).toBe(300);
  });

  it("moves its edge by a pixel with Shift, and by the pixel with the pointer", () => {
    const { view } = show();
    const handle = view.querySelector<HTMLElement>("[role=separator]") as HTMLElement;
    const key = (name: string, shiftKey = false) =>
      handle.dispatchEvent(new KeyboardEvent("keydown", { key: name, shiftKey }));
    key("ArrowUp", true);
    expect(view.getBoundingClientRect().height).toBe(199);
    key("PageDown");
    expect(model.traits.height).toBe(299);
    handle.setPointerCapture = () => undefined;
    const at = (type: string, clientY: number) =>
      handle.dispatchEvent(new PointerEvent(type, { clientY }));
    at("pointerdown", 300);
    at("pointermove", 307);
    at("lostpointercapture", 307);
    expect([model.traits.height, view.offsetHeight]).toEqual([306, 306]);
  });

  it("fills the window over whatever is around it, and goes back on Escape", async () => {
    const { el, view } = show();
    el.style.cssText +=
      "transform: translateX(7px); overflow: hidden; contain: strict; height: 200px";
    await serve();
    press(view, "F11");
    const box = view.getBoundingClientRect();
    expect([box.x, box.y, box.width, box.height]).toEqual([
      0,
      0,
      document.documentElement.clientWidth,
      innerHeight,
    ]);
    expect(document.elementFromPoint(3, innerHeight - 9)?.closest(".snb-view")).toBe(
      view,
    );
    await vi.waitFor(() =>
      expect(heads("view").at(-1)).toMatchObject({
        mode: "window",
        width: document.documentElement.clientWidth,
      }),
    );
    expect(document.activeElement?.className).toBe("snb-keys");
    press(view, "Escape");
    expect(view.getBoundingClientRect().width).toBe(320);
    await vi.waitFor(() =>
      expect(heads("view").at(-1)).toMatchObject({ mode: "cell", width: 318 }),
    );
    expect(pixel(view, 20, 20)).toEqual([255, 0, 0, 255]);
    expect(heads("ready")).toHaveLength(1);
    expect(el.children).toHaveLength(1);
  });

  it("is left by Escape also where the focus is elsewhere", async () => {
    const { view } = show();
    await serve();
    model.receive({ type: "window", view: ids()[0], mode: "window" });
    await vi.waitFor(() => expect(view.dataset.mode).toBe("window"));
    (document.activeElement as HTMLElement).blur();
    document.body.dispatchEvent(
      new KeyboardEvent("keydown", { key: "Escape", bubbles: true }),
    );
    expect(view.dataset.mode).toBe("cell");
  });

  it("fills the window, and says so, where the browser refuses fullscreen", async () => {
    const { view } = show();
    await serve();
    view.requestFullscreen = () => Promise.reject(new TypeError("no user gesture"));
    model.receive({ type: "window", view: ids()[0], mode: "screen" });
    await vi.waitFor(() => expect(view.dataset.mode).toBe("window"));
    expect(view.textContent).toContain("allows fullscreen only right after a click");
    model.receive({ type: "window", view: ids()[0], mode: "cell" });
    await vi.waitFor(() => expect(view.textContent).not.toContain("fullscreen"));
  });

  it("has as many pixels as the device, whatever its width", async () => {
    const { el, view } = show();
    el.style.width = "301.37px";
    await serve();
    const stage = view.querySelector(".snb-stage") as HTMLElement;
    const [entry] = await new Promise<ResizeObserverEntry[]>((done) => {
      const observer = new ResizeObserver((entries) => {
        observer.disconnect();
        done(entries);
      });
      observer.observe(stage, { box: "device-pixel-content-box" });
    });
    const box = entry?.devicePixelContentBoxSize[0];
    await vi.waitFor(() => {
      const canvas = view.querySelector<HTMLCanvasElement>(".snb-ui");
      expect([canvas?.width, canvas?.height]).toEqual([
        box?.inlineSize,
        box?.blockSize,
      ]);
    });
  });

  it("leaves nothing behind when the widget ends", async () => {
    show();
    await serve();
    controller.abort();
    expect(model.listeners).toBe(0);
    expect(document.querySelector(".snb-view")).toBeNull();
  });
});
