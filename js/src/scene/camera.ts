// The camera of a view. The person moves it here, at display rate, as mjv_moveCamera would;
// the kernel is told by `message()` and answers with generations (docs/wire.md, "Camera").
// No WebGL.

import {
  CameraType,
  type GLCamera,
  type KernelCamera,
  type SceneDescription,
  type Vec3,
} from "./description";
import {
  addScaled,
  type Box,
  cross,
  dot,
  frustum,
  lookAlong,
  type Mat4,
  multiply,
  normalized,
  ortho,
  sub,
} from "./matrix";

/** The `camera` field of an `input` message. */
export interface CameraMessage {
  generation: number;
  lookat: Vec3;
  distance: number;
  azimuth: number;
  elevation: number;
  /** Whether it ends what the kernel's camera shows: a fixed camera, a tracked body. */
  free?: true;
}

/** What of a model the camera depends on. */
export type Optics = Pick<
  SceneDescription,
  "extent" | "fovy" | "orthographic" | "znear" | "zfar"
>;

const DEGREE = Math.PI / 180;

// The limits and the orthographic factor of mjv_moveCamera (engine_vis_interact.c).
const MAX_ELEVATION = 89;
const MIN_DISTANCE_EXTENTS = 0.01;
const MAX_DISTANCE_EXTENTS = 100;
const ORTHOGRAPHIC_PAN = 0.15;

const DEFAULT_OPTICS: Optics = {
  extent: 1,
  fovy: 45,
  orthographic: false,
  znear: 0.01,
  zfar: 50,
};

export class ViewCamera {
  type: number = CameraType.FREE;
  lookat: Vec3 = [0, 0, 0];
  distance = 2;
  azimuth = 90;
  elevation = -45;
  orthographic = false;
  generation = -1;
  /** Grows with every change: the picture of an older one is stale. */
  version = 0;
  #optics = DEFAULT_OPTICS;
  #fixed: GLCamera | null = null;
  #told = true;
  #own = false;
  #frees = false;
  /** The kernel's camera as it came last, and whether the next is of another model. */
  #kernel: KernelCamera | null = null;
  #otherModel = false;

  /** Takes the lens of a model; the pose comes from the kernel's next CAMERA block. */
  configure(optics: Optics): void {
    this.refit(optics);
    this.#otherModel = true;
  }

