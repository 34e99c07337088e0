import assert from "node:assert/strict";
import { test } from "node:test";
import { board } from "../src/board.js";

const plan = [
  { who: "Elke", name: "deliver", start: 0, minutes: 60, due: 10 },
  { who: "Elke", name: "prune <roses>", start: 60, minutes: 30, due: 24 },
];

test("what runs is told from what is over", () => {
  const page = board(plan, 70).text;
  assert.match(page, /<li class="over"><time>08:00<\/time> deliver <small>1 h<\/small>/);
  assert.match(page, /<li class="running"><time>09:00<\/time> prune &lt;roses&gt;/);
});

test("jobs of nobody in particular are for anybody", () => {
  assert.match(board([{ ...plan[0]!, who: null }], 0).text, /<h2>Anybody<\/h2>/);
});
