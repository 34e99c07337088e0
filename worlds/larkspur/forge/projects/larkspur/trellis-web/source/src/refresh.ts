import { readPlan, type Step } from "./plan.js";

/** How long to wait before asking again: five minutes, longer after failures, never more than half an hour. */
export function pause(failures: number): number {
  return Math.min(5 * 2 ** failures, 30) * 60_000;
}

/** Asks for the plan; keeps showing the last good one when there is no answer. */
export class Refresher {
  private last: Step[] = [];
  private failures = 0;

  constructor(private readonly ask: () => Promise<string>) {}

  async next(): Promise<{ plan: readonly Step[]; stale: boolean; wait: number }> {
    try {
      this.last = readPlan(await this.ask());
      this.failures = 0;
    } catch {
      this.failures += 1;
    }
    return { plan: this.last, stale: this.failures > 0, wait: pause(this.failures) };
  }
}
