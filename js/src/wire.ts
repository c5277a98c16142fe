// The packet format of docs/wire.md: bytes to blocks and back. The scene, the UI renderer
// and the connection read packets through it; it knows nothing of any of them. Packets are
// little-endian, and nothing is assumed about the alignment of the buffer they lie in.

import { unzlibSync } from "fflate";

export const VERSION = 1;

/** Block tags, by stream: /state 1.., /ui 32.., mesh assets 64... */
export const Tag = {
  FRAME: 1,
  POSE: 2,
  POSE_F32: 3,
  SIZE: 4,
  RGBA: 5,
  LOOK: 6,
  LABEL: 7,
  LIGHT: 8,
  LIGHT_POSE: 9,
  CAMERA: 10,
  GLCAMERA: 11,
  PICTURE: 12,
  VISUAL: 13,
  UI_FRAME: 32,
  UI_LIST: 33,
  UI_RECTS: 34,
  UI_TEXTURE: 35,
  UI_TEXTURE_GONE: 36,
  MESH_POSITION: 64,
  MESH_NORMAL: 65,
  MESH_UV: 66,
  MESH_INDEX: 67,
} as const;

/** Bits of a block's flags; the row mode is a two-bit field, not a bit. */
export const Flag = { ZLIB: 1, XOR: 2 } as const;

/** A packet or block that contradicts docs/wire.md. */
export class WireError extends Error {
  override name = "WireError";
}

export interface Block {
  tag: number;
  flags: number;
  /** Rows or elements, as the sender says; readers check it against the payload. */
  count: number;
  /** The payload, inflated except for UI_LIST and UI_TEXTURE (see {@link inflate}). */
  payload: DataView;
}

const MAGIC = 0x424e5453;
const HEADER_BYTES = 12;
const BLOCK_HEADER_BYTES = 12;
const ROW_MODE_SHIFT = 8;

// As the writer's own bound: a corrupt length must not make the page allocate gigabytes.
const MAX_INFLATED_BYTES = 1 << 29;

// These two keep the head of their payload outside of the zlib stream, so that their
// reader inflates the rest with `inflate`.
const HEADED_TAGS: ReadonlySet<number> = new Set([Tag.UI_LIST, Tag.UI_TEXTURE]);

export type Bytes = DataView | ArrayBuffer | Uint8Array;

