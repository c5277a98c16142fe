// Geoms that are drawn by one call: the same shape, texture and pass. A batch owns the
// instance buffer with a slot a geom, and the geometry that draws it; `world.ts` decides
// which geom goes where and which material is used.

import * as THREE from "three";
import type { MeshData } from "./assets";

import type { Shape } from "./shapes";
import { Finish, type GeomTable, LOOK_FLOATS, POSE_FLOATS, Touch } from "./tables";

/** Floats an instance: rows and position, size and emission, rgba, finish, texture. */
const STRIDE = 28;
const AT = { rows: 0, size: 12, rgba: 16, finish: 20, texture: 24 } as const;
const INSTANCE_ATTRIBUTES: readonly [string, number][] = [
  ["row0", AT.rows],
  ["row1", AT.rows + 4],
  ["row2", AT.rows + 8],
  ["sizeEmission", AT.size],
  ["rgba", AT.rgba],
  ["finish", AT.finish],
  ["texScale", AT.texture],
];

/**
 * How a geom's texture is mapped; part of what makes its shader. "2d" is for meshes that
 * have no coordinates of their own.
 */
export type TextureMode = "none" | "uv" | "2d" | "cube";

/** What the geoms of a batch have in common. */
export interface Kind {
  type: number;
  /** The mesh, for MESH and SDF. */
  mesh: MeshData | null;
  textureId: number;
  textureMode: TextureMode;
  /** Decorations cast no shadow (render_gl3.c). */
  decor: boolean;
}

/** Texture repetition as a geom's LOOK and material give it. */
export interface Repeat {
  uniform: boolean;
  s: number;
  t: number;
}

/** GLSL's shininess exponent is the geom's times this (render_gl3.c). */
const SHININESS = 128;

export class Batch {
  readonly kind: Kind;
  readonly meshes = new Map<string, THREE.Mesh>();
  readonly #shape: () => THREE.BufferAttribute[];
  geometry: THREE.InstancedBufferGeometry;
  #buffer: THREE.InstancedInterleavedBuffer;
  #count = 0;
  #dirtyFrom = Number.POSITIVE_INFINITY;
  #dirtyTo = -1;

  /** `shape` makes the attributes of one geom, named, the index first. */
  constructor(kind: Kind, shape: () => THREE.BufferAttribute[]) {
    this.kind = kind;
    this.#shape = shape;
    this.#buffer = makeBuffer(4);
    this.geometry = this.#makeGeometry();
  }

  get count(): number {
    return this.#count;
  }

  /** Vertices of one geom. */
  get vertices(): number {
    return this.geometry.getAttribute("vertex")?.count ?? 0;
  }

