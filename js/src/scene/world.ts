// The GPU side of a Scene: which batch each geom is in, and its textures. One a scene,
// shared by all its views; it takes over what frames changed, and regroups only when a
// geom changed kind, became transparent, or another eye sees a plane from behind.

import {
  Batch,
  type Kind,
  lineAttributes,
  meshAttributes,
  type Repeat,
  shapeAttributes,
  type TextureMode,
} from "./batch";
import { CATEGORY_DECOR, GeomType, TEXTURE_ROLE_RGB, type Vec3 } from "./description";
import type { Scene } from "./scene";
import { type Detail, lineSegments, makeShape, type Shape } from "./shapes";
import {
  Finish,
  type GeomTable,
  LOOK_FLOATS,
  Look,
  POSE_FLOATS,
  Touch,
} from "./tables";
import { Textures } from "./textures";

/** Below this alpha a geom is blended (render_gl3.c). */
const OPAQUE_ALPHA = 0.995;
/** A plane seen from behind is fainter by this factor (render_gl3.c). */
const BEHIND_ALPHA = 0.3;
const PLANE_DISTANCE = 1e10;
/**
 * Transparent geoms beyond this many are not sorted among kinds: each change of kind in
 * the drawing order is a call of its own, and calls are what would take the time.
 */
const MAX_SORTED = 300;

const Layer = { NONE: 0, OPAQUE: 1, REFLECTIVE: 2, TRANSPARENT: 3 } as const;

const ALL = Touch.POSE | Touch.SIZE | Touch.COLOR | Touch.LOOK;

