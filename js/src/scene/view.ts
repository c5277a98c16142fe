// One mounted view of a Scene: its camera, its size, and when and how well it is drawn.
// The shell calls `render` once a display frame; nothing is drawn while nothing changed.
// Drawing is asynchronous: a view waits for its last picture before it draws the next, so
// that a slow GPU (or none) never has more than one in the queue.

import * as THREE from "three";
import { begin, capture, present, type SharedGL, sharedGL } from "../gl";
import { Lens, ViewCamera } from "./camera";
import { FIRST_RUNG, Governor, type Quality, RUNGS, STILL_MS } from "./governor";
import { Painter } from "./painter";
import { type Hit, pickGeom } from "./pick";
import { type PictureSink, Pictures } from "./pictures";
import type { Scene } from "./scene";
import { World } from "./world";

const BEST = RUNGS[0] as Quality;
/** How often the end of a picture is looked for. */
const POLL_MS = 2;
/** Frames a second are counted over about this long. */
const FPS_WINDOW_MS = 1000;

/** What the views of one scene share on the GPU. */
interface Stage {
  world: World;
  painter: Painter;
  pictures: Pictures;
  generation: number;
  views: number;
}

const stages = new WeakMap<Scene, Stage>();

export class SceneView {
  readonly camera = new ViewCamera();
  readonly stats = { fps: 0, draw_ms: 0, scale: 1 };
  readonly #scene: Scene;
  readonly #canvas: HTMLCanvasElement;
  readonly #sink: PictureSink | null;
  readonly #lens = new Lens();
  #governor = new Governor();
  #width = 0;
  #height = 0;
  #dpr = 1;
  #sizeVersion = 0;
  #model = -1;
  /** What the picture shows: versions of the scene, the camera and the size. */
  #shown = "";
  #shownQuality: Quality | null = null;
  #changedAt = 0;
  #seen = "";
  #samples: THREE.WebGLRenderTarget | null = null;
  #pending: WebGLSync | null = null;
  #pendingStill = false;
  #startedAt = 0;
  #frames: number[] = [];
  #generation = -1;
  #disposed = false;

  /**
   * @param scene What to draw.
   * @param canvas Where to.
   * @param sink Takes the pictures from other cameras; without, none are drawn.
   */
  constructor(
    scene: Scene,
    canvas: HTMLCanvasElement,
    sink: PictureSink | null = null,
  ) {
    this.#scene = scene;
    this.#canvas = canvas;
    this.#sink = sink;
    acquire(scene);
  }