  /** Sets the number of slots; what they held stays, those that are new hold nothing. */
  resize(count: number): void {
    const capacity = this.#buffer.count;
    if (count > capacity) {
      const old = this.#buffer.array as Float32Array;
      this.#buffer = makeBuffer(Math.max(count, 2 * capacity));
      (this.#buffer.array as Float32Array).set(old);
      this.geometry.dispose();
      this.geometry = this.#makeGeometry();
      for (const mesh of this.meshes.values()) mesh.geometry = this.geometry;
    }
    this.#count = count;
    this.geometry.instanceCount = count;
  }

  /** Takes the changed columns of geom `row` into `slot`. */
  write(
    slot: number,
    row: number,
    geoms: GeomTable,
    touched: number,
    repeat: Repeat,
  ): void {
    const to = this.#buffer.array as Float32Array;
    const at = slot * STRIDE;
    if (touched & Touch.POSE) writePose(geoms.pose, row * POSE_FLOATS, to, at);
    if (touched & (Touch.SIZE | Touch.LOOK))
      this.#writeLook(row, geoms, to, at, repeat);
    if (touched & (Touch.COLOR | Touch.LOOK)) {
      for (let k = 0; k < 4; k++) {
        to[at + AT.rgba + k] = geoms.rgba[row * 4 + k] as number;
      }
    }
    if (slot < this.#dirtyFrom) this.#dirtyFrom = slot;
    if (slot > this.#dirtyTo) this.#dirtyTo = slot;
  }

  #writeLook(
    row: number,
    geoms: GeomTable,
    to: Float32Array,
    at: number,
    repeat: Repeat,
  ): void {
    const finish = row * LOOK_FLOATS;
    for (let k = 0; k < 3; k++)
      to[at + AT.size + k] = geoms.size[row * 3 + k] as number;
    to[at + AT.size + 3] = geoms.finish[finish + Finish.EMISSION] as number;
    to[at + AT.finish] = geoms.finish[finish + Finish.SPECULAR] as number;
    to[at + AT.finish + 1] =
      (geoms.finish[finish + Finish.SHININESS] as number) * SHININESS;
    writeTexture(this.kind, repeat, geoms.size, row * 3, to, at + AT.texture);
  }

  /** Makes the alpha of a slot, which the view may lower. */
  setAlpha(slot: number, alpha: number): void {
    (this.#buffer.array as Float32Array)[slot * STRIDE + AT.rgba + 3] = alpha;
    if (slot < this.#dirtyFrom) this.#dirtyFrom = slot;
    if (slot > this.#dirtyTo) this.#dirtyTo = slot;
  }

  /** Schedules the upload of the slots that were written since the last call. */
  flush(): void {
    if (this.#dirtyTo < 0) return;
    const start = this.#dirtyFrom * STRIDE;
    this.#buffer.addUpdateRange(start, (this.#dirtyTo + 1) * STRIDE - start);
    this.#buffer.needsUpdate = true;
    this.#dirtyFrom = Number.POSITIVE_INFINITY;
    this.#dirtyTo = -1;
  }

  /** Draws another cut of the same shape from now on. */
  reshape(): void {
    this.geometry.dispose();
    this.geometry = this.#makeGeometry();
    this.geometry.instanceCount = this.#count;
    for (const mesh of this.meshes.values()) mesh.geometry = this.geometry;
  }

  dispose(): void {
    this.geometry.dispose();
    this.meshes.clear();
  }

  #makeGeometry(): THREE.InstancedBufferGeometry {
    const geometry = new THREE.InstancedBufferGeometry();
    for (const attribute of this.#shape()) {
      if (attribute.name === "index") geometry.setIndex(attribute);
      else geometry.setAttribute(attribute.name, attribute);
    }
    for (const [name, offset] of INSTANCE_ATTRIBUTES) {
      geometry.setAttribute(
        name,
        new THREE.InterleavedBufferAttribute(this.#buffer, 4, offset),
      );
    }
    geometry.instanceCount = this.#count;
    return geometry;
  }
}

function makeBuffer(slots: number): THREE.InstancedInterleavedBuffer {
  const data = new Float32Array(slots * STRIDE);
  const buffer = new THREE.InstancedInterleavedBuffer(data, STRIDE, 1);
  buffer.setUsage(THREE.DynamicDrawUsage);
  return buffer;
}

function writePose(from: Float32Array, start: number, to: Float32Array, at: number) {
  let sum = 0;
  for (let k = 0; k < POSE_FLOATS; k++) sum += from[start + k] as number;
  // A geom whose pose is not a number is not drawn: all its vertices fall together.
  const real = Number.isFinite(sum);
  for (let r = 0; r < 3; r++) {
    const row = at + AT.rows + 4 * r;
    for (let c = 0; c < 3; c++) {
      to[row + c] = real ? (from[start + 3 + 3 * r + c] as number) : 0;
    }
    to[row + 3] = real ? (from[start + r] as number) : 0;
  }
}

// How MuJoCo's renderer scales texture coordinates (settexture of render_gl3.c, and
// measured with 4.0.0): cubes by the size when uniform; coordinates that a shape has by the
// repetition, per metre when uniform; coordinates made from the vertices of a mesh, which
// are in metres, the other way round.
function writeTexture(
  { textureMode }: Kind,
  { uniform, s, t }: Repeat,
  size: Float32Array,
  first: number,
  to: Float32Array,
  at: number,
): void {
  for (let k = 0; k < 3; k++) {
    const side = size[first + k] as number;
    const repeat = textureMode === "cube" ? 1 : k === 0 ? s : t;
    const perMetre = textureMode === "2d" ? !uniform && side > 0 : false;
    const bySide = textureMode !== "2d" && uniform && side > 0;
    to[at + k] = perMetre ? repeat / side : bySide ? repeat * side : repeat;
  }
}

/** The vertex attributes of a built-in shape. */
export function shapeAttributes(shape: Shape): THREE.BufferAttribute[] {
  return [
    named("index", new THREE.BufferAttribute(shape.index, 1)),
    named("vertex", new THREE.BufferAttribute(shape.vertex, 4)),
    named("normal", new THREE.BufferAttribute(shape.normal, 3)),
    named("uv", new THREE.BufferAttribute(shape.uv, 2)),
    named("object", new THREE.BufferAttribute(shape.object, 3)),
  ];
}

export function meshAttributes(mesh: MeshData): THREE.BufferAttribute[] {
  const attributes = [
    named("index", new THREE.BufferAttribute(mesh.index, 1)),
    named("vertex", new THREE.BufferAttribute(mesh.position, 3)),
    named("normal", new THREE.BufferAttribute(mesh.normal, 4, true)),
  ];
  if (mesh.uv) attributes.push(named("uv", new THREE.BufferAttribute(mesh.uv, 2)));
  return attributes;
}

/** Strips for the segments of LINE and LINEBOX. */
export function lineAttributes(ends: Float32Array): THREE.BufferAttribute[] {
  const n = ends.length / 6;
  const from = new Float32Array(n * 12);
  const to = new Float32Array(n * 12);
  const corner = new Float32Array(n * 8);
  const index = new Uint16Array(n * 6);
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < 4; k++) {
      from.set(ends.subarray(6 * i, 6 * i + 3), 12 * i + 3 * k);
      to.set(ends.subarray(6 * i + 3, 6 * i + 6), 12 * i + 3 * k);
    }
    corner.set([0, -1, 1, -1, 1, 1, 0, 1], 8 * i);
    index.set(
      [0, 1, 2, 0, 2, 3].map((k) => 4 * i + k),
      6 * i,
    );
  }
  return [
    named("index", new THREE.BufferAttribute(index, 1)),
    named("from", new THREE.BufferAttribute(from, 3)),
    named("to", new THREE.BufferAttribute(to, 3)),
    named("corner", new THREE.BufferAttribute(corner, 2)),
  ];
}

function named(name: string, attribute: THREE.BufferAttribute): THREE.BufferAttribute {
  attribute.name = name;
  return attribute;
}
