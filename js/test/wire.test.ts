import { describe, expect, it } from "vitest";
import {
  type Block,
  bytesOf,
  readPacket,
  readRows,
  Tag,
  WireError,
  writePacket,
} from "../src/wire";
import { block, Flag, join, zipped } from "./support";

const size = block(Tag.SIZE, join(Float32Array.of(1, 2, 3)), 1);
const odd = block(Tag.LABEL, join([4, 0x66, 0x6f, 0x6f, 0x74]), 1);

/** The packet of `size` and `odd` with bytes at `at` replaced. */
function damaged(at: number, ...bytes: number[]): Uint8Array {
  const packet = writePacket([size, odd]);
  packet.set(bytes, at);
  return packet;
}

describe("readPacket", () => {
  it("reads back what writePacket wrote, padding left out", () => {
    const blocks = readPacket(writePacket([size, odd]));
    expect(blocks.map(({ tag, flags, count }) => [tag, flags, count])).toEqual([
      [Tag.SIZE, 0, 1],
      [Tag.LABEL, 0, 1],
    ]);
    expect(blocks.map(({ payload }) => [...bytesOf(payload)])).toEqual([
      [...bytesOf(size.payload)],
      [...bytesOf(odd.payload)],
    ]);
  });

  it("has a header of 12 bytes and pads blocks to 4", () => {
    const packet = writePacket([odd]);
    expect(packet.length).toBe(12 + 12 + 8);
    expect(new TextDecoder().decode(packet.subarray(0, 4))).toBe("STNB");
  });

  it.each([1, 2, 3])("reads a packet that lies at an offset of %i", (offset) => {
    const packet = writePacket([size]);
    const buffer = new Uint8Array(packet.length + 8).fill(0xff);
    buffer.set(packet, offset);
    const blocks = readPacket(new DataView(buffer.buffer, offset, packet.length));
    expect(blocks[0]?.payload.getFloat32(8, true)).toBe(3);
  });

  it("keeps blocks with unknown tags for their readers to skip, even compressed ones", () => {
    const unknown = block(999, join([1, 2, 3]), 1, Flag.ZLIB);
    const blocks = readPacket(writePacket([unknown, size]));
    expect(blocks.map(({ tag }) => tag)).toEqual([999, Tag.SIZE]);
  });

  it("inflates a compressed payload", () => {
    const raw = join(Float32Array.of(5, 6, 7));
    const [read] = readPacket(
      writePacket([block(Tag.SIZE, zipped(raw), 1, Flag.ZLIB)]),
    );
    expect([...bytesOf((read as Block).payload)]).toEqual([...raw]);
  });

  it("leaves a UI_LIST as stored, because its head is not compressed", () => {
    const stored = join(Uint32Array.of(1, 0, 0, 0), zipped(new Uint8Array(8)));
    const [read] = readPacket(writePacket([block(Tag.UI_LIST, stored, 0, Flag.ZLIB)]));
    expect(read?.payload.byteLength).toBe(stored.length);
  });

  const packet = writePacket([size, odd]);
  it.each([
    ["an empty buffer", new Uint8Array(0)],
    ["half a header", packet.subarray(0, 11)],
    ["another magic", damaged(0, 0)],
    ["another version", damaged(4, 2)],
    ["fewer bytes than it says", packet.subarray(0, packet.length - 4)],
    ["more bytes than it says", join(packet, [0, 0, 0, 0])],
    ["more blocks than it holds", damaged(6, 3)],
    ["fewer blocks than it holds", damaged(6, 1)],
    ["a block past its end", damaged(20, 0xff, 0xff)],
    ["a block of 4 GB", damaged(20, 0xff, 0xff, 0xff, 0xff)],
  ])("refuses %s", (_, bytes) => {
    expect(() => readPacket(bytes)).toThrow(WireError);
  });

  const raw = join(Float32Array.of(1, 2, 3));
  const good = zipped(raw);
  const overstated = good.slice();
  overstated[0] = 13;
  const understated = good.slice();
  understated[0] = 11;
  const huge = good.slice();
  huge.set([0xff, 0xff, 0xff, 0xff]);
  it.each([
    ["no length", join([1, 2])],
    ["no zlib stream", join(Uint32Array.of(12), [9, 9, 9, 9])],
    ["a cut stream", good.subarray(0, good.length - 8)],
    ["less than it says", overstated],
    ["more than it says", understated],
    ["gigabytes", huge],
  ])("refuses a compressed payload with %s", (_, stored) => {
    const bytes = writePacket([block(Tag.SIZE, stored, 1, Flag.ZLIB)]);
    expect(() => readPacket(bytes)).toThrow(WireError);
  });

  it("never fails otherwise, whatever byte is damaged", () => {
    const bytes = writePacket([size, block(Tag.RGBA, good, 1, Flag.ZLIB), odd]);
    for (let at = 0; at < bytes.length; at++) {
      for (const value of [0, 1, 0x7f, 0xff]) {
        const copy = bytes.slice();
        copy[at] = value;
        try {
          readPacket(copy);
        } catch (error) {
          expect(error).toBeInstanceOf(WireError);
        }
      }
    }
  });
});

describe("readRows", () => {
  const rows = (mode: number, count: number, set: Uint8Array, tableSize: number) => {
    const read = readRows(block(Tag.SIZE, set, count, mode << 8), tableSize);
    return [[...read.rows], read.offset];
  };

  it("means the first rows in mode 0", () => {
    expect(rows(0, 3, join([]), 10)).toEqual([[0, 1, 2], 0]);
  });
  it("reads a bit mask, lowest bit first, padded to 4 bytes", () => {
    expect(rows(1, 3, join([0b10000001, 0b10, 0, 0]), 10)).toEqual([[0, 7, 9], 4]);
  });
  it("reads u16 rows, padded to 4 bytes", () => {
    expect(rows(2, 3, join(Uint16Array.of(1, 5, 9, 0)), 10)).toEqual([[1, 5, 9], 8]);
  });
  it("reads u32 rows", () => {
    expect(rows(3, 2, join(Uint32Array.of(1, 70000)), 70001)).toEqual([[1, 70000], 8]);
  });
  it("reads an empty row set", () => {
    expect(rows(2, 0, join([]), 0)).toEqual([[], 0]);
  });

  it.each<[string, number, number, Uint8Array, number]>([
    ["more rows than the table", 0, 11, join([]), 10],
    ["a count of 4 billion", 3, 0xffffffff, join([]), 10],
    ["a mask that is cut", 1, 1, join([1]), 10],
    ["a mask with more rows than the count", 1, 1, join([3, 0, 0, 0]), 10],
    ["a mask with fewer rows than the count", 1, 3, join([3, 0, 0, 0]), 10],
    ["a mask with a row past the table", 1, 1, join([0, 4, 0, 0]), 10],
    ["u16 rows that are cut", 2, 3, join([1, 0, 2, 0]), 10],
    ["a row past the table", 2, 1, join([10, 0, 0, 0]), 10],
    ["rows out of order", 2, 2, join([5, 0, 4, 0]), 10],
    ["a row twice", 3, 2, join(Uint32Array.of(4, 4)), 10],
  ])("refuses %s", (_, mode, count, set, tableSize) => {
    expect(() => rows(mode, count, set, tableSize)).toThrow(WireError);
  });
});
