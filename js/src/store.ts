// Bytes kept across page loads, by content hash, in the browser's IndexedDB: the bundle
// (put there by the loader) and the models' assets. Where the store is denied (a private
// window, a sandboxed frame) it behaves as an empty one, because everything in it can be
// had from the kernel again: nothing here rejects.

const DATABASE = "studio_nb";
const BYTES = "bytes";
const USES = "uses";

// A menagerie robot has 1 to 30 MB of assets; this holds the last dozen of them.
const BOUND_BYTES = 256 * 1024 * 1024;

interface Use {
  size: number;
  used: number;
}

let database: Promise<IDBDatabase> | undefined;

/** The bytes under `key`, or undefined. Asking makes them the most recently used. */
export async function load(key: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  return quietly(async () => {
    const stores = await transaction("readwrite");
    const bytes = (await done(stores.bytes.get(key))) as
      | Uint8Array<ArrayBuffer>
      | undefined;
    if (bytes) stores.uses.put({ size: bytes.length, used: Date.now() }, key);
    return bytes;
  });
}

/** Keeps `bytes`, and lets go of the least recently used where that is too much. */
export async function save(
  key: string,
  bytes: Uint8Array<ArrayBuffer>,
  bound = BOUND_BYTES,
): Promise<void> {
  if (bytes.length > bound) return;
  await quietly(async () => {
    const stores = await transaction("readwrite");
    stores.bytes.put(bytes, key);
    stores.uses.put({ size: bytes.length, used: Date.now() }, key);
    const keys = await done(stores.uses.getAllKeys());
    const uses = (await done(stores.uses.getAll())) as Use[];
    const oldestFirst = uses
      .map((use, i) => ({ ...use, key: keys[i] as IDBValidKey }))
      .filter((use) => use.key !== key)
      .sort((a, b) => a.used - b.used);
    let total = uses.reduce((sum, use) => sum + use.size, 0);
    for (const use of oldestFirst) {
      if (total <= bound) break;
      stores.bytes.delete(use.key);
      stores.uses.delete(use.key);
      total -= use.size;
    }
  });
}

/** Drops what is under `key`: it turned out to be of no use. */
export async function forget(key: string): Promise<void> {
  await quietly(async () => {
    const stores = await transaction("readwrite");
    stores.uses.delete(key);
    await done(stores.bytes.delete(key));
  });
}

async function quietly<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch {
    return undefined;
  }
}

async function transaction(mode: IDBTransactionMode) {
  database ??= open();
  const both = (await database).transaction([BYTES, USES], mode);
  return { bytes: both.objectStore(BYTES), uses: both.objectStore(USES) };
}

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore(BYTES);
    request.result.createObjectStore(USES);
  };
  return done(request);
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
