/** Lists failed calls of many sessions, newest first, within a budget. */
import { given } from "../given.ts";
import { redactJson } from "../redact/redact-json.ts";
import { findSessions } from "../sessions/find-sessions.ts";
import { isReadFault } from "../sessions/reasons.ts";
import { argumentOf, type SessionRef } from "../sessions/session-ref.ts";
import { argumentsKey, cursorAfter, inOrder, isAfter, placeOf } from "./page-of.ts";
import { failureText } from "../texts/failure-text.ts";
import { PLAIN } from "../texts/text-style.ts";
import { execution } from "./execution.ts";
import { sharedRedactor } from "../redact/redactor.ts";
import { DATA_NOTICE, READ_ON, archivedNote, sessionAsked } from "./session-heading.ts";
import type { Between } from "../queries/figures.ts";
import { betweenOf } from "./arguments.ts";
import { countTokens, cut, TokenBudget } from "./tokens.ts";
import type { ToolAnswer, ToolArguments, ToolContext } from "./tool.ts";
import { type CallRow, type ErrorQuery, type ErrorRow, errorsIn } from "../queries/session-errors.ts";
import { DEFAULT_ERRORS_TOKENS, LIST_ERRORS } from "./tool-definitions.ts";

const DEFAULT_LIMIT = 20;
/** Tokens reserved for the lines around the errors. */
const FRAME_TOKENS = 200;
const SHARE = 0.4;

export const execute = execution(LIST_ERRORS, async (args, context) => {
  const between = betweenOf(args, context.now());
  const refs = await sessionsOf(args, between, context);
  return answerOf(await list(refs, args, between, context), args);
});

type Arguments = ToolArguments<(typeof LIST_ERRORS)["args"]>;

interface Shown {
  ref: SessionRef;
  row: ErrorRow;
}

interface Listing {
  shown: Shown[];
  next: string | null;
  sessions: number;
  unreadable: number;
}

async function sessionsOf(
  { session, project }: Arguments,
  { since }: Between,
  context: ToolContext,
): Promise<SessionRef[]> {
  if (session !== undefined) return [await sessionAsked(session, context)];
  const found = await findSessions(context.where, {
    all: true,
    byEntryTime: true,
    archived: true,
    ...given({ since, project }),
  });
  return found.sessions;
}

async function list(
  refs: readonly SessionRef[],
  args: Arguments,
  between: Between,
  { signal, showsData }: ToolContext,
): Promise<Listing> {
  const { tool, fixes = false, limit = DEFAULT_LIMIT, max_tokens: maxTokens = DEFAULT_ERRORS_TOKENS } = args;
  const filters = argumentsKey([args.session, args.since, args.until, args.project, tool, fixes]);
  // In the session where a page ended, errors are counted from its start, since newer ones come after them.
  const after = placeOf(args.cursor, filters);
  const listing: Listing = { shown: [], next: null, sessions: 0, unreadable: 0 };
  const budget = new TokenBudget(maxTokens - FRAME_TOKENS, showsData);
  for (const { ref, id, timeMs } of inOrder(refs)) {
    const isAnchor = after !== undefined && id === after.id;
    if (after !== undefined && !isAnchor && !isAfter({ timeMs, id }, after)) continue;
    listing.sessions += 1;
    const rows = await readable(ref, { fixes, tool, signal, subagents: true }, listing);
    const wanted = rows.slice(0, isAnchor ? after.left : undefined).filter((row) => isBetween(row, between));
    for (const row of wanted.toReversed()) {
      const short = shortened(await redacted(row), Math.floor((maxTokens - FRAME_TOKENS) * SHARE));
      const isNewSession = listing.shown.at(-1)?.ref !== ref;
      const heading = isNewSession ? countTokens(headingOf(short.session_id, short)) + 2 : 0;
      if (listing.shown.length >= limit || !budget.take(countTokens(errorText(short)) + heading + 2, short)) {
        const left = rows.indexOf(row) + 1;
        listing.next = cursorAfter(filters, { id, timeMs: isAnchor ? after.timeMs : timeMs }, left);
        return listing;
      }
      listing.shown.push({ ref, row: short });
    }
  }
  return listing;
}

