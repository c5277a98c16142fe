// What a model is made of, as the `model` message of docs/wire.md says it, and the
// numbers of MuJoCo that the scene files share. Types and constants only.

export type Vec3 = [number, number, number];

export interface MeshInfo {
  hash: string;
  bytes: number;
  name: string;
  nvert: number;
  nface: number;
}

export interface TextureInfo {
  hash: string;
  bytes: number;
  name: string;
  type: "2d" | "cube" | "skybox";
  width: number;
  height: number;
  nchannel: number;
  srgb: boolean;
}

export interface MaterialInfo {
  name: string;
  /** Texture ids by `mjtTextureRole`, -1 for none. */
  texid: number[];
  texuniform: boolean;
  texrepeat: [number, number];
  emission: number;
  specular: number;
  shininess: number;
  reflectance: number;
  metallic: number;
  roughness: number;
  rgba: [number, number, number, number];
}

/** What of mjVisual and mjStatistic the picture depends on. Fractions are of `extent`. */
export interface Visual {
  /** Metres. */
  extent: number;
  center: Vec3;
  /** Vertical field of view of the free camera: degrees, or metres when orthographic. */
  fovy: number;
  orthographic: boolean;
  znear: number;
  zfar: number;
  fogstart: number;
  fogend: number;
  haze: number;
  shadowclip: number;
  shadowscale: number;
  /** Pixels. */
  linewidth: number;
  fog_rgba: number[];
  haze_rgba: number[];
  shadowsize: number;
  numslices: number;
  numstacks: number;
  numquads: number;
}

/** The `scene` JSON of a `model` message; frames change the `Visual` in it. */
export interface SceneDescription extends Visual {
  name: string;
  meshes: MeshInfo[];
  textures: TextureInfo[];
  materials: MaterialInfo[];
  /** Texture id, or -1. */
  skybox: number;
}

/** `mjtGeom`, the types that a scene can hold (mjtype.h). */
export const GeomType = {
  PLANE: 0,
  HFIELD: 1,
  SPHERE: 2,
  CAPSULE: 3,
  ELLIPSOID: 4,
  CYLINDER: 5,
  BOX: 6,
  MESH: 7,
  SDF: 8,
  ARROW: 100,
  ARROW1: 101,
  ARROW2: 102,
  LINE: 103,
  LINEBOX: 104,
  FLEX: 105,
  SKIN: 106,
  LABEL: 107,
  TRIANGLE: 108,
} as const;

/** Bits of the render flags: 1 << `mjtRndFlag` (mjvisualize.h). */
export const RenderFlag = {
  SHADOW: 1 << 0,
  WIREFRAME: 1 << 1,
  REFLECTION: 1 << 2,
  ADDITIVE: 1 << 3,
  SKYBOX: 1 << 4,
  FOG: 1 << 5,
  HAZE: 1 << 6,
  CULL_FACE: 1 << 10,
} as const;

/** `mjtLightType` (mjtype.h). */
export const LightType = { SPOT: 0, DIRECTIONAL: 1, POINT: 2, IMAGE: 3 } as const;

/** `mjtCamera` (mjvisualize.h). */
export const CameraType = { FREE: 0, TRACKING: 1, FIXED: 2, USER: 3 } as const;

/** `mjCAT_DECOR` (mjvisualize.h): geoms that show something but are no part of the model. */
export const CATEGORY_DECOR = 4;

/** `mjTEXROLE_RGB` (mjtype.h): the slot of a material's colour texture. */
export const TEXTURE_ROLE_RGB = 1;

/** `mjvCamera`, with the generation that docs/wire.md gives it. Degrees and metres. */
export interface KernelCamera {
  generation: number;
  type: number;
  fixedcamid: number;
  trackbodyid: number;
  orthographic: boolean;
  lookat: Vec3;
  distance: number;
  azimuth: number;
  elevation: number;
}

/** `mjvGLCamera`: an eye and the frustum in front of it. */
export interface GLCamera {
  pos: Vec3;
  forward: Vec3;
  up: Vec3;
  center: number;
  /** Half the frustum's width at `near`; 0: as the picture's aspect wants it. */
  width: number;
  bottom: number;
  top: number;
  near: number;
  far: number;
  orthographic: boolean;
}

/** The scene from another camera, for panels to show as a texture. */
export interface Picture {
  id: number;
  /** Device pixels. */
  width: number;
  height: number;
  camera: GLCamera;
}
