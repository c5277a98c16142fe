// The pictures of a scene that panels show from other cameras: drawn off screen by the
// painter of the scene's views, read back, and handed on as textures, because panels have a
// WebGL context of their own. One for each scene and context; the views drive it between
// their own pictures, which come first.

import * as THREE from "three";
import type { SharedGL } from "../gl";
import { Lens } from "./camera";
import type { Picture } from "./description";
import { type Quality, RUNGS } from "./governor";
import type { Painter } from "./painter";
import type { Scene } from "./scene";

/** Who takes the finished pictures: rows from the top, RGBA. */
export interface PictureSink {
  setOwn(texture: {
    id: number;
    width: number;
    height: number;
    pixels: Uint8Array;
  }): void;
  dropOwn(id: number): void;
}

/** How a view is drawn, which its scene's pictures follow. */
export interface ViewLook {
  quality: Quality;
  dpr: number;
}

/** As many pictures are drawn at once as take this long: views wait for them. */
const BATCH_MS = 8;
/** After pictures that took t, none is drawn for this many t: views need the GPU more. */
const REST = 3;
/** Weight of the newest in the running mean of a picture's cost. */
const NEWEST = 0.3;

interface Held {
  target: THREE.WebGLRenderTarget;
  /** What was drawn last: the world and the picture. */
  drawn: string;
  rung: number;
  at: number;
}

export class Pictures {
  readonly #scene: Scene;
  readonly #painter: Painter;
  readonly #lens = new Lens();
  readonly #held = new Map<number, Held>();
  #sink: PictureSink | null = null;
  #busy = false;
  #clock = 0;
  #restUntil = 0;
  /** What a picture costs, in milliseconds. */
  #cost = BATCH_MS;

  constructor(scene: Scene, painter: Painter) {
    this.#scene = scene;
    this.#painter = painter;
  }

  /** Pictures are being made: what else is drawn now has to wait for them. */
  get busy(): boolean {
    return this.#busy;
  }

  /** A view's picture, which the GPU made before those here, is done. */
  viewDone(now: number): void {
    this.#clock = now;
  }

  /** Draws the pictures that are due, as many as there is time for. */
  draw(shared: SharedGL, sink: PictureSink, look: ViewLook, now: number): void {
    this.#sink = sink;
    this.#forget();
    if (this.#busy || now < this.#restUntil) return;
    const rung = RUNGS.indexOf(look.quality);
    const count = Math.max(1, Math.floor(BATCH_MS / this.#cost));
    const due = this.#scene.pictures
      .map((picture) => ({ picture, state: this.#state(picture) }))
      .filter(({ picture, state }) => this.#isDue(picture, state, rung))
      .sort((a, b) => this.#age(b.picture, now) - this.#age(a.picture, now))
      .slice(0, count);
    if (due.length === 0) return;
    this.#clock = performance.now();
    const reads = due.map(({ picture, state }) => {
      const target = this.#paint(shared, picture, look);
      this.#held.set(picture.id, { target, drawn: state, rung, at: now });
      return this.#read(shared, picture.id, target);
    });
    this.#busy = true;
    Promise.allSettled(reads).then(() => this.#finish(due.length));
  }

  dispose(): void {
    for (const id of [...this.#held.keys()]) this.#drop(id);
  }

  #state(picture: Picture): string {
    const { modelVersion, worldVersion } = this.#scene;
    return `${modelVersion} ${worldVersion} ${JSON.stringify(picture)}`;
  }

  /** A picture that shows what it should is drawn again only to become a better one. */
  #isDue({ id }: Picture, state: string, rung: number): boolean {
    const held = this.#held.get(id);
    return held?.drawn !== state || rung < held.rung;
  }

  #age({ id }: Picture, now: number): number {
    return now - (this.#held.get(id)?.at ?? Number.NEGATIVE_INFINITY);
  }

  #paint(
    shared: SharedGL,
    picture: Picture,
    { quality, dpr }: ViewLook,
  ): THREE.WebGLRenderTarget {
    const { scale, samples } = quality;
    const width = Math.max(1, Math.round(picture.width * scale));
    const height = Math.max(1, Math.round(picture.height * scale));
    let target = this.#held.get(picture.id)?.target;
    if (target?.samples !== samples) {
      target?.dispose();
      target = new THREE.WebGLRenderTarget(width, height, {
        samples,
        stencilBuffer: true,
        generateMipmaps: false,
        minFilter: THREE.NearestFilter,
        magFilter: THREE.NearestFilter,
      });
    }
    target.setSize(width, height);
    this.#lens.set(picture.camera, picture.width / picture.height);
    const canvas = { width, height, ratio: dpr * scale };
    this.#painter.paint(shared, target, this.#lens, quality, canvas);
    shared.renderer.setRenderTarget(null);
    return target;
  }

  async #read(
    { renderer }: SharedGL,
    id: number,
    target: THREE.WebGLRenderTarget,
  ): Promise<void> {
    const { width, height } = target;
    const pixels = new Uint8Array(4 * width * height);
    await renderer.readRenderTargetPixelsAsync(target, 0, 0, width, height, pixels);
    // It may be gone by now, or of another size.
    if (this.#held.get(id)?.target !== target) return;
    turnUpsideDown(pixels, 4 * width);
    this.#sink?.setOwn({ id, width, height, pixels });
  }

  #finish(count: number): void {
    const now = performance.now();
    const took = now - this.#clock;
    this.#cost += NEWEST * (took / count - this.#cost);
    this.#restUntil = now + REST * took;
    this.#busy = false;
  }

  #forget(): void {
    if (this.#held.size === 0) return;
    const shown = new Set(this.#scene.pictures.map(({ id }) => id));
    for (const id of this.#held.keys()) if (!shown.has(id)) this.#drop(id);
  }

  #drop(id: number): void {
    this.#held.get(id)?.target.dispose();
    this.#held.delete(id);
    this.#sink?.dropOwn(id);
  }
}

/** WebGL reads the lowest row first. */
function turnUpsideDown(pixels: Uint8Array, rowBytes: number): void {
  const swap = new Uint8Array(rowBytes);
  for (let low = 0, high = pixels.length - rowBytes; low < high; ) {
    swap.set(pixels.subarray(low, low + rowBytes));
    pixels.copyWithin(low, high, high + rowBytes);
    pixels.set(swap, high);
    low += rowBytes;
    high -= rowBytes;
  }
}
