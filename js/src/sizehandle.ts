// The slim handle at the bottom edge of a view that drags its height, and the height itself:
// the widget's `height` trait, in CSS pixels, so that all views and the kernel follow.

import { listen, type Model } from "./host";

const MIN_PX = 120;
const MAX_PX = 4000;

/** How far each key moves the edge; with Shift an arrow moves it by one pixel. */
const STEP_PX: Readonly<Record<string, number>> = {
  ArrowUp: -20,
  ArrowDown: 20,
  PageUp: -100,
  PageDown: 100,
};

/** Adds the handle to `root` and keeps its height, until `signal`. */
export function sizeHandle(root: HTMLElement, model: Model, signal: AbortSignal): void {
  const handle = document.createElement("div");
  handle.className = "snb-handle";
  handle.tabIndex = 0;
  handle.setAttribute("role", "separator");
  handle.setAttribute("aria-orientation", "horizontal");
  handle.setAttribute("aria-label", "Height of the view");
  handle.setAttribute("aria-valuemin", String(MIN_PX));
  handle.setAttribute("aria-valuemax", String(MAX_PX));
  root.append(handle);

  let height = 0;
  const show = (value: unknown) => {
    height = Math.round(Math.min(MAX_PX, Math.max(MIN_PX, Number(value) || MIN_PX)));
    root.dataset.height = String(height);
    root.style.setProperty("--snb-height", `${height}px`);
    handle.setAttribute("aria-valuenow", String(height));
  };
  const keep = () => {
    if (model.get("height") === height) return;
    model.set("height", height);
    model.save_changes();
  };
  show(model.get("height"));
  listen(model, "change:height", () => show(model.get("height")), signal);

  handle.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    // From the view's top, which moves when the notebook scrolls meanwhile.
    const below = () => root.getBoundingClientRect().top;
    const grip = below() + height - event.clientY;
    const drag = new AbortController();
    const on = { signal: drag.signal };
    handle.addEventListener(
      "pointermove",
      (move) => show(move.clientY + grip - below()),
      on,
    );
    handle.addEventListener(
      "lostpointercapture",
      () => {
        drag.abort();
        keep();
      },
      on,
    );
  });
  handle.addEventListener("keydown", (event) => {
    const step = STEP_PX[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    show(height + (event.shiftKey ? Math.sign(step) : step));
    keep();
  });
}
