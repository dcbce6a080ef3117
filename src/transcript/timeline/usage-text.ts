import type { TokenCounts } from "../../format/entries.ts";

/** The usage of a model call in one line, for the person who reads. */
export function usageText(
  model: string | undefined,
  tokens: TokenCounts | undefined,
  cost: number | undefined,
): string {
  const parts = [
    model,
    tokens && `${tokens.input.toLocaleString("en-US")} in`,
    tokens && `${tokens.output.toLocaleString("en-US")} out`,
    cost === undefined ? undefined : `$${cost.toFixed(4)}`,
  ];
  return parts.filter((part) => part !== undefined).join(" · ");
}
