// The widget's `_esm`: sent with every widget and never freed by the page, hence small.
// It gets the bundle once a page, from the browser's store or from the kernel in chunks,
// imports it and hands the widget over. It says so in the cell while nothing comes.

import type { Buffers, Head, Model } from "./host";
import { forget, load, save } from "./store";
import type { open, Widget } from "./widget";

interface Bundle {
  open: typeof open;
}

interface Page {
  /** Tells this page from other pages that show the same widget. */
  client: string;
  downloads: Map<string, Download>;
}

// How long the kernel may be silent before it is asked again, and before the cell says so.
const PATIENCE_MS = 3000;
const WAITING =
  "Waiting for the kernel, which is busy or gone. If nothing comes, run the cell again.";

/** One bundle on its way into the page: all widgets that want it share it. */
class Download {
  readonly bundle: Promise<Bundle>;
  /** When bytes last came or were last asked for. */
  touched = Number.NEGATIVE_INFINITY;
  /** False until the store was asked: only then is the kernel. */
  wanted = false;
  #deliver!: (zipped: Uint8Array<ArrayBuffer>) => void;
  #bytes = new Uint8Array(0);
  #chunks = new Set<number>();
  #received = 0;

  constructor(readonly hash: string) {
    this.bundle = this.#fetch();
  }

  receive(head: Head, buffers: Buffers = []): void {
    const { offset, total } = head as unknown as { offset: number; total: number };
    const chunk = buffers[0];
    if (head.hash !== this.hash || !chunk || !this.wanted) return;
    this.touched = performance.now();
    if (this.#bytes.length !== total) {
      this.#bytes = new Uint8Array(total);
      this.#chunks.clear();
      this.#received = 0;
    }
    if (this.#chunks.has(offset) || offset + chunk.byteLength > total) return;
    this.#chunks.add(offset);
    this.#received += chunk.byteLength;
    this.#bytes.set(bytesOf(chunk), offset);
    if (this.#received === total) {
      this.wanted = false;
      this.#deliver(this.#bytes);
    }
  }

  async #fetch(): Promise<Bundle> {
    const key = `bundle:${this.hash}`;
    const kept = await load(key);
    if (kept) {
      try {
        return await importZipped(kept);
      } catch {
        await forget(key);
      }
    }
    const delivered = new Promise<Uint8Array<ArrayBuffer>>((resolve) => {
      this.#deliver = resolve;
    });
    this.wanted = true;
    const zipped = await delivered;
    const bundle = await importZipped(zipped);
    void save(key, zipped);
    return bundle;
  }
}

async function importZipped(zipped: Uint8Array<ArrayBuffer>): Promise<Bundle> {
  const stream = new Blob([zipped])
    .stream()
    .pipeThrough(new DecompressionStream("deflate"));
  const code = await new Response(stream).blob();
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  try {
    return await import(/* @vite-ignore */ url);
  } finally {
    URL.revokeObjectURL(url);
  }
}

function bytesOf(buffer: DataView | ArrayBuffer): Uint8Array {
  return buffer instanceof ArrayBuffer
    ? new Uint8Array(buffer)
    : new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}

function page(): Page {
  const key = Symbol.for("studio_nb");
  const shared = globalThis as unknown as Record<symbol, Page | undefined>;
  shared[key] ??= {
    client: Math.random().toString(36).slice(2) + Date.now().toString(36),
    downloads: new Map(),
  };
  return shared[key];
}

/** The module's default export is called once for each widget, so its state is in here. */
export default () => {
  let widget: Promise<Widget>;
  // What the cell shows until the bundle is there; the kernel's own word comes first.
  let line = "";
  const boxes = new Set<HTMLElement>();
  const say = (text: string) => {
    line = text;
    for (const box of boxes) box.textContent = text;
  };

  async function fetchWidget(model: Model, signal: AbortSignal): Promise<Widget> {
    const { client, downloads } = page();
    const hash = String(model.get("_bundle_hash"));
    const download = downloads.get(hash) ?? new Download(hash);
    downloads.set(hash, download);

    const early: Head[] = [];
    const onMessage = (head: Head, buffers?: Buffers) => {
      if (head.type === "bundle") download.receive(head, buffers);
      else early.push(head);
      if (typeof head.text === "string") say(head.text);
    };
    const began = performance.now();
    const ask = () => {
      const now = performance.now();
      if (download.wanted && now - download.touched > PATIENCE_MS) {
        download.touched = now;
        model.send({ type: "bundle", client, hash });
        if (now - began > PATIENCE_MS && !early.length) say(WAITING);
      }
    };
    model.on("msg:custom", onMessage);
    const timer = setInterval(ask, 50);
    const stop = () => {
      clearInterval(timer);
      model.off("msg:custom", onMessage);
    };
    signal.addEventListener("abort", stop);
    let bundle: Bundle;
    try {
      bundle = await download.bundle;
    } catch (error) {
      // Another try, by whichever widget comes next, starts afresh.
      downloads.delete(hash);
      say(`The viewer could not be loaded: ${error}. Reload the page.`);
      throw error;
    } finally {
      stop();
    }
    signal.throwIfAborted();
    return bundle.open({ model, client, signal, early });
  }

  return {
    // Must not wait: until it returns, the host holds the kernel's messages back, and
    // anywidget gives a widget up that takes more than two seconds.
    initialize({ model, signal }: { model: Model; signal?: AbortSignal }): void {
      widget = fetchWidget(model, signal ?? new AbortController().signal);
      widget.catch(() => undefined);
    },

    async render({
      model,
      el,
      signal,
    }: {
      model: Model;
      el: HTMLElement;
      signal?: AbortSignal;
    }): Promise<(() => void) | undefined> {
      const box = document.createElement("div");
      box.className = "snb-wait";
      box.style.height = `${model.get("height")}px`;
      box.textContent = line;
      boxes.add(box);
      el.append(box);
      try {
        const loaded = await widget;
        box.remove();
        return signal?.aborted ? undefined : loaded.render(el, signal);
      } catch {
        return undefined;
      } finally {
        boxes.delete(box);
      }
    },
  };
};
