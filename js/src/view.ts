// One view of a widget: its elements, what it observes of the page, its picture. The widget
// makes one for each place where the notebook shows it, and draws it from the animation
// frame. Everything that a view listens to ends with its signal.

import type { Connection, ViewState } from "./connection";
import { devicePixels, observeDevicePixels } from "./devicepixels";
import type { Model } from "./host";
import type { InputEvent } from "./input/events";
import { Keyboard } from "./input/keyboard";
import { type Hit, Pointer } from "./input/pointer";
import { Notices } from "./notices";
import { type CameraMessage, type Scene, SceneView } from "./scene";
import { LOOK_INTS, Look } from "./scene/tables";
import { sizeHandle } from "./sizehandle";
import { currentTheme, watchTheme } from "./theme";
import type { UiState } from "./ui/lists";
import type { UiRenderer } from "./ui/renderer";
import { uiSurface } from "./ui/surface";
import { Watching } from "./watching";
import { Windowed, type WindowMode } from "./windowmode";

/** What the views of a widget share. */
export interface ViewHost {
  readonly model: Model;
  readonly scene: Scene;
  readonly ui: UiState;
  readonly panels: UiRenderer;
  readonly connection: Connection;
  /** Something changed that the kernel should know. */
  changed(): void;
}

// `ImGuiMouseCursor` of Dear ImGui 1.92, from None, -1.
const CURSORS = [
  "none",
  "default",
  "text",
  "move",
  "ns-resize",
  "ew-resize",
  "nesw-resize",
  "nwse-resize",
  "pointer",
  "wait",
  "progress",
  "not-allowed",
] as const;

// mjCAT_DYNAMIC of mjvisualize.h: a geom of a body that is not the world.
const CATEGORY_DYNAMIC = 2;

const STATS_MS = 500;

let views = 0;

export class View {
  /** Of all pages, only this view has it. */
  readonly id: string;
  readonly scene: SceneView;
  readonly #root = element("div", "snb-view");
  readonly #stage = element("div", "snb-stage");
  readonly #uiCanvas = element("canvas", "snb-ui");
  readonly #keys = element("textarea", "snb-keys");
  readonly #notices: Notices;
  readonly #watching: Watching;
  readonly #window: Windowed;
  readonly #keyboard: Keyboard;
  readonly #host: ViewHost;
  /** Whether the panels and the kernel's camera are this view's. */
  #controls = true;
  /** CSS pixels, perhaps fractions; times `#dpr` they are whole device pixels. */
  #width = 0;
  #height = 0;
  #onScreen: boolean | undefined;
  #dpr = devicePixelRatio;
  #cursor: "ui" | "scene" | "drag" = "scene";
  /** What the two canvases show: versions of what is drawn and of the size. */
  #panelsDrawn = "";
  #sceneDrawn = "";
  #pose: CameraMessage | undefined;
  #statsAt = 0;

