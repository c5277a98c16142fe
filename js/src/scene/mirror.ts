// Where the one reflective geom of a scene mirrors the others: a plane, or the top of a
// box. Arithmetic only; called by `painter.ts`.

import { GeomType, type Vec3 } from "./description";
import { addScaled, dot } from "./matrix";
import { type GeomTable, Look, POSE_FLOATS } from "./tables";

export interface Mirror {
  /** World to mirrored world, column by column. */
  matrix: number[];
  /** Normal and minus its offset: positive in front. */
  plane: [number, number, number, number];
  /** The eye as the mirror shows it. */
  eye: Vec3;
}

/** The mirror of geom `row`, or null when the eye is behind it. */
export function mirrorOf(geoms: GeomTable, row: number, eye: Vec3): Mirror | null {
  const at = row * POSE_FLOATS;
  const pose = (k: number) => geoms.pose[at + k] as number;
  const normal: Vec3 = [pose(5), pose(8), pose(11)];
  let point: Vec3 = [pose(0), pose(1), pose(2)];
  if (geoms.int(row, Look.TYPE) === GeomType.BOX) {
    point = addScaled(point, normal, geoms.size[3 * row + 2] as number);
  }
  const offset = dot(normal, point);
  const height = dot(normal, eye) - offset;
  if (!(height >= 0)) return null;
  const [x, y, z] = normal;
  const matrix = [
    ...[1 - 2 * x * x, -2 * x * y, -2 * x * z, 0],
    ...[-2 * x * y, 1 - 2 * y * y, -2 * y * z, 0],
    ...[-2 * x * z, -2 * y * z, 1 - 2 * z * z, 0],
    ...[2 * offset * x, 2 * offset * y, 2 * offset * z, 1],
  ];
  return {
    matrix,
    plane: [x, y, z, -offset],
    eye: addScaled(eye, normal, -2 * height),
  };
}
