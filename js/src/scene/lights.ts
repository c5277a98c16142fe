// The lights of a scene as the shaders take them: which there are, what they shine, and how
// a light that casts shadows looks at the scene. Arithmetic only; `painter.ts` calls it
// once a frame.

import { LightType, type SceneDescription, type Vec3 } from "./description";
import {
  cross,
  frustum,
  lookAlong,
  type Mat4,
  multiply,
  normalized,
  ortho,
} from "./matrix";
import { LIGHT_FLOATS, LightAt, LightBit, type LightTable } from "./tables";

/** OpenGL promises eight lights; MuJoCo's renderer has what OpenGL has. */
export const MAX_LIGHTS = 8;
/** Lights with a shadow of their own; the others shine through. */
export const MAX_SHADOWS = 4;
/** MuJoCo shines this where a scene has no light at all (render_gl3.c, initLights). */
const AMBIENT_WITHOUT_LIGHTS = 0.3;
/** The widest spot that casts a shadow, in degrees (render_gl3.c). */
const MAX_SPOT_FIELD = 160;
/** Texels at the rim of a light's tile that stay lit, so that no shadow runs on forever. */
const RIM_TEXELS = 1;

interface LightValues {
  pos: Vec3;
  dir: Vec3;
  attenuation: Vec3;
  ambient: Vec3;
  diffuse: Vec3;
  specular: Vec3;
  cosCutoff: number;
  exponent: number;
}

/** Where the eye is and how far it sees: the headlight and the shadows depend on it. */
export interface Viewpoint {
  eye: Vec3;
  forward: Vec3;
  near: number;
  far: number;
}

export class Lights {
  /** A letter a light, those with a shadow first: "s" spot or point, "d" directional. */
  kinds = "";
  shadows = 0;
  ambient = 0;
  readonly values: LightValues[] = Array.from({ length: MAX_LIGHTS }, dark);
  /** World to the light's clip space, and to its tile of the atlas, a light. */
  readonly clip: Mat4[] = Array.from({ length: MAX_SHADOWS }, matrix);
  /** The near plane of each light, 0 for one that looks without perspective. */
  readonly near = new Float64Array(MAX_SHADOWS);
  readonly atlas = new Float32Array(16 * MAX_SHADOWS);
  /** The lit part of each light's tile: low corner, high corner, in [0, 1]. */
  readonly tiles = new Float32Array(4 * MAX_SHADOWS);
  readonly #view: Mat4 = matrix();
  readonly #projection: Mat4 = matrix();
  readonly #order: number[] = [];

  /** Tiles along each side of the atlas. */
  get tilesAcross(): number {
    return this.shadows > 1 ? 2 : 1;
  }

