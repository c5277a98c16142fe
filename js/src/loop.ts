// One animation frame loop for the page, whatever the number of widgets. It runs only while
// somebody ticks, and one who fails does not stop the others.

export interface Ticking {
  tick(now: number): void;
}

const ticking = new Set<Ticking>();
let scheduled = false;

/** Calls `who.tick` at every animation frame until `stop`. */
export function start(who: Ticking): void {
  ticking.add(who);
  schedule();
}

export function stop(who: Ticking): void {
  ticking.delete(who);
}

function schedule(): void {
  if (scheduled || ticking.size === 0) return;
  scheduled = true;
  requestAnimationFrame((now) => {
    scheduled = false;
    // Scheduled first, so that an error below does not end the loop.
    schedule();
    for (const who of [...ticking]) {
      try {
        who.tick(now);
      } catch (error) {
        reportError(error);
      }
    }
  });
}
