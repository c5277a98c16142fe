// The bundle's entry: one Widget for each widget model of the page, which holds what all
// its views share (the connection, the scene, the panels) and draws them. The loader calls
// `open` once the bundle is here, and `render` for every place where the widget is shown.

import { Connection } from "./connection";
import type { Head, Model } from "./host";
import * as loop from "./loop";
import { browserMemory } from "./memory";
import { type CameraMessage, Scene } from "./scene";
import * as store from "./store";
import { UiState } from "./ui/lists";
import { UiRenderer } from "./ui/renderer";
import { View } from "./view";

export interface OpenOptions {
  /** The model as anywidget's `initialize` got it: it lives as long as the widget. */
  model: Model;
  /** Random, one a page. */
  client: string;
  /** Ends with the widget. */
  signal: AbortSignal;
  /** What the kernel said before the bundle was here. */
  early: readonly Head[];
}

// A notebook that moves a cell removes its view and makes another one.
const BYE_MS = 500;

export function open(options: OpenOptions): Widget {
  return new Widget(options);
}

export class Widget {
  readonly model: Model;
  readonly scene = new Scene();
  readonly ui = new UiState();
  readonly panels: UiRenderer;
  readonly connection: Connection;
  readonly views = new Set<View>();
  readonly #signal: AbortSignal;
  /** How a person last turned the kernel's camera, for views to come. */
  #pose: CameraMessage | undefined;
  #bye: ReturnType<typeof setTimeout> | undefined;

  constructor({ model, client, signal, early }: OpenOptions) {
    this.model = model;
    this.#signal = signal;
    this.connection = new Connection({
      model,
      client,
      signal,
      scene: this.scene,
      ui: this.ui,
      store,
      memory: browserMemory(String(model.get("_memory_key"))),
      changed: () => this.#update(),
      window: (view, mode) => this.#named(view)?.setMode(mode),
      clipboard: (text) => void this.#controlling?.copy(text),
    });
    this.panels = new UiRenderer(this.ui, () =>
      this.connection.resync("the WebGL context was lost"),
    );
    for (const head of early) this.connection.receive(head);
    window.addEventListener("pagehide", () => this.connection.bye(), { signal });
    window.addEventListener("pageshow", () => this.changed(), { signal });
    signal.addEventListener("abort", () => {
      clearTimeout(this.#bye);
      loop.stop(this);
      this.panels.dispose();
    });
  }

  /** Shows the widget in `el`; returns what takes it away again. */
  render(el: HTMLElement, signal?: AbortSignal): () => void {
    const controller = new AbortController();
    const close = () => controller.abort();
    // The host ends its views before their widget, but not in every host.
    for (const end of [signal, this.#signal]) {
      end?.addEventListener("abort", close, { once: true, signal: controller.signal });
    }
    clearTimeout(this.#bye);
    const view = new View(el, this, controller.signal);
    this.views.add(view);
    controller.signal.addEventListener("abort", () => {
      this.views.delete(view);
      if (this.views.size > 0) this.changed();
      else {
        loop.stop(this);
        if (this.#signal.aborted) return;
        this.#bye = setTimeout(() => this.connection.bye(), BYE_MS);
      }
    });
    return close;
  }

  /** Tells the kernel what is to be seen, and draws only while something is. */
  readonly changed = (): void => {
    this.#assign();
    // A page is told of by its controlling view first.
    const views = [...this.views].sort((a, b) => +b.controls - +a.controls);
    const states = views.flatMap(({ state }) => state ?? []);
    if (states.length > 0) this.connection.report(states);
    if (states.some(({ visible }) => visible)) loop.start(this);
    else loop.stop(this);
  };

  /** The view that controls, if it is in this page. */
  get #controlling(): View | undefined {
    const { control } = this.connection;
    return control === undefined ? [...this.views][0] : this.#named(control);
  }

  #named(id: string): View | undefined {
    return [...this.views].find((view) => view.id === id);
  }

  #assign(): void {
    const controlling = this.#controlling;
    this.ui.drawn = controlling !== undefined || this.connection.control === undefined;
    for (const view of this.views) view.setControls(view === controlling);
  }

  /** One animation frame: input out first, because drawing may take long; then acks. */
  tick(now: number): void {
    const visible = [...this.views].filter((view) => view.visible);
    const pose = this.#controlling?.takePose();
    if (pose) {
      this.#pose = pose;
      this.connection.postCamera(pose);
    }
    this.connection.flush();
    let drawn = visible.length > 0;
    for (const view of visible) {
      view.follow(this.#pose);
      drawn = view.draw(now) && drawn;
    }
    if (drawn) this.connection.drawn();
  }

  #update(): void {
    this.#assign();
    for (const view of this.views) view.update();
  }
}
