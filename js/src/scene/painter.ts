// Draws a scene once: shadow atlas, mirror, opaque geoms, sky, transparent geoms, labels,
// in the order of MuJoCo's renderer (render_gl3.c, mjr_render). One a World and context;
// `view.ts` says from where, how large and how well.

import * as THREE from "three";
import type { SharedGL } from "../gl";
import type { Batch } from "./batch";
import type { Lens } from "./camera";
import { GeomType, RenderFlag, type SceneDescription } from "./description";
import type { Quality } from "./governor";
import { Labels } from "./labels";
import { Lights, MAX_LIGHTS } from "./lights";
import { Materials, makeUniforms, type Pass, type Style } from "./materials";
import { mirrorOf } from "./mirror";
import { ShadowAtlas } from "./shadow";
import type { Detail } from "./shapes";
import { SKY_RADIUS, Sky } from "./sky";
import { Finish, LOOK_FLOATS } from "./tables";
import type { World } from "./world";

/** How far infinite planes reach: MuJoCo's grid is 2.1 far planes wide (render_context.c). */
const PLANE_REACH = 1.05;

/** How far off a surface its shadow is looked up, in extents: no eye sees the shift. */
const SHADOW_LIFT = 5e-4;

/** Where a picture goes. */
export interface Canvas {
  width: number;
  height: number;
  /** Device pixels a CSS pixel. */
  ratio: number;
}

/** Round shapes of a lean picture, and of one with so many geoms that each is small. */
const LEAN_DETAIL = { slices: 12, stacks: 6 };
const CROWD_DETAIL = { slices: 8, stacks: 4 };
const CROWD = 500;
/** Divisions of flat sides where lighting by vertex is wanted. */
const LEAN_QUADS = 2;

function detailOf(model: SceneDescription, quality: Quality, ngeom: number): Detail {
  const { numslices, numstacks } = model;
  const most = quality.fine
    ? { slices: numslices, stacks: numstacks }
    : ngeom > CROWD
      ? CROWD_DETAIL
      : LEAN_DETAIL;
  return {
    slices: Math.min(numslices, most.slices),
    stacks: Math.min(numstacks, most.stacks),
    quads: quality.perPixel ? 1 : LEAN_QUADS,
  };
}

