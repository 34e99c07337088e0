import assert from "node:assert/strict";
import { test } from "node:test";
import { BadPlan, lists, readPlan } from "../src/plan.js";
import { clock, length } from "../src/time.js";

const PLAN = JSON.stringify([
  { who: "Elke", name: "deliver", start: 0, minutes: 60, due: 10 },
  { who: null, name: "sweep", start: 0, minutes: 30, due: 24 },
  { who: "Elke", name: "rake", start: 60, minutes: 20, due: 24 },
]);

test("everybody has a list", () => {
  const found = lists(readPlan(PLAN));
  assert.deepEqual([...found.keys()], ["Elke", ""]);
  assert.deepEqual(found.get("Elke")?.map((step) => step.name), ["deliver", "rake"]);
});

test("what is not a plan is refused with a sentence", () => {
  for (const [text, said] of [
    ["08:00 sweep", "the plan is not JSON"],
    ["{}", "the plan is not a list"],
    ['[{"name": "sweep"}]', "step 1 of the plan is incomplete"],
  ] as const) {
    assert.throws(() => readPlan(text), (error) => error instanceof BadPlan && error.message === said);
  }
});

test("the day begins at eight", () => {
  assert.deepEqual([clock(0), clock(95)], ["08:00", "09:35"]);
  assert.deepEqual([length(95), length(60), length(0)], ["1 h 35 min", "1 h", "0 min"]);
});
