/** Failed calls of many sessions, newest first, within a budget. */
import { createRedactor, type Redactor } from "../../redact/redactor.ts";
import { redactJson } from "../../redact/redact-json.ts";
import { findSessions } from "../../sessions/find-sessions.ts";
import { isReadFault } from "../../sessions/read-fault.ts";
import type { SessionRef } from "../../sessions/session-ref.ts";
import { shortHash } from "../conversation/entries.ts";
import { execution } from "../execution.ts";
import { inOrder, isAfter, saidMs, type Place } from "../page-of.ts";
import { sessionAsked } from "../session-asked.ts";
import { argumentOf, DATA_NOTICE } from "../session-heading.ts";
import { betweenOf, type Between } from "../since.ts";
import { countTokens } from "../tokens.ts";
import { ToolError } from "../tool-error.ts";
import { TOOL_DATA_VERSION, type ToolAnswer, type ToolArguments, type ToolContext } from "../tool.ts";
import { errorText, shortened } from "./error-text.ts";
import { errorsIn, type ErrorRow } from "./session-errors.ts";
import { DEFAULT_ERRORS_TOKENS, LIST_ERRORS } from "./tool.ts";

const DEFAULT_LIMIT = 20;
/** What the lines around the errors take. */
const FRAME_TOKENS = 200;
/** An error alone may take so much of the budget. */
const SHARE = 0.4;

export const execute = execution(LIST_ERRORS, listErrors);

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

async function listErrors(given: Arguments, context: ToolContext): Promise<ToolAnswer> {
  const between = betweenOf(given, context.now());
  const refs = await sessionsOf(given, between, context);
  const listing = await list(refs, given, between, context);
  return answerOf(listing, given);
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
    ...(since === undefined ? {} : { since }),
    ...(project === undefined ? {} : { project }),
  });
  return found.sessions;
}

async function list(
  refs: readonly SessionRef[],
  given: Arguments,
  between: Between,
  { signal, showsData = false }: ToolContext,
): Promise<Listing> {
  const { tool, fixes = false, limit = DEFAULT_LIMIT, max_tokens: maxTokens = DEFAULT_ERRORS_TOKENS } = given;
  const items = inOrder(refs.map((ref) => ({ id: `${ref.id} ${ref.path ?? ""}`, timeMs: saidMs(ref), ref })));
  const filters = shortHash(JSON.stringify([given.session, given.since, given.until, given.project, tool, fixes]), 6);
  const after = given.cursor === undefined ? undefined : readPlace(given.cursor, filters);
  const listing: Listing = { shown: [], next: null, sessions: 0, unreadable: 0 };
  const room = new Room(maxTokens - FRAME_TOKENS, showsData);
  const redactor = createRedactor();
  for (const { ref, id, timeMs } of items) {
    const isAnchor = after !== undefined && shortHash(id, 8) === after.id;
    if (after !== undefined && !isAnchor && !isAfter({ timeMs, id }, after)) continue;
    listing.sessions += 1;
    const rows = await readable(() => errorsIn(ref, { fixes, tool, signal }), listing);
    const wanted = rows.slice(0, isAnchor ? after.left : undefined).filter((row) => isBetween(row, between));
    for (let left = wanted.length; left > 0; left -= 1) {
      const [row] = await redacted(wanted.slice(left - 1, left), redactor);
      const short = row && shortened(row, Math.floor((maxTokens - FRAME_TOKENS) * SHARE));
      if (!short) continue;
      if (listing.shown.length >= limit || !room.take(short, listing.shown.at(-1)?.ref !== ref)) {
        listing.next = `${filters}~${isAnchor ? after.timeMs : timeMs}~${shortHash(id, 8)}~${rows.indexOf(wanted[left - 1] ?? short) + 1}`;
        return listing;
      }
      listing.shown.push({ ref, row: short });
    }
  }
  return listing;
}

/** What is left of the budget, in each of the two forms. */
class Room {
  #text: number;
  #json: number;
  readonly #countsData: boolean;
  #isEmpty = true;

  constructor(tokens: number, countsData: boolean) {
    this.#countsData = countsData;
    this.#text = tokens;
    this.#json = tokens;
  }

  take(row: ErrorRow, isNewSession: boolean): boolean {
    const heading = isNewSession ? countTokens(headingOf(row.session_id, row.path)) + 2 : 0;
    const text = countTokens(errorText(row)) + heading + 2;
    const json = this.#countsData ? countTokens(JSON.stringify(row)) + 1 : 0;
    if ((text > this.#text || json > this.#json) && !this.#isEmpty) return false;
    this.#isEmpty = false;
    this.#text -= text;
    this.#json -= json;
    return true;
  }
}

/** A session that cannot be read, or is gone by now, costs itself. */
async function readable(read: () => Promise<ErrorRow[]>, listing: Listing): Promise<ErrorRow[]> {
  try {
    return await read();
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

async function redacted(rows: readonly ErrorRow[], redactor: Redactor): Promise<ErrorRow[]> {
  const texts = rows.map(({ error, diff, words, fix, attempts }) => ({ error, diff, words, fix, attempts }));
  const results = await redactJson(redactor, texts);
  return rows.map((row, at) => Object.assign({ ...row }, results[at]?.value));
}

interface ErrorPlace extends Place {
  /** Of that session, so many errors from its start are to come. New ones come after them. */
  left: number;
}

function readPlace(cursor: string, filters: string): ErrorPlace {
  const [, ofKey, time, id, left] =
    /^([\w-]{6})~(\d{1,15}(?:\.\d{1,20})?)~([\w-]{8})~(\d{1,9})$/.exec(cursor.trim()) ?? [];
  const next = "Pass the cursor of the page before with the same arguments, or leave it out to start anew.";
  if (time === undefined || id === undefined)
    throw new ToolError("bad_cursor", "cursor: it is none of this tool.", next, { field: "cursor" });
  if (ofKey !== filters)
    throw new ToolError("bad_cursor", "cursor: it belongs to other arguments.", next, { field: "cursor" });
  return { timeMs: Number(time), id, left: Number(left) };
}

function headingOf(id: string, path: string | null): string {
  return `Session ${id}${path === null ? "" : `  ${path}`}`;
}

function answerOf({ shown, next, sessions, unreadable }: Listing, given: Arguments): ToolAnswer {
  const lines: string[] = [];
  for (const [at, { ref, row }] of shown.entries()) {
    if (shown[at - 1]?.ref !== ref) lines.push(`\n${headingOf(argumentOf(ref), ref.path)}`);
    lines.push(errorText(row));
  }
  const notRead = unreadable === 0 ? "" : `, ${unreadable} could not be read`;
  const scope = `${shown.length} failed calls, newest first; looked at ${sessions} sessions${notRead}.`;
  const how = `${DATA_NOTICE} Read on: read_session {"session": id, "around_line": N, "with_tools": true}`;
  const none = given.cursor === undefined ? "No failed call matches." : "No more failed calls.";
  const more = next === null ? [] : [`More: list_errors with the same arguments and cursor ${JSON.stringify(next)}`];
  return {
    text: (shown.length === 0 ? [none, scope] : [scope, how, ...lines, ...more]).join("\n"),
    data: {
      version: TOOL_DATA_VERSION,
      errors: shown.map(({ row }) => row),
      has_more: next !== null,
      next_cursor: next,
      sessions_searched: sessions,
      unreadable_sessions: unreadable,
    },
  };
}
