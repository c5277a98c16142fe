// The depth of the scene as each light with a shadow sees it: tiles of one texture, drawn
// again only when a geom or a light moved. Called by `painter.ts`.

import * as THREE from "three";
import type { Lights } from "./lights";
import type { Uniforms } from "./materials";

export class ShadowAtlas {
  #target: THREE.WebGLRenderTarget | null = null;
  #drawn = "";

  /** Draws `casters` for all lights unless nothing changed, and sets `uShadowMap`. */
  draw(
    renderer: THREE.WebGLRenderer,
    casters: THREE.Scene,
    camera: THREE.Camera,
    lights: Lights,
    wanted: number,
    uniforms: Uniforms,
    version: number,
  ): void {
    const size = Math.min(wanted, renderer.capabilities.maxTextureSize);
    const target = this.#sized(size);
    (uniforms.uShadowMap as THREE.IUniform).value = target.depthTexture;
    const count = lights.shadows;
    const key = `${version} ${size} ${lights.atlas.subarray(0, 16 * count).join()}`;
    if (key === this.#drawn) return;
    this.#drawn = key;
    const side = size / lights.tilesAcross;
    const near = uniforms.uNear as THREE.IUniform<number>;
    const eyeNear = near.value;
    const matrix = (uniforms.uDepthMatrix as THREE.IUniform).value as Float32Array;
    target.viewport.set(0, 0, size, size);
    renderer.setRenderTarget(target);
    renderer.clear(false, true, false);
    for (let i = 0; i < count; i++) {
      const x = (i % lights.tilesAcross) * side;
      const y = Math.floor(i / lights.tilesAcross) * side;
      target.viewport.set(x, y, side, side);
      target.scissor.set(x, y, side, side);
      target.scissorTest = true;
      renderer.setRenderTarget(target);
      matrix.set(lights.clip[i] as Float64Array);
      near.value = lights.near[i] as number;
      renderer.render(casters, camera);
    }
    target.scissorTest = false;
    near.value = eyeNear;
  }

  dispose(): void {
    this.#target?.dispose();
    this.#target?.depthTexture?.dispose();
    this.#target = null;
    this.#drawn = "";
  }

  #sized(size: number): THREE.WebGLRenderTarget {
    if (this.#target?.width === size) return this.#target;
    this.dispose();
    const depth = new THREE.DepthTexture(size, size, THREE.UnsignedIntType);
    depth.compareFunction = THREE.LessEqualCompare;
    depth.minFilter = THREE.LinearFilter;
    depth.magFilter = THREE.LinearFilter;
    // The colour is never written: a byte a texel is the least it can take.
    this.#target = new THREE.WebGLRenderTarget(size, size, {
      format: THREE.RedFormat,
      depthTexture: depth,
      generateMipmaps: false,
    });
    return this.#target;
  }
}
