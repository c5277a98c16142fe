import { describe, expect, it, vi } from "vitest";
import { forget, load, save } from "../src/store";

const bytes = (size: number) => new Uint8Array(size).fill(size);
const BOUND = 100;

describe("the store", () => {
  it("gives back what it keeps, and nothing under other keys", async () => {
    await save("a", bytes(3));
    expect(await load("a")).toEqual(bytes(3));
    expect(await load("other")).toBeUndefined();
    await forget("a");
    expect(await load("a")).toBeUndefined();
  });

  it("lets go of the least recently used where it grows past its bound", async () => {
    const pause = () => new Promise((done) => setTimeout(done, 5));
    for (const key of ["one", "two"]) {
      await save(key, bytes(40), BOUND);
      await pause();
    }
    await load("one");
    await pause();
    await save("three", bytes(40), BOUND);
    expect(await load("two")).toBeUndefined();
    expect(await load("one")).toBeDefined();
    expect(await load("three")).toBeDefined();
  });

  it("does not take what is larger than its bound", async () => {
    await save("big", bytes(BOUND + 1), BOUND);
    expect(await load("big")).toBeUndefined();
  });

  it("is empty, not broken, where the browser denies it", async () => {
    const denied = vi.spyOn(indexedDB, "open").mockImplementation(() => {
      throw new DOMException("denied", "SecurityError");
    });
    // Another instance of the module, which has not opened the database yet.
    const path = "../src/store?denied";
    const store = (await import(
      /* @vite-ignore */ path
    )) as typeof import("../src/store");
    await store.save("a", bytes(3));
    expect(await store.load("a")).toBeUndefined();
    await expect(store.forget("a")).resolves.toBeUndefined();
    expect(denied).toHaveBeenCalled();
    denied.mockRestore();
  });
});
