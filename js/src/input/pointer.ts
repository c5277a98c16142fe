// What the mouse does in a view. A press inside an area of ImGui belongs to ImGui until all
// buttons are up; any other press moves the camera as in MuJoCo's viewers, or with Ctrl
// pushes the selected body. The view owns one and lends it its camera and ray.

import {
  type ButtonIndex,
  type InputEvent,
  modifiers,
  type PerturbMode,
} from "./events";

/** The camera. Distances are fractions of the view's height, as in mjv_moveCamera. */
export interface CameraControl {
  orbit(dx: number, dy: number): void;
  pan(dx: number, dy: number, horizontal?: boolean): void;
  zoom(d: number): void;
}

export interface Hit {
  objtype: number;
  objid: number;
  geom: number;
  point: number[];
}

/** The part of the view that the pointer acts on. */
export interface PointerHost {
  readonly camera: CameraControl;
  /** Whether a point belongs to ImGui. */
  covers(x: number, y: number): boolean;
  /** Whether something of ImGui is open or being edited, that a press elsewhere ends. */
  uiActive(): boolean;
  /** Whether the wheel is not the camera's here, but the kernel's. */
  takesWheel(): boolean;
  pick(x: number, y: number): Hit | null;
  /** Whether what was hit is part of a body that moves. */
  movable(hit: Hit): boolean;
  selectedBody(): number;
  /** A person works in this view now. */
  use(): void;
  focused(): boolean;
  post(event: InputEvent): void;
  setCursor(over: "ui" | "scene" | "drag"): void;
}

type Drag =
  | { kind: "ui"; buttons: number }
  | { kind: "orbit" | "pan" | "zoom" | "perturb"; shift: boolean };

interface Press {
  button: number;
  x: number;
  y: number;
  at: number;
}

// As Windows and GTK have it: the second press of a double click.
const DOUBLE_CLICK_MS = 500;
const DOUBLE_CLICK_PX = 5;

// One notch of a wheel is 100 px in Chromium; Firefox counts 3 lines.
const NOTCH_PX = 100;
const NOTCH_LINES = 3;

// WheelEvent.DOM_DELTA_PIXEL and .DOM_DELTA_LINE.
const DELTA_PIXEL = 0;
const DELTA_LINE = 1;

// A page that is being scrolled goes on scrolling when a view slides under the pointer.
const SCROLL_GESTURE_MS = 300;

// Studio's handle_mouse_events: a notch away from the person is a fiftieth of the height up.
const ZOOM_PER_NOTCH = -1 / 50;

const NOTHING: Hit = { objtype: 0, objid: -1, geom: -1, point: [0, 0, 0] };

const IMGUI_BUTTON: readonly ButtonIndex[] = [0, 2, 1];