export class World {
  readonly scene: Scene;
  readonly textures: Textures;
  readonly opaque: Batch[] = [];
  /** The one geom that mirrors the others; MuJoCo's renderer allows no second. */
  reflective: Batch | null = null;
  reflectiveRow = -1;
  /** In drawing order: the farthest first. */
  transparent: Batch[] = [];
  /** Rows with a label. */
  readonly labels: number[] = [];
  /** Grows when the batches, not just what is in them, changed. */
  layout = 0;
  /** Grows when a geom moved or changed: shadows of an older one are stale. */
  version = 0;
  readonly #batches = new Map<string, Batch>();
  readonly #pool = new Map<string, Batch[]>();
  #shapes = new Map<string, Shape | null>();
  #detail: Detail = { slices: 28, stacks: 16, quads: 1 };
  #model = -1;
  #assets = -1;
  #rowBatch: (Batch | null)[] = [];
  #rowSlot = new Int32Array(0);
  #rowLayer = new Uint8Array(0);
  #rowBehind = new Uint8Array(0);
  readonly #planes: number[] = [];
  readonly #blended: number[] = [];
  #distance = new Float64Array(0);
  #count = 0;
  readonly #repeat: Repeat = { uniform: false, s: 1, t: 1 };
  readonly #byDistance = (a: number, b: number) =>
    (this.#distance[b] as number) - (this.#distance[a] as number);

  constructor(scene: Scene) {
    this.scene = scene;
    this.textures = new Textures(scene);
  }

  /** Cuts the built-in shapes anew from now on. */
  setDetail(detail: Detail): void {
    const { slices, stacks, quads } = this.#detail;
    if (
      detail.slices === slices &&
      detail.stacks === stacks &&
      detail.quads === quads
    ) {
      return;
    }
    this.#detail = detail;
    this.#shapes = new Map();
    for (const batch of this.#all()) if (!batch.kind.mesh) batch.reshape();
    this.layout++;
  }

  /** Brings the batches up to date with the scene, for an eye at `eye`. */
  sync(eye: Vec3): void {
    const { scene } = this;
    const { geoms } = scene;
    let regroup = this.#count !== geoms.count || this.#assets !== scene.assetVersion;
    if (this.#model !== scene.modelVersion) {
      this.#forget();
      this.#model = scene.modelVersion;
      regroup = true;
    }
    this.#assets = scene.assetVersion;
    regroup ||= this.#anyChangedKind(geoms);
    if (regroup) this.#mark(eye);
    else if (this.#turnedPlanes(eye)) regroup = true;
    if (regroup) this.#regroup();
    else this.#update(geoms);
    if (this.#blended.length > 0) this.#sort(eye);
    for (const batch of this.#all()) batch.flush();
  }

  /** Vertices that one pass over the opaque geoms transforms. */
  vertexCount(): number {
    let sum = 0;
    for (const batch of this.opaque) sum += batch.count * batch.vertices;
    return sum;
  }

  dispose(): void {
    this.#forget();
  }

  *#all(): Iterable<Batch> {
    yield* this.#batches.values();
    for (const batches of this.#pool.values()) yield* batches;
  }

  #forget(): void {
    for (const batch of this.#all()) batch.dispose();
    this.#batches.clear();
    this.#pool.clear();
    this.#shapes.clear();
    this.textures.dispose();
  }

  #anyChangedKind({ touched, rgba, count }: GeomTable): boolean {
    for (let row = 0; row < count; row++) {
      const what = touched[row] as number;
      if (what & Touch.LOOK) return true;
      if (!(what & Touch.COLOR) || this.#rowLayer[row] === Layer.NONE) continue;
      const blended = (rgba[4 * row + 3] as number) < OPAQUE_ALPHA;
      const was = this.#rowLayer[row] === Layer.TRANSPARENT;
      if (blended !== was && this.#rowBehind[row] === 0) return true;
    }
    return false;
  }

  /** Takes over the rows that changed, each into its slot. */
  #update(geoms: GeomTable): void {
    let any = false;
    for (let row = 0; row < geoms.count; row++) {
      const what = geoms.touched[row] as number;
      if (what === 0) continue;
      any = true;
      geoms.touched[row] = 0;
      const batch = this.#rowBatch[row];
      if (batch) this.#write(batch, this.#rowSlot[row] as number, row, what);
    }
    if (any) this.version++;
  }

  #write(batch: Batch, slot: number, row: number, what: number): void {
    const { geoms } = this.scene;
    batch.write(slot, row, geoms, what, this.#repeatOf(row));
    if (this.#rowBehind[row] !== 0 && what & (Touch.COLOR | Touch.LOOK)) {
      batch.setAlpha(slot, (geoms.rgba[4 * row + 3] as number) * BEHIND_ALPHA);
    }
  }

  /** Finds the planes, and from which side each is seen. */
  #mark(eye: Vec3): void {
    const { geoms } = this.scene;
    if (this.#rowSlot.length < geoms.count) {
      this.#rowSlot = new Int32Array(2 * geoms.count);
      this.#rowLayer = new Uint8Array(2 * geoms.count);
      this.#rowBehind = new Uint8Array(2 * geoms.count);
      this.#distance = new Float64Array(2 * geoms.count);
    }
    this.#planes.length = 0;
    this.#rowBehind.fill(0);
    for (let row = 0; row < geoms.count; row++) {
      if (geoms.int(row, Look.TYPE) !== GeomType.PLANE) continue;
      this.#planes.push(row);
      this.#rowBehind[row] = isBehind(eye, geoms.pose, row * POSE_FLOATS) ? 1 : 0;
    }
  }

  #turnedPlanes(eye: Vec3): boolean {
    let turned = false;
    for (const row of this.#planes) {
      const behind = isBehind(eye, this.scene.geoms.pose, row * POSE_FLOATS) ? 1 : 0;
      if (behind === this.#rowBehind[row]) continue;
      this.#rowBehind[row] = behind;
      turned = true;
    }
    return turned;
  }

  #regroup(): void {
    const { geoms } = this.scene;
    const counts = new Map<Batch, number>();
    this.#count = geoms.count;
    this.#rowBatch.length = geoms.count;
    this.#blended.length = 0;
    this.labels.length = 0;
    this.reflective = null;
    this.reflectiveRow = -1;
    for (let row = 0; row < geoms.count; row++) {
      geoms.touched[row] = 0;
      this.#rowBatch[row] = null;
      this.#rowLayer[row] = Layer.NONE;
      if (geoms.labels[row]) this.labels.push(row);
      const kind = this.#kindOf(row);
      if (!kind) continue;
      const layer = this.#layerOf(row);
      this.#rowLayer[row] = layer;
      if (layer === Layer.TRANSPARENT) {
        this.#blended.push(row);
        continue;
      }
      const batch = this.#batch(layer, kind);
      if (layer === Layer.REFLECTIVE) {
        this.reflective = batch;
        this.reflectiveRow = row;
      }
      const slot = counts.get(batch) ?? 0;
      counts.set(batch, slot + 1);
      this.#rowBatch[row] = batch;
      this.#rowSlot[row] = slot;
    }
    this.opaque.length = 0;
    for (const batch of this.#batches.values()) {
      const count = counts.get(batch) ?? 0;
      batch.resize(count);
      if (count > 0 && batch !== this.reflective) this.opaque.push(batch);
    }
    for (let row = 0; row < geoms.count; row++) {
      const batch = this.#rowBatch[row];
      if (batch) this.#write(batch, this.#rowSlot[row] as number, row, ALL);
    }
    this.transparent = [];
    this.layout++;
    this.version++;
  }

  #layerOf(row: number): number {
    const { geoms } = this.scene;
    const alpha = geoms.rgba[4 * row + 3] as number;
    if (alpha < OPAQUE_ALPHA || this.#rowBehind[row] !== 0) return Layer.TRANSPARENT;
    const type = geoms.int(row, Look.TYPE);
    const flat = type === GeomType.PLANE || type === GeomType.BOX;
    const shines = (geoms.finish[row * LOOK_FLOATS + Finish.REFLECTANCE] as number) > 0;
    if (this.reflectiveRow < 0 && flat && shines) return Layer.REFLECTIVE;
    return Layer.OPAQUE;
  }

  /** What a geom is drawn as; null: not at all, or not yet. */
  #kindOf(row: number): Kind | null {
    const { scene } = this;
    const { geoms } = scene;
    let type = geoms.int(row, Look.TYPE);
    if (type === GeomType.ELLIPSOID) type = GeomType.SPHERE;
    if (type === GeomType.SDF) type = GeomType.MESH;
    const dataid = geoms.int(row, Look.DATAID);
    const mesh = type === GeomType.MESH && dataid >= 0 ? scene.mesh(dataid) : null;
    if (!mesh && !this.#isBuiltIn(type)) return null;
    const textureId = this.#textureOf(row);
    const texture = textureId < 0 ? null : scene.texture(textureId);
    let textureMode: TextureMode = "none";
    if (texture) {
      const coordinates = mesh ? geoms.int(row, Look.TEXCOORD) > 0 && mesh.uv : true;
      if (texture.info.type === "2d") textureMode = coordinates ? "uv" : "2d";
      else if (!mesh || !coordinates) textureMode = "cube";
    }
    const decor = geoms.int(row, Look.CATEGORY) === CATEGORY_DECOR;
    const shown = textureMode === "none" ? -1 : textureId;
    return { type, mesh, textureId: shown, textureMode, decor };
  }

  /** The colour texture of a geom, -1 without one; its repetition goes to #repeatOf. */
  #textureOf(row: number): number {
    const { geoms, description } = this.scene;
    const matid = geoms.int(row, Look.MATID);
    if (matid < 0) return -1;
    const own = geoms.int(row, Look.TEXID);
    return own >= 0
      ? own
      : (description?.materials[matid]?.texid[TEXTURE_ROLE_RGB] ?? -1);
  }

  #repeatOf(row: number): Repeat {
    const { geoms, description } = this.scene;
    const repeat = this.#repeat;
    const material = description?.materials[geoms.int(row, Look.MATID)];
    if (geoms.int(row, Look.TEXID) >= 0 || !material) {
      const finish = row * LOOK_FLOATS;
      repeat.uniform = geoms.int(row, Look.TEXUNIFORM) > 0;
      repeat.s = geoms.finish[finish + Finish.TEXREPEAT_S] as number;
      repeat.t = geoms.finish[finish + Finish.TEXREPEAT_T] as number;
    } else {
      repeat.uniform = material.texuniform;
      [repeat.s, repeat.t] = material.texrepeat;
    }
    return repeat;
  }

  #isBuiltIn(type: number): boolean {
    return lineSegments(type) !== null || this.#shape(type) !== null;
  }

