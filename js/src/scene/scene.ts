// The world of one comm as the kernel last described it: model, assets, tables, camera.
// The widget feeds it messages, any number of SceneViews draw it. It has no WebGL in it,
// so it runs and is tested in Node.

import { type Block, WireError } from "../wire";
import {
  browserDecoder,
  decodeMesh,
  decodeTexture,
  type ImageDecoder,
  type MeshData,
  type TextureData,
} from "./assets";
import type {
  GLCamera,
  KernelCamera,
  Picture,
  SceneDescription,
  Visual,
} from "./description";
import { applyFrame } from "./frame";
import { GeomTable, LightTable } from "./tables";

export class Scene {
  description: SceneDescription | null = null;
  gen = -1;
  /** Grows whenever the picture may have changed. */
  version = 0;
  /** The same, but for what a camera of the view alone changes. */
  worldVersion = 0;
  /** Grows with each model: what was built from the last one is stale. */
  modelVersion = 0;
  /** Grows with each asset that arrived. */
  assetVersion = 0;
  time = 0;
  paused = false;
  selectedBody = 0;
  renderFlags = 0;
  /** The camera of the last CAMERA block, and of the last GLCAMERA block. */
  camera: KernelCamera | null = null;
  glcamera: GLCamera | null = null;
  /** What panels show of the scene. A picture whose camera moved is another object. */
  pictures: readonly Picture[] = [];
  readonly geoms = new GeomTable();
  readonly lights = new LightTable();
  readonly #meshes = new Map<string, MeshData>();
  readonly #textures = new Map<string, TextureData>();
  readonly #decoder: ImageDecoder;

  constructor(decoder: ImageDecoder = browserDecoder) {
    this.#decoder = decoder;
  }

  get ngeom(): number {
    return this.geoms.count;
  }

  /**
   * Takes a `model` message: the tables are empty until its first full frame.
   * Returns the hashes of the assets that this scene does not hold yet, each once.
   */
  describe(gen: number, scene: SceneDescription): string[] {
    this.gen = gen;
    this.description = scene;
    this.geoms.resize(0);
    this.lights.resize(0);
    this.glcamera = null;
    this.pictures = [];
    const meshes = new Set(scene.meshes.map(({ hash }) => hash));
    const textures = new Set(scene.textures.map(({ hash }) => hash));
    for (const hash of this.#meshes.keys()) {
      if (!meshes.has(hash)) this.#meshes.delete(hash);
    }
    for (const [hash, { faces }] of this.#textures) {
      if (textures.has(hash)) continue;
      for (const face of new Set(faces)) face.close();
      this.#textures.delete(hash);
    }
    this.modelVersion++;
    this.version++;
    this.worldVersion++;
    return [...new Set([...meshes, ...textures])].filter((hash) => !this.has(hash));
  }

  has(hash: string): boolean {
    return this.#meshes.has(hash) || this.#textures.has(hash);
  }

  /** Takes a complete asset as it was sent. Throws WireError when it is damaged. */
  async asset(hash: string, bytes: Uint8Array): Promise<void> {
    const mesh = this.description?.meshes.find((info) => info.hash === hash);
    if (mesh) {
      this.#meshes.set(hash, decodeMesh(bytes, mesh.name));
    } else {
      const model = this.modelVersion;
      const info = this.description?.textures.find((other) => other.hash === hash);
      if (!info) throw new WireError(`no mesh or texture of this model is ${hash}`);
      const texture = await decodeTexture(bytes, info, this.#decoder);
      if (model !== this.modelVersion && !this.#wants(hash)) {
        for (const face of new Set(texture.faces)) face.close();
        return;
      }
      this.#textures.set(hash, texture);
    }
    this.assetVersion++;
    this.version++;
    this.worldVersion++;
  }

  #wants(hash: string): boolean {
    return this.description?.textures.some((info) => info.hash === hash) ?? false;
  }

  /**
   * Applies the blocks of one /state packet; `full` when its `base` is null.
   * Throws WireError on a packet that contradicts itself, and then changes nothing.
   */
  frame(blocks: readonly Block[], full: boolean): void {
    const { geoms, lights } = this;
    const [ngeom, nlight] = [geoms.count, lights.count];
    const head = applyFrame(blocks, full, geoms, lights);
    const looks = this.#look(head.visual);
    const changed =
      looks ||
      head.moved ||
      head.ngeom !== ngeom ||
      head.nlight !== nlight ||
      head.renderFlags !== this.renderFlags;
    this.time = head.time;
    this.paused = head.paused;
    this.selectedBody = head.selectedBody;
    this.renderFlags = head.renderFlags;
    if (head.camera) this.camera = head.camera;
    this.glcamera = head.glcamera ?? this.glcamera;
    this.pictures = head.pictures ?? (full ? [] : this.pictures);
    if (changed) this.worldVersion++;
    if (changed || head.camera || head.glcamera) this.version++;
  }

  /** Takes over what a frame says in place of the description; tells of a change. */
  #look(visual: Visual | null): boolean {
    if (!visual || !this.description) return false;
    this.description = { ...this.description, ...visual };
    return true;
  }

  /** The mesh of a geom's `dataid` (twice the mesh id, plus one for its hull). */
  mesh(dataid: number): MeshData | null {
    const info = this.description?.meshes[dataid >> 1];
    return (info && this.#meshes.get(info.hash)) ?? null;
  }

  texture(id: number): TextureData | null {
    const info = this.description?.textures[id];
    return (info && this.#textures.get(info.hash)) ?? null;
  }
}