  /** Takes another lens of the same model. */
  refit(optics: Optics): void {
    if (optics === this.#optics) return;
    this.#optics = optics;
    this.version++;
  }

  /** Whether it goes its own way, whatever the kernel's camera does. */
  get own(): boolean {
    return this.#own;
  }

  /** Lets the kernel's camera go: from here on it moves by this view's person alone. */
  detach(): void {
    if (this.#own) return;
    this.#own = true;
    this.#free();
  }

  /** Becomes the kernel's camera again, and has it take this one's pose. */
  attach(): void {
    if (!this.#own) return;
    this.#own = false;
    if (!this.#kernel) return;
    this.generation = this.#kernel.generation;
    this.orthographic = this.#kernel.orthographic;
    this.#frees = true;
    this.#told = false;
    this.version++;
  }

  /** Makes it a free camera that shows what it showed. */
  #free(): void {
    if (this.type >= CameraType.FIXED && this.#fixed) {
      const { pos, forward } = this.#fixed;
      this.lookat = addScaled(pos, forward, this.distance);
      this.azimuth = Math.atan2(forward[1], forward[0]) / DEGREE;
      this.elevation = Math.asin(clamp(forward[2], -1, 1)) / DEGREE;
    }
    this.type = CameraType.FREE;
    this.version++;
  }

  /** Shows a fixed camera of the kernel, as long as this camera's type is FIXED. */
  fix(camera: GLCamera | null): void {
    if (camera === this.#fixed) return;
    this.#fixed = camera;
    if (this.type >= CameraType.FIXED) this.version++;
  }

  /**
   * Takes the kernel's camera when its generation is new; otherwise the browser's own
   * moves stand, and only a tracking camera's lookat follows the kernel.
   */
  adopt(kernel: KernelCamera): void {
    const last = this.#kernel;
    this.#kernel = kernel;
    if (this.#own) {
      if (kernel === last) return;
      const elsewhere = this.#otherModel && kernel.generation !== last?.generation;
      this.#otherModel = false;
      if (!elsewhere) return;
    }
    if (kernel.generation === this.generation) {
      if (kernel.type !== CameraType.TRACKING || same(kernel.lookat, this.lookat))
        return;
      this.lookat = [...kernel.lookat];
      this.version++;
      return;
    }
    this.generation = kernel.generation;
    this.type = kernel.type;
    this.orthographic = kernel.orthographic;
    this.lookat = [...kernel.lookat];
    this.distance = kernel.distance;
    this.azimuth = kernel.azimuth;
    this.elevation = kernel.elevation;
    this.#told = true;
    this.#frees = false;
    this.version++;
    if (this.#own) this.#free();
  }

  /** mjMOUSE_ROTATE_V and _H: `dx`, `dy` are fractions of the view's height. */
  orbit(dx: number, dy: number): void {
    if (this.type >= CameraType.FIXED) return;
    this.azimuth -= dx * 180;
    this.elevation -= dy * 180;
    this.#moved();
  }

  /** mjMOUSE_MOVE_V, or mjMOUSE_MOVE_H when `horizontal`. */
  pan(dx: number, dy: number, horizontal = false): void {
    // A tracking camera's lookat belongs to the body that it tracks.
    if (this.type !== CameraType.FREE) return;
    const { forward } = this.#axes();
    const ground = Math.hypot(forward[0], forward[1]);
    const [fx, fy] = [forward[0] / ground, forward[1] / ground];
    const along = horizontal ? -dy : 0;
    const vec: Vec3 = [
      dx * fy + along * fx,
      -dx * fx + along * fy,
      horizontal ? 0 : -dy,
    ];
    // The view's height, in metres, where the camera looks: at unit distance it is the
    // frustum's, and the lookat point is `distance` away.
    const { fovy } = this.#optics;
    const scale = this.orthographic
      ? fovy * this.distance * ORTHOGRAPHIC_PAN
      : 2 * Math.tan((fovy * DEGREE) / 2) * this.distance;
    this.lookat = addScaled(this.lookat, vec, -scale);
    this.#moved();
  }

  /** mjMOUSE_ZOOM: `d` is its reldy; negative goes away. */
  zoom(d: number): void {
    if (this.type >= CameraType.FIXED) return;
    const { extent } = this.#optics;
    this.distance -= Math.log(1 + this.distance / extent / 3) * d * 9 * extent;
    this.#moved();
  }

  #moved(): void {
    const { extent } = this.#optics;
    if (this.azimuth > 180) this.azimuth -= 360;
    if (this.azimuth < -180) this.azimuth += 360;
    this.elevation = clamp(this.elevation, -MAX_ELEVATION, MAX_ELEVATION);
    this.distance = clamp(
      this.distance,
      MIN_DISTANCE_EXTENTS * extent,
      MAX_DISTANCE_EXTENTS * extent,
    );
    this.#told = false;
    this.version++;
  }

  /** What the kernel does not know yet, or null. */
  message(): CameraMessage | null {
    if (this.#told) return null;
    this.#told = true;
    const { generation, distance, azimuth, elevation } = this;
    const free = this.#frees ? { free: true as const } : {};
    this.#frees = false;
    const lookat: Vec3 = [...this.lookat];
    return { generation, lookat, distance, azimuth, elevation, ...free };
  }

  #axes(): { forward: Vec3; up: Vec3 } {
    const az = this.azimuth * DEGREE;
    const el = this.elevation * DEGREE;
    const [ca, sa, ce, se] = [Math.cos(az), Math.sin(az), Math.cos(el), Math.sin(el)];
    return { forward: [ce * ca, ce * sa, se], up: [-se * ca, -se * sa, ce] };
  }

  /** The eye and its frustum, as MuJoCo makes them from this camera. */
  eye(): GLCamera {
    if (this.type >= CameraType.FIXED && this.#fixed) return this.#fixed;
    const { forward, up } = this.#axes();
    const { extent, fovy, znear, zfar } = this.#optics;
    const near = znear * extent;
    const top = this.orthographic ? fovy / 2 : near * Math.tan((fovy * DEGREE) / 2);
    return {
      pos: addScaled(this.lookat, forward, -this.distance),
      forward,
      up,
      center: 0,
      width: 0,
      bottom: -top,
      top,
      near,
      far: zfar * extent,
      orthographic: this.orthographic,
    };
  }
}

/** A GLCamera ready to draw and to shoot rays with. */
export class Lens {
  eye: Vec3 = [0, 0, 0];
  forward: Vec3 = [0, 1, 0];
  orthographic = false;
  near = 0;
  far = 1;
  readonly view: Mat4 = new Float64Array(16);
  readonly projection: Mat4 = new Float64Array(16);
  readonly viewProjection: Mat4 = new Float64Array(16);
  #up: Vec3 = [0, 0, 1];
  #box: Box = { left: -1, right: 1, bottom: -1, top: 1, near: 0, far: 1 };

  set(camera: GLCamera, aspect: number): void {
    const { center, bottom, top, near, far } = camera;
    const half = camera.width || 0.5 * aspect * (top - bottom);
    this.#box = { left: center - half, right: center + half, bottom, top, near, far };
    this.eye = camera.pos;
    this.forward = normalized(camera.forward);
    this.#up = camera.up;
    this.orthographic = camera.orthographic;
    this.near = near;
    this.far = far;
    lookAlong(camera.pos, camera.forward, camera.up, this.view);
    (camera.orthographic ? ortho : frustum)(this.#box, this.projection);
    multiply(this.projection, this.view, this.viewProjection);
  }

  /** The ray through a point of the view: x, y in [0, 1] from its top left. */
  ray(x: number, y: number): { origin: Vec3; direction: Vec3 } {
    const { left, right, bottom, top, near } = this.#box;
    const side = normalized(cross(this.forward, this.#up));
    const up = cross(side, this.forward);
    const dx = left + (right - left) * x;
    const dy = top + (bottom - top) * y;
    const offset = addScaled(addScaled([0, 0, 0], side, dx), up, dy);
    if (this.orthographic) {
      return { origin: addScaled(this.eye, offset, 1), direction: this.forward };
    }
    return {
      origin: this.eye,
      direction: normalized(addScaled(offset, this.forward, near)),
    };
  }

  /** How far in front of the eye a point lies. */
  depth(point: Vec3): number {
    return dot(sub(point, this.eye), this.forward);
  }
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

function same(a: Vec3, b: Vec3): boolean {
  return a[0] === b[0] && a[1] === b[1] && a[2] === b[2];
}
