// The label texts of a scene, drawn over everything at the geoms that carry them: white
// with a dark outline, as crisp as the screen. Glyphs are drawn once into an atlas, at the
// size at which they are shown, and each character is an instance of one quad.

import * as THREE from "three";
import type { Uniforms } from "./materials";
import { type GeomTable, POSE_FLOATS } from "./tables";

const VERTEX = /* glsl */ `
precision highp float;
in vec2 corner;
in vec3 anchor;
in vec4 glyph;   // x, y, width in the atlas; x from the anchor: device pixels
uniform mat4 uViewProjection;
uniform vec2 uViewport;
uniform float uRow, uAtlas;
out vec2 vAt;
void main() {
  vec4 clip = uViewProjection * vec4(anchor, 1.0);
  vec2 size = vec2(glyph.z, uRow);
  vAt = (glyph.xy + vec2(corner.x, 1.0 - corner.y) * size) / uAtlas;
  // Whole pixels, so that no glyph is blurred between two.
  vec2 origin = floor((clip.xy / clip.w * 0.5 + 0.5) * uViewport + 0.5);
  vec2 pixel = origin + vec2(glyph.w, 0.0) + corner * size;
  vec2 place = pixel / uViewport * 2.0 - 1.0;
  // A label whose anchor is behind the eye is behind it too.
  gl_Position = clip.w > 0.0 ? vec4(place, 0.0, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
}
`;

const FRAGMENT = /* glsl */ `
precision highp float;
in vec2 vAt;
uniform sampler2D uGlyphs;
out vec4 color;
void main() {
  color = texture(uGlyphs, vAt);
  if (color.a == 0.0) discard;
}
`;

const FONT_PX = 13;
const FONT = "ui-sans-serif, system-ui, 'Segoe UI', Roboto, sans-serif";
/** Outline, and room for it around each glyph, in CSS pixels. */
const OUTLINE_PX = 3;
const ATLAS_PX = 512;
/** x, y, z of the anchor, then the glyph. */
const STRIDE = 7;

interface Glyph {
  x: number;
  y: number;
  width: number;
  advance: number;
}

