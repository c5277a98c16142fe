import { describe, expect, it } from "vitest";
import { Lens, ViewCamera } from "../../src/scene/camera";
import {
  CameraType,
  type GLCamera,
  type KernelCamera,
  type Vec3,
} from "../../src/scene/description";
import { type Move, vectors } from "./vectors";

const KERNEL: KernelCamera = {
  generation: 1,
  type: CameraType.FREE,
  fixedcamid: -1,
  trackbodyid: -1,
  orthographic: false,
  lookat: [1, 2, 3],
  distance: 4,
  azimuth: 30,
  elevation: -20,
};

function cameraAt(move: Move): ViewCamera {
  const camera = new ViewCamera();
  camera.configure(vectors.scene);
  camera.adopt({ ...KERNEL, ...move.before, orthographic: move.orthographic });
  return camera;
}

function expectClose(got: readonly number[], wanted: readonly number[], digits = 5) {
  wanted.forEach((value, k) => {
    expect(got[k]).toBeCloseTo(value, digits);
  });
}

describe("ViewCamera moves as mjv_moveCamera does", () => {
  vectors.moves.forEach((move, i) => {
    it(`${move.action} ${i}${move.orthographic ? ", orthographic" : ""}`, () => {
      const camera = cameraAt(move);
      if (move.action === "zoom") camera.zoom(move.dy);
      else if (move.action === "orbit") camera.orbit(move.dx, move.dy);
      else camera.pan(move.dx, move.dy, move.action === "panHorizontal");
      expectClose(camera.lookat, move.after.lookat);
      expect(camera.distance).toBeCloseTo(move.after.distance, 6);
      expect(camera.azimuth).toBeCloseTo(move.after.azimuth, 6);
      expect(camera.elevation).toBeCloseTo(move.after.elevation, 6);
    });
  });

  it("sees with the eye and the frustum that mjv_updateScene makes", () => {
    for (const move of vectors.moves) {
      const eye = cameraAt(move).eye();
      expectClose(eye.pos, move.pos, 4);
      expectClose(eye.forward, move.forward);
      expectClose(eye.up, move.up);
      expectClose([eye.bottom, eye.top, eye.near, eye.far], move.frustum, 4);
    }
  });
});

describe("ViewCamera and the kernel", () => {
  it("adopts a new generation and tells nothing of it", () => {
    const camera = new ViewCamera();
    camera.orbit(0.1, 0);
    camera.adopt(KERNEL);
    expect(camera.azimuth).toBe(30);
    expect(camera.message()).toBeNull();
  });

  it("keeps the person's moves while the generation stays", () => {
    const camera = new ViewCamera();
    camera.adopt(KERNEL);
    camera.orbit(0.1, 0.1);
    const { azimuth, elevation } = camera;
    camera.adopt({ ...KERNEL, azimuth: 0, lookat: [9, 9, 9] });
    expect([camera.azimuth, camera.elevation]).toEqual([azimuth, elevation]);
    expect(camera.lookat).toEqual([1, 2, 3]);
  });

  it("follows the kernel's lookat while tracking, and does not pan then", () => {
    const camera = new ViewCamera();
    const tracking = { ...KERNEL, type: CameraType.TRACKING };
    camera.adopt(tracking);
    camera.adopt({ ...tracking, lookat: [5, 6, 7] });
    camera.pan(0.2, 0.2);
    expect(camera.lookat).toEqual([5, 6, 7]);
    expect(camera.message()).toBeNull();
  });

  it("tells each change once, with the generation that it builds on", () => {
    const camera = new ViewCamera();
    camera.adopt(KERNEL);
    camera.zoom(0.1);
    const { distance } = camera;
    expect(camera.message()).toEqual({
      generation: 1,
      lookat: [1, 2, 3],
      distance,
      azimuth: 30,
      elevation: -20,
    });
    expect(camera.message()).toBeNull();
  });

  it("shows the kernel's fixed camera and does not move it", () => {
    const camera = new ViewCamera();
    const fixed = { ...cameraAt(vectors.moves[0] as Move).eye() };
    camera.adopt({ ...KERNEL, type: CameraType.FIXED });
    camera.fix(fixed);
    camera.orbit(0.2, 0.2);
    camera.zoom(0.2);
    expect(camera.eye()).toBe(fixed);
    expect(camera.message()).toBeNull();
  });
});

describe("Lens", () => {
  const eye: GLCamera = {
    pos: [1, 2, 3],
    forward: [0, 1, 0],
    up: [0, 0, 1],
    center: 0,
    width: 0,
    bottom: -0.1,
    top: 0.1,
    near: 0.1,
    far: 50,
    orthographic: false,
  };

  function project(lens: Lens, point: Vec3): [number, number] {
    const m = lens.viewProjection;
    const at = (r: number) =>
      [...point, 1].reduce((sum, v, k) => sum + v * (m[r + 4 * k] as number), 0);
    return [(at(0) / at(3) + 1) / 2, (1 - at(1) / at(3)) / 2];
  }

  for (const orthographic of [false, true]) {
    it(`shoots rays to where it projects${orthographic ? ", orthographic" : ""}`, () => {
      const lens = new Lens();
      lens.set({ ...eye, orthographic, top: 0.3, center: 0.05 }, 1.6);
      const { origin, direction } = lens.ray(0.3, 0.8);
      const point = origin.map((o, k) => o + 7 * (direction[k] as number)) as Vec3;
      expectClose(project(lens, point), [0.3, 0.8]);
    });
  }

  it("looks along its forward in the middle", () => {
    const lens = new Lens();
    lens.set(eye, 2);
    expectClose(lens.ray(0.5, 0.5).direction, [0, 1, 0]);
    expect(lens.ray(1, 0.5).direction[0]).toBeGreaterThan(0);
    expect(lens.ray(0.5, 0).direction[2]).toBeGreaterThan(0);
    expect(lens.depth([4, 7, 1])).toBeCloseTo(5);
  });
});
