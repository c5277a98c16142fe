// The 3-D view: what the shell imports of it.

export type { CameraMessage, ViewCamera } from "./camera";
export type {
  GLCamera,
  KernelCamera,
  SceneDescription,
} from "./description";
export type { Hit } from "./pick";
export { Scene } from "./scene";
export { SceneView } from "./view";
