// One view of a widget: its elements, what it observes of the page, its picture. The widget
// makes one for each place where the notebook shows it, and draws it from the animation
// frame. Everything that a view listens to ends with its signal.

import type { Connection, ViewState } from "./connection";
import type { Model } from "./host";
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

/** What the views of a widget share. */
export interface ViewHost {
  readonly model: Model;
  readonly scene: Scene;
  readonly ui: UiState;
  readonly panels: UiRenderer;
  readonly connection: Connection;
  /** Something changed that the kernel should know. */
  changed(): void;
  /** A person works in this view now. */
  use(view: View): void;
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

export class View {
  readonly scene: SceneView;
  readonly #root = element("div", "snb-view");
  readonly #stage = element("div", "snb-stage");
  readonly #uiCanvas = element("canvas", "snb-ui");
  readonly #keys = element("textarea", "snb-keys");
  readonly #notices: Notices;
  readonly #keyboard: Keyboard;
  readonly #host: ViewHost;
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
    const sceneCanvas = element("canvas", "snb-scene");
    this.#build(sceneCanvas);
    this.#notices = new Notices(this.#root, (name) =>
      host.connection.post({ t: "command", name }),
    );
    sizeHandle(this.#root, host.model, signal);
    el.append(this.#root);
    this.scene = new SceneView(host.scene, sceneCanvas);
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
      width: this.#width,
      height: this.#height,
      dpr: this.#dpr,
      theme: currentTheme(),
      visible: this.visible,
    };
  }

  get visible(): boolean {
    return this.#onScreen === true && document.visibilityState === "visible";
  }

  /** Shows the connection's life, status and progress. */
  update(): void {
    const { connection, ui } = this.#host;
    this.#root.classList.toggle("snb-dead", !connection.life.open);
    this.#notices.show(connection, ui.order.length > 0);
  }

  /** Shows the pose that a person gave the camera in another view of the widget. */
  follow(pose: CameraMessage): void {
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
    if (this.#panelsDrawn !== shown) {
      this.#panelsDrawn = shown;
      panels.draw(this.#uiCanvas, this.#width, this.#height, this.#dpr);
      this.#keyboard.update();
      this.#setCursor(this.#cursor);
    }
    if (this.scene.render(now)) this.#sceneDrawn = applied;
    if (now - this.#statsAt >= STATS_MS) {
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
      // Outside of a secure context, or without the permission: the way of old.
      this.#keys.value = text;
      this.#keys.select();
      document.execCommand("copy");
      this.#keys.value = "";
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
      if (entry) this.#resize(entry.contentRect.width, entry.contentRect.height);
    });
    const scrolled = new IntersectionObserver((entries) => {
      this.#onScreen = entries.at(-1)?.isIntersecting ?? false;
      changed();
    });
    resized.observe(this.#stage);
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
        this.#dpr = devicePixelRatio;
        this.#resize(this.#width, this.#height);
        if (!signal.aborted) this.#watchDpr(signal);
      },
      { once: true, signal },
    );
  }

  /** A view that is taken out of the page has no size; it keeps the one it had. */
  #resize(width: number, height: number): void {
    if (width < 1 || height < 1) return;
    this.#width = Math.round(width);
    this.#height = Math.round(height);
    this.scene.resize(this.#width, this.#height, this.#dpr);
    this.#host.changed();
  }

  #listen(signal: AbortSignal): Keyboard {
    const { connection, scene, ui } = this.#host;
    const post = connection.post.bind(connection);
    new Pointer(
      this.#stage,
      {
        camera: this.scene.camera,
        covers: (x, y) => ui.covers(x, y),
        uiActive: () => ui.wantsMouse || ui.wantsKeyboard,
        pick: (x, y) => this.scene.pick(x, y),
        movable: ({ geom }: Hit) =>
          scene.geoms.look[geom * LOOK_INTS + Look.CATEGORY] === CATEGORY_DYNAMIC,
        selectedBody: () => scene.selectedBody,
        use: () => {
          this.#keys.focus({ preventScroll: true });
          this.#host.use(this);
        },
        focused: () => this.#keys === document.activeElement,
        post,
        setCursor: (over) => this.#setCursor(over),
      },
      signal,
    );
    const release = () => {
      this.#keys.blur();
      this.#root.parentElement?.closest<HTMLElement>("[tabindex]")?.focus();
    };
    const wantsText = () => ui.wantsText;
    return new Keyboard(this.#keys, { wantsText, post, release }, signal);
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
