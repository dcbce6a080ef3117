/**
 * Lets node run `.tsx` files from source, which it does not by itself: `node --import ./scripts/jsx.ts …`. Only for tests,
 * benchmarks and scripts; what is published is built. Bun needs nothing.
 */
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { transformSync } from "rolldown/utils";

registerHooks({
  load(url, context, next) {
    if (!url.endsWith(".tsx")) return next(url, context);
    const path = fileURLToPath(url);
    const { code, errors } = transformSync(path, readFileSync(path, "utf8"), {
      jsx: { runtime: "automatic", importSource: "preact" },
    });
    if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join("\n"));
    return { format: "module", source: code, shortCircuit: true };
  },
});
