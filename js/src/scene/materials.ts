// Makes the programs that geoms are drawn with, one for each combination of shape, texture,
// pass and quality that is in use, and keeps them. The uniforms that all of them share are
// set here once a frame by `painter.ts`.

import * as THREE from "three";
import type { Kind } from "./batch";
import { GeomType } from "./description";
import { MAX_LIGHTS, MAX_SHADOWS } from "./lights";
import {
  DEPTH_FRAGMENT,
  DEPTH_VERTEX,
  geomFragment,
  geomVertex,
  LINE_FRAGMENT,
  LINE_VERTEX,
} from "./shaders";
import type { Textures } from "./textures";

/** In which role a geom is drawn. */
export type Pass =
  | "opaque"
  | "reflective"
  | "transparent"
  | "mirror"
  | "mirrorTransparent"
  | "shadow"
  | "stencil";

/** What the programs of a frame depend on beside the geoms. */
export interface Style {
  lightKinds: string;
  shadows: number;
  perPixel: boolean;
  fog: boolean;
  cull: boolean;
  wireframe: boolean;
  additive: boolean;
}

export type Uniforms = Record<string, THREE.IUniform>;

/** The uniforms that all programs of a world share; a program takes those it declares. */
export function makeUniforms(): Uniforms {
  const value = <T>(initial: T): THREE.IUniform<T> => ({ value: initial });
  return {
    uViewProjection: value(new Float32Array(16)),
    uDepthRow: value(new Float32Array(4)),
    uDepthMatrix: value(new Float32Array(16)),
    uNear: value(0),
    uShadowLift: value(0),
    uEye: value(new Float32Array(3)),
    uLightEye: value(new Float32Array(3)),
    uPlaneExtent: value(1),
    uAmbientLight: value(new Float32Array(3)),
    uLights: value<unknown>(Array(MAX_LIGHTS)),
    uShadowMatrix: value(new Float32Array(16 * MAX_SHADOWS)),
    uShadowTile: value(new Float32Array(4 * MAX_SHADOWS)),
    uShadowMap: value<THREE.Texture | null>(null),
    uFogColor: value(new Float32Array(4)),
    uFogRange: value(new Float32Array(2)),
    uFog: value(0),
    uAdditive: value(0),
    uViewport: value(new Float32Array(2)),
    uPixel: value(1),
    uMirror: value(new Float32Array(16)),
    uMirrorPlane: value(new Float32Array(4)),
    uMirrorEye: value(new Float32Array(3)),
    uTint: value(1),
    uSkyRadius: value(1),
    uHazeFrame: value(new Float32Array(9)),
    uHazeElevation: value(0),
    uHazeColor: value(new Float32Array(4)),
  };
}

/** The stencil value of the mirror's own pixels. */
const MIRROR_STENCIL = 1;

export class Materials {
  readonly uniforms: Uniforms;
  readonly #textures: Textures;
  readonly #made = new Map<string, THREE.RawShaderMaterial>();

  constructor(uniforms: Uniforms, textures: Textures) {
    this.uniforms = uniforms;
    this.#textures = textures;
  }

  get(kind: Kind, pass: Pass, style: Style): THREE.RawShaderMaterial {
    const line = kind.type === GeomType.LINE || kind.type === GeomType.LINEBOX;
    const shape = kind.mesh ? "MESH" : kind.type === GeomType.PLANE ? "PLANE" : "SOLID";
    const flat = pass === "shadow" || pass === "stencil";
    // Of a box only the top mirrors: for the stencil the rest is folded onto it.
    const top = pass === "stencil" && kind.type === GeomType.BOX;
    const key = [
      pass,
      line ? kind.type : shape,
      shape === "SOLID" && kind.type === GeomType.TRIANGLE,
      top,
      flat ? "" : `${kind.textureMode}${kind.textureId}`,
      ...(flat ? [style.cull] : Object.values(style)),
    ].join(" ");
    let material = this.#made.get(key);
    if (!material) {
      const defines: Record<string, string | number> = { [shape]: "" };
      if (top) defines.TOP = "";
      material = line
        ? this.#lines(kind)
        : flat
          ? this.#flat(defines)
          : this.#lit(kind, pass, style, defines);
      this.#setSides(material, kind, pass, style);
      this.#setBlending(material, pass, style);
      this.#made.set(key, material);
    }
    return material;
  }

