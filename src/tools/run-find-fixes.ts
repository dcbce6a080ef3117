/** Says whether an error came up before and what fixed it. */
import { pastFixes } from "../queries/past-fixes.ts";
import { pastErrorText } from "../render/text/failure-text.ts";
import { PLAIN } from "../render/text/text-style.ts";
import { answerText } from "./answer-text.ts";
import { execution } from "./execution.ts";
import { DATA_NOTICE, READ_ON } from "./session-heading.ts";
import { FIND_FIXES } from "./tool-definitions.ts";
import { answerOfStore } from "./store-answers.ts";

const DEFAULT_LIMIT = 5;

export const execute = execution(FIND_FIXES, async (args, context) => {
  const { where, signal } = context;
  const { error, project, limit = DEFAULT_LIMIT, offset = 0 } = args;
  const { answer: found, notes } = await answerOfStore(context, {}, (index) =>
    pastFixes(index, where, { error, project, signal }),
  );
  const head = (shown: number): string[] => {
    if (shown === 0) return [offset === 0 ? "No such error came up before." : "No more such errors.", ...notes];
    const which = `Such errors ${offset + 1} to ${offset + shown} of ${found.length}, this project's first.`;
    return [which, `${DATA_NOTICE} ${READ_ON}`, ...notes];
  };
  const items = found.slice(offset, offset + limit).map((each) => `\n${pastErrorText(each, PLAIN)}`);
  const hasMore = found.length > offset + limit;
  return { text: answerText({ head, items, offset, hasMore, maxChars: args.max_chars }) };
});
