// One widget's conversation with the kernel, as docs/wire.md has it: the handshake, frames
// with their sequence and acks, the batched input, signs of life. It is owned by the
// widget, which draws what is applied here; it knows nothing of the DOM or of WebGL.
//
// Flow control: every applied frame is acknowledged once it was drawn, the kernel keeps few
// in flight and sends the newest. A frame that builds on one that is not here is dropped,
// `resync` is sent, and everything up to the next full frame is dropped too.

import { type AssetSink, type AssetStore, Assets } from "./assets";
import { type Buffers, type Head, listen, type Model, watchKernel } from "./host";
import { EventQueue, type InputEvent } from "./input/events";
import { Liveness } from "./liveness";
import type { Memory } from "./memory";
import { isMode, type WindowMode } from "./windowmode";
import { type Block, readPacket, VERSION, WireError } from "./wire";

export interface SceneSink extends AssetSink {
  /** Takes the description of a model and returns the hashes of the assets it lacks. */
  describe(gen: number, scene: object): string[];
  frame(blocks: Block[], full: boolean): void;
}

export interface UiSink {
  apply(blocks: readonly Block[], full: boolean): void;
}

/** What `ready` and `view` tell of a view. */
export interface ViewState {
  /** Its id, of which there is one in all pages. */
  view: string;
  width: number;
  height: number;
  dpr: number;
  theme: "light" | "dark";
  visible: boolean;
  mode: WindowMode;
}

export interface Status {
  level: "info" | "warning" | "error";
  text: string;
}

export interface ConnectionOptions {
  model: Model;
  /** Random, one a page. */
  client: string;
  signal: AbortSignal;
  scene: SceneSink;
  ui: UiSink;
  store: AssetStore;
  memory: Memory;
  /** Life, control, status or progress changed. */
  changed(): void;
  /** The kernel wants a view to fill the window or the screen, or its cell again. */
  window(view: string, mode: WindowMode): void;
  clipboard(text: string): void;
}

// The answer to a `ready` or `resync` can be lost too; how soon to say it again.
const REPEAT_MS = 2000;
const TICK_MS = 250;
/**
 * JupyterLab repaints its kernel indicators and fetches its icon anew for each message that
 * a page sends, which costs more than drawing a frame: several frames share one ack.
 */
const ACK_MS = 180;

export class Connection {
  readonly life: Liveness;
  readonly assets: Assets;
  /** The kernel's line for the view; empty text: none. */
  status: Status = { level: "info", text: "" };
  /** Of the assets on their way: bytes in hand, bytes wanted; 0, 0 when none are. */
  progress = { received: 0, total: 0 };
  /** The view that controls; undefined until there is a choice of views. */
  control: string | undefined;

  readonly #options: ConnectionOptions;
  readonly #events = new EventQueue();
  #camera: object | undefined;
  #stats: object | undefined;
  #views: readonly ViewState[] = [];
  #ready = false;
  #gen: number | undefined;
  /** Last frame applied; null while only a full one will do. */
  #seq: number | null = null;
  #drawn: number | null = null;
  #acked: number | null = null;
  #ackedAt = Number.NEGATIVE_INFINITY;
  #ackTimer: ReturnType<typeof setTimeout> | undefined;
  #resyncAt = Number.NEGATIVE_INFINITY;
  #readyAt = Number.NEGATIVE_INFINITY;

