// Applies one /state packet (docs/wire.md) to the tables of a scene, all of it or nothing:
// every block is checked before the first one is applied, so that a packet that contradicts
// itself leaves the last picture standing. Called by Scene.frame.

import { type Block, readRows, Tag, WireError } from "../wire";
import type { GLCamera, KernelCamera, Picture, Vec3, Visual } from "./description";
import { decodeRotation } from "./rotation";
import {
  type GeomTable,
  LIGHT_FLOATS,
  LIGHT_INTS,
  LightAt,
  type LightTable,
  LOOK_FLOATS,
  LOOK_INTS,
  POSE_FLOATS,
  Touch,
} from "./tables";

/** What a packet says beside the rows of its tables. */
export interface FrameHead {
  time: number;
  ngeom: number;
  nlight: number;
  renderFlags: number;
  paused: boolean;
  selectedBody: number;
  /** The packet brought rows. */
  moved: boolean;
  camera: KernelCamera | null;
  glcamera: GLCamera | null;
  /** All pictures that panels show; null while they are the ones of the last frame. */
  pictures: readonly Picture[] | null;
  /** What the picture depends on beside geoms and lights; null: as before. */
  visual: Visual | null;
}

const FRAME_BYTES = 32;
const LOOK_BYTES = 68;
const LIGHT_BYTES = 112;
const CAMERA_BYTES = 44;
const GLCAMERA_BYTES = 64;
const PICTURE_BYTES = 16 + GLCAMERA_BYTES;
const VISUAL_BYTES = 26 * 4;

// Far above what MuJoCo's scenes hold (a scene of the viewer has 10 000 geoms, mjMAXLIGHT
// is 100), low enough that a corrupt number does not make the page allocate gigabytes.
const MAX_GEOMS = 4_000_000;
const MAX_LIGHTS = 1000;
const MAX_PICTURE_SIDE = 4096;

// Blocks that a new geom row must come with. Its pose may be in either of two blocks.
const POSE_TAGS: readonly number[] = [Tag.POSE, Tag.POSE_F32];
const ROW_TAGS: readonly number[] = [Tag.SIZE, Tag.RGBA, Tag.LOOK];

/** Applies `blocks`; throws WireError, and then nothing was changed. */
export function applyFrame(
  blocks: readonly Block[],
  full: boolean,
  geoms: GeomTable,
  lights: LightTable,
): FrameHead {
  const head = readHead(blocks);
  const kept = { geoms: full ? 0 : geoms.count, lights: full ? 0 : lights.count };
  const cover = { pose: 0, light: 0, rows: new Map<number, number>() };
  const apply: (() => void)[] = [];

  for (const block of blocks) {
    const job = prepare(block, head, geoms, lights);
    if (!job) continue;
    const limit = job.light ? kept.lights : kept.geoms;
    const fresh = job.rows.reduce((n, row) => n + (row >= limit ? 1 : 0), 0);
    if (POSE_TAGS.includes(block.tag)) cover.pose += fresh;
    else if (block.tag === Tag.LIGHT) cover.light += fresh;
    else cover.rows.set(block.tag, fresh);
    if (job.rows.length > 0) apply.push(job.run);
  }
  head.moved = apply.length > 0;
  const added = Math.max(0, head.ngeom - kept.geoms);
  expectAll("pose", cover.pose, added, "geom");
  for (const tag of ROW_TAGS) {
    expectAll(`block ${tag}`, cover.rows.get(tag) ?? 0, added, "geom");
  }
  const newLights = Math.max(0, head.nlight - kept.lights);
  expectAll("block 8", cover.light, newLights, "light");

  if (full) {
    geoms.resize(0);
    lights.resize(0);
  }
  geoms.resize(head.ngeom);
  lights.resize(head.nlight);
  for (const run of apply) run();
  return head;
}

function expectAll(what: string, got: number, wanted: number, of: string): void {
  if (got === wanted) return;
  throw new WireError(`${wanted} ${of} rows are new, but ${what} comes for ${got}`);
}

