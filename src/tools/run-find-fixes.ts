/** Says whether an error came up before and what fixed it, within a budget. */
import { pastFixes, requireIndex, type PastError } from "../queries/past-fixes.ts";
import { pastErrorText } from "../texts/failure-text.ts";
import { PLAIN } from "../texts/text-style.ts";
import { execution } from "./execution.ts";
import { updatedIndex } from "./updated-index.ts";
import { DATA_NOTICE, READ_ON } from "./session-heading.ts";
import { countTokens, cut, fittingCount, TokenBudget } from "./tokens.ts";
import { DEFAULT_FIXES_TOKENS, FIND_FIXES } from "./tool-definitions.ts";

const DEFAULT_LIMIT = 5;
/** Tokens reserved for the lines around the errors. */
const FRAME_TOKENS = 200;
const MAX_FIXES = 3;

export const execute = execution(FIND_FIXES, async (given, context) => {
  const { where, signal, showsData } = context;
  const { error, project, limit = DEFAULT_LIMIT, max_tokens: maxTokens = DEFAULT_FIXES_TOKENS } = given;
  requireIndex(where);
  const { store, changed, left } = await updatedIndex(context);
  requireIndex(where, left);
  const found = await pastFixes(store, where, { error, project, signal });
  const tokens = maxTokens - FRAME_TOKENS;
  const cutRows = found
    .slice(0, limit)
    .map((each) => cutError(each, Math.floor(tokens / Math.min(found.length, limit))));
  const budget = new TokenBudget(tokens, showsData);
  const shown = cutRows.slice(
    0,
    fittingCount(cutRows, budget, (row) => countTokens(pastErrorText(row, PLAIN)) + 2),
  );
  return {
    text: [...headLines(found, shown, changed.length), ...shown.map((row) => `\n${pastErrorText(row, PLAIN)}`)].join(
      "\n",
    ),
    data: { errors: shown, found: found.length, sessions_not_indexed: changed.length },
  };
});

function headLines(found: readonly PastError[], shown: readonly PastError[], missing: number): string[] {
  const without = missing === 0 ? "" : ` ${missing} sessions have no content in the index yet.`;
  if (found.length === 0) return [`No such error came up before.${without}`];
  const more = shown.length < found.length ? `, the first ${shown.length} shown` : "";
  return [`${found.length} such errors, this project's first${more}.${without}`, `${DATA_NOTICE} ${READ_ON}`];
}

/** Returns the error with its texts cut, so that it takes about `maxTokens`. */
function cutError(error: PastError, maxTokens: number): PastError {
  const part = Math.floor(maxTokens / 4);
  const fixes = error.fixes.slice(0, MAX_FIXES);
  const ofFix = Math.floor((3 * part) / Math.max(fixes.length, 1) / 3);
  return {
    ...error,
    error: cut(error.error, part),
    fixes: fixes.map((fix) => ({
      ...fix,
      diff: cut(fix.diff, ofFix),
      words: fix.words.map((text) => cut(text, Math.floor(ofFix / 2))),
      // The difference shows the inputs; in full they may be whole files.
      input: cut(JSON.stringify(fix.input) ?? "", ofFix),
      steps: fix.steps.map((step) => ({
        ...step,
        input: cut(JSON.stringify(step.input) ?? "", Math.floor(ofFix / 3)),
      })),
    })),
  };
}
