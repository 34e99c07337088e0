import assert from "node:assert/strict";
import { test } from "node:test";
import { Refresher, pause } from "../src/refresh.js";

test("without an answer the last plan stays, and we ask less often", async () => {
  const answers = ['[{"who":null,"name":"sweep","start":0,"minutes":30,"due":24}]', "", "no", "[]"];
  const refresher = new Refresher(async () => {
    const answer = answers.shift();
    if (!answer) throw new Error("no network");
    return answer;
  });
  assert.deepEqual([(await refresher.next()).wait, (await refresher.next()).wait], [300_000, 600_000]);
  const third = await refresher.next();
  assert.deepEqual([third.plan.length, third.stale, third.wait], [1, true, 1_200_000]);
  assert.deepEqual(await refresher.next(), { plan: [], stale: false, wait: 300_000 });
});

test("the pause has an end", () => {
  assert.equal(pause(9), 30 * 60_000);
});