function readHead(blocks: readonly Block[]): FrameHead {
  const block = blocks.find(({ tag }) => tag === Tag.FRAME);
  if (!block) throw new WireError("a frame has no FRAME block");
  const v = sized(block, FRAME_BYTES);
  const head: FrameHead = {
    time: v.getFloat64(0, true),
    ngeom: v.getUint32(8, true),
    nlight: v.getUint32(12, true),
    renderFlags: v.getUint32(16, true),
    paused: (v.getUint32(20, true) & 1) !== 0,
    selectedBody: v.getInt32(24, true),
    moved: false,
    camera: null,
    glcamera: null,
    pictures: null,
    visual: null,
  };
  if (head.ngeom > MAX_GEOMS || head.nlight > MAX_LIGHTS) {
    throw new WireError(
      `a frame of ${head.ngeom} geoms and ${head.nlight} lights is not believable`,
    );
  }
  for (const other of blocks) {
    if (other.tag === Tag.CAMERA) head.camera = readCamera(other);
    else if (other.tag === Tag.GLCAMERA) {
      head.glcamera = readGLCamera(sized(other, GLCAMERA_BYTES), 0);
    } else if (other.tag === Tag.PICTURE) head.pictures = readPictures(other);
    else if (other.tag === Tag.VISUAL) head.visual = readVisual(other);
  }
  return head;
}

interface Job {
  rows: Uint32Array;
  light: boolean;
  run: () => void;
}

function prepare(
  block: Block,
  head: FrameHead,
  geoms: GeomTable,
  lights: LightTable,
): Job | null {
  switch (block.tag) {
    case Tag.POSE:
      return packedPoses(block, head.ngeom, geoms);
    case Tag.POSE_F32:
      return floats(block, head.ngeom, POSE_FLOATS, (row, at, v) => {
        readFloats(v, at, geoms.pose, row * POSE_FLOATS, POSE_FLOATS);
        touch(geoms, row, Touch.POSE);
      });
    case Tag.SIZE:
      return floats(block, head.ngeom, 3, (row, at, v) => {
        readFloats(v, at, geoms.size, row * 3, 3);
        touch(geoms, row, Touch.SIZE);
      });
    case Tag.RGBA:
      return floats(block, head.ngeom, 4, (row, at, v) => {
        readFloats(v, at, geoms.rgba, row * 4, 4);
        touch(geoms, row, Touch.COLOR);
      });
    case Tag.LOOK:
      return rowsOf(block, head.ngeom, LOOK_BYTES, (row, at, v) => {
        for (let i = 0; i < LOOK_INTS; i++) {
          geoms.look[row * LOOK_INTS + i] = v.getInt32(at + 4 * i, true);
        }
        const end = at + 4 * LOOK_INTS;
        readFloats(v, end, geoms.finish, row * LOOK_FLOATS, LOOK_FLOATS);
        geoms.castshadow[row] = v.getUint8(at + 64);
        touch(geoms, row, Touch.LOOK);
      });
    case Tag.LABEL:
      return labels(block, head.ngeom, geoms);
    case Tag.LIGHT:
      return rowsOf(
        block,
        head.nlight,
        LIGHT_BYTES,
        (row, at, v) => {
          for (let i = 0; i < LIGHT_INTS; i++) {
            lights.ints[row * LIGHT_INTS + i] = v.getInt32(at + 4 * i, true);
          }
          const start = at + 4 * LIGHT_INTS;
          readFloats(v, start, lights.floats, row * LIGHT_FLOATS, LIGHT_FLOATS);
        },
        true,
      );
    case Tag.LIGHT_POSE:
      return rowsOf(
        block,
        head.nlight,
        24,
        (row, at, v) =>
          readFloats(v, at, lights.floats, row * LIGHT_FLOATS + LightAt.POS, 6),
        true,
      );
    default:
      return null;
  }
}

type Put = (row: number, at: number, payload: DataView) => void;

/** A block of rows of `rowBytes` each after its row set; padding may follow. */
function rowsOf(
  block: Block,
  tableSize: number,
  rowBytes: number,
  put: Put,
  light = false,
): Job {
  const { rows, offset } = readRows(block, tableSize);
  needs(block, offset + rows.length * rowBytes);
  const run = () => {
    for (let i = 0; i < rows.length; i++) {
      put(rows[i] as number, offset + i * rowBytes, block.payload);
    }
  };
  return { rows, light, run };
}

function floats(block: Block, tableSize: number, perRow: number, put: Put): Job {
  return rowsOf(block, tableSize, perRow * 4, put);
}

const POSITION_BYTES = 9;
const ROTATION_BYTES = 6;

function packedPoses(block: Block, ngeom: number, geoms: GeomTable): Job {
  const { rows, offset } = readRows(block, ngeom);
  const n = rows.length;
  const positions = offset + 4;
  const rotations = positions + n * POSITION_BYTES;
  needs(block, rotations + n * ROTATION_BYTES);
  const v = block.payload;
  const unit = v.getFloat32(offset, true);
  const run = () => {
    for (let i = 0; i < n; i++) {
      const row = rows[i] as number;
      const to = row * POSE_FLOATS;
      const at = positions + i * POSITION_BYTES;
      for (let k = 0; k < 3; k++) geoms.pose[to + k] = int24(v, at + 3 * k) * unit;
      decodeRotation(v, rotations + i * ROTATION_BYTES, geoms.pose, to + 3);
      touch(geoms, row, Touch.POSE);
    }
  };
  return { rows, light: false, run };
}

