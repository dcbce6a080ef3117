/** Lists failed calls of many sessions, newest first. */
import { given } from "../given.ts";
import { dayAndTime } from "../quantities.ts";
import { failedSessions, failuresNeeds } from "../queries/listed-sessions.ts";
import { errorsOver } from "../queries/newest-errors.ts";
import type { ErrorRow } from "../queries/session-errors.ts";
import { redactJson } from "../redact/redact-json.ts";
import { createRedactor } from "../redact/redactor.ts";
import { argumentOf, type SessionRef } from "../places/session-ref.ts";
import { failureText } from "../render/text/failure-text.ts";
import { scopeText } from "../render/text/session-text.ts";
import { PLAIN } from "../render/text/text-style.ts";
import { answerText } from "./answer-text.ts";
import { readBetween } from "../queries/figures.ts";
import { execution } from "./execution.ts";
import { archivedNote, DATA_NOTICE, READ_ON, sessionAsked } from "./session-heading.ts";
import { LIST_ERRORS } from "./tool-definitions.ts";
import { answerOfStore } from "./store-answers.ts";

const DEFAULT_LIMIT = 20;

export const execute = execution(LIST_ERRORS, async (args, context) => {
  const { tool, fixes = false, limit = DEFAULT_LIMIT, offset = 0 } = args;
  const between = readBetween(args, context.now());
  const query = { fixes, tool, between, signal: context.signal };
  const found: { ref: SessionRef; row: ErrorRow }[] = [];
  let [searched, unreadable, damage] = [0, 0, 0];
  const lookInto = async (refs: Iterable<SessionRef> | AsyncIterable<SessionRef>): Promise<void> => {
    for await (const { ref, rows, damaged, fault } of errorsOver(refs, query)) {
      searched += 1;
      if (fault !== null && args.session !== undefined) throw fault;
      if (fault !== null) unreadable += 1;
      damage += damaged;
      found.push(...rows.toReversed().map((row) => ({ ref, row })));
      // One more shows whether there are more.
      if (found.length > offset + limit) break;
    }
  };
  const notes: string[] = [];
  if (args.session !== undefined) await lookInto([await sessionAsked(args.session, context)]);
  else {
    const asked = { ...between, ...given({ project: args.project }) };
    const needs = failuresNeeds(context.where, asked, offset + limit + 1);
    const answer = await answerOfStore(context, needs, (index) =>
      lookInto(failedSessions(index, context.where, asked)),
    );
    notes.push(...answer.notes);
  }
  const shown = found.slice(offset, offset + limit);
  const items: string[] = [];
  for (const [at, { ref, row }] of shown.entries()) {
    const heading = shown[at - 1]?.ref === ref ? "" : `\n${headingOf(ref, row)}\n`;
    const [redacted] = await redactJson(createRedactor(), [row]);
    items.push(heading + failureText(Object.assign({ ...row }, redacted?.value), [dayAndTime(row.timestamp)], PLAIN));
  }
  const scope = `${scopeText({ searched, damaged: damage, unread: unreadable })}.`;
  const head = (count: number): string[] =>
    count === 0
      ? [offset === 0 ? "No failed call matches." : "No more failed calls.", scope, ...notes]
      : [
          `Failed calls ${offset + 1} to ${offset + count}, newest first; ${scope}`,
          `${DATA_NOTICE} ${READ_ON}`,
          ...notes,
        ];
  const hasMore = found.length > offset + limit;
  return { text: answerText({ head, items, offset, hasMore, maxChars: args.max_chars }) };
});

function headingOf(ref: SessionRef, { path, host }: ErrorRow): string {
  const place = host === undefined ? (path === null ? "" : `  ${path}`) : `  on ${host}`;
  const archived = ref.archived === null ? "" : `\n${archivedNote(ref.archived)}`;
  return `Session ${argumentOf(ref)}${place}${archived}`;
}
