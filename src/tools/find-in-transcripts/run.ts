/** Finding passages in all sessions, within a budget. */
import { currentIndex } from "../../search/current-index.ts";
import { storePlace } from "../../store/store-place.ts";
import { StoreError } from "../../store/store-error.ts";
import type { Store } from "../../store/store.ts";
import { execution } from "../execution.ts";
import { sinceOf } from "../since.ts";
import { countTokens } from "../tokens.ts";
import { ToolError } from "../tool-error.ts";
import { TOOL_DATA_VERSION, type ToolAnswer, type ToolArguments, type ToolContext } from "../tool.ts";
import { findInIndex, INDEX_CURSOR } from "./indexed.ts";
import type { Asked, Found, PassageRow } from "./passages.ts";
import { SCAN_CURSOR } from "./scan-cursor.ts";
import { findInFiles } from "./scanned.ts";
import { DEFAULT_FIND_TOKENS, FIND_IN_TRANSCRIPTS } from "./tool.ts";

const DEFAULT_LIMIT = 10;
/** How long bringing the index up to date may hold up a search. Reading the files takes less than that. */
const UPDATE_MS = 5_000;
/** So many sessions are read beside the index, as a cursor has to name them. Where it lacks more, all files are. */
const MOST_READ = 20;
/** What the lines around the passages take, a cursor among them. */
const FRAME_TOKENS = 350;

export const execute = execution(FIND_IN_TRANSCRIPTS, find);

async function find(
  given: ToolArguments<(typeof FIND_IN_TRANSCRIPTS)["args"]>,
  context: ToolContext,
): Promise<ToolAnswer> {
  const { query, match = "phrase", project, role, tool, errors = false, limit = DEFAULT_LIMIT, cursor } = given;
  const since = sinceOf(given.since, context.now());
  const found = await search({ query, match, since, project, role, tool, errorsOnly: errors, limit, cursor }, context);
  return answerOf(found, given.max_tokens ?? DEFAULT_FIND_TOKENS, context.showsData === true);
}

async function search(asked: Asked, context: ToolContext): Promise<Found> {
  const kind = asked.cursor?.charAt(0);
  if (kind !== undefined && kind !== INDEX_CURSOR && kind !== SCAN_CURSOR) {
    const next = "Pass the cursor of the page before, or leave it out to start anew.";
    throw new ToolError("bad_cursor", "cursor: it is none of this tool.", next, { field: "cursor" });
  }
  // A page goes on as its list began.
  if (kind === SCAN_CURSOR || (kind === undefined && !storePlace(context.where).exists))
    return findInFiles(asked, context);
  try {
    const store = await context.openStore();
    if (kind === INDEX_CURSOR) return await findInIndex(store, asked, context, []);
    const { signal, where } = context;
    const options = { signal, maxMs: UPDATE_MS, onWritable: (work: (store: Store) => Promise<void>) => work(store) };
    const { changed, left } = await currentIndex(store, where, options);
    if (changed.length <= MOST_READ) return await findInIndex(store, asked, context, changed);
    const why = left?.reason === "failed" && left.error instanceof StoreError ? ` ${left.error.message}` : "";
    return withNote(
      await findInFiles(asked, context),
      `The index is not complete yet, so the files were searched.${why}`,
    );
  } catch (error) {
    if (!(error instanceof StoreError) || kind === INDEX_CURSOR) throw error;
    return withNote(await findInFiles(asked, context), `The files were searched, not the index. ${error.message}`);
  }
}

function withNote(found: Found, note: string): Found {
  return { ...found, notes: [...found.notes, note] };
}

async function answerOf(found: Found, maxTokens: number, showsData: boolean): Promise<ToolAnswer> {
  let count = fittingRows(found.rows, maxTokens - FRAME_TOKENS, showsData);
  for (;;) {
    const answer = await answerWith(found, count);
    const tokens = Math.max(countTokens(answer.text), showsData ? countTokens(JSON.stringify(answer.data)) : 0);
    if (tokens <= maxTokens || count === 0) return answer;
    count -= 1;
  }
}

function fittingRows(rows: readonly PassageRow[], budget: number, showsData: boolean): number {
  let text = 0;
  let json = 0;
  for (const [at, row] of rows.entries()) {
    text += countTokens(passageText(row)) + 1;
    if (!isSameSession(row, rows[at - 1])) text += countTokens(sessionText(row)) + 2;
    json += showsData ? countTokens(JSON.stringify(row)) + 1 : 0;
    if (Math.max(text, json) > budget) return at;
  }
  return rows.length;
}

async function answerWith({ rows, total, notes, cursorAfter }: Found, count: number): Promise<ToolAnswer> {
  const shown = rows.slice(0, count);
  const next = await cursorAfter(count);
  const lines = shown.flatMap((row, at) =>
    isSameSession(row, shown[at - 1]) ? [passageText(row)] : [`\n${sessionText(row)}`, passageText(row)],
  );
  const head =
    shown.length === 0
      ? rows.length === 0
        ? 'Nothing found. Try other words, match: "words", or fewer filters.'
        : "max_tokens leaves no room for a passage: pass a higher one."
      : `${shown.length} of ${total} passages, [N] is the line. Read on: read_session {"session": id, "around_line": N, "with_tools": true}`;
  const more = next === null || count === 0 ? [] : [`\nMore: the same arguments with cursor ${JSON.stringify(next)}`];
  return {
    text: [head, ...notes, ...lines, ...more].join("\n"),
    data: {
      version: TOOL_DATA_VERSION,
      passages: shown,
      total,
      has_more: next !== null,
      next_cursor: next,
      notes,
    },
  };
}

function isSameSession(row: PassageRow, before: PassageRow | undefined): boolean {
  return row.session_id === before?.session_id && row.path === before.path;
}

function sessionText({ read_session: { session }, path, title, project }: PassageRow): string {
  const of = project?.split(/[\\/]/).at(-1);
  const facts = [title === null ? "" : JSON.stringify(title), of === undefined ? "" : `project ${of}`];
  const place = path === null || path === session ? "" : `\nfile ${path}`;
  return [`Session ${session}`, ...facts.filter((fact) => fact !== "")].join(", ") + place;
}

function passageText(row: PassageRow): string {
  const { line_number, timestamp, role, block_type, tool_name, passage, match_count, missing } = row;
  const who = role === "tool" ? `${block_type === "tool_use" ? "call" : "result"} ${tool_name ?? ""}`.trimEnd() : role;
  const time = timestamp === null ? "" : `, ${timestamp.slice(0, 19).replace("T", " ")}`;
  const more = match_count > 1 ? `, ${match_count} matches` : "";
  const lacks = missing === undefined ? "" : `, without ${missing.join(", ")}`;
  return `[${line_number}] ${block_type === "thinking" ? "thinking" : who}${time}${more}${lacks}: ${passage}`;
}
