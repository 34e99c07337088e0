import { Html, html } from "./html.js";
import { lists, type Step } from "./plan.js";
import { clock, length } from "./time.js";

/** The dashboard at reception: a column a person, what is late in red. */
export function board(plan: readonly Step[], minute: number): Html {
  const columns = [...lists(plan)].map(
    ([name, steps]) => html`<section><h2>${name || "Anybody"}</h2><ol>${steps.map((step) => row(step, minute))}</ol></section>`,
  );
  return html`<main>${columns}</main>`;
}

function row(step: Step, minute: number): Html {
  const state = step.start + step.minutes <= minute ? "over" : step.start <= minute ? "running" : "later";
  return html`<li class="${state}"><time>${clock(step.start)}</time> ${step.name} <small>${length(step.minutes)}</small></li>`;
}