  /** Sets the size in CSS pixels. */
  resize(width: number, height: number, dpr: number): void {
    if (width === this.#width && height === this.#height && dpr === this.#dpr) return;
    this.#width = width;
    this.#height = height;
    this.#dpr = dpr;
    this.#sizeVersion++;
  }

  /** The geom at a point in CSS pixels from the view's top left. */
  pick(x: number, y: number): Hit | null {
    if (this.#width <= 0 || this.#height <= 0) return null;
    this.#aim();
    const ray = this.#lens.ray(x / this.#width, y / this.#height);
    return pickGeom(this.#scene, ray.origin, ray.direction);
  }

  /** Draws when something changed; false: nothing was drawn. `now` is in milliseconds. */
  render(now: number): boolean {
    if (this.#disposed || this.#width <= 0 || this.#height <= 0) return false;
    const shared = sharedGL();
    if (shared.gl.isContextLost()) {
      this.#pending = null;
      return false;
    }
    this.#follow(shared);
    const drawn = this.#render(shared, now);
    this.#drawPictures(shared, now, drawn);
    return drawn;
  }

  #render(shared: SharedGL, now: number): boolean {
    const state = this.#state();
    if (state !== this.#seen) {
      this.#seen = state;
      this.#changedAt = now;
    }
    const quality = this.#wanted(now, state);
    const { pictures } = stageOf(this.#scene, shared);
    if (!quality || this.#busy(shared) || pictures.busy) return false;
    this.#pendingStill = state === this.#shown;
    this.#draw(shared, quality);
    this.#shown = state;
    this.#shownQuality = quality;
    this.stats.scale = quality.scale;
    this.#count(now);
    return true;
  }

  /** The view at its best quality, as a PNG. */
  async snapshot(): Promise<Blob> {
    const shared = sharedGL();
    this.#follow(shared);
    this.#paint(shared, BEST);
    return capture();
  }

  /** Frees what this view holds on the GPU. */
  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#samples?.dispose();
    this.#samples = null;
    if (this.#pending) sharedGL().gl.deleteSync(this.#pending);
    this.#pending = null;
    release(this.#scene);
  }

  #state(): string {
    const { version, modelVersion } = this.#scene;
    return `${modelVersion} ${version} ${this.camera.version} ${this.#sizeVersion} ${this.#generation}`;
  }

  /** The quality of the picture that is due; null when none is. */
  #wanted(now: number, state: string): Quality | null {
    if (state !== this.#shown) return RUNGS[this.#governor.rung] as Quality;
    if (now - this.#changedAt < STILL_MS) return null;
    const shown = RUNGS.indexOf(this.#shownQuality as Quality);
    const { stillRung } = this.#governor;
    return stillRung < shown ? (RUNGS[stillRung] as Quality) : null;
  }

  /** Takes over a new model, the kernel's camera, and a context that was restored. */
  #follow(shared: SharedGL): void {
    const { camera } = this;
    const { description, modelVersion } = this.#scene;
    if (description && modelVersion !== this.#model) {
      this.#model = modelVersion;
      camera.configure(description);
      this.#governor = new Governor(shared.software ? FIRST_RUNG.cpu : FIRST_RUNG.gpu);
    }
    if (description) camera.refit(description);
    if (this.#scene.camera) camera.adopt(this.#scene.camera);
    camera.fix(this.#scene.glcamera);
    if (shared.generation !== this.#generation) {
      this.#generation = shared.generation;
      this.#samples = null;
      this.#pending = null;
    }
  }

  /** Pictures queue behind a view's own, or are made while the view is at rest. */
  #drawPictures(shared: SharedGL, now: number, drawn: boolean): void {
    const quality = this.#shownQuality;
    if (!this.#sink || !quality || (!drawn && this.#busy(shared))) return;
    const { pictures } = stageOf(this.#scene, shared);
    pictures.draw(shared, this.#sink, { quality, dpr: this.#dpr }, now);
  }

  #aim(): void {
    this.#lens.set(this.camera.eye(), this.#width / this.#height);
  }

  #draw(shared: SharedGL, quality: Quality): void {
    const { gl } = shared;
    this.#startedAt = performance.now();
    const { width, height } = this.#paint(shared, quality);
    present(this.#canvas, width, height);
    const pending = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    this.#pending = pending;
    gl.flush();
    const poll = () => {
      if (this.#pending === pending && this.#busy(shared)) setTimeout(poll, POLL_MS);
    };
    setTimeout(poll, POLL_MS);
  }

  #paint(shared: SharedGL, quality: Quality): { width: number; height: number } {
    const ratio = this.#dpr * quality.scale;
    const width = Math.max(1, Math.round(this.#width * ratio));
    const height = Math.max(1, Math.round(this.#height * ratio));
    begin(width, height);
    this.#aim();
    const target =
      quality.samples > 0 ? this.#multisampled(width, height, quality) : null;
    const { painter } = stageOf(this.#scene, shared);
    painter.paint(shared, target, this.#lens, quality, { width, height, ratio });
    if (target) toCanvas(shared, target);
    return { width, height };
  }

  #multisampled(width: number, height: number, { samples }: Quality) {
    if (!this.#samples) {
      this.#samples = new THREE.WebGLRenderTarget(width, height, {
        samples,
        stencilBuffer: true,
        generateMipmaps: false,
        minFilter: THREE.NearestFilter,
        magFilter: THREE.NearestFilter,
      });
    }
    this.#samples.setSize(width, height);
    return this.#samples;
  }

  /** The last picture is still being made; otherwise what it took is noted, once. */
  #busy(shared: SharedGL): boolean {
    const { gl } = shared;
    if (!this.#pending) return false;
    const status = gl.clientWaitSync(this.#pending, 0, 0);
    if (status === gl.TIMEOUT_EXPIRED) return true;
    gl.deleteSync(this.#pending);
    this.#pending = null;
    const now = performance.now();
    const cost = now - this.#startedAt;
    this.stats.draw_ms = cost;
    stageOf(this.#scene, shared).pictures.viewDone(now);
    // A still picture says nothing about the pace: it was drawn at another rung.
    if (this.#pendingStill) this.#governor.still(cost);
    else this.#governor.frame(now, cost);
    return false;
  }

  #count(now: number): void {
    this.#frames.push(now);
    while ((this.#frames[0] as number) < now - FPS_WINDOW_MS) this.#frames.shift();
    const span = now - (this.#frames[0] as number);
    this.stats.fps = span > 0 ? ((this.#frames.length - 1) * 1000) / span : 0;
  }
}

/** Copies the resolved samples to the canvas. */
function toCanvas({ renderer, gl }: SharedGL, target: THREE.WebGLRenderTarget): void {
  // three.js resolves at the end of render() into a framebuffer that it keeps here.
  const kept = renderer.properties.get(target) as {
    __webglFramebuffer: WebGLFramebuffer;
  };
  const { width, height } = target;
  renderer.setRenderTarget(null);
  renderer.state.bindFramebuffer(gl.READ_FRAMEBUFFER, kept.__webglFramebuffer);
  renderer.state.bindFramebuffer(gl.DRAW_FRAMEBUFFER, null);
  const all = [0, 0, width, height] as const;
  gl.blitFramebuffer(...all, ...all, gl.COLOR_BUFFER_BIT, gl.NEAREST);
}

function acquire(scene: Scene): void {
  const stage = stages.get(scene);
  if (stage) stage.views++;
  else
    stages.set(scene, { ...built(scene), generation: sharedGL().generation, views: 1 });
}

function built(scene: Scene): Pick<Stage, "world" | "painter" | "pictures"> {
  const world = new World(scene);
  const painter = new Painter(world);
  return { world, painter, pictures: new Pictures(scene, painter) };
}

/** The stage of a scene, made again after its context was lost. */
function stageOf(scene: Scene, { generation }: SharedGL): Stage {
  const stage = stages.get(scene) as Stage;
  if (stage.generation !== generation) {
    Object.assign(stage, built(scene), { generation });
  }
  return stage;
}

function release(scene: Scene): void {
  const stage = stages.get(scene);
  if (!stage || --stage.views > 0) return;
  stage.pictures.dispose();
  stage.painter.dispose();
  stage.world.dispose();
  stages.delete(scene);
}
