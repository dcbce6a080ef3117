/** Script of the demo's model, and the small project that it works on. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { call, reasoning, text, usage, type ModelAction, type ModelScript } from "../test/support/host/model-script.ts";

export const TITLE = "Repair the price of a basket";
export const PROMPT = "The price test fails. Please repair it.";

const PRICE = `/** The price of a basket in cents. */
export function price(items) {
  return items.reduce((sum, item) => sum + item.cents, 0);
}
`;

const TEST = `import assert from "node:assert/strict";
import { price } from "./price.mjs";

assert.equal(price([{ cents: 250, count: 2 }, { cents: 100, count: 1 }]), 600);
console.log("the price is right");
`;

/** Prints more than a transcript contains inline. */
const LONG_OUTPUT = `node -e "for (let n = 1; n <= 400; n++) console.log('line', n, 'of a long output')"`;

/** Usage of a model call. */
function spent(prompt: number, completion: number): ModelAction {
  return usage({ prompt, completion, cached: prompt - 900, reasoning: 0 });
}

export async function writeProject(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "price.mjs"), PRICE);
  await writeFile(join(folder, "price.test.mjs"), TEST);
}

/** By the name that a prompt gives, as in `scenario:review`; `default` answers all others. */
export const SCRIPTS: Record<string, ModelScript> = {
  default: [
    [
      spent(9_100, 140),
      reasoning("First the test, then the code."),
      text("I run the test and look at the code."),
      call("bash", { command: "node price.test.mjs", description: "Runs the test" }),
      call("read", { filePath: "price.mjs" }),
      call("read", { filePath: "prices.mjs" }),
    ],
    [
      spent(9_600, 95),
      text("The count of each item is left out. I put it in and run the test again."),
      call("edit", {
        filePath: "price.mjs",
        oldString: "sum + item.cents",
        newString: "sum + item.cents * item.count",
      }),
    ],
    [
      spent(9_800, 70),
      call("bash", { command: "node price.test.mjs", description: "Runs the test again" }),
      call("bash", { command: LONG_OUTPUT, description: "Prints much, to show what becomes of it" }),
    ],
    [
      spent(12_400, 60),
      text("A second pair of eyes:"),
      call("task", {
        description: "Review the repair",
        prompt: "Review price.mjs. (scenario:review)",
        subagent_type: "general",
      }),
    ],
    [
      spent(12_700, 45),
      text("I save the session."),
      call("save_conversation", { note: "The count of each item was left out of the sum." }),
    ],
    [spent(12_900, 40), text("The test passes: the price now counts each item as often as it is in the basket.")],
  ],
  review: [
    [spent(4_100, 30), text("I read it."), call("read", { filePath: "price.mjs" })],
    [
      spent(4_300, 35),
      text("The repair is right. Baskets without a count would give NaN; nothing here makes such baskets."),
    ],
  ],
};
