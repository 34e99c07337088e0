import assert from "node:assert/strict";
import { test } from "node:test";
import { days, monday, rows } from "../src/week.js";

test("a week begins on Monday", () => {
  assert.deepEqual(["2026-03-09", "2026-03-15", "2026-03-16"].map(monday), ["2026-03-09", "2026-03-09", "2026-03-16"]);
  assert.equal(days("2026-03-11").at(-1)?.date, "2026-03-15");
});

test("everybody has a row with seven cells", () => {
  const found = rows(
    [
      { who: "Wout", day: "2026-03-10", from: "22:00", to: "06:00" },
      { who: "Elke", day: "2026-03-09", from: "08:00", to: "12:00" },
      { who: "Elke", day: "2026-03-09", from: "13:00", to: "17:00" },
    ],
    "2026-03-12",
  );
  assert.deepEqual(found.map((row) => row.who), ["Elke", "Wout"]);
  assert.equal(found[0]?.cells[0], "08:00–12:00, 13:00–17:00");
  assert.equal(found[1]?.cells.length, 7);
});
