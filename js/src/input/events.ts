// The events of the /input stream and the queue in which they wait for the next animation
// frame. Pointer and keyboard push, the connection takes. Types mirror docs/wire.md.

/** ImGui's order: left, right, middle. */
export type ButtonIndex = 0 | 1 | 2;

/** Which of mjMOUSE_ROTATE_V, _ROTATE_H, _MOVE_V and _MOVE_H a drag does to a body. */
export type PerturbMode = "rotate_v" | "rotate_h" | "translate_v" | "translate_h";

export type InputEvent =
  | { t: "move"; x: number; y: number }
  | { t: "leave" }
  | { t: "down" | "up"; b: ButtonIndex; x: number; y: number; m: number }
  | { t: "wheel"; dx: number; dy: number; x: number; y: number }
  | { t: "key"; code: string; key: string; d: 0 | 1; m: number; repeat: boolean }
  | { t: "text" | "paste"; s: string }
  | { t: "focus"; d: 0 | 1 }
  | {
      t: "pick";
      objtype: number;
      objid: number;
      geom: number;
      point: number[];
      x: number;
      y: number;
      m: number;
      b: ButtonIndex;
      n: number;
    }
  | { t: "perturb"; a: "start"; mode: PerturbMode }
  | { t: "perturb"; a: "move"; dx: number; dy: number }
  | { t: "perturb"; a: "end" }
  | { t: "command"; name: "run" | "pause" | "step" | "reset" };

/** What of a pointer or keyboard event tells the modifiers. */
export interface Modified {
  ctrlKey: boolean;
  shiftKey: boolean;
  altKey: boolean;
  metaKey: boolean;
}

/** The wire's modifier bits: 1 ctrl, 2 shift, 4 alt, 8 meta. */
export function modifiers(event: Modified): number {
  return (
    (event.ctrlKey ? 1 : 0) |
    (event.shiftKey ? 2 : 0) |
    (event.altKey ? 4 : 0) |
    (event.metaKey ? 8 : 0)
  );
}

/** Events in order. Those that only refine the last one are merged into it. */
export class EventQueue {
  #events: InputEvent[] = [];

  get length(): number {
    return this.#events.length;
  }

  push(event: InputEvent): void {
    const last = this.#events.at(-1);
    const merged = last && merge(last, event);
    if (merged) this.#events[this.#events.length - 1] = merged;
    else this.#events.push(event);
  }

  take(): InputEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }
}

function merge(last: InputEvent, event: InputEvent): InputEvent | undefined {
  if (last.t === "move" && event.t === "move") return event;
  if (last.t === "leave" && event.t === "leave") return event;
  if (last.t === "wheel" && event.t === "wheel") {
    return { ...event, dx: last.dx + event.dx, dy: last.dy + event.dy };
  }
  if (
    last.t === "perturb" &&
    event.t === "perturb" &&
    last.a === "move" &&
    event.a === "move"
  ) {
    return { ...event, dx: last.dx + event.dx, dy: last.dy + event.dy };
  }
  return undefined;
}
