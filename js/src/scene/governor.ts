// Decides how well a view is drawn, so that it stays fluid where WebGL runs on the CPU.
// It knows rungs, from the best picture (0) down to the cheapest, and what frames cost; it
// steps down while they are slow, and up again with hysteresis. Pure: `view.ts` feeds it
// times and obeys its `rung`.

/** One way of drawing. */
export interface Quality {
  /** Samples a pixel. */
  samples: number;
  /** Device pixels drawn, as a factor of the view's, along each side. */
  scale: number;
  /** Blend between the mip levels of textures. */
  trilinear: boolean;
  /** Cap on the shadow map's side in texels; 0: no shadows. */
  shadow: number;
  mirror: boolean;
  /** Light each pixel, or each vertex and interpolate. */
  perPixel: boolean;
  /** Cut round shapes as finely as the model asks, or coarsely. */
  fine: boolean;
}

const FULL = { trilinear: true, mirror: true, perPixel: true, fine: true };
const LEAN = { trilinear: false, mirror: false, perPixel: false, fine: false };

/** The rungs, in the order that costs the eye least; still pictures begin with the first. */
export const RUNGS: readonly Quality[] = [
  { samples: 4, scale: 1, shadow: 4096, ...FULL },
  { samples: 0, scale: 1, shadow: 2048, ...FULL },
  { samples: 0, scale: 1, shadow: 1024, ...FULL, mirror: false, trilinear: false },
  { samples: 0, scale: 1, shadow: 1024, ...LEAN },
  { samples: 0, scale: 0.8, shadow: 1024, ...LEAN },
  { samples: 0, scale: 0.66, shadow: 512, ...LEAN },
  { samples: 0, scale: 0.66, shadow: 0, ...LEAN },
  { samples: 0, scale: 0.5, shadow: 0, ...LEAN },
];
/** Where to begin on a GPU, and on a CPU that plays one: corrected within a few frames. */
export const FIRST_RUNG = { gpu: 1, cpu: 4 } as const;

/** 30 frames a second, less what the page needs for itself. */
const BUDGET_MS = 30;
/** A frame this cheap leaves room for the next better rung, which costs up to half more. */
const ROOM_MS = 18;
/** One slow frame is an accident (a collection, another cell); this many are a load. */
const SLOW_FRAMES = 3;
const CLIMB_AFTER_MS = 1500;
/** Each climb that had to be taken back makes the next try come later, up to this. */
const MAX_CLIMB_AFTER_MS = 60_000;
/** A climb that held for this long was right: its rung may be tried early again. */
const PROVEN_MS = 5000;
/** After this long without a change the picture is drawn once at its best. */
export const STILL_MS = 250;
/** A still picture that takes longer blocks the hand that moves on: the next is cheaper. */
const STILL_BUDGET_MS = 200;
/** Weight of the newest frame in the running mean. */
const NEWEST = 0.3;

export class Governor {
  rung: number;
  /** The rung of still pictures. */
  stillRung = 0;
  #fresh = true;
  #mean = 0;
  #slow = 0;
  #easySince = Number.POSITIVE_INFINITY;
  /** When a climb began that has not held for long yet. */
  #trialSince: number | null = null;
  #climbAfter = CLIMB_AFTER_MS;
  readonly #last: number;

  /** Starts at `first`: a guess that is corrected within a few frames. */
  constructor(first: number = FIRST_RUNG.gpu, rungs = RUNGS.length) {
    this.#last = rungs - 1;
    this.rung = Math.min(first, this.#last);
  }

  /** A frame at the current rung was finished at `now` and took `cost` milliseconds. */
  frame(now: number, cost: number): void {
    if (this.#fresh) {
      // The first frame of a rung may compile programs: it says nothing of the next ones.
      this.#fresh = false;
      return;
    }
    this.#mean = this.#mean === 0 ? cost : this.#mean + NEWEST * (cost - this.#mean);
    if (cost > BUDGET_MS) {
      this.#easySince = Number.POSITIVE_INFINITY;
      if (++this.#slow >= SLOW_FRAMES) this.#descend(cost);
      return;
    }
    this.#slow = 0;
    if (this.#trialSince !== null && now - this.#trialSince > PROVEN_MS) {
      this.#trialSince = null;
      this.#climbAfter = CLIMB_AFTER_MS;
    }
    if (this.#mean > ROOM_MS) {
      this.#easySince = Number.POSITIVE_INFINITY;
      return;
    }
    if (this.#easySince === Number.POSITIVE_INFINITY) this.#easySince = now;
    if (this.rung > 0 && now - this.#easySince >= this.#climbAfter) this.#climb(now);
  }

  /** A still picture took `cost` milliseconds. */
  still(cost: number): void {
    if (cost > STILL_BUDGET_MS && this.stillRung < this.rung) this.stillRung++;
  }

  #descend(cost: number): void {
    if (this.#trialSince !== null) {
      this.#trialSince = null;
      this.#climbAfter = Math.min(2 * this.#climbAfter, MAX_CLIMB_AFTER_MS);
    }
    const steps = cost > 2 * BUDGET_MS ? 2 : 1;
    this.rung = Math.min(this.rung + steps, this.#last);
    this.#restart();
  }

  #climb(now: number): void {
    this.rung--;
    this.#trialSince = now;
    this.#restart();
  }

  #restart(): void {
    this.#fresh = true;
    this.stillRung = Math.min(this.stillRung, this.rung);
    this.#mean = 0;
    this.#slow = 0;
    this.#easySince = Number.POSITIVE_INFINITY;
  }
}