  constructor(el: HTMLElement, host: ViewHost, signal: AbortSignal) {
    this.#host = host;
    this.id = `${host.connection.client}.${++views}`;
    const sceneCanvas = element("canvas", "snb-scene");
    this.#build(sceneCanvas);
    this.#watching = new Watching(this.#root, () => {
      this.#keys.focus({ preventScroll: true });
      host.connection.take(this.id);
    });
    this.#notices = new Notices(this.#root, (name) =>
      host.connection.post({ t: "command", name }),
    );
    sizeHandle(this.#root, host.model, signal);
    el.append(this.#root);
    const say = (text: string) => {
      this.#notices.say(text);
      this.update();
    };
    this.#window = new Windowed(this.#root, { changed: host.changed, say }, signal);
    this.scene = new SceneView(host.scene, sceneCanvas, host.ui);
    this.#observe(signal);
    this.#keyboard = this.#listen(signal);
    this.update();
    signal.addEventListener("abort", () => {
      this.scene.dispose();
      this.#root.remove();
    });
  }

  /** What the kernel is told of this view; undefined until it is known. */
  get state(): ViewState | undefined {
    if (this.#onScreen === undefined || this.#width === 0) return undefined;
    return {
      view: this.id,
      width: this.#width,
      height: this.#height,
      dpr: this.#dpr,
      theme: currentTheme(),
      visible: this.visible,
      mode: this.#window.mode,
    };
  }

  get visible(): boolean {
    return this.#onScreen === true && document.visibilityState === "visible";
  }

  get controls(): boolean {
    return this.#controls;
  }

  /** Gives or takes the panels, the input and the kernel's camera. */
  setControls(controls: boolean): void {
    if (controls === this.#controls) return;
    this.#controls = controls;
    this.#uiCanvas.hidden = !controls;
    this.#panelsDrawn = "";
    this.#setCursor("scene");
    if (controls) {
      this.scene.camera.attach();
      if (this.#focused) this.#host.connection.post({ t: "focus", d: 1 });
    } else if (this.scene.camera.generation >= 0) {
      // At once: what comes next may be the pose of the view that has control now.
      this.scene.camera.detach();
    }
    this.update();
  }

  setMode(mode: WindowMode): void {
    void this.#window.set(mode);
  }

  /** Shows the connection's life, status and progress. */
  update(): void {
    const { connection, ui } = this.#host;
    this.#root.classList.toggle("snb-dead", !connection.life.open);
    this.#root.dataset.life = connection.life.life;
    this.#watching.show(!this.#controls && connection.life.open);
    const panels = ui.order.length > 0;
    this.#root.classList.toggle("snb-panels", this.#controls && panels);
    this.#notices.show(connection, this.#controls && !panels);
  }

  /**
   * Takes the pose that a person gave the kernel's camera. A view that only watches
   * begins with it, and goes its own way.
   */
  follow(pose: CameraMessage | undefined): void {
    const { camera } = this.scene;
    if (camera.own || camera.generation < 0) return;
    if (pose) this.#adopt(pose);
    if (!this.#controls) camera.detach();
  }

  #adopt(pose: CameraMessage): void {
    const { camera } = this.scene;
    if (pose === this.#pose || camera.generation !== pose.generation) return;
    this.#pose = pose;
    camera.lookat = [...pose.lookat];
    camera.distance = pose.distance;
    camera.azimuth = pose.azimuth;
    camera.elevation = pose.elevation;
    camera.version++;
  }

  /** The pose that a person gave the camera in this view since the last call. */
  takePose(): CameraMessage | null {
    const pose = this.scene.camera.message();
    if (pose) this.#pose = pose;
    return pose;
  }

  /**
   * Brings both canvases up to date. Returns whether all that was applied is in the picture
   * now: a slow GPU is not given the next one before it is done.
   */
  draw(now: number): boolean {
    const { connection, panels, scene, ui } = this.#host;
    const applied = `${scene.modelVersion} ${scene.version}`;
    const size = `${this.#width} ${this.#height} ${this.#dpr}`;
    const shown = `${ui.version} ${size} ${uiSurface().generation}`;
    // The panels first: they are quick, and the scene's picture would hold them up.
    if (this.#controls && this.#panelsDrawn !== shown) {
      this.#panelsDrawn = shown;
      panels.draw(this.#uiCanvas, this.#width, this.#height, this.#dpr);
      this.#keyboard.update();
      this.#setCursor(this.#cursor);
    }
    if (this.scene.render(now)) this.#sceneDrawn = applied;
    if (this.#controls && now - this.#statsAt >= STATS_MS) {
      this.#statsAt = now;
      connection.postStats({ ...this.scene.stats });
    }
    return this.#sceneDrawn === applied;
  }

  /** Puts text on the clipboard, from where the person copied it. */
  async copy(text: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Outside of a secure context, or without the permission: the way of old. The
      // keyboard keeps the browser's own copying off, so the text is handed over here.
      const give = (event: ClipboardEvent) => {
        event.clipboardData?.setData("text/plain", text);
        event.preventDefault();
      };
      document.addEventListener("copy", give, { capture: true });
      this.#keys.value = text;
      this.#keys.select();
      document.execCommand("copy");
      this.#keys.value = "";
      document.removeEventListener("copy", give, { capture: true });
    }
  }

  #build(sceneCanvas: HTMLCanvasElement): void {
    // JupyterLab's shortcuts look for this attribute between the target and the body.
    this.#root.dataset.lmSuppressShortcuts = "true";
    this.#keys.setAttribute(
      "aria-label",
      "MuJoCo view. Drag to orbit, Escape leaves the view.",
    );
    for (const name of ["autocomplete", "autocapitalize", "autocorrect"]) {
      this.#keys.setAttribute(name, "off");
    }
    this.#keys.spellcheck = false;
    sceneCanvas.setAttribute("aria-hidden", "true");
    this.#uiCanvas.setAttribute("aria-hidden", "true");
    this.#stage.append(sceneCanvas, this.#uiCanvas, this.#keys);
    this.#root.append(this.#stage);
  }

  #observe(signal: AbortSignal): void {
    const { changed } = this.#host;
    const resized = new ResizeObserver(([entry]) => {
      if (entry) this.#resize(...devicePixels(entry));
    });
    const scrolled = new IntersectionObserver((entries) => {
      this.#onScreen = entries.at(-1)?.isIntersecting ?? false;
      this.#window.check();
      changed();
    });
    observeDevicePixels(resized, this.#stage);
    scrolled.observe(this.#stage);
    signal.addEventListener("abort", () => {
      resized.disconnect();
      scrolled.disconnect();
    });
    document.addEventListener("visibilitychange", changed, { signal });
    watchTheme(changed, signal);
    this.#watchDpr(signal);
  }

  /** The query is about one ratio, so each change needs another. */
  #watchDpr(signal: AbortSignal): void {
    matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener(
      "change",
      () => {
        this.#resize(this.#width * this.#dpr, this.#height * this.#dpr);
        if (!signal.aborted) this.#watchDpr(signal);
      },
      { once: true, signal },
    );
  }

  /**
   * Takes the size in device pixels. A view that is taken out of the page has none; it
   * keeps the one it had.
   */
  #resize(width: number, height: number): void {
    if (width < 1 || height < 1) return;
    this.#dpr = devicePixelRatio;
    this.#width = Math.round(width) / this.#dpr;
    this.#height = Math.round(height) / this.#dpr;
    this.scene.resize(this.#width, this.#height, this.#dpr);
    this.#host.changed();
  }

  #listen(signal: AbortSignal): Keyboard {
    const { connection, scene, ui } = this.#host;
    const post = (event: InputEvent) => {
      if (this.#controls) connection.post(event);
    };
    new Pointer(
      this.#stage,
      {
        camera: this.scene.camera,
        covers: (x, y) => this.#controls && ui.covers(x, y),
        uiActive: () => this.#controls && (ui.wantsMouse || ui.wantsKeyboard),
        takesWheel: () => this.#controls && ui.takesWheel,
        pick: (x, y) => this.scene.pick(x, y),
        movable: ({ geom }: Hit) =>
          this.#controls &&
          scene.geoms.look[geom * LOOK_INTS + Look.CATEGORY] === CATEGORY_DYNAMIC,
        selectedBody: () => (this.#controls ? scene.selectedBody : 0),
        use: () => this.#keys.focus({ preventScroll: true }),
        focused: () => this.#focused,
        post,
        setCursor: (over) => this.#setCursor(over),
      },
      signal,
    );
    const release = () => {
      if (this.#window.mode !== "cell") {
        this.setMode("cell");
        return;
      }
      this.#keys.blur();
      this.#root.parentElement?.closest<HTMLElement>("[tabindex]")?.focus();
    };
    const wantsText = () => this.#controls && ui.wantsText;
    const popupOpen = () => this.#controls && ui.popupOpen;
    const toggleWindow = () => void this.#window.toggle();
    const takes = (chord: string) => {
      const chords: unknown = this.#host.model.get("_chords");
      return this.#controls && Array.isArray(chords) && chords.includes(chord);
    };
    const host = { wantsText, popupOpen, post, release, toggleWindow, takes };
    return new Keyboard(this.#keys, host, signal);
  }

  get #focused(): boolean {
    return this.#keys === document.activeElement;
  }

  #setCursor(over: "ui" | "scene" | "drag"): void {
    this.#cursor = over;
    const named = over === "drag" ? "grabbing" : "default";
    const cursor = over === "ui" ? (CURSORS[this.#host.ui.cursor + 1] ?? named) : named;
    if (this.#stage.style.cursor !== cursor) this.#stage.style.cursor = cursor;
  }
}

function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className: string,
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  made.className = className;
  return made;
}
