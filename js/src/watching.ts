// What a view that only watches says at its bottom edge: that it does, and how to change
// it. The view owns one.

export class Watching {
  readonly #bar = document.createElement("div");

  /** Adds its elements to `root`, unseen; `take` asks for control. */
  constructor(root: HTMLElement, take: () => void) {
    this.#bar.className = "snb-watching";
    this.#bar.hidden = true;
    const word = document.createElement("span");
    word.textContent = "Watching";
    word.title =
      "Another view of this simulation has the panels. This one has its own camera.";
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Take control";
    button.addEventListener("click", take);
    this.#bar.append(word, button);
    root.append(this.#bar);
  }

  show(watches: boolean): void {
    this.#bar.hidden = !watches;
  }
}