/** Listens on `element` until `signal`. */
export class Pointer {
  #drag: Drag | undefined;
  #pointerId = -1;
  #last = { x: 0, y: 0 };
  #overUi = false;
  #press: Press | undefined;
  #clicks = 0;
  #pageScrolledAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly element: HTMLElement,
    private readonly host: PointerHost,
    signal: AbortSignal,
  ) {
    const on = <K extends keyof HTMLElementEventMap>(
      name: K,
      handler: (event: HTMLElementEventMap[K]) => void,
    ) => element.addEventListener(name, handler, { signal });
    on("pointerdown", (event) => this.#down(event));
    on("pointermove", (event) => this.#move(event));
    on("pointerup", (event) => this.#up(event));
    on("pointercancel", (event) => this.#up(event));
    on("lostpointercapture", (event) => this.#up(event));
    on("pointerleave", () => this.#leave());
    on("contextmenu", (event) => {
      // Neither the browser's menu nor the notebook's.
      event.preventDefault();
      event.stopPropagation();
    });
    element.addEventListener("wheel", (event) => this.#wheel(event), {
      signal,
      passive: false,
    });
    // Wheel events of the view itself are stopped before they get here.
    window.addEventListener(
      "wheel",
      (event) => {
        this.#pageScrolledAt = event.timeStamp;
      },
      { signal, passive: true },
    );
  }

  #point(event: MouseEvent): { x: number; y: number } {
    const box = this.element.getBoundingClientRect();
    return { x: tenths(event.clientX - box.left), y: tenths(event.clientY - box.top) };
  }

  #down(event: PointerEvent): void {
    // Keeps the page from selecting text and from taking the focus away again.
    event.preventDefault();
    this.host.use();
    if (this.#drag || event.button > 2) return;
    const { x, y } = this.#point(event);
    this.#last = { x, y };
    this.#pointerId = event.pointerId;
    this.element.setPointerCapture(event.pointerId);
    if (this.host.covers(x, y)) {
      this.#press = undefined;
      this.#drag = { kind: "ui", buttons: 0 };
      this.host.post({ t: "move", x, y });
      this.#buttons(event, x, y);
      return;
    }
    const b = IMGUI_BUTTON[event.button] as ButtonIndex;
    const m = modifiers(event);
    if (this.host.uiActive()) {
      this.host.post({ t: "move", x, y });
      this.host.post({ t: "down", b, x, y, m });
      this.host.post({ t: "up", b, x, y, m });
    }
    const double = this.#isDoubleClick(event, x, y);
    if (double) {
      const hit = this.host.pick(x, y) ?? NOTHING;
      this.host.post({ t: "pick", ...hit, x, y, m, b, n: 2 });
    }
    const perturbs =
      !double && event.ctrlKey && b !== 2 && this.#startPerturb(event, x, y, b);
    const kind = perturbs ? "perturb" : cameraDrag(b, event.shiftKey);
    this.#drag = { kind, shift: event.shiftKey };
    this.host.setCursor("drag");
  }

  /** Ctrl pushes the body under the pointer, or the selected one where there is none. */
  #startPerturb(event: PointerEvent, x: number, y: number, b: ButtonIndex): boolean {
    const hit = this.host.pick(x, y);
    if (hit && this.host.movable(hit)) {
      // Button 0, because that of the right one moves the camera to what was picked.
      this.host.post({ t: "pick", ...hit, x, y, m: modifiers(event), b: 0, n: 1 });
    } else if (this.host.selectedBody() <= 0) return false;
    this.host.post({ t: "perturb", a: "start", mode: perturbMode(event, b) });
    return true;
  }

  #isDoubleClick(event: PointerEvent, x: number, y: number): boolean {
    const last = this.#press;
    const repeated =
      last?.button === event.button &&
      event.timeStamp - last.at < DOUBLE_CLICK_MS &&
      Math.hypot(x - last.x, y - last.y) < DOUBLE_CLICK_PX;
    this.#clicks = repeated ? this.#clicks + 1 : 1;
    this.#press = { button: event.button, x, y, at: event.timeStamp };
    return this.#clicks % 2 === 0;
  }

  #move(event: PointerEvent): void {
    const { x, y } = this.#point(event);
    const drag = this.#drag;
    if (!drag) {
      this.#hover(x, y);
      return;
    }
    if (event.pointerId !== this.#pointerId) return;
    const { height } = this.element.getBoundingClientRect();
    const dx = (x - this.#last.x) / Math.max(1, height);
    const dy = (y - this.#last.y) / Math.max(1, height);
    this.#last = { x, y };
    const { camera } = this.host;
    switch (drag.kind) {
      case "ui":
        this.host.post({ t: "move", x, y });
        this.#buttons(event, x, y);
        break;
      case "orbit":
        camera.orbit(dx, dy);
        break;
      case "pan":
        camera.pan(dx, dy, drag.shift && (event.buttons & 2) !== 0);
        break;
      case "zoom":
        camera.zoom(dy);
        break;
      case "perturb":
        if (dx !== 0 || dy !== 0) this.host.post({ t: "perturb", a: "move", dx, dy });
    }
  }

  /** Tells ImGui of the pointer while it is over its areas, and that it left them. */
  #hover(x: number, y: number): void {
    const over = this.host.covers(x, y);
    if (over || this.#overUi) this.host.post({ t: "move", x, y });
    this.#overUi = over;
    this.host.setCursor(over ? "ui" : "scene");
  }

  #leave(): void {
    if (this.#drag) return;
    if (this.#overUi) this.host.post({ t: "leave" });
    this.#overUi = false;
  }

  #up(event: PointerEvent): void {
    const drag = this.#drag;
    if (!drag || event.pointerId !== this.#pointerId) return;
    const { x, y } = this.#point(event);
    if (drag.kind === "ui") {
      const ended = event.type !== "pointerup";
      this.#buttons(ended ? { ...bare(event), buttons: 0 } : event, x, y);
      if (drag.buttons !== 0) return;
    }
    if (drag.kind === "perturb") this.host.post({ t: "perturb", a: "end" });
    this.#drag = undefined;
    if (this.element.hasPointerCapture(event.pointerId)) {
      this.element.releasePointerCapture(event.pointerId);
    }
    this.#overUi = drag.kind === "ui";
    this.#hover(x, y);
  }

  /** Sends what changed in the buttons: one may go down or up while another is held. */
  #buttons(event: { buttons: number } & Modifiers, x: number, y: number): void {
    const drag = this.#drag;
    if (drag?.kind !== "ui") return;
    const m = modifiers(event);
    // The bits of `buttons` are in ImGui's order.
    for (const b of [0, 1, 2] as const) {
      const bit = 1 << b;
      if ((drag.buttons ^ event.buttons) & bit) {
        this.host.post({ t: event.buttons & bit ? "down" : "up", b, x, y, m });
      }
    }
    drag.buttons = event.buttons & 7;
  }

  #wheel(event: WheelEvent): void {
    const scrolling = event.timeStamp - this.#pageScrolledAt < SCROLL_GESTURE_MS;
    if (scrolling && !this.host.focused()) return;
    event.preventDefault();
    event.stopPropagation();
    const { x, y } = this.#point(event);
    const dx = -notches(event.deltaX, event.deltaMode);
    const dy = -notches(event.deltaY, event.deltaMode);
    if (this.host.covers(x, y) || this.host.takesWheel())
      this.host.post({ t: "wheel", dx, dy, x, y });
    else this.host.camera.zoom(dy * ZOOM_PER_NOTCH);
  }
}

type Modifiers = Parameters<typeof modifiers>[0];

function bare({ ctrlKey, shiftKey, altKey, metaKey }: Modifiers): Modifiers {
  return { ctrlKey, shiftKey, altKey, metaKey };
}

/** As Studio's handle_mouse_events: left turns, Alt or right pushes, Shift stays level. */
function perturbMode(event: Modifiers, b: ButtonIndex): PerturbMode {
  if (b === 0 && !event.altKey) return event.shiftKey ? "rotate_h" : "rotate_v";
  return event.shiftKey ? "translate_h" : "translate_v";
}

function cameraDrag(b: ButtonIndex, shift: boolean): "orbit" | "pan" | "zoom" {
  if (b === 2) return "zoom";
  return b === 1 || shift ? "pan" : "orbit";
}

function notches(delta: number, mode: number): number {
  if (mode === DELTA_PIXEL) return delta / NOTCH_PX;
  return mode === DELTA_LINE ? delta / NOTCH_LINES : delta;
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
