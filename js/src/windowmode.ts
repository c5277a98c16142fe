// Whether a view is in its cell, fills the browser's window, or the screen. It stays where
// it is in the document, with canvas, focus and camera: the top layer shows it over all
// else, whatever transforms and clips the notebook has around it. The view owns one.

const MODES = ["cell", "window", "screen"] as const;

export type WindowMode = (typeof MODES)[number];

export function isMode(value: unknown): value is WindowMode {
  return MODES.includes(value as WindowMode);
}

export interface WindowHost {
  /** The mode is another. */
  changed(): void;
  /** Tells the person a line; empty: no more. */
  say(text: string): void;
}

const REFUSED =
  "The browser allows fullscreen only right after a click or a key: " +
  "the view fills the window instead. Escape leaves it.";

export class Windowed {
  #mode: WindowMode = "cell";
  /** Holds the view's place in the notebook, which would jump without it. */
  readonly #place = document.createElement("div");

  constructor(
    private readonly root: HTMLElement,
    private readonly host: WindowHost,
    signal: AbortSignal,
  ) {
    root.dataset.mode = this.#mode;
    root.addEventListener(
      "fullscreenchange",
      () => {
        if (this.#mode === "screen" && document.fullscreenElement !== root) {
          this.#become("cell");
        }
      },
      { signal },
    );
    // A view over all else must let itself be left, wherever the focus went.
    document.addEventListener(
      "keydown",
      (event) => {
        const inside = event.target instanceof Node && root.contains(event.target);
        if (this.#mode === "cell" || inside || event.key !== "Escape") return;
        event.preventDefault();
        event.stopPropagation();
        void this.set("cell");
      },
      { signal, capture: true },
    );
    signal.addEventListener("abort", () => this.#place.remove());
  }

  get mode(): WindowMode {
    return this.#mode;
  }

  /** Fills the window, or goes back into the cell. */
  toggle(): Promise<void> {
    return this.set(this.#mode === "cell" ? "window" : "cell");
  }

  async set(mode: WindowMode): Promise<void> {
    if (mode === this.#mode) return;
    this.host.say("");
    const focused = this.#focused();
    // An element that is a popover can't be fullscreen too.
    this.#closePopover();
    if (this.#mode === "screen") {
      this.#mode = "cell";
      if (document.fullscreenElement) await document.exitFullscreen();
    }
    if (mode === "screen" && !(await this.#fillScreen())) {
      this.host.say(REFUSED);
      this.#become("window");
    } else {
      this.#become(mode);
    }
    focused?.focus({ preventScroll: true });
  }

  /** Goes back into the cell if the view was taken out of the page meanwhile. */
  check(): void {
    if (this.#mode === "window" && !this.#isOpen) this.#become("cell");
  }

  get #isOpen(): boolean {
    return (
      this.root.isConnected &&
      (!this.root.showPopover || this.root.matches(":popover-open"))
    );
  }

  #focused(): HTMLElement | undefined {
    const { activeElement } = document;
    const inside = this.root.contains(activeElement);
    return inside && activeElement instanceof HTMLElement ? activeElement : undefined;
  }

  async #fillScreen(): Promise<boolean> {
    try {
      await this.root.requestFullscreen();
      return true;
    } catch {
      return false;
    }
  }

  #become(mode: WindowMode): void {
    this.#mode = mode;
    if (mode === "cell") {
      this.#closePopover();
      this.#place.remove();
    } else if (!this.#place.isConnected) {
      this.#place.style.height = `${this.root.dataset.height}px`;
      this.root.before(this.#place);
    }
    this.root.dataset.mode = mode;
    if (mode === "window") {
      this.root.popover = "manual";
      // Without the API the view lies over what the notebook's own layers allow.
      this.root.showPopover?.();
    }
    this.host.changed();
  }

  #closePopover(): void {
    if (this.root.popover === null) return;
    if (this.#isOpen) this.root.hidePopover?.();
    this.root.popover = null;
  }
}
