/** Prints, as JSON, the expressions that `src/redact` makes with `new RegExp` when it is loaded. */
import { readdirSync } from "node:fs";

const made: { pattern: string; flags: string }[] = [];
globalThis.RegExp = new Proxy(RegExp, {
  construct(target, args) {
    const expression: RegExp = Reflect.construct(target, args);
    made.push({ pattern: expression.source, flags: expression.flags });
    return expression;
  },
});
const folder = new URL("../../src/redact/", import.meta.url);
for (const file of readdirSync(folder)) await import(new URL(file, folder).href);
console.log(JSON.stringify(made));