export class Painter {
  readonly #world: World;
  readonly #uniforms = makeUniforms();
  readonly #materials: Materials;
  readonly #lights = new Lights();
  readonly #shadow = new ShadowAtlas();
  readonly #sky: Sky;
  readonly #labels: Labels;
  readonly #stage = new THREE.Scene();
  readonly #camera = new THREE.Camera();
  readonly #casters = new THREE.Scene();
  #style: Style = {
    lightKinds: "",
    shadows: 0,
    perPixel: true,
    fog: false,
    cull: true,
    wireframe: false,
    additive: false,
  };
  #staged = "";
  #model = -1;

  constructor(world: World) {
    this.#world = world;
    this.#materials = new Materials(this.#uniforms, world.textures);
    this.#sky = new Sky(this.#uniforms);
    this.#labels = new Labels(this.#uniforms);
    for (const stage of [this.#stage, this.#casters]) {
      stage.matrixAutoUpdate = false;
      stage.matrixWorldAutoUpdate = false;
    }
    this.#camera.matrixAutoUpdate = false;
    this.#camera.matrixWorldAutoUpdate = false;
  }

  /** Draws into `target`, or the canvas when it is null. */
  paint(
    shared: SharedGL,
    target: THREE.WebGLRenderTarget | null,
    lens: Lens,
    quality: Quality,
    canvas: Canvas,
  ): void {
    const { scene, textures } = this.#world;
    const { renderer } = shared;
    const model = scene.description;
    textures.setTrilinear(shared, quality.trilinear);
    if (model && scene.ngeom > 0) this.#prepare(renderer, model, lens, quality, canvas);
    else this.#clearStage();
    renderer.setRenderTarget(target);
    renderer.setClearColor(0x000000, 1);
    renderer.clear(true, true, true);
    renderer.render(this.#stage, this.#camera);
  }

  /** Brings everything that the stage shows up to date, and draws the shadow atlas. */
  #prepare(
    renderer: THREE.WebGLRenderer,
    model: SceneDescription,
    lens: Lens,
    quality: Quality,
    canvas: Canvas,
  ): void {
    const { scene } = this.#world;
    if (scene.modelVersion !== this.#model) {
      // Materials hold textures by the ids of the last model.
      this.#model = scene.modelVersion;
      this.#materials.dispose();
      this.#staged = "";
    }
    const flags = scene.renderFlags;
    this.#world.setDetail(detailOf(model, quality, scene.ngeom));
    this.#world.sync(lens.eye);
    const shadowSize = flags & RenderFlag.SHADOW ? this.#shadowSize(model, quality) : 0;
    this.#lights.set(scene.lights, model, lens, shadowSize > 0, shadowSize);
    this.#setUniforms(lens, model, canvas, flags);
    // Lighting is computed where there is less to compute.
    const perPixel =
      quality.perPixel || this.#world.vertexCount() > canvas.width * canvas.height;
    this.#setStyle(flags, perPixel);
    const mirror = (flags & RenderFlag.REFLECTION) !== 0 && quality.mirror;
    const mirrored = mirror && this.#setMirror(lens);
    const sky = (flags & RenderFlag.SKYBOX) !== 0 && this.#setSky(model);
    const haze =
      sky &&
      (flags & RenderFlag.HAZE) !== 0 &&
      this.#sky.setHaze(scene.geoms, model, lens.eye, SKY_RADIUS * lens.far);
    if (this.#world.labels.length > 0) {
      this.#labels.set(scene.geoms, this.#world.labels, canvas.ratio);
    }
    this.#arrange(mirrored, sky, haze);
    if (this.#lights.shadows > 0) {
      this.#shadow.draw(
        renderer,
        this.#casters,
        this.#camera,
        this.#lights,
        shadowSize,
        this.#uniforms,
        this.#world.version,
      );
    }
    this.#set("uDepthMatrix", lens.viewProjection);
  }

  dispose(): void {
    this.#materials.dispose();
    this.#sky.dispose();
    this.#labels.dispose();
    this.#shadow.dispose();
    this.#stage.children.length = 0;
    this.#casters.children.length = 0;
  }

  #clearStage(): void {
    this.#stage.children = [];
    this.#staged = "";
  }

  #shadowSize(model: SceneDescription, quality: Quality): number {
    return Math.min(model.shadowsize, quality.shadow);
  }

  #set(name: string, value: ArrayLike<number> | number): void {
    const uniform = this.#uniforms[name] as THREE.IUniform;
    if (typeof value === "number") uniform.value = value;
    else (uniform.value as Float32Array).set(value);
  }

  #setUniforms(
    lens: Lens,
    model: SceneDescription,
    canvas: Canvas,
    flags: number,
  ): void {
    const { view } = lens;
    const lights = this.#lights;
    this.#set("uViewProjection", lens.viewProjection);
    // Depth in front of the eye is minus the eye-space z.
    const row = (k: number) => -(view[4 * k + 2] as number);
    this.#set("uDepthRow", [row(0), row(1), row(2), row(3)]);
    this.#set("uNear", lens.orthographic ? 0 : lens.near);
    this.#set("uShadowLift", SHADOW_LIFT * model.extent);
    this.#set("uEye", lens.eye);
    this.#set("uLightEye", lens.eye);
    this.#set("uPlaneExtent", PLANE_REACH * lens.far);
    this.#set("uAmbientLight", [lights.ambient, lights.ambient, lights.ambient]);
    const values = (this.#uniforms.uLights as THREE.IUniform).value as unknown[];
    for (let i = 0; i < MAX_LIGHTS; i++) values[i] = lights.values[i];
    this.#set("uShadowMatrix", lights.atlas);
    this.#set("uShadowTile", lights.tiles);
    this.#set("uFogColor", model.fog_rgba);
    this.#set("uFogRange", [
      model.fogstart * model.extent,
      model.fogend * model.extent,
    ]);
    this.#set("uFog", flags & RenderFlag.FOG ? 1 : 0);
    this.#set("uAdditive", flags & RenderFlag.ADDITIVE ? 1 : 0);
    this.#set("uViewport", [canvas.width, canvas.height]);
    this.#set("uPixel", canvas.ratio);
    this.#set("uSkyRadius", SKY_RADIUS * lens.far);
  }

  #setStyle(flags: number, perPixel: boolean): void {
    this.#style = {
      lightKinds: this.#lights.kinds,
      shadows: this.#lights.shadows,
      perPixel,
      fog: (flags & RenderFlag.FOG) !== 0,
      cull: (flags & RenderFlag.CULL_FACE) !== 0,
      wireframe: (flags & RenderFlag.WIREFRAME) !== 0,
      additive: (flags & RenderFlag.ADDITIVE) !== 0,
    };
  }

  #setMirror(lens: Lens): boolean {
    const { reflectiveRow: row, scene } = this.#world;
    if (row < 0) return false;
    const mirror = mirrorOf(scene.geoms, row, lens.eye);
    if (!mirror) return false;
    this.#set("uMirror", mirror.matrix);
    this.#set("uMirrorPlane", mirror.plane);
    this.#set("uMirrorEye", mirror.eye);
    const { finish } = scene.geoms;
    this.#set("uTint", finish[row * LOOK_FLOATS + Finish.REFLECTANCE] as number);
    return true;
  }

  #setSky(model: SceneDescription): boolean {
    if (model.skybox < 0) return false;
    return this.#sky.setTexture(this.#world.textures.get(model.skybox));
  }

  /** Puts the drawables of this frame in order; nothing to do while none changed. */
  #arrange(mirrored: boolean, sky: boolean, haze: boolean): void {
    const world = this.#world;
    const key = [
      world.layout,
      mirrored,
      sky,
      haze,
      world.labels.length > 0,
      ...Object.values(this.#style),
    ].join();
    if (key === this.#staged) return;
    this.#staged = key;
    const stage: THREE.Object3D[] = [];
    const add = (batch: Batch, pass: Pass) => stage.push(this.#mesh(batch, pass));
    const { opaque, transparent, reflective } = world;
    if (reflective && mirrored) {
      add(reflective, "stencil");
      for (const batch of opaque) add(batch, "mirror");
      for (const batch of transparent) add(batch, "mirrorTransparent");
    }
    if (reflective) add(reflective, mirrored ? "reflective" : "opaque");
    for (const batch of opaque) add(batch, "opaque");
    if (sky) stage.push(this.#sky.sky);
    if (haze) stage.push(this.#sky.haze);
    for (const batch of transparent) add(batch, "transparent");
    if (world.labels.length > 0) stage.push(this.#labels.mesh);
    this.#stage.children = stage;
    const all = reflective ? [reflective, ...opaque] : opaque;
    this.#casters.children = [...all, ...transparent]
      .filter(({ kind }) => !kind.decor && kind.type !== GeomType.LINE)
      .filter(({ kind }) => kind.type !== GeomType.LINEBOX)
      .map((batch) => this.#mesh(batch, "shadow"));
  }

  #mesh(batch: Batch, pass: Pass): THREE.Mesh {
    let mesh = batch.meshes.get(pass);
    if (!mesh) {
      mesh = new THREE.Mesh(batch.geometry);
      mesh.frustumCulled = false;
      mesh.matrixAutoUpdate = false;
      batch.meshes.set(pass, mesh);
    }
    mesh.material = this.#materials.get(batch.kind, pass, this.#style);
    return mesh;
  }
}
