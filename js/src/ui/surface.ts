// The page's one WebGL2 context for panels, on an OffscreenCanvas from which every view
// takes its picture as a bitmap. The scenes have another (gl.ts), because panels and scene
// differ in size, and a canvas that changes its size waits for the GPU: in software GL, 9 to
// 19 ms of a frozen page a frame with one context for both, 0.4 ms with two.

export interface Surface {
  gl: WebGL2RenderingContext;
  canvas: OffscreenCanvas;
  /** Grows when a lost context was restored: GPU objects must be made again. */
  generation: number;
}

let surface: Surface | undefined;

export function uiSurface(): Surface {
  surface ??= create();
  return surface;
}

/** Hands what was drawn to `target`, whose context becomes a bitmaprenderer. */
export function presentUi(target: HTMLCanvasElement): void {
  const { canvas, gl } = uiSurface();
  const context = target.getContext("bitmaprenderer", { alpha: true });
  if (!context || gl.isContextLost()) return;
  if (target.width !== canvas.width) target.width = canvas.width;
  if (target.height !== canvas.height) target.height = canvas.height;
  context.transferFromImageBitmap(canvas.transferToImageBitmap());
}

function create(): Surface {
  const canvas = new OffscreenCanvas(1, 1);
  const gl = canvas.getContext("webgl2", {
    alpha: true,
    premultipliedAlpha: true,
    antialias: false,
    depth: false,
    stencil: false,
  });
  if (!gl) throw new Error("this browser gives no WebGL2 context for the panels");
  const made: Surface = { gl, canvas, generation: 0 };
  canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
  canvas.addEventListener("webglcontextrestored", () => {
    made.generation++;
  });
  return made;
}
