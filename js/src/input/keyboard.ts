// What is typed in a view: keys, text with input methods, the clipboard. A textarea that
// nobody sees holds the focus, because only an editable element gets composed text and the
// paste event. While it has the focus nothing of it reaches the notebook around.

import { type InputEvent, modifiers } from "./events";

export interface KeyboardHost {
  /** Whether ImGui edits text. */
  wantsText(): boolean;
  /** Whether a popup is open, which Escape closes. */
  popupOpen(): boolean;
  post(event: InputEvent): void;
  /** Escape gives the focus back to the page. */
  release(): void;
  /** F11 has the view fill the window, or not. */
  toggleWindow(): void;
  /** Whether a plugin wants this chord, "Ctrl+R", though it is the browser's. */
  takes(chord: string): boolean;
}

// What people expect of the browser, wherever the focus is. F6 and Ctrl+L are not among
// them: MuJoCo's viewers show frames and load the model again by them.
const BROWSER_KEYS: ReadonlySet<string> = new Set(["F5", "F12"]);
const BROWSER_COMBOS: ReadonlySet<string> = new Set([
  "r",
  "t",
  "w",
  "n",
  "q",
  "+",
  "-",
  "0",
]);
// Their default is what brings the copy and paste events.
const CLIPBOARD_COMBOS: ReadonlySet<string> = new Set(["c", "x", "v"]);

/** Listens on `textarea` until `signal`. */
export class Keyboard {
  #composing = false;
  /** Keys that ImGui believes to be down, to let go of when the focus leaves. */
  #down = new Map<string, string>();

  constructor(
    private readonly textarea: HTMLTextAreaElement,
    private readonly host: KeyboardHost,
    signal: AbortSignal,
  ) {
    const on = <K extends keyof HTMLElementEventMap>(
      name: K,
      handler: (event: HTMLElementEventMap[K]) => void,
    ) =>
      textarea.addEventListener(
        name,
        (event) => {
          event.stopPropagation();
          handler(event);
        },
        { signal, capture: true },
      );
    on("keydown", (event) => this.#key(event, 1));
    on("keyup", (event) => this.#key(event, 0));
    on("keypress", () => undefined);
    on("compositionstart", () => {
      this.#composing = true;
    });
    on("compositionend", (event) => {
      this.#composing = false;
      this.#text(event.data);
    });
    on("input", (event) => {
      const { data, inputType } = event as InputEvent_;
      if (!this.#composing && inputType === "insertText" && data) this.#text(data);
    });
    on("paste", (event) => this.#paste(event));
    on("copy", (event) => event.preventDefault());
    on("cut", (event) => event.preventDefault());
    // Focus changes do not bubble: the page keeps track of them by focusin and focusout.
    textarea.addEventListener("focus", () => this.#focus(1), { signal });
    textarea.addEventListener("blur", () => this.#focus(0), { signal });
  }

  /** Shows a screen keyboard only where there is text to type. */
  update(): void {
    const mode = this.host.wantsText() ? "text" : "none";
    if (this.textarea.inputMode !== mode) this.textarea.inputMode = mode;
  }

  #key(event: KeyboardEvent, d: 0 | 1): void {
    if (event.isComposing || this.#composing) return;
    const { code, key, repeat } = event;
    if (d === 1 && key === "F11") {
      event.preventDefault();
      if (!repeat) this.host.toggleWindow();
      return;
    }
    const combo = event.ctrlKey || event.metaKey;
    const letter = key.toLowerCase();
    const taken = this.host.takes(chord(event));
    const browsers = BROWSER_KEYS.has(key) || (combo && BROWSER_COMBOS.has(letter));
    if (browsers && !taken) return;
    // The paste event follows with the text, and stands for the key.
    if (combo && letter === "v" && d === 1 && !taken) return;
    const typed = !combo && key.length === 1;
    const copies = combo && CLIPBOARD_COMBOS.has(letter);
    if (taken || (!typed && !copies)) event.preventDefault();
    // A key that went down elsewhere, the Enter that ran the cell say, is none of ours.
    if (d === 0 && !this.#down.has(code)) return;
    if (d === 1) this.#down.set(code, key);
    else this.#down.delete(code);
    this.host.post({ t: "key", code, key, d, m: modifiers(event), repeat });
    const leaves = d === 1 && !repeat && key === "Escape";
    if (leaves && !this.#escapeCloses) this.host.release();
  }

  /** Whether Escape ends something in the panels, and the focus stays there. */
  get #escapeCloses(): boolean {
    return this.host.wantsText() || this.host.popupOpen();
  }

  #text(s: string): void {
    this.textarea.value = "";
    if (s && this.host.wantsText()) this.host.post({ t: "text", s });
  }

  #paste(event: ClipboardEvent): void {
    event.preventDefault();
    const s = event.clipboardData?.getData("text/plain");
    if (s) this.host.post({ t: "paste", s });
  }

  #focus(d: 0 | 1): void {
    if (d === 0) {
      for (const [code, key] of this.#down) {
        this.host.post({ t: "key", code, key, d: 0, m: 0, repeat: false });
      }
      this.#down.clear();
    }
    this.host.post({ t: "focus", d });
  }
}

/** The DOM's InputEvent, whose name the wire's events have here. */
type InputEvent_ = globalThis.InputEvent;

/** Names a chord as the kernel does: modifiers in this order, then the key. */
function chord(event: KeyboardEvent): string {
  const { key, ctrlKey, shiftKey, altKey, metaKey } = event;
  const parts: [boolean, string][] = [
    [ctrlKey, "Ctrl"],
    [shiftKey, "Shift"],
    [altKey, "Alt"],
    [metaKey, "Cmd"],
    [true, key.length === 1 ? key.toUpperCase() : key],
  ];
  return parts
    .filter(([held]) => held)
    .map(([, name]) => name)
    .join("+");
}
