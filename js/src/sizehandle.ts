// The slim handle at the bottom edge of a view that drags its height, and the height itself:
// the widget's `height` trait, in CSS pixels, so that all views and the kernel follow.

import { listen, type Model } from "./host";

const MIN_PX = 120;
const MAX_PX = 4000;
const KEY_STEP_PX = 20;

/** Adds the handle to `root` and keeps its height, until `signal`. */
export function sizeHandle(root: HTMLElement, model: Model, signal: AbortSignal): void {
  const handle = document.createElement("div");
  handle.className = "snb-handle";
  handle.tabIndex = 0;
  handle.setAttribute("role", "separator");
  handle.setAttribute("aria-orientation", "horizontal");
  handle.setAttribute("aria-label", "Height of the view");
  root.append(handle);

  let height = 0;
  const show = (value: unknown) => {
    height = Math.round(Math.min(MAX_PX, Math.max(MIN_PX, Number(value) || MIN_PX)));
    root.style.height = `${height}px`;
    handle.setAttribute("aria-valuenow", String(height));
  };
  const keep = () => {
    model.set("height", height);
    model.save_changes();
  };
  show(model.get("height"));
  listen(model, "change:height", () => show(model.get("height")), signal);

  handle.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    const grip = height - event.clientY;
    const drag = new AbortController();
    const on = { signal: drag.signal };
    handle.addEventListener("pointermove", (move) => show(grip + move.clientY), on);
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
    const step = { ArrowUp: -KEY_STEP_PX, ArrowDown: KEY_STEP_PX }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    show(height + step);
    keep();
  });
}
