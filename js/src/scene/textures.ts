// The textures of a scene on the GPU, made from its decoded images when first asked for.
// One owner: the `World` of the scene.

import * as THREE from "three";
import type { SharedGL } from "../gl";
import type { Scene } from "./scene";

export class Textures {
  readonly #scene: Scene;
  readonly #made = new Map<number, THREE.Texture>();
  readonly #filtered = new WeakMap<THREE.Texture, boolean>();

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  /** The texture of this id, or null while its image is not there. */
  get(id: number): THREE.Texture | null {
    const made = this.#made.get(id);
    if (made) return made;
    const data = this.#scene.texture(id);
    if (!data) return null;
    const { info, faces } = data;
    const texture =
      info.type === "2d" ? new THREE.Texture(faces[0]) : new THREE.CubeTexture(faces);
    // As mjr_uploadTexture (render_context.c): first row at t = 0, trilinear, repeating.
    texture.flipY = false;
    // A sky is never far away, and on a CPU choosing among its mip levels costs as much as
    // the floor does.
    texture.generateMipmaps = info.type !== "skybox";
    texture.minFilter =
      info.type === "skybox" ? THREE.LinearFilter : THREE.LinearMipmapLinearFilter;
    texture.magFilter = THREE.LinearFilter;
    if (info.type === "2d") {
      texture.wrapS = THREE.RepeatWrapping;
      texture.wrapT = THREE.RepeatWrapping;
    }
    // Only 2-D textures are decoded from sRGB there; cubes are taken as they are.
    texture.colorSpace =
      info.srgb && info.type === "2d" ? THREE.SRGBColorSpace : THREE.NoColorSpace;
    texture.needsUpdate = true;
    this.#made.set(id, texture);
    return texture;
  }

  /**
   * Blends between mip levels, or takes the nearest: on a CPU that halves what a textured
   * floor costs. three.js would upload the images again, so the context is told directly.
   */
  setTrilinear({ gl, renderer }: SharedGL, trilinear: boolean): void {
    const filter = trilinear ? gl.LINEAR_MIPMAP_LINEAR : gl.LINEAR_MIPMAP_NEAREST;
    for (const texture of this.#made.values()) {
      const { __webglTexture: made } = renderer.properties.get(texture) as {
        __webglTexture?: WebGLTexture;
      };
      const current = this.#filtered.get(texture) ?? true;
      if (!made || !texture.generateMipmaps || current === trilinear) continue;
      const cube = texture instanceof THREE.CubeTexture;
      const target = cube ? gl.TEXTURE_CUBE_MAP : gl.TEXTURE_2D;
      renderer.state.bindTexture(target, made);
      gl.texParameteri(target, gl.TEXTURE_MIN_FILTER, filter);
      this.#filtered.set(texture, trilinear);
    }
  }

  dispose(): void {
    for (const texture of this.#made.values()) texture.dispose();
    this.#made.clear();
  }
}