const decoder = new TextDecoder();

function labels(block: Block, ngeom: number, geoms: GeomTable): Job {
  const { rows, offset } = readRows(block, ngeom);
  const v = block.payload;
  const texts: string[] = [];
  let at = offset;
  for (let i = 0; i < rows.length; i++) {
    needs(block, at + 1);
    const length = v.getUint8(at);
    needs(block, at + 1 + length);
    texts.push(decoder.decode(new Uint8Array(v.buffer, v.byteOffset + at + 1, length)));
    at += 1 + length;
  }
  const run = () => {
    rows.forEach((row, i) => {
      geoms.labels[row] = texts[i] as string;
      touch(geoms, row, Touch.LOOK);
    });
  };
  return { rows, light: false, run };
}

function readCamera(block: Block): KernelCamera {
  const v = sized(block, CAMERA_BYTES);
  return {
    generation: v.getUint32(0, true),
    type: v.getInt32(4, true),
    fixedcamid: v.getInt32(8, true),
    trackbodyid: v.getInt32(12, true),
    orthographic: v.getInt32(16, true) !== 0,
    lookat: vec3(v, 20),
    distance: v.getFloat32(32, true),
    azimuth: v.getFloat32(36, true),
    elevation: v.getFloat32(40, true),
  };
}

function readGLCamera(v: DataView, at: number): GLCamera {
  const float = (offset: number) => v.getFloat32(at + offset, true);
  return {
    pos: vec3(v, at),
    forward: vec3(v, at + 12),
    up: vec3(v, at + 24),
    center: float(36),
    width: float(40),
    bottom: float(44),
    top: float(48),
    near: float(52),
    far: float(56),
    orthographic: v.getInt32(at + 60, true) !== 0,
  };
}

function readPictures(block: Block): Picture[] {
  const v = sized(block, block.count * PICTURE_BYTES);
  return Array.from({ length: block.count }, (_, i) => {
    const at = i * PICTURE_BYTES;
    const [id, width, height] = [0, 4, 8].map((k) => v.getUint32(at + k, true)) as Vec3;
    if (Math.min(width, height) < 1 || Math.max(width, height) > MAX_PICTURE_SIDE) {
      throw new WireError(`picture ${id} is of ${width} x ${height} pixels`);
    }
    return { id, width, height, camera: readGLCamera(v, at + 16) };
  });
}

function readVisual(block: Block): Visual {
  const v = sized(block, VISUAL_BYTES);
  let at = 0;
  const next = () => {
    at += 4;
    return v.getFloat32(at - 4, true);
  };
  const several = (count: number) => Array.from({ length: count }, next);
  // An object's members are evaluated in the order in which they are written.
  return {
    extent: next(),
    center: several(3) as Vec3,
    fovy: next(),
    orthographic: next() !== 0,
    znear: next(),
    zfar: next(),
    fogstart: next(),
    fogend: next(),
    haze: next(),
    shadowclip: next(),
    shadowscale: next(),
    linewidth: next(),
    fog_rgba: several(4),
    haze_rgba: several(4),
    shadowsize: next(),
    numslices: next(),
    numstacks: next(),
    numquads: next(),
  };
}

function vec3(v: DataView, at: number): Vec3 {
  return [
    v.getFloat32(at, true),
    v.getFloat32(at + 4, true),
    v.getFloat32(at + 8, true),
  ];
}

function int24(v: DataView, at: number): number {
  return v.getUint16(at, true) | (v.getInt8(at + 2) << 16);
}

function readFloats(
  v: DataView,
  at: number,
  to: Float32Array,
  start: number,
  count: number,
): void {
  for (let i = 0; i < count; i++) to[start + i] = v.getFloat32(at + 4 * i, true);
}

function touch(geoms: GeomTable, row: number, what: number): void {
  geoms.touched[row] = (geoms.touched[row] ?? 0) | what;
}

function needs(block: Block, bytes: number): void {
  if (block.payload.byteLength < bytes) {
    throw new WireError(
      `block ${block.tag} of ${block.count} rows needs ${bytes} bytes, ` +
        `it has ${block.payload.byteLength}`,
    );
  }
}

function sized(block: Block, bytes: number): DataView {
  needs(block, bytes);
  return block.payload;
}
