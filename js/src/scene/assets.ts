// Decodes the assets of docs/wire.md: a mesh packet to vertex arrays, a PNG to the images
// that a texture is made of. Called by Scene.asset; knows nothing of WebGL.

import { unzlibSync } from "fflate";
import { type Block, readPacket, Tag, WireError } from "../wire";
import type { TextureInfo, Vec3 } from "./description";
import { cross, normalized } from "./matrix";

export interface MeshData {
  position: Float32Array<ArrayBuffer>;
  /** Four snorm 16-bit numbers a vertex. */
  normal: Int16Array<ArrayBuffer>;
  uv: Float32Array<ArrayBuffer> | null;
  index: Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;
  /** Corners of the box around the vertices: min x, y, z, max x, y, z. */
  bounds: Float32Array<ArrayBuffer>;
}

/** A decoded texture: one image, or the six faces of a cube (+x, -x, +y, -y, +z, -z). */
export interface TextureData {
  info: TextureInfo;
  faces: ImageBitmap[];
}

/** Decodes a PNG, or cuts the given rectangle out of an image; as `createImageBitmap`. */
export interface ImageDecoder {
  decode(png: Uint8Array<ArrayBuffer>): Promise<ImageBitmap>;
  cut(
    image: ImageBitmap,
    x: number,
    y: number,
    w: number,
    h: number,
  ): Promise<ImageBitmap>;
}

// The bytes of a texture are data for the shader: neither alpha nor a colour profile may
// touch them on the way.
const UNTOUCHED: ImageBitmapOptions = {
  premultiplyAlpha: "none",
  colorSpaceConversion: "none",
};

export const browserDecoder: ImageDecoder = {
  decode: (png) => createImageBitmap(new Blob([png], { type: "image/png" }), UNTOUCHED),
  cut: (image, x, y, w, h) => createImageBitmap(image, x, y, w, h, UNTOUCHED),
};

/** The mesh of a mesh asset as it was sent: a zlib stream of a packet. */
export function decodeMesh(bytes: Uint8Array, name: string): MeshData {
  const blocks = readPacket(inflateWhole(bytes));
  const find = (tag: number) => blocks.find((block) => block.tag === tag);
  const need = (tag: number, what: string): Block => {
    const block = find(tag);
    if (!block) throw new WireError(`mesh '${name}' has no ${what} (block ${tag})`);
    return block;
  };
  const positions = need(Tag.MESH_POSITION, "vertices");
  const count = positions.count;
  const position = float32(positions, count * 3, name);
  const normal = int16(need(Tag.MESH_NORMAL, "normals"), count * 4, name);
  const uvs = find(Tag.MESH_UV);
  const uv = uvs ? float32(uvs, count * 2, name) : null;
  const index = indices(need(Tag.MESH_INDEX, "faces"), count, name);
  const bounds = boundsOf(position);
  // MuJoCo trusts the normals of meshes with texture coordinates as they are.
  if (uv) return { position, normal, uv, index, bounds };
  return { ...creased({ position, normal, index }), uv, bounds };
}

export async function decodeTexture(
  png: Uint8Array,
  info: TextureInfo,
  decoder: ImageDecoder,
): Promise<TextureData> {
  const image = await decoder.decode(new Uint8Array(png));
  if (image.width !== info.width || image.height !== info.height) {
    throw new WireError(
      `texture '${info.name}' is ${image.width} x ${image.height}, ` +
        `its model says ${info.width} x ${info.height}`,
    );
  }
  if (info.type === "2d") return { info, faces: [image] };
  const size = info.width;
  // A square image serves all six faces; otherwise they are stacked, the first on top.
  if (info.height === size) return { info, faces: Array(6).fill(image) };
  if (info.height !== 6 * size) {
    throw new WireError(
      `cube texture '${info.name}' is ${size} x ${info.height}: ` +
        "its height must be its width, or six times that",
    );
  }
  const cuts = Array.from({ length: 6 }, (_, i) =>
    decoder.cut(image, 0, i * size, size, size),
  );
  const faces = await Promise.all(cuts);
  image.close();
  return { info, faces };
}

function inflateWhole(bytes: Uint8Array): Uint8Array {
  try {
    return unzlibSync(bytes);
  } catch (error) {
    throw new WireError(`a mesh asset is no zlib stream: ${String(error)}`);
  }
}

