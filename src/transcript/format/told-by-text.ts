/** Texts of session events that have all of their data, so that the comment need not repeat it. */
import { count } from "../../quantities.ts";
import type { TokenCounts } from "./entry-types.ts";

/** Data of a `usage` event. */
export interface Usage {
  model?: string;
  tokens?: TokenCounts;
  /** In US dollars. */
  cost?: number;
  reason?: string;
}

const COUNTS: readonly (readonly [field: keyof TokenCounts, label: string])[] = [
  ["input", "in"],
  ["output", "out"],
  ["reasoning", "reasoning"],
  ["cacheRead", "from cache"],
  ["cacheWrite", "to cache"],
];
const SEPARATOR = " · ";

/** Returns `provider/model · 1,234 in · 56 out · 8,200 from cache · $0.00123 · stop`, as far as known. */
export function usageText({ model, tokens, cost, reason }: Usage): string {
  const counts = COUNTS.flatMap(([field, label]) => {
    const value = tokens?.[field];
    const isShown = value !== undefined && (value > 0 || field === "input" || field === "output");
    return isShown ? [`${count(value)} ${label}`] : [];
  });
  const parts = [model, ...counts, cost === undefined ? undefined : `$${cost}`, reason];
  return parts.filter((part) => part !== undefined).join(SEPARATOR);
}

/** Returns the data of a line made by `usageText`; undefined for any other text. */
function usageIn(text: string): Usage | undefined {
  const usage: Usage = {};
  const tokens: Partial<TokenCounts> = {};
  for (const part of text.split(SEPARATOR)) {
    const [, number = "", label = ""] = /^([\d,]+) ([a-z ]+)$/.exec(part) ?? [];
    const [field] = COUNTS.find(([, each]) => each === label) ?? [];
    if (field !== undefined) tokens[field] = Number(number.replaceAll(",", ""));
    else if (/^\$[\d.e+-]+$/.test(part)) usage.cost = Number(part.slice(1));
    else if (part.includes("/")) usage.model = part;
    else usage.reason = part;
  }
  const { input, output } = tokens;
  if (input !== undefined && output !== undefined) {
    usage.tokens = { reasoning: 0, cacheRead: 0, cacheWrite: 0, ...tokens, input, output };
  }
  return usageText(usage) === text ? usage : undefined;
}

/** Returns the text of a `patch` event: how many files changed, and a list of them. */
export function patchText(files: readonly string[]): string {
  const counted = `${files.length} ${files.length === 1 ? "file" : "files"} changed:`;
  return [counted, ...files.map((file) => `- \`${file}\``)].join("\n");
}

function patchIn(text: string): { files: string[] } | undefined {
  const files = text
    .split("\n")
    .slice(1)
    .flatMap((line) => /^- `(.*)`$/.exec(line)?.[1] ?? []);
  return patchText(files) === text ? { files } : undefined;
}

/** Returns the data that the text of an event expresses; undefined if it expresses none, or not all of it. */
export function dataIn(name: string, text: string): unknown {
  if (name === "usage") return usageIn(text);
  return name === "patch" ? patchIn(text) : undefined;
}
