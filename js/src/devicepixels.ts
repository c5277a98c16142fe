// The size of an element in whole device pixels, as the browser snaps it: a canvas with as
// many is shown without resampling. Used by the view.

export function observeDevicePixels(observer: ResizeObserver, target: Element): void {
  try {
    observer.observe(target, { box: "device-pixel-content-box" });
  } catch {
    // Safari knows no such box; nor does the entry have its size then.
    observer.observe(target);
  }
}

/** Width and height of what was observed. */
export function devicePixels(entry: ResizeObserverEntry): [number, number] {
  const width = entry.contentRect.width * devicePixelRatio;
  const height = entry.contentRect.height * devicePixelRatio;
  const [box] = entry.devicePixelContentBoxSize ?? [];
  // Where a density is only emulated, Chromium's box is that of the real one.
  if (box && near(box.inlineSize, width) && near(box.blockSize, height)) {
    return [box.inlineSize, box.blockSize];
  }
  return [Math.round(width), Math.round(height)];
}

/** Snapping moves each edge by less than a pixel. */
function near(snapped: number, exact: number): boolean {
  return Math.abs(snapped - exact) < 2;
}
