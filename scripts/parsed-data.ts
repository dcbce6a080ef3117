/** A plugin for the bundler: large tables of data as text that is parsed as JSON. */
import { isDeepStrictEqual } from "node:util";
import { runInThisContext } from "node:vm";
import type { RolldownPlugin } from "rolldown";

/** Smaller literals load in no time. */
const MIN_CHARS = 50_000;

/**
 * Writes a large array of plain data at the top of a module (`const prices = [{…}, …]`) as `JSON.parse("…")`, which a
 * program loads several times as quickly. What is more than plain data stays as it is.
 */
export function parsedData(): RolldownPlugin {
  return {
    name: "parsed-data",
    transform: {
      filter: { id: /\.m?js$/ },
      handler(code) {
        if (code.length < MIN_CHARS) return undefined;
        const arrays = this.parse(code)
          .body.flatMap((node) => (node.type === "VariableDeclaration" ? node.declarations : []))
          .flatMap(({ init }) => (init?.type === "ArrayExpression" ? [init] : []))
          .filter(({ start, end }) => end - start >= MIN_CHARS);
        // From the last one, so that the places of those before it stay true.
        const text = arrays.toReversed().reduce((before, { start, end }) => {
          return before.slice(0, start) + asJson(before.slice(start, end)) + before.slice(end);
        }, code);
        return text === code ? undefined : { code: text, map: null };
      },
    },
  };
}

/** The literal as a call that makes the same value, or as it is if there is none. */
function asJson(literal: string): string {
  try {
    const value: unknown = runInThisContext(`(${literal})`);
    const json = JSON.stringify(value);
    return isDeepStrictEqual(JSON.parse(json), value) ? `JSON.parse(${JSON.stringify(json)})` : literal;
  } catch {
    // It uses what the module declares elsewhere.
    return literal;
  }
}
