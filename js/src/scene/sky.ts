// The sky around a scene, and the haze that softens the horizon of its first infinite
// plane. Drawn as render_gl3.c draws them: a cylinder around the eye that also hides what
// lies beyond it, and a band that stands on the plane where the cylinder meets it.

import * as THREE from "three";
import { shapeAttributes } from "./batch";
import { GeomType, type SceneDescription } from "./description";
import type { Uniforms } from "./materials";
import { HAZE_FRAGMENT, HAZE_VERTEX, SKY_FRAGMENT, SKY_VERTEX } from "./shaders";
import { makeShape, type Shape } from "./shapes";
import { type GeomTable, Look, POSE_FLOATS } from "./tables";

/** Radius of the sky in units of the far plane: just inside it at 45 degrees. */
export const SKY_RADIUS = 0.7;
const SLICES = 48;

export class Sky {
  readonly sky: THREE.Mesh;
  readonly haze: THREE.Mesh;
  readonly #uniforms: Uniforms;
  readonly #texture: THREE.IUniform;
  #hazeWidth = -1;

  constructor(uniforms: Uniforms) {
    this.#uniforms = uniforms;
    this.#texture = { value: null };
    const geometry = new THREE.BufferGeometry();
    const detail = { slices: SLICES, stacks: 1, quads: 1 };
    for (const attribute of shapeAttributes(
      makeShape(GeomType.CYLINDER, detail) as Shape,
    )) {
      if (attribute.name === "index") geometry.setIndex(attribute);
      else if (attribute.name === "vertex") geometry.setAttribute("vertex", attribute);
    }
    this.sky = mesh(
      geometry,
      new THREE.RawShaderMaterial({
        glslVersion: THREE.GLSL3,
        vertexShader: SKY_VERTEX,
        fragmentShader: SKY_FRAGMENT,
        uniforms: { ...uniforms, uTexture: this.#texture },
        side: THREE.BackSide,
        blending: THREE.NoBlending,
      }),
    );
    this.haze = mesh(
      new THREE.BufferGeometry(),
      new THREE.RawShaderMaterial({
        glslVersion: THREE.GLSL3,
        vertexShader: HAZE_VERTEX,
        fragmentShader: HAZE_FRAGMENT,
        uniforms,
        side: THREE.DoubleSide,
        depthWrite: false,
        blending: THREE.CustomBlending,
        blendSrc: THREE.SrcAlphaFactor,
        blendDst: THREE.OneMinusSrcAlphaFactor,
        blendSrcAlpha: THREE.ZeroFactor,
        blendDstAlpha: THREE.OneFactor,
      }),
    );
  }

  setTexture(texture: THREE.Texture | null): boolean {
    this.#texture.value = texture;
    return texture !== null;
  }

  /** Puts the haze on the first infinite plane; false: there is none, or it is above. */
  setHaze(
    geoms: GeomTable,
    model: SceneDescription,
    eye: readonly number[],
    radius: number,
  ): boolean {
    const row = firstInfinitePlane(geoms);
    if (row < 0) return false;
    const pose = geoms.pose.subarray(row * POSE_FLOATS, (row + 1) * POSE_FLOATS);
    let height = 0;
    for (let k = 0; k < 3; k++) {
      height +=
        ((eye[k] as number) - (pose[k] as number)) * (pose[3 + 3 * k + 2] as number);
    }
    if (!(height >= 0)) return false;
    if (model.haze !== this.#hazeWidth) {
      this.#hazeWidth = model.haze;
      this.haze.geometry.dispose();
      this.haze.geometry = hazeGeometry(model.haze);
    }
    const uniform = (name: string) => this.#uniforms[name] as THREE.IUniform;
    uniform("uHazeElevation").value = height / radius;
    uniform("uHazeColor").value.set(model.haze_rgba);
    // Rows to columns.
    const frame = uniform("uHazeFrame").value as Float32Array;
    for (let r = 0; r < 3; r++) {
      for (let c = 0; c < 3; c++) frame[3 * c + r] = pose[3 + 3 * r + c] as number;
    }
    return true;
  }

  dispose(): void {
    for (const { geometry, material } of [this.sky, this.haze]) {
      geometry.dispose();
      (material as THREE.Material).dispose();
    }
  }
}

function firstInfinitePlane(geoms: GeomTable): number {
  for (let row = 0; row < geoms.count; row++) {
    if (geoms.int(row, Look.TYPE) !== GeomType.PLANE) continue;
    if (geoms.size[3 * row] === 0 && geoms.size[3 * row + 1] === 0) return row;
  }
  return -1;
}

/**
 * A band in the plane's frame: z is 0 on the plane and 1 at the eye's height, and the
 * fourth number is alpha. `width` is mjVisual.map.haze: how far the foot of the band is
 * moved in from the sky. Where it is densest comes from render_context.c (haze): the
 * height at which the line of sight to the sky's foot crosses the band.
 */
function hazeGeometry(width: number): THREE.BufferGeometry {
  const alpha = Math.atan2(1, width);
  const beta = 0.75 * Math.PI - alpha;
  const densest = (Math.SQRT1_2 * width * Math.sin(alpha)) / Math.sin(beta);
  const rows: [number, number][] = [
    [0, 0],
    [densest, 1],
    [1, 0],
  ];
  const vertex: number[] = [];
  const index: number[] = [];
  rows.forEach(([z, opacity], j) => {
    for (let i = 0; i <= SLICES; i++) {
      const azimuth = (2 * Math.PI * i) / SLICES;
      const r = 1 - width * (1 - z);
      vertex.push(Math.cos(azimuth) * r, Math.sin(azimuth) * r, z, opacity);
      if (j === 2 || i === SLICES) continue;
      const a = j * (SLICES + 1) + i;
      const b = a + SLICES + 1;
      index.push(a, a + 1, b + 1, a, b + 1, b);
    }
  });
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("vertex", new THREE.Float32BufferAttribute(vertex, 4));
  geometry.setIndex(index);
  return geometry;
}

function mesh(geometry: THREE.BufferGeometry, material: THREE.Material): THREE.Mesh {
  const made = new THREE.Mesh(geometry, material);
  made.frustumCulled = false;
  made.matrixAutoUpdate = false;
  return made;
}