/** A DataView on the same memory, whatever kind of view or buffer `bytes` is. */
export function viewOf(bytes: Bytes): DataView<ArrayBuffer> {
  if (bytes instanceof ArrayBuffer) return new DataView(bytes);
  return new DataView(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
}

/** A Uint8Array on the memory of `view` from `offset`, `length` bytes or all the rest. */
export function bytesOf(
  view: DataView,
  offset = 0,
  length = view.byteLength - offset,
): Uint8Array<ArrayBuffer> {
  if (offset < 0 || length < 0 || offset + length > view.byteLength) {
    throw new WireError(
      `bytes ${offset}..${offset + length} are outside of a payload of ${view.byteLength}`,
    );
  }
  return new Uint8Array(view.buffer as ArrayBuffer, view.byteOffset + offset, length);
}

/** Undoes ZLIB: u32 raw length + zlib stream, starting at `offset` of `stored`. */
export function inflate(stored: DataView, offset = 0): DataView<ArrayBuffer> {
  if (stored.byteLength < offset + 4) {
    throw new WireError(`a ZLIB payload of ${stored.byteLength} bytes has no length`);
  }
  const rawLength = stored.getUint32(offset, true);
  if (rawLength > MAX_INFLATED_BYTES) {
    throw new WireError(`a ZLIB payload says ${rawLength} bytes, more than is allowed`);
  }
  // One byte more than announced, so that a longer stream is seen, not cut silently.
  const out = new Uint8Array(rawLength + 1);
  let raw: Uint8Array;
  try {
    raw = unzlibSync(bytesOf(stored, offset + 4), { out });
  } catch (error) {
    throw new WireError(`a ZLIB payload does not inflate: ${String(error)}`);
  }
  if (raw.length !== rawLength) {
    throw new WireError(
      `a ZLIB payload inflates to ${raw.length} bytes, its head says ${rawLength}`,
    );
  }
  return viewOf(out.subarray(0, rawLength));
}

/** The blocks of a packet in order, those with unknown tags among them. */
export function readPacket(bytes: Bytes): Block[] {
  const packet = viewOf(bytes);
  const size = packet.byteLength;
  if (size < HEADER_BYTES) {
    throw new WireError(`a packet of ${size} bytes is shorter than its header`);
  }
  const magic = packet.getUint32(0, true);
  if (magic !== MAGIC) {
    throw new WireError(`a packet begins with 0x${magic.toString(16)}, not with STNB`);
  }
  const version = packet.getUint16(4, true);
  if (version !== VERSION) {
    throw new WireError(
      `a packet is of version ${version}; this page reads ${VERSION}`,
    );
  }
  const count = packet.getUint16(6, true);
  const length = packet.getUint32(8, true);
  if (length !== size) {
    throw new WireError(`a packet of ${size} bytes says that it has ${length}`);
  }
  const blocks: Block[] = [];
  let at = HEADER_BYTES;
  for (let i = 0; i < count; i++) {
    if (at + BLOCK_HEADER_BYTES > size) {
      throw new WireError(`block ${i} of ${count} begins past the end of its packet`);
    }
    const tag = packet.getUint16(at, true);
    const flags = packet.getUint16(at + 2, true);
    const rows = packet.getUint32(at + 4, true);
    const stored = packet.getUint32(at + 8, true);
    at += BLOCK_HEADER_BYTES;
    if (at + stored > size) {
      throw new WireError(
        `block ${i} (tag ${tag}) of ${stored} bytes runs past the end of its packet`,
      );
    }
    let payload: DataView = new DataView(packet.buffer, packet.byteOffset + at, stored);
    if (flags & Flag.ZLIB && isKnown(tag) && !HEADED_TAGS.has(tag)) {
      payload = inflate(payload);
    }
    blocks.push({ tag, flags, count: rows, payload });
    at += padded(stored);
  }
  if (at !== size) {
    throw new WireError(`a packet of ${size} bytes has blocks for ${at}`);
  }
  return blocks;
}

/** The row set in front of a block's rows, and where in the payload the rows begin. */
export function readRows(
  block: Block,
  tableSize: number,
): { rows: Uint32Array; offset: number } {
  const { payload, count, tag } = block;
  if (count > tableSize) {
    throw new WireError(`block ${tag} has ${count} rows for a table of ${tableSize}`);
  }
  const mode = (block.flags >> ROW_MODE_SHIFT) & 3;
  const setBytes = [0, Math.ceil(tableSize / 8), count * 2, count * 4][mode] ?? 0;
  const offset = padded(setBytes);
  if (offset > payload.byteLength) {
    throw new WireError(
      `block ${tag} of ${payload.byteLength} bytes is shorter than its row set`,
    );
  }
  const rows = new Uint32Array(count);
  if (mode === 1) readMask(block, tableSize, rows);
  else {
    let last = -1;
    for (let i = 0; i < count; i++) {
      const row =
        mode === 0
          ? i
          : mode === 2
            ? payload.getUint16(i * 2, true)
            : payload.getUint32(i * 4, true);
      if (row <= last || row >= tableSize) {
        throw new WireError(
          `block ${tag} names row ${row} after ${last}, in a table of ${tableSize}`,
        );
      }
      rows[i] = last = row;
    }
  }
  return { rows, offset };
}

function readMask(block: Block, tableSize: number, rows: Uint32Array): void {
  let n = 0;
  for (let byte = 0; byte * 8 < tableSize; byte++) {
    let bits = block.payload.getUint8(byte);
    for (let row = byte * 8; bits !== 0; row++, bits >>= 1) {
      if (!(bits & 1)) continue;
      if (row >= tableSize || n === rows.length) {
        throw new WireError(
          `block ${block.tag} marks row ${row}: more than its ${rows.length} rows, ` +
            `or outside of a table of ${tableSize}`,
        );
      }
      rows[n++] = row;
    }
  }
  if (n !== rows.length) {
    throw new WireError(`block ${block.tag} marks ${n} rows and says ${rows.length}`);
  }
}

/** One packet of the given blocks. Payloads are taken as they are to be stored. */
export function writePacket(blocks: readonly Block[]): Uint8Array<ArrayBuffer> {
  if (blocks.length > 0xffff) {
    throw new WireError(`a packet holds at most 65535 blocks, not ${blocks.length}`);
  }
  let size = HEADER_BYTES;
  for (const { payload } of blocks) {
    size += BLOCK_HEADER_BYTES + padded(payload.byteLength);
  }
  const packet = new Uint8Array(size);
  const view = viewOf(packet);
  view.setUint32(0, MAGIC, true);
  view.setUint16(4, VERSION, true);
  view.setUint16(6, blocks.length, true);
  view.setUint32(8, size, true);
  let at = HEADER_BYTES;
  for (const { tag, flags, count, payload } of blocks) {
    view.setUint16(at, tag, true);
    view.setUint16(at + 2, flags, true);
    view.setUint32(at + 4, count, true);
    view.setUint32(at + 8, payload.byteLength, true);
    packet.set(bytesOf(payload), at + BLOCK_HEADER_BYTES);
    at += BLOCK_HEADER_BYTES + padded(payload.byteLength);
  }
  return packet;
}

function padded(bytes: number): number {
  return Math.ceil(bytes / 4) * 4;
}

const KNOWN_TAGS: ReadonlySet<number> = new Set(Object.values(Tag));

function isKnown(tag: number): boolean {
  return KNOWN_TAGS.has(tag);
}