  /** The page's name on the wire. */
  get client(): string {
    return this.#options.client;
  }

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const { model, signal, scene, store, changed } = options;
    this.life = new Liveness(
      () => this.#send({ type: "ping", t: performance.now() }),
      changed,
    );
    this.assets = new Assets(scene, store, {
      send: (head) => this.#send(head),
      progress: (received, total) => {
        this.progress = { received, total };
        changed();
      },
      failed: (text) => this.#report("error", text),
    });
    listen(
      model,
      "msg:custom",
      (head: Head, buffers?: Buffers) => this.receive(head, buffers),
      signal,
    );
    watchKernel(model, (text) => this.life.gone(text), signal);
    const timer = setInterval(() => this.#tick(performance.now()), TICK_MS);
    signal.addEventListener("abort", () => {
      clearInterval(timer);
      clearTimeout(this.#ackTimer);
    });
  }

  /** Whether a full frame is here: what is not in it does not exist. */
  get whole(): boolean {
    return this.#seq !== null;
  }

  /**
   * Tells the kernel about the page's views, of which there is at least one: `ready` the
   * first time, `view` where one is new, changed or gone.
   */
  report(views: readonly ViewState[]): void {
    const old = new Map(this.#views.map((state) => [state.view, state]));
    this.#views = views;
    this.life.setVisible(this.#visible);
    if (!this.#ready) {
      this.#sayReady();
      return;
    }
    const changed = views.filter((state) => {
      const before = old.get(state.view);
      old.delete(state.view);
      return !before || !sameView(before, state);
    });
    for (const view of old.keys()) this.#send({ type: "view", view, gone: true });
    for (const state of changed) this.#send({ type: "view", ...state });
  }

  /** Asks for control for a view of this page. */
  take(view: string): void {
    const state = this.#views.find((state) => state.view === view);
    if (state) this.#send({ type: "take", ...state });
  }

  get #visible(): boolean {
    return this.#views.some(({ visible }) => visible);
  }

  /** The page shows the widget no more. A later `report` starts anew. */
  bye(): void {
    if (!this.#ready) return;
    this.#send({ type: "bye" });
    this.#ready = false;
    this.control = undefined;
    this.life.setVisible(false);
  }

  /** Queues an event for the next `flush`. */
  post(event: InputEvent): void {
    if (this.life.open) this.#events.push(event);
  }

  /** Has the camera go with the next `flush`; only the last one does. */
  postCamera(camera: object): void {
    this.#camera = camera;
  }

  postStats(stats: object): void {
    this.#stats = stats;
  }

  /** Sends what gathered since the last animation frame. */
  flush(): void {
    const head: Head = { type: "input" };
    if (this.#camera) head.camera = this.#camera;
    if (this.#events.length > 0) head.events = this.#events.take();
    this.#camera = undefined;
    if (Object.keys(head).length === 1) return;
    this.life.used(performance.now());
    this.#send({ ...head, gen: this.#gen });
  }

  /** What was applied is drawn now: it will be acknowledged, and all before it. */
  drawn(): void {
    if (this.#seq === null || this.#seq === this.#acked) return;
    this.#drawn = this.#seq;
    const wait = this.#ackedAt + ACK_MS - performance.now();
    if (wait <= 0) this.#ack();
    else this.#ackTimer ??= setTimeout(() => this.#ack(), wait);
  }

  #ack(): void {
    clearTimeout(this.#ackTimer);
    this.#ackTimer = undefined;
    if (this.#drawn === null) return;
    this.#acked = this.#drawn;
    this.#ackedAt = performance.now();
    const stats = this.#stats && { stats: this.#stats };
    this.#stats = undefined;
    this.#send({ type: "input", ack: this.#acked, gen: this.#gen, ...stats });
  }

  /** What is on the page is lost (a WebGL context, say): asks for all of it. */
  resync(reason: string): void {
    this.#seq = null;
    const now = performance.now();
    if (now - this.#resyncAt < REPEAT_MS) return;
    this.#resyncAt = now;
    this.#send({ type: "resync", reason });
  }

  /** Takes a message from the kernel. */
  receive(head: Head, buffers: Buffers = []): void {
    this.life.heard(performance.now());
    try {
      this.#dispatch(head, buffers);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      this.#report("error", `A message can't be read: ${error.message}`);
    }
  }

  #dispatch(head: Head, buffers: Buffers): void {
    switch (head.type) {
      case "model":
        this.#model(head);
        break;
      case "frame":
        this.#frame(head, buffers);
        break;
      case "asset":
        this.assets.receive(head, buffers);
        break;
      case "status":
        this.#report(levelOf(head.level), String(head.text ?? ""));
        break;
      case "control":
        this.#control(String(head.view));
        break;
      case "window":
        if (isMode(head.mode)) this.#options.window(String(head.view), head.mode);
        break;
      case "memory":
        if (typeof head.value === "object") this.#options.memory.save(head.value);
        break;
      case "clipboard":
        this.#options.clipboard(String(head.text ?? ""));
        break;
      case "closed":
        this.life.closed(String(head.text ?? "") || "The session was closed.");
        break;
    }
  }

  #control(view: string): void {
    this.control = view;
    // The kernel gives control away again when the view that has it does not answer.
    const state = this.#views.find((state) => state.view === view);
    if (state) this.#send({ type: "view", ...state });
    this.#options.changed();
  }

  #model(head: Head): void {
    const { version, gen, scene } = head;
    if (version !== VERSION) {
      throw new WireError(
        `the kernel speaks version ${version}, this page ${VERSION}: reload the page`,
      );
    }
    if (typeof gen !== "number" || typeof scene !== "object" || scene === null) {
      throw new WireError("a model message has no gen or no scene");
    }
    if (gen !== this.#gen) this.#seq = null;
    this.#gen = gen;
    const lacking = this.#options.scene.describe(gen, scene);
    void this.assets.want(gen, lacking, assetSizes(scene));
  }

  #frame(head: Head, buffers: Buffers): void {
    const { gen, seq, base, streams } = head;
    if (typeof seq !== "number" || !Array.isArray(streams)) {
      throw new WireError(`a frame's head is malformed: ${JSON.stringify(head)}`);
    }
    if (gen !== this.#gen) {
      // Frames of the model before are on their way when it changes. Where they are of a
      // later one, its description was lost: saying `ready` again brings it.
      if (this.#gen === undefined || (gen as number) > this.#gen) this.#sayReady();
      return;
    }
    const full = base === null;
    if (!full && base !== this.#seq) {
      this.resync(`frame ${seq} builds on ${base}, the last one here is ${this.#seq}`);
      return;
    }
    try {
      this.#apply(streams, buffers, full);
      this.#seq = seq;
      if (full) {
        this.#resyncAt = Number.NEGATIVE_INFINITY;
        this.#options.changed();
      }
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      this.resync(error.message);
      // A difference that does not fit is repaired by a full frame; a full frame that
      // can't be read is for people to know.
      if (full) throw error;
    }
  }

  #apply(streams: unknown[], buffers: Buffers, full: boolean): void {
    if (streams.length !== buffers.length) {
      throw new WireError(
        `a frame of ${streams.join(", ")} comes with ${buffers.length} buffers`,
      );
    }
    const blocks = new Map(
      streams.map((stream, i) => [stream, readPacket(buffers[i] as ArrayBuffer)]),
    );
    const state = blocks.get("state");
    const ui = blocks.get("ui");
    if (state) this.#options.scene.frame(state, full);
    if (ui || full) this.#options.ui.apply(ui ?? [], full);
  }

  #tick(now: number): void {
    this.life.tick(now);
    if (!this.life.open) return;
    this.assets.tick(now);
    if (!this.#ready || !this.#visible) return;
    if (this.#gen === undefined && this.life.life === "live") this.#sayReady();
    else if (this.#seq === null && now - this.#readyAt > REPEAT_MS) {
      this.resync("no full frame came");
    }
  }

  #sayReady(): void {
    const now = performance.now();
    const [first, ...others] = this.#views;
    if (!first || (this.#ready && now - this.#readyAt < REPEAT_MS)) return;
    this.#ready = true;
    this.#readyAt = now;
    this.#seq = null;
    this.life.asked(now);
    const memory = this.#options.memory.load();
    this.#send({ type: "ready", version: VERSION, ...first, memory });
    for (const state of others) this.#send({ type: "view", ...state });
  }

  #report(level: Status["level"], text: string): void {
    this.status = { level, text };
    this.#options.changed();
  }

  #send(head: Head): void {
    // A session that was closed still waits for its last view to go, with the comm.
    if (!this.life.open && !(this.life.life === "closed" && head.type === "bye"))
      return;
    try {
      this.#options.model.send({ ...head, client: this.#options.client });
    } catch (error) {
      // The comm went before the kernel could say so; liveness will tell the person.
      console.debug("studio_nb: not sent:", head.type, error);
    }
  }
}

function sameView(a: ViewState, b: ViewState): boolean {
  return (Object.keys(b) as (keyof ViewState)[]).every((key) => a[key] === b[key]);
}

function levelOf(level: unknown): Status["level"] {
  return level === "warning" || level === "error" ? level : "info";
}

/** Compressed sizes by hash, of all that a description lists. */
function assetSizes(scene: object): Map<string, number> {
  const { meshes = [], textures = [] } = scene as Record<string, unknown[]>;
  return new Map(
    [...meshes, ...textures].flatMap((entry) => {
      const { hash, bytes } = (entry ?? {}) as { hash?: unknown; bytes?: unknown };
      return typeof hash === "string" && typeof bytes === "number"
        ? [[hash, bytes] as const]
        : [];
    }),
  );
}
