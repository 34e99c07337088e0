import assert from "node:assert/strict";
import { test } from "node:test";
import { html } from "../src/html.js";

test("what people typed is escaped", () => {
  assert.equal(html`<b>${"<script> & 'co'"}</b>`.text, "<b>&lt;script&gt; &amp; &#39;co&#39;</b>");
});

test("HTML inside HTML stays", () => {
  const items = ["a", "b"].map((name) => html`<li>${name}</li>`);
  assert.equal(html`<ul>${items}</ul>${html`<hr>`}${3}`.text, "<ul><li>a</li><li>b</li></ul><hr>3");
});