  dispose(): void {
    for (const material of this.#made.values()) material.dispose();
    this.#made.clear();
  }

  #lit(
    kind: Kind,
    pass: Pass,
    style: Style,
    defines: Record<string, string | number>,
  ): THREE.RawShaderMaterial {
    const mirrored = pass === "mirror" || pass === "mirrorTransparent";
    const opaque = pass === "opaque" || pass === "reflective";
    // Only opaque geoms receive shadows, and mirrors show none (render_gl3.c).
    defines.SHADOWS = opaque ? style.shadows : 0;
    if (opaque) defines.OPAQUE = "";
    if (mirrored) defines.MIRROR = "";
    if (style.perPixel) defines.PER_PIXEL = "";
    if (style.fog) defines.FOG = "";
    if (kind.textureMode !== "none") {
      defines[`TEX_${kind.textureMode.toUpperCase()}`] = "";
    }
    const { uniforms } = this;
    return new THREE.RawShaderMaterial({
      glslVersion: THREE.GLSL3,
      vertexShader: geomVertex(style.lightKinds),
      fragmentShader: geomFragment(style.lightKinds),
      defines,
      wireframe: style.wireframe,
      uniforms: {
        ...uniforms,
        uTexture: { value: this.#textures.get(kind.textureId) },
        uLightEye: (mirrored
          ? uniforms.uMirrorEye
          : uniforms.uLightEye) as THREE.IUniform,
      },
    });
  }

  #flat(defines: Record<string, string | number>): THREE.RawShaderMaterial {
    return new THREE.RawShaderMaterial({
      glslVersion: THREE.GLSL3,
      vertexShader: DEPTH_VERTEX,
      fragmentShader: DEPTH_FRAGMENT,
      defines,
      colorWrite: false,
      uniforms: this.uniforms,
    });
  }

  #lines(kind: Kind): THREE.RawShaderMaterial {
    return new THREE.RawShaderMaterial({
      glslVersion: THREE.GLSL3,
      vertexShader: LINE_VERTEX,
      fragmentShader: LINE_FRAGMENT,
      defines: kind.type === GeomType.LINE ? { LINE: "" } : {},
      uniforms: this.uniforms,
    });
  }

  #setSides(m: THREE.RawShaderMaterial, kind: Kind, pass: Pass, style: Style): void {
    // Planes are seen from both sides, triangles and lines have none; and everything
    // casts a shadow with both.
    const open =
      (kind.type === GeomType.PLANE && !kind.mesh) ||
      kind.type === GeomType.TRIANGLE ||
      kind.type === GeomType.LINE ||
      kind.type === GeomType.LINEBOX;
    const mirrored = pass === "mirror" || pass === "mirrorTransparent";
    if (open || !style.cull || pass === "shadow") m.side = THREE.DoubleSide;
    else m.side = mirrored ? THREE.BackSide : THREE.FrontSide;
  }

  #setBlending(m: THREE.RawShaderMaterial, pass: Pass, style: Style): void {
    m.blending = THREE.NoBlending;
    if (pass === "shadow") {
      // Against self-shadowing, where a texel covers a slope: MuJoCo's renderer does the
      // same, with numbers for its own depth range.
      m.polygonOffset = true;
      m.polygonOffsetFactor = 2;
      m.polygonOffsetUnits = 8;
      return;
    }
    if (pass === "stencil") {
      m.depthTest = false;
      m.depthWrite = false;
      m.stencilWrite = true;
      m.stencilRef = MIRROR_STENCIL;
      m.stencilZPass = THREE.ReplaceStencilOp;
      return;
    }
    if (pass === "mirror" || pass === "mirrorTransparent") {
      m.stencilWrite = true;
      m.stencilWriteMask = 0;
      m.stencilRef = MIRROR_STENCIL;
      m.stencilFunc = THREE.EqualStencilFunc;
    }
    if (pass === "opaque" || pass === "mirror") return;
    m.blending = THREE.CustomBlending;
    m.blendEquation = THREE.AddEquation;
    m.blendSrc = pass === "reflective" ? THREE.OneFactor : THREE.SrcAlphaFactor;
    m.blendDst =
      pass === "reflective" || style.additive
        ? THREE.OneFactor
        : THREE.OneMinusSrcAlphaFactor;
    // The canvas stays opaque whatever is blended over it.
    m.blendSrcAlpha = THREE.ZeroFactor;
    m.blendDstAlpha = THREE.OneFactor;
    m.depthWrite = pass === "reflective";
  }
}
