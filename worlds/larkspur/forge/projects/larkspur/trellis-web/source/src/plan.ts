/** The plan of a day, as `trellis --json` writes it; checked, because it comes over the network. */
export interface Step {
  readonly who: string | null;
  readonly name: string;
  readonly start: number;
  readonly minutes: number;
  readonly due: number;
}

export class BadPlan extends Error {}

function isStep(value: unknown): value is Step {
  if (typeof value !== "object" || value === null) return false;
  const step = value as Record<string, unknown>;
  return (
    (step.who === null || typeof step.who === "string") &&
    typeof step.name === "string" &&
    [step.start, step.minutes, step.due].every((number) => Number.isInteger(number))
  );
}

export function readPlan(text: string): Step[] {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    throw new BadPlan("the plan is not JSON");
  }
  if (!Array.isArray(found)) throw new BadPlan("the plan is not a list");
  const bad = found.findIndex((one) => !isStep(one));
  if (bad >= 0) throw new BadPlan(`step ${bad + 1} of the plan is incomplete`);
  return found as Step[];
}

/** Everybody's steps, in the order of the plan; those of nobody in particular under "". */
export function lists(plan: readonly Step[]): Map<string, Step[]> {
  const found = new Map<string, Step[]>();
  for (const step of plan) {
    const mine = found.get(step.who ?? "") ?? [];
    mine.push(step);
    found.set(step.who ?? "", mine);
  }
  return found;
}
