/** Lists the sessions on this machine for an agent. */
import { given } from "../given.ts";
import { keptFigures, readFigures, type SessionFigures } from "../queries/figures.ts";
import { listedSession, withSomethingSaid } from "../queries/newest-sessions.ts";
import { storePlace } from "../store/store-place.ts";
import { findSessions } from "../sessions/find-sessions.ts";
import { type SessionRef, shownSource, type Unreadable } from "../sessions/session-ref.ts";
import { projectName } from "../texts/passage-text.ts";
import { execution } from "./execution.ts";
import { counted } from "../quantities.ts";
import { argumentsKey, cursorAfter, inOrder, isAfter, placeOf } from "./page-of.ts";
import { DATA_NOTICE, shownTitle } from "./session-heading.ts";
import { agentNamed, betweenOf } from "./arguments.ts";
import { countTokens, fittingCount, TokenBudget } from "./tokens.ts";
import type { ToolContext } from "./tool.ts";
import { LIST_SESSIONS } from "./tool-definitions.ts";

const DEFAULT_LIMIT = 20;
const MAX_PROMPT = 160;
const MAX_PLACES = 3;
/** Maximum tokens for the rows of an answer, in each of its forms: the rest is on the next page. */
const MAX_TOKENS = 8_000;

export const execute = execution(LIST_SESSIONS, async (args, context) => {
  const { where, signal, showsData } = context;
  const { project, limit = DEFAULT_LIMIT, cursor } = args;
  const agent = agentNamed(args.agent);
  const between = betweenOf(args, context.now());
  const found = await findSessions(where, {
    byEntryTime: true,
    archived: true,
    ...given({ since: between.since, project, agent }),
  });
  const sessions = inOrder(found.sessions);
  const key = argumentsKey([project, agent, args.since, args.until]);
  const after = placeOf(cursor, key);
  const items = after === undefined ? sessions : sessions.filter((item) => isAfter(item, after));
  const said: SessionFigures[] = [];
  for (let at = 0; at < items.length && said.length < limit; at += limit) {
    const batch = items.slice(at, at + limit).map(({ ref }) => ref);
    const read = await figuresOf(batch, context);
    said.push(...(await withSomethingSaid(read, { between, empty: false, signal })));
  }
  const made = await Promise.all(said.slice(0, limit).map(rowOf));
  const count = fittingCount(made, new TokenBudget(MAX_TOKENS, showsData), (row) => countTokens(line(row)) + 1);
  const rows = made.slice(0, count);
  const last = items.find(({ ref }) => ref === said[Math.max(count, 1) - 1]?.ref);
  const next = last === undefined || last === items.at(-1) ? null : cursorAfter(key, last);
  return {
    text: textOf(rows, sessions.length, next, found.unreadable),
    data: {
      sessions: rows,
      total_count: sessions.length,
      has_more: next !== null,
      next_cursor: next,
      unreadable_places: found.unreadable.length,
    },
  };
});

/** Returns the figures from the stores, after adding those that they lack; without one, reads the sessions. */
async function figuresOf(refs: readonly SessionRef[], context: ToolContext): Promise<SessionFigures[]> {
  const { where, signal } = context;
  const known = await keptFigures(refs, where, {
    signal,
    withStore: async (place, _readOnly, work) =>
      work(await context.openStore(storePlace(place).backend === "postgres" ? "question" : "figures")),
  });
  return readFigures(refs, { known, signal });
}

/** Keys as in `transcripts list --json`. */
type SessionRow = Awaited<ReturnType<typeof rowOf>>;

async function rowOf(read: SessionFigures) {
  const {
    agent: _,
    database: _1,
    parent_session_id: _2,
    resume: _3,
    duration_ms: _4,
    models: _5,
    ...row
  } = listedSession(read);
  const { tokens_in: _6, tokens_out: _7, cache_read: _8, cache_write: _9, damaged: _10, ...kept } = row;
  const { title, prompt } = row;
  return {
    ...kept,
    source: shownSource(read.ref),
    title: await shownTitle(title),
    prompt: await shownTitle(prompt, MAX_PROMPT),
  };
}

function textOf(
  rows: readonly SessionRow[],
  total: number,
  next: string | null,
  unread: readonly Unreadable[],
): string {
  const places = unread.slice(0, MAX_PLACES).map(({ path, reason }) => `Not read: ${path}: ${reason}.`);
  if (unread.length > MAX_PLACES) places.push(`Nor ${unread.length - MAX_PLACES} more places.`);
  if (rows.length === 0) {
    const why =
      total === 0 ? "No session matches. Leave a filter out, or call it without arguments." : "No more sessions.";
    return [why, ...places].join("\n");
  }
  const more = next === null ? [] : [`More: cursor ${JSON.stringify(next)} with the same filters.`];
  const count = `${rows.length} of ${total} sessions, newest first; read_session takes the id. ${DATA_NOTICE}`;
  return [count, ...rows.map(line), ...more, ...places].join("\n");
}

function line(row: SessionRow): string {
  const { session_id: id, project, title, prompt, ended, modified, turns, tool_calls, tool_errors, problem } = row;
  const time = ((problem === null ? ended : modified) ?? "no time").slice(0, 16).replace("T", " ");
  const from = row.is_archived ? `  (from the store${row.host === null ? "" : `, ${row.host}`})` : "";
  if (problem !== null) return `- ${id}  ${time}  not read: ${problem}`;
  const counts = `${counted(turns, "turn")}, ${counted(tool_calls, "call")}${tool_errors === 0 ? "" : `, ${tool_errors} failed`}`;
  const name = title ?? prompt;
  const of = project === null ? "" : projectName(project);
  return `- ${id}  ${time}  ${of === "" ? "" : `${of}: `}${name === null ? "(no prompt)" : JSON.stringify(name)}  ${counts}${from}`;
}
