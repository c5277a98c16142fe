// Whether the kernel still answers: pings while a view is visible and nothing else comes,
// and the words for each way of being dead. The connection owns one and feeds it.

export type Life = "waiting" | "live" | "busy" | "silent" | "gone" | "closed";

// A paused, untouched session sends nothing by itself, so this is also how often it is
// bothered. Two pings fit into the silence that is called dead.
export const PING_MS = 2500;
export const SILENCE_MS = 5000;
// What a person does is answered within a frame or two, if only by a changed panel. Where
// nothing came for the first of these the kernel is asked; after the second it is busy.
export const NUDGE_MS = 300;
export const BUSY_MS = 1000;

const TEXT: Record<"waiting" | "busy" | "silent", string> = {
  waiting:
    "Waiting for the kernel, which is busy or gone: the view starts when it answers.",
  busy: "The kernel is busy: what you do here takes effect when it answers.",
  silent:
    "The kernel does not answer: it is busy, or gone. The view goes on when it answers.",
};

export class Liveness {
  life: Life = "waiting";
  /** One line for the view; empty while all is well. */
  text = "";
  #visible = false;
  #lastHeard = Number.NEGATIVE_INFINITY;
  #lastPing = Number.NEGATIVE_INFINITY;
  /** When the oldest question without an answer was asked. */
  #asked: number | undefined;
  /** Since when what a person did is without any answer. */
  #used: number | undefined;

  /**
   * @param ping Asks the kernel for a sign of life.
   * @param changed Is called when `life` or `text` is another.
   */
  constructor(
    private readonly ping: () => void,
    private readonly changed: () => void,
  ) {}

  /** Whether there is still somebody to talk to. */
  get open(): boolean {
    return this.life !== "gone" && this.life !== "closed";
  }

  /** A message came. One that was still under way when the kernel ended changes nothing. */
  heard(now: number): void {
    this.#lastHeard = now;
    this.#asked = undefined;
    this.#used = undefined;
    if (this.open) this.#become("live", "");
  }

  /** A message that wants an answer went out. */
  asked(now: number): void {
    this.#asked ??= now;
  }

  /** What a person did went out. */
  used(now: number): void {
    this.#used ??= now;
  }

  setVisible(visible: boolean): void {
    // While nobody looked nothing was asked, so what is open is no sign of anything.
    if (visible && !this.#visible) this.#asked = this.#used = undefined;
    this.#visible = visible;
  }

  /** The kernel ended: `text` says what to do. The first word on it is the most exact. */
  gone(text: string): void {
    if (this.open) this.#become("gone", text);
  }

  /** The session ended, by its own word. */
  closed(text: string): void {
    this.#become("closed", text);
  }

  /** To be called a few times a second. */
  tick(now: number): void {
    if (!this.#visible || !this.open) return;
    const waited = this.#used === undefined ? 0 : now - this.#used;
    const quiet = now - Math.max(this.#lastHeard, this.#lastPing);
    const unasked = this.#asked === undefined && waited >= NUDGE_MS;
    if (quiet >= PING_MS || unasked) {
      this.#lastPing = now;
      this.asked(now);
      this.ping();
    }
    if (this.#asked !== undefined && now - this.#asked >= SILENCE_MS) {
      if (this.life === "waiting") this.#become("waiting", TEXT.waiting);
      else this.#become("silent", TEXT.silent);
    } else if (this.life === "live" && waited >= BUSY_MS) {
      this.#become("busy", TEXT.busy);
    }
  }

  #become(life: Life, text: string): void {
    if (this.life === life && this.text === text) return;
    this.life = life;
    this.text = text;
    this.changed();
  }
}