function float32(block: Block, length: number, name: string) {
  const v = holds(block, length * 4, name);
  const out = new Float32Array(length);
  for (let i = 0; i < length; i++) out[i] = v.getFloat32(4 * i, true);
  return out;
}

function int16(block: Block, length: number, name: string) {
  const v = holds(block, length * 2, name);
  const out = new Int16Array(length);
  for (let i = 0; i < length; i++) out[i] = v.getInt16(2 * i, true);
  return out;
}

const MAX_SHORT_VERTICES = 65535;

function indices(block: Block, vertices: number, name: string) {
  const short = vertices <= MAX_SHORT_VERTICES;
  const v = block.payload;
  // `count` may say triangles or corners: the payload has no padding, so it decides.
  const n = v.byteLength / (short ? 2 : 4);
  if (n % 3 !== 0 || (n !== block.count && n !== 3 * block.count)) {
    throw new WireError(
      `mesh '${name}': ${block.count} faces or corners in ${v.byteLength} bytes`,
    );
  }
  const out = short ? new Uint16Array(n) : new Uint32Array(n);
  for (let i = 0; i < n; i++) {
    const vertex = short ? v.getUint16(2 * i, true) : v.getUint32(4 * i, true);
    if (vertex >= vertices) {
      throw new WireError(
        `mesh '${name}' has ${vertices} vertices, a face names number ${vertex}`,
      );
    }
    out[i] = vertex;
  }
  return out;
}

type Surface = Pick<MeshData, "position" | "normal" | "index">;

/** A corner whose normal leans further from its face than this cosine is an edge. */
const CREASE_COSINE = 0.8;
const SNORM16 = 32767;

/**
 * Gives corners at edges their face's normal, as mjr_uploadMesh (render_context.c) does:
 * MuJoCo's vertex normals are smooth even across the edges of a box. Such corners become
 * vertices of their own.
 */
function creased({ position, normal, index }: Surface): Surface {
  const extraPositions: number[] = [];
  const extraNormals: number[] = [];
  const corners = new Uint32Array(index);
  const count = position.length / 3;
  const edge = (corner: number, k: number) =>
    position[3 * (index[corner] as number) + k] as number;
  for (let t = 0; t < index.length; t += 3) {
    const a = [0, 1, 2].map((k) => edge(t + 1, k) - edge(t, k)) as Vec3;
    const b = [0, 1, 2].map((k) => edge(t + 2, k) - edge(t, k)) as Vec3;
    const face = normalized(cross(a, b));
    for (let i = t; i < t + 3; i++) {
      const vertex = index[i] as number;
      const n = normal.subarray(4 * vertex, 4 * vertex + 3);
      const lean = face.reduce((sum, f, k) => sum + f * (n[k] as number), 0);
      if (lean >= CREASE_COSINE * SNORM16) continue;
      corners[i] = count + extraPositions.length / 3;
      extraPositions.push(edge(i, 0), edge(i, 1), edge(i, 2));
      extraNormals.push(...face.map((f) => Math.round(f * SNORM16)), 0);
    }
  }
  if (extraPositions.length === 0) return { position, normal, index };
  const vertices = count + extraPositions.length / 3;
  return {
    position: Float32Array.from([...position, ...extraPositions]),
    normal: Int16Array.from([...normal, ...extraNormals]),
    index: vertices <= MAX_SHORT_VERTICES ? new Uint16Array(corners) : corners,
  };
}

function holds(block: Block, bytes: number, name: string): DataView {
  if (block.payload.byteLength < bytes) {
    throw new WireError(
      `mesh '${name}': block ${block.tag} needs ${bytes} bytes, ` +
        `it has ${block.payload.byteLength}`,
    );
  }
  return block.payload;
}

function boundsOf(position: Float32Array) {
  const box = new Float32Array([
    Infinity,
    Infinity,
    Infinity,
    -Infinity,
    -Infinity,
    -Infinity,
  ]);
  for (let i = 0; i < position.length; i++) {
    const value = position[i] as number;
    const k = i % 3;
    if (value < (box[k] as number)) box[k] = value;
    if (value > (box[k + 3] as number)) box[k + 3] = value;
  }
  return box;
}