  set(
    table: LightTable,
    model: SceneDescription,
    viewpoint: Viewpoint,
    wantShadows: boolean,
    atlasSize: number,
  ): void {
    this.#sort(table, wantShadows);
    this.ambient = table.count === 0 ? AMBIENT_WITHOUT_LIGHTS : 0;
    this.kinds = "";
    this.#order.forEach((row, i) => {
      const type = table.type(row);
      this.kinds += type === LightType.DIRECTIONAL ? "d" : "s";
      const values = this.values[i] as LightValues;
      read(table, row, values);
      if (table.has(row, LightBit.HEADLIGHT)) {
        values.pos = viewpoint.eye;
        values.dir = viewpoint.forward;
      }
      if (i < this.shadows) this.#aim(i, table, row, model, viewpoint, atlasSize);
    });
  }

  #sort(table: LightTable, wantShadows: boolean): void {
    const casters: number[] = [];
    const others: number[] = [];
    for (let row = 0; row < table.count; row++) {
      if (table.type(row) === LightType.IMAGE) continue;
      const casts =
        wantShadows &&
        casters.length < MAX_SHADOWS &&
        table.has(row, LightBit.CASTSHADOW) &&
        table.type(row) !== LightType.POINT;
      (casts ? casters : others).push(row);
    }
    this.shadows = casters.length;
    this.#order.length = 0;
    this.#order.push(...casters, ...others);
    this.#order.length = Math.min(this.#order.length, MAX_LIGHTS);
  }

  #aim(
    i: number,
    table: LightTable,
    row: number,
    model: SceneDescription,
    { near, far }: Viewpoint,
    atlasSize: number,
  ): void {
    const { pos, dir } = this.values[i] as LightValues;
    lookAlong(pos, dir, sideways(dir), this.#view);
    if (table.type(row) === LightType.DIRECTIONAL) {
      const clip = model.shadowclip * model.extent;
      const box = { left: -clip, right: clip, bottom: -clip, top: clip, near, far };
      ortho(box, this.#projection);
      this.near[i] = 0;
    } else {
      const cutoff = table.floats[row * LIGHT_FLOATS + LightAt.CUTOFF] as number;
      const field = Math.min(2 * cutoff * model.shadowscale, MAX_SPOT_FIELD);
      const side = near * Math.tan((field * Math.PI) / 360);
      const box = { left: -side, right: side, bottom: -side, top: side, near, far };
      frustum(box, this.#projection);
      this.near[i] = near;
    }
    const clip = multiply(this.#projection, this.#view, this.clip[i] as Mat4);
    const across = this.tilesAcross;
    const size = 1 / across;
    const x = (i % across) * size;
    const y = Math.floor(i / across) * size;
    for (let column = 0; column < 4; column++) {
      const at = 4 * column;
      const w = clip[at + 3] as number;
      const scaled = (k: number, by: number, low: number) =>
        (clip[at + k] as number) * 0.5 * by + w * (low + 0.5 * by);
      const to = 16 * i + at;
      this.atlas[to] = scaled(0, size, x);
      this.atlas[to + 1] = scaled(1, size, y);
      this.atlas[to + 2] = scaled(2, 1, 0);
      this.atlas[to + 3] = w;
    }
    const rim = RIM_TEXELS / atlasSize;
    this.tiles.set([x + rim, y + rim, x + size - rim, y + size - rim], 4 * i);
  }
}

function read(table: LightTable, row: number, to: LightValues): void {
  const start = row * LIGHT_FLOATS;
  const vec = (at: number): Vec3 => {
    const f = table.floats.subarray(start + at, start + at + 3);
    return [f[0] as number, f[1] as number, f[2] as number];
  };
  to.pos = vec(LightAt.POS);
  to.dir = normalized(vec(LightAt.DIR));
  to.attenuation = vec(LightAt.ATTENUATION);
  to.ambient = vec(LightAt.AMBIENT);
  to.diffuse = vec(LightAt.DIFFUSE);
  to.specular = vec(LightAt.SPECULAR);
  const cutoff = table.floats[start + LightAt.CUTOFF] as number;
  // OpenGL: a cutoff of 180 is no cone at all, and neither is a point light's.
  const open = cutoff >= 180 || table.type(row) === LightType.POINT;
  to.cosCutoff = open ? -2 : Math.cos((cutoff * Math.PI) / 180);
  to.exponent = open ? 0 : (table.floats[start + LightAt.EXPONENT] as number);
}

/** A vector across `v`: the shadow map's up (render_util.c, mjr_orthoVec). */
function sideways(v: Vec3): Vec3 {
  const across = cross(v, [-1, 0, 0]);
  const square = across[0] ** 2 + across[1] ** 2 + across[2] ** 2;
  return normalized(square > 0.01 ? across : cross(v, [0, 1, 0]));
}

function dark(): LightValues {
  return {
    pos: [0, 0, 0],
    dir: [0, 0, -1],
    attenuation: [1, 0, 0],
    ambient: [0, 0, 0],
    diffuse: [0, 0, 0],
    specular: [0, 0, 0],
    cosCutoff: -2,
    exponent: 0,
  };
}

function matrix(): Mat4 {
  return new Float64Array(16);
}
