import { describe, expect, it } from "vitest";
import { FIRST_RUNG, Governor, RUNGS } from "../../src/scene/governor";

/** Draws for `ms` at what each rung costs; the times of the frames follow from it. */
function run(
  governor: Governor,
  costs: readonly number[],
  ms: number,
  from = 0,
): number {
  let now = from;
  while (now < from + ms) {
    const cost = costs[governor.rung] as number;
    now += Math.max(cost, 16.7);
    governor.frame(now, cost);
  }
  return now;
}

const last = RUNGS.length - 1;

describe("Governor", () => {
  it("stays where frames are fast enough but leave no room", () => {
    const governor = new Governor(3);
    run(governor, Array(8).fill(25), 60_000);
    expect(governor.rung).toBe(3);
  });

  it("goes down while frames are slow, and within a second when they are very slow", () => {
    const governor = new Governor(FIRST_RUNG.cpu);
    run(governor, [900, 500, 400, 100, 80, 60, 40, 20], 1000);
    expect(governor.rung).toBe(last);
  });

  it("does not mind single slow frames", () => {
    const governor = new Governor(2);
    for (let i = 0; i < 300; i++) governor.frame(i * 20, i % 4 === 0 ? 90 : 20);
    expect(governor.rung).toBe(2);
  });

  it("does not count the first frame of a rung, which compiles programs", () => {
    const governor = new Governor(1);
    for (const cost of [5000, 40, 40]) governor.frame(0, cost);
    expect(governor.rung).toBe(1);
    governor.frame(0, 40);
    expect(governor.rung).toBe(2);
  });

  it("goes up to the best when frames are cheap", () => {
    const governor = new Governor(last);
    run(governor, Array(8).fill(4), 30_000);
    expect(governor.rung).toBe(0);
  });

  it("tries a rung that is too slow less and less often", () => {
    const governor = new Governor(4);
    const costs = [90, 90, 90, 60, 15, 10, 8, 5];
    let now = 0;
    let tries = 0;
    const counted: number[] = [];
    for (let minute = 0; minute < 4; minute++) {
      tries = 0;
      const end = now + 60_000;
      let rung = governor.rung;
      while (now < end) {
        now = run(governor, costs, 1, now);
        if (governor.rung < rung) tries++;
        rung = governor.rung;
      }
      counted.push(tries);
    }
    expect(counted[0]).toBeGreaterThan(1);
    expect(counted[3]).toBeLessThanOrEqual(1);
    expect(governor.rung).toBeGreaterThanOrEqual(3);
  });

  it("makes still pictures cheaper where the best one takes too long", () => {
    const governor = new Governor(4);
    expect(governor.stillRung).toBe(0);
    governor.still(450);
    governor.still(150);
    expect(governor.stillRung).toBe(1);
  });

  it("never draws a still picture worse than a moving one", () => {
    const governor = new Governor(1);
    for (let i = 0; i < 5; i++) governor.still(900);
    expect(governor.stillRung).toBe(1);
  });

  it("knows rungs of which none is better than the one before", () => {
    for (let i = 1; i < RUNGS.length; i++) {
      const [a, b] = [RUNGS[i - 1], RUNGS[i]] as [(typeof RUNGS)[0], (typeof RUNGS)[0]];
      expect(b.scale).toBeLessThanOrEqual(a.scale);
      expect(b.samples).toBeLessThanOrEqual(a.samples);
      expect(b.shadow).toBeLessThanOrEqual(a.shadow);
    }
  });
});