export class Labels {
  readonly mesh: THREE.Mesh;
  readonly #geometry = new THREE.InstancedBufferGeometry();
  readonly #glyphs = new Map<string, Glyph>();
  readonly #uniforms: {
    uGlyphs: THREE.IUniform<THREE.Texture | null>;
    uRow: THREE.IUniform<number>;
    uAtlas: THREE.IUniform<number>;
  };
  #buffer = makeBuffer(64);
  #pen: OffscreenCanvasRenderingContext2D | null = null;
  #ratio = 0;
  #x = 0;
  #y = 0;

  constructor(uniforms: Uniforms) {
    this.#uniforms = {
      uGlyphs: { value: null },
      uRow: { value: 1 },
      uAtlas: { value: 1 },
    };
    this.#geometry.setIndex([0, 1, 2, 0, 2, 3]);
    this.#geometry.setAttribute(
      "corner",
      new THREE.Float32BufferAttribute([0, 0, 1, 0, 1, 1, 0, 1], 2),
    );
    this.#bind();
    this.mesh = new THREE.Mesh(
      this.#geometry,
      new THREE.RawShaderMaterial({
        glslVersion: THREE.GLSL3,
        vertexShader: VERTEX,
        fragmentShader: FRAGMENT,
        uniforms: { ...uniforms, ...this.#uniforms },
        depthTest: false,
        depthWrite: false,
        side: THREE.DoubleSide,
        blending: THREE.CustomBlending,
        // Glyphs are premultiplied by their alpha, as a 2-D canvas keeps them.
        blendSrc: THREE.OneFactor,
        blendDst: THREE.OneMinusSrcAlphaFactor,
        blendSrcAlpha: THREE.ZeroFactor,
        blendDstAlpha: THREE.OneFactor,
      }),
    );
    this.mesh.frustumCulled = false;
    this.mesh.matrixAutoUpdate = false;
  }

  /** Lays out the labels of `rows`, for a picture of `ratio` pixels a CSS pixel. */
  set(geoms: GeomTable, rows: readonly number[], ratio: number): void {
    if (ratio !== this.#ratio) this.#restart(ratio);
    let n = 0;
    for (const row of rows) {
      const text = geoms.labels[row] as string;
      this.#reserve(n + text.length);
      const to = this.#buffer.array as Float32Array;
      let x = 0;
      for (const char of text) {
        const glyph = this.#glyph(char);
        const at = n * STRIDE;
        for (let k = 0; k < 3; k++) {
          to[at + k] = geoms.pose[row * POSE_FLOATS + k] as number;
        }
        to[at + 3] = glyph.x;
        to[at + 4] = glyph.y;
        to[at + 5] = glyph.width;
        to[at + 6] = x;
        x += glyph.advance;
        n++;
      }
    }
    this.#buffer.needsUpdate = true;
    this.#geometry.instanceCount = n;
  }

  dispose(): void {
    this.#geometry.dispose();
    (this.mesh.material as THREE.Material).dispose();
    this.#uniforms.uGlyphs.value?.dispose();
  }

  #restart(ratio: number): void {
    this.#ratio = ratio;
    this.#glyphs.clear();
    this.#x = 0;
    this.#y = 0;
    const size = ATLAS_PX * Math.ceil(ratio);
    const canvas = new OffscreenCanvas(size, size);
    const pen = canvas.getContext("2d");
    if (!pen) throw new Error("this browser draws no text on an OffscreenCanvas");
    pen.font = `600 ${FONT_PX * ratio}px ${FONT}`;
    pen.lineWidth = OUTLINE_PX * ratio;
    pen.lineJoin = "round";
    pen.textBaseline = "alphabetic";
    pen.strokeStyle = "rgba(0, 0, 0, 0.75)";
    pen.fillStyle = "white";
    this.#pen = pen;
    this.#uniforms.uGlyphs.value?.dispose();
    const texture = new THREE.CanvasTexture(canvas);
    texture.flipY = false;
    texture.premultiplyAlpha = true;
    texture.generateMipmaps = false;
    texture.minFilter = THREE.NearestFilter;
    texture.magFilter = THREE.NearestFilter;
    this.#uniforms.uGlyphs.value = texture;
    this.#uniforms.uAtlas.value = size;
    this.#uniforms.uRow.value = this.#row;
  }

  get #row(): number {
    return Math.ceil((FONT_PX * 1.4 + OUTLINE_PX) * this.#ratio);
  }

  #glyph(char: string): Glyph {
    const known = this.#glyphs.get(char);
    if (known) return known;
    const pen = this.#pen as OffscreenCanvasRenderingContext2D;
    const pad = Math.ceil((OUTLINE_PX / 2) * this.#ratio);
    const advance = Math.round(pen.measureText(char).width);
    const width = advance + 2 * pad;
    const size = pen.canvas.width;
    if (this.#x + width > size) {
      this.#x = 0;
      this.#y += this.#row;
    }
    if (this.#y + this.#row > size) {
      // More kinds of characters than fit: those that come from now on share one place.
      return this.#glyphs.get("?") ?? { x: 0, y: 0, width: 0, advance };
    }
    const glyph = { x: this.#x, y: this.#y, width, advance };
    const baseline = this.#y + this.#row - pad - Math.ceil(FONT_PX * 0.3 * this.#ratio);
    pen.strokeText(char, this.#x + pad, baseline);
    pen.fillText(char, this.#x + pad, baseline);
    this.#x += width;
    this.#glyphs.set(char, glyph);
    const texture = this.#uniforms.uGlyphs.value;
    if (texture) texture.needsUpdate = true;
    return glyph;
  }

  #reserve(count: number): void {
    if (count <= this.#buffer.count) return;
    const old = this.#buffer.array as Float32Array;
    this.#buffer = makeBuffer(Math.max(count, 2 * this.#buffer.count));
    (this.#buffer.array as Float32Array).set(old);
    this.#geometry.dispose();
    this.#bind();
  }

  #bind(): void {
    const attribute = (size: number, offset: number) =>
      new THREE.InterleavedBufferAttribute(this.#buffer, size, offset);
    this.#geometry.setAttribute("anchor", attribute(3, 0));
    this.#geometry.setAttribute("glyph", attribute(4, 3));
  }
}

function makeBuffer(glyphs: number): THREE.InstancedInterleavedBuffer {
  const data = new Float32Array(glyphs * STRIDE);
  const buffer = new THREE.InstancedInterleavedBuffer(data, STRIDE, 1);
  buffer.setUsage(THREE.DynamicDrawUsage);
  return buffer;
}
