// Brings a model's meshes and textures into the page: from the browser's store where they
// are kept from earlier, else from the kernel in acknowledged chunks. The connection owns
// one; the scene gets the bytes.

import type { Buffers, Head } from "./host";
import { bytesOf, viewOf, WireError } from "./wire";

export interface AssetSink {
  /** Takes an asset as it came; rejects when it can't be read. */
  asset(hash: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
}

export interface AssetStore {
  load(key: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  save(key: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  forget(key: string): Promise<void>;
}

export interface AssetHost {
  send(head: Head): void;
  /** Bytes in hand of bytes wanted; equal when nothing is under way. */
  progress(received: number, total: number): void;
  failed(text: string): void;
}

interface Transfer {
  bytes: Uint8Array<ArrayBuffer>;
  received: number;
}

// A chunk can be lost when the server drops messages; then nothing comes any more.
const STALL_MS = 3000;

// As the bound of the store: more than that is no asset but a corrupt head.
const MAX_ASSET_BYTES = 1024 * 1024 * 1024;

export class Assets {
  #gen = -1;
  #transfers = new Map<string, Transfer | undefined>();
  #sizes = new Map<string, number>();
  #received = 0;
  #total = 0;
  #touched = 0;

  constructor(
    private readonly sink: AssetSink,
    private readonly store: AssetStore,
    private readonly host: AssetHost,
  ) {}

  /** Gets the assets in `hashes`, of the compressed `sizes`, for model `gen`. */
  async want(
    gen: number,
    hashes: readonly string[],
    sizes: ReadonlyMap<string, number>,
  ): Promise<void> {
    this.#gen = gen;
    const missing: string[] = [];
    await Promise.all(
      hashes.map(async (hash) => {
        if (!this.#transfers.has(hash) && !(await this.#fromStore(hash))) {
          missing.push(hash);
        }
      }),
    );
    // Another model came while the store was asked: its own call speaks for it.
    if (gen !== this.#gen) return;
    for (const hash of missing) this.#transfers.set(hash, undefined);
    for (const hash of [...this.#transfers.keys()]) {
      if (!hashes.includes(hash)) this.#transfers.delete(hash);
    }
    this.#received = 0;
    this.#total = 0;
    for (const [hash, transfer] of this.#transfers) {
      const size = sizes.get(hash) ?? 0;
      this.#sizes.set(hash, size);
      this.#total += size;
      this.#received += transfer?.received ?? 0;
    }
    this.#ask();
    this.host.progress(this.#received, this.#total);
  }

  /** Takes a chunk; it may be one that another page asked for. */
  receive(head: Head, buffers: Buffers = []): void {
    const { hash, offset, total } = head;
    const buffer = buffers[0];
    if (
      typeof hash !== "string" ||
      !isSize(offset) ||
      !isSize(total) ||
      !buffer ||
      offset + buffer.byteLength > total
    ) {
      throw new WireError(`an asset chunk is malformed: ${JSON.stringify(head)}`);
    }
    if (!this.#transfers.has(hash)) return;
    let transfer = this.#transfers.get(hash);
    if (!transfer || transfer.bytes.length !== total) {
      transfer = { bytes: new Uint8Array(total), received: 0 };
      this.#transfers.set(hash, transfer);
    }
    this.#touched = performance.now();
    // A chunk past a gap is not kept; the ack says from where to go on.
    if (offset <= transfer.received) {
      const end = offset + buffer.byteLength;
      transfer.bytes.set(bytesOf(viewOf(buffer)), offset);
      this.#received += Math.max(0, end - transfer.received);
      transfer.received = Math.max(transfer.received, end);
    }
    this.host.send({ type: "asset_ack", hash, received: transfer.received });
    if (transfer.received === total) {
      this.#transfers.delete(hash);
      void this.#finish(hash, transfer.bytes);
    }
    this.host.progress(this.#received, Math.max(this.#total, this.#received));
    if (this.#transfers.size === 0) this.host.progress(0, 0);
  }

  /** Asks again for what stopped coming; to be called about once a second. */
  tick(now: number): void {
    if (this.#transfers.size > 0 && now - this.#touched > STALL_MS) this.#ask();
  }

  #ask(): void {
    this.#touched = performance.now();
    const need = [...this.#transfers.keys()];
    // What came of a transfer that is asked for anew comes again from its start.
    for (const hash of need) {
      this.#received -= this.#transfers.get(hash)?.received ?? 0;
      this.#transfers.set(hash, undefined);
    }
    this.host.send({ type: "assets", gen: this.#gen, need });
  }

  async #fromStore(hash: string): Promise<boolean> {
    const bytes = await this.store.load(hash);
    if (!bytes) return false;
    try {
      await this.sink.asset(hash, bytes);
      return true;
    } catch {
      await this.store.forget(hash);
      return false;
    }
  }

  async #finish(hash: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    try {
      await this.sink.asset(hash, bytes);
      await this.store.save(hash, bytes);
    } catch (error) {
      this.host.failed(`An asset of the model can't be read (${hash}): ${error}`);
    }
  }
}

function isSize(value: unknown): value is number {
  return (
    Number.isInteger(value) &&
    (value as number) >= 0 &&
    (value as number) <= MAX_ASSET_BYTES
  );
}
