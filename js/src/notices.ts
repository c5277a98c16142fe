// What a view says in HTML over its picture: one line for the most important thing, the
// progress of the assets, and plain buttons where the kernel can't lay out panels. The view
// owns one and has it show the connection's state.

import type { Connection } from "./connection";

export type Command = "run" | "pause" | "step" | "reset";

export class Notices {
  readonly #line = document.createElement("div");
  readonly #bar = document.createElement("progress");
  readonly #buttons = document.createElement("div");
  /** What the person has read and clicked away. */
  #read = "";
  /** What the view itself has to say. */
  #own = "";

  /** Adds its elements to `root`; `command` runs what a button says. */
  constructor(root: HTMLElement, command: (name: Command) => void) {
    this.#line.className = "snb-line";
    this.#line.setAttribute("role", "status");
    this.#line.addEventListener("click", () => {
      this.#read = this.#line.textContent ?? "";
      this.#line.hidden = true;
    });
    this.#bar.className = "snb-progress";
    this.#bar.setAttribute("aria-label", "Loading the model");
    this.#buttons.className = "snb-buttons";
    for (const [name, label] of [
      ["run", "Run"],
      ["pause", "Pause"],
      ["step", "Step"],
      ["reset", "Reset"],
    ] as const) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = label;
      button.addEventListener("click", () => command(name));
      this.#buttons.append(button);
    }
    root.append(this.#bar, this.#line, this.#buttons);
  }

  /** Has the next `show` show a line of the view's own; empty: no more. */
  say(text: string): void {
    this.#own = text;
    this.#read = "";
  }

  /**
   * @param plain Whether the view is in control, and without panels.
   */
  show(connection: Connection, plain: boolean): void {
    const { life, status, progress } = connection;
    const loading = progress.received < progress.total;
    const [level, text] = life.text
      ? [life.open ? "warning" : "error", life.text]
      : this.#own
        ? ["info", this.#own]
        : [status.level, status.text];
    // What ended the view stays: without it a dead view would look alive.
    const dismissible = life.text === "";
    this.#line.hidden = text === "" || (dismissible && text === this.#read);
    this.#line.classList.toggle("snb-dismissible", dismissible);
    if (this.#line.textContent !== text) this.#line.textContent = text;
    this.#line.dataset.level = level;
    this.#bar.hidden = !loading;
    this.#bar.max = progress.total;
    this.#bar.value = progress.received;
    this.#buttons.hidden = !plain || !connection.whole || !life.open;
  }
}