/** Returns the errors of a session; none if it cannot be read or is gone, which is counted. */
async function readable(ref: SessionRef, query: ErrorQuery, listing: Listing): Promise<ErrorRow[]> {
  try {
    return (await errorsIn(ref, query)).rows;
  } catch (error) {
    if (!isReadFault(error)) throw error;
    listing.unreadable += 1;
    return [];
  }
}

function isBetween({ timestamp }: ErrorRow, { since, until }: Between): boolean {
  const isSince = since === undefined || (timestamp !== null && new Date(timestamp) >= since);
  return isSince && (until === undefined || (timestamp !== null && new Date(timestamp) < until));
}

async function redacted(row: ErrorRow): Promise<ErrorRow> {
  const { error, diff, words, fix, attempts } = row;
  const [result] = await redactJson(sharedRedactor(), [{ error, diff, words, fix, attempts }]);
  return Object.assign({ ...row }, result?.value);
}

function headingOf(id: string, { path, host }: ErrorRow): string {
  const place = host === undefined ? (path === null ? "" : `  ${path}`) : `  on ${host}`;
  return `Session ${id}${place}`;
}

function answerOf({ shown, next, sessions, unreadable }: Listing, args: Arguments): ToolAnswer {
  const lines: string[] = [];
  for (const [at, { ref, row }] of shown.entries()) {
    if (shown[at - 1]?.ref !== ref) {
      lines.push(`\n${headingOf(argumentOf(ref), row)}`);
      if (ref.archived !== null) lines.push(archivedNote(ref.archived));
    }
    lines.push(errorText(row));
  }
  const notRead = unreadable === 0 ? "" : `, ${unreadable} could not be read`;
  const scope = `${shown.length} failed calls, newest first; looked at ${sessions} sessions${notRead}.`;
  const none = args.cursor === undefined ? "No failed call matches." : "No more failed calls.";
  const more = next === null ? [] : [`More: list_errors with the same arguments and cursor ${JSON.stringify(next)}`];
  return {
    text: (shown.length === 0 ? [none, scope] : [scope, `${DATA_NOTICE} ${READ_ON}`, ...lines, ...more]).join("\n"),
    data: {
      errors: shown.map(({ row }) => row),
      has_more: next !== null,
      next_cursor: next,
      sessions_searched: sessions,
      unreadable_sessions: unreadable,
    },
  };
}

/**
 * Returns the row with its texts cut: message and difference to at most a third of the tokens each, the assistant's
 * words to a sixth.
 */
function shortened(row: ErrorRow, maxTokens: number): ErrorRow {
  const third = Math.floor(maxTokens / 3);
  const { words, attempts, fix, diff } = row;
  return {
    ...row,
    error: cut(row.error, third),
    ...(diff === undefined ? {} : { diff: cut(diff, third) }),
    ...(words === undefined ? {} : { words: words.slice(-2).map((text) => cut(text, Math.floor(third / 4))) }),
    // The difference shows the inputs; in full they may be whole files.
    ...(attempts === undefined ? {} : { attempts: attempts.slice(-5).map(withoutInput) }),
    ...(fix === undefined || fix === null ? {} : { fix: { ...withoutInput(fix), input: cutInput(fix.input, third) } }),
  };
}

function withoutInput(call: CallRow): CallRow {
  return { ...call, input: undefined };
}

/** Converts an input that does not fit to text and cuts it. */
function cutInput(input: unknown, maxTokens: number): unknown {
  const text = JSON.stringify(input) ?? "";
  return countTokens(text) <= maxTokens ? input : cut(text, maxTokens);
}

/** The session is in the heading above it. */
function errorText(row: ErrorRow): string {
  const { timestamp } = row;
  return failureText(row, timestamp === null ? [] : [timestamp.slice(0, 19).replace("T", " ")], PLAIN);
}
