// The one WebGL2 context of the page: an OffscreenCanvas with a three.js renderer on it.
// Browsers keep about sixteen contexts alive, so every view draws here in turn and takes
// its picture away as a bitmap. The scene views and the UI renderer are its callers; each
// sizes the canvas with `begin`, sets all the state it needs, draws, and presents.

import * as THREE from "three";

export interface SharedGL {
  renderer: THREE.WebGLRenderer;
  gl: WebGL2RenderingContext;
  canvas: OffscreenCanvas;
  /** WebGL runs on the CPU here. */
  software: boolean;
  /** Grows when a lost context was restored: GPU objects must be made again. */
  generation: number;
}

/** What the renderers that run on a CPU call themselves. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

let shared: SharedGL | null = null;

export function sharedGL(): SharedGL {
  shared ??= create();
  return shared;
}

function create(): SharedGL {
  const canvas = new OffscreenCanvas(1, 1);
  const gl = canvas.getContext("webgl2", {
    alpha: true,
    premultipliedAlpha: true,
    antialias: false,
    depth: true,
    stencil: true,
    preserveDrawingBuffer: false,
    powerPreference: "high-performance",
  });
  if (!gl) {
    throw new Error(
      "this browser gives no WebGL2 context: turn on hardware acceleration, " +
        "or start it with --enable-unsafe-swiftshader",
    );
  }
  const renderer = new THREE.WebGLRenderer({ canvas, context: gl });
  renderer.autoClear = false;
  renderer.sortObjects = false;
  // MuJoCo's colours go to the screen as they are: no conversion, no tone mapping.
  renderer.outputColorSpace = THREE.LinearSRGBColorSpace;
  renderer.toneMapping = THREE.NoToneMapping;
  renderer.info.autoReset = false;
  const software = SOFTWARE.test(rendererName(gl));
  const state: SharedGL = { renderer, gl, canvas, software, generation: 0 };
  canvas.addEventListener("webglcontextrestored", () => {
    state.generation++;
  });
  return state;
}

function rendererName(gl: WebGL2RenderingContext): string {
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  return String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
}

/** Gives the canvas the size, in device pixels, of the picture that is drawn next. */
export function begin(width: number, height: number): SharedGL {
  const state = sharedGL();
  const { canvas, renderer } = state;
  if (canvas.width !== width || canvas.height !== height) {
    renderer.setPixelRatio(1);
    renderer.setSize(width, height, false);
  }
  return state;
}

/**
 * Hands what was drawn to `target`, whose context becomes a bitmaprenderer. `width` and
 * `height` are the canvas's, in device pixels; colours are premultiplied by alpha.
 */
export function present(
  target: HTMLCanvasElement,
  width: number,
  height: number,
): void {
  const { canvas, gl } = sharedGL();
  if (gl.isContextLost()) return;
  if (canvas.width !== width || canvas.height !== height) {
    throw new RangeError(
      `the picture is ${canvas.width} x ${canvas.height}, presented as ` +
        `${width} x ${height}: call begin(width, height) before drawing`,
    );
  }
  const context = target.getContext("bitmaprenderer", { alpha: true });
  if (!context) throw new Error("the view's canvas already has another context");
  if (target.width !== width) target.width = width;
  if (target.height !== height) target.height = height;
  context.transferFromImageBitmap(canvas.transferToImageBitmap());
}

/** The picture that was just drawn, as a PNG. */
export function capture(): Promise<Blob> {
  const { canvas } = sharedGL();
  const copy = new OffscreenCanvas(canvas.width, canvas.height);
  const context = copy.getContext("bitmaprenderer");
  if (!context) return Promise.reject(new Error("this browser has no bitmaprenderer"));
  context.transferFromImageBitmap(canvas.transferToImageBitmap());
  return copy.convertToBlob({ type: "image/png" });
}
