// What MuJoCo itself says (make_vectors.py), and the scene that it says it of.

import { readFileSync } from "node:fs";
import type { ImageDecoder } from "../../src/scene/assets";
import type { SceneDescription, Vec3 } from "../../src/scene/description";
import { Scene } from "../../src/scene/scene";
import { readPacket } from "../../src/wire";

interface Pose {
  lookat: Vec3;
  distance: number;
  azimuth: number;
  elevation: number;
}

export interface Move {
  action: "orbit" | "pan" | "panHorizontal" | "zoom";
  orthographic: boolean;
  dx: number;
  dy: number;
  before: Pose;
  after: Pose;
  pos: Vec3;
  forward: Vec3;
  up: Vec3;
  /** bottom, top, near, far */
  frustum: [number, number, number, number];
}

export interface Ray {
  origin: Vec3;
  direction: Vec3;
  /** -1: it meets nothing. */
  geom: number;
  distance: number;
}

interface Vectors {
  scene: SceneDescription;
  assets: Record<string, string>;
  frame: string;
  xmat: number[][];
  moves: Move[];
  rays: Ray[];
}

export const vectors = JSON.parse(
  readFileSync(new URL("vectors.jsonl", import.meta.url), "utf8"),
) as Vectors;

export function bytes(base64: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(base64, "base64"));
}

/** A decoder for tests without a browser: images that only know their size. */
export function fakeDecoder(width: number, height: number): ImageDecoder {
  const image = (w: number, h: number) => {
    const made = { width: w, height: h, closed: false, close: () => {} };
    made.close = () => {
      made.closed = true;
    };
    return made as unknown as ImageBitmap;
  };
  return {
    decode: async () => image(width, height),
    cut: async (_image, _x, _y, w, h) => image(w, h),
  };
}

/** The scene of the vectors after its first frame, with its meshes. */
export async function shownScene(): Promise<Scene> {
  const scene = new Scene(fakeDecoder(4, 4));
  scene.describe(1, vectors.scene);
  for (const [hash, asset] of Object.entries(vectors.assets)) {
    await scene.asset(hash, bytes(asset));
  }
  scene.frame(readPacket(bytes(vectors.frame)), true);
  return scene;
}