  #shape(type: number): Shape | null {
    const key = String(type);
    const known = this.#shapes.get(key);
    if (known !== undefined) return known;
    const shape = makeShape(type, this.#detail);
    this.#shapes.set(key, shape);
    return shape;
  }

  #attributes(kind: Kind) {
    if (kind.mesh) return meshAttributes(kind.mesh);
    const segments = lineSegments(kind.type);
    if (segments) return lineAttributes(segments);
    return shapeAttributes(this.#shape(kind.type) as Shape);
  }

  #key(kind: Kind): string {
    const { type, textureId, textureMode, decor, mesh } = kind;
    return `${type} ${textureId} ${textureMode} ${decor} ${mesh ? this.#idOf(mesh) : ""}`;
  }

  readonly #meshIds = new WeakMap<object, number>();
  #lastMeshId = 0;

  #idOf(mesh: object): number {
    const known = this.#meshIds.get(mesh);
    if (known !== undefined) return known;
    this.#meshIds.set(mesh, ++this.#lastMeshId);
    return this.#lastMeshId;
  }

  #batch(layer: number, kind: Kind): Batch {
    const key = `${layer} ${this.#key(kind)}`;
    let batch = this.#batches.get(key);
    if (!batch) {
      batch = new Batch(kind, () => this.#attributes(kind));
      this.#batches.set(key, batch);
    }
    return batch;
  }

  /**
   * Puts the transparent geoms into drawing order, the farthest first; neighbours of one
   * kind share a batch. Nothing happens while the order stays.
   */
  #sort(eye: Vec3): void {
    const rows = this.#blended;
    for (const row of rows) this.#distance[row] = this.#distanceOf(row, eye);
    let sorted = this.transparent.length > 0;
    for (let i = 1; i < rows.length && sorted; i++) {
      sorted = this.#byDistance(rows[i - 1] as number, rows[i] as number) <= 0;
    }
    if (sorted) return;
    rows.sort(this.#byDistance);
    const order = rows.length > MAX_SORTED ? this.#groupedByKind(rows) : rows;
    this.#fill(order);
  }

  #groupedByKind(rows: readonly number[]): number[] {
    const groups = new Map<string, number[]>();
    for (const row of rows) {
      const key = this.#key(this.#kindOf(row) as Kind);
      const group = groups.get(key);
      if (group) group.push(row);
      else groups.set(key, [row]);
    }
    return [...groups.values()].flat();
  }

  #fill(order: readonly number[]): void {
    const used = new Map<string, number>();
    this.transparent = [];
    let run: Batch | null = null;
    let runKey = "";
    let slot = 0;
    for (const row of order) {
      const kind = this.#kindOf(row);
      if (!kind) continue;
      const key = this.#key(kind);
      if (key !== runKey || !run) {
        runKey = key;
        const nth = used.get(key) ?? 0;
        used.set(key, nth + 1);
        run = this.#pooled(key, nth, kind);
        this.transparent.push(run);
        slot = 0;
      }
      run.resize(slot + 1);
      this.#write(run, slot, row, ALL);
      this.#rowBatch[row] = run;
      this.#rowSlot[row] = slot++;
    }
    this.layout++;
  }

  #pooled(key: string, nth: number, kind: Kind): Batch {
    const pool = this.#pool.get(key) ?? [];
    this.#pool.set(key, pool);
    let batch = pool[nth];
    if (!batch) {
      batch = new Batch(kind, () => this.#attributes(kind));
      pool[nth] = batch;
    }
    return batch;
  }

  #distanceOf(row: number, eye: Vec3): number {
    const { geoms } = this.scene;
    if (geoms.int(row, Look.TYPE) === GeomType.PLANE) return PLANE_DISTANCE;
    const at = row * POSE_FLOATS;
    const distance = Math.hypot(
      (geoms.pose[at] as number) - eye[0],
      (geoms.pose[at + 1] as number) - eye[1],
      (geoms.pose[at + 2] as number) - eye[2],
    );
    const near = distance - boundingRadius(geoms, row);
    return Number.isFinite(near) ? near : 0;
  }
}

/** The eye is on the far side of a plane (its z axis points at the near one). */
function isBehind(eye: Vec3, pose: Float32Array, at: number): boolean {
  const d = (k: number) =>
    ((eye[k] as number) - (pose[at + k] as number)) *
    (pose[at + 3 + 3 * k + 2] as number);
  return d(0) + d(1) + d(2) < 0;
}

/** As mjv_rbound has it (engine_vis_init.c). */
export function boundingRadius(geoms: GeomTable, row: number): number {
  const [a, b, c] = geoms.size.subarray(3 * row, 3 * row + 3) as unknown as [
    number,
    number,
    number,
  ];
  switch (geoms.int(row, Look.TYPE)) {
    case GeomType.SPHERE:
      return a;
    case GeomType.CAPSULE:
      return Math.max(a, b) + c;
    case GeomType.ELLIPSOID:
      return Math.max(a, b, c);
    case GeomType.CYLINDER:
      return Math.hypot(Math.max(a, b), c);
    case GeomType.BOX:
    case GeomType.MESH:
    case GeomType.SDF:
      return Math.hypot(a, b, c);
    default:
      return 0;
  }
}
