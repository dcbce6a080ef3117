/** Finds passages in all sessions, within a budget. */
import { given } from "../../given.ts";
import { withoutIndex } from "../../queries/current-index.ts";
import { findInIndex } from "../../queries/find-in-index.ts";
import { wantedFile } from "../../fixes/touched-files.ts";
import { storePlace } from "../../store/store-place.ts";
import { execution } from "../execution.ts";
import { updatedIndex } from "../updated-index.ts";
import { agentNamed, betweenOf } from "../arguments.ts";
import type { ToolContext } from "../tool.ts";
import { answerOf } from "./answer.ts";
import { badCursor } from "../page-of.ts";
import { firstPageTime, INDEX_CURSOR, indexedPage, REST_CURSOR } from "./indexed-hits.ts";
import type { Found, PageAsked } from "./passages.ts";
import { SCAN_CURSOR, scannedPage } from "./scanned.ts";
import { DEFAULT_FIND_TOKENS, FIND_IN_TRANSCRIPTS } from "../tool-definitions.ts";
import { fieldError, isStoreError, type TranscriptsError } from "../../transcripts-error.ts";

const DEFAULT_LIMIT = 10;

export const execute = execution(FIND_IN_TRANSCRIPTS, async (args, context) => {
  const { query = "", file, match = "phrase", limit = DEFAULT_LIMIT, project, role, tool, cursor } = args;
  if (query === "" && file === undefined) {
    const problem = "it is missing; it must be a text, or there must be a file.";
    throw fieldError("bad_arguments", "query", problem, 'For example: {"query":"connection refused"}.');
  }
  // A relative time such as "the last week" is the same on all pages.
  const now = firstPageTime(cursor) ?? context.now();
  const asked: PageAsked = {
    term: query,
    match,
    limit,
    project,
    agent: agentNamed(args.agent),
    ...(file === undefined ? {} : { file: wantedFile(file, context.where) }),
    now,
    signal: context.signal,
    ...betweenOf(args, now),
    ...given({ role, tool, errorsOnly: args.errors }),
  };
  const budget = { maxTokens: args.max_tokens ?? DEFAULT_FIND_TOKENS, showsData: context.showsData };
  const kind = kindOf(cursor);
  // A later page uses the same search as the first.
  if (kind === "files" || (kind === undefined && !storePlace(context.where).exists)) {
    return answerOf(await findInAll(asked, context, cursor), budget);
  }
  try {
    return answerOf(await findWithIndex(asked, context, cursor), budget);
  } catch (error) {
    if (!isStoreError(error)) throw error;
    if (kind === "index") throw staleCursor(error);
    const found = await findInAll(asked, context);
    return answerOf(withNote(found, `The files were searched, not the index. ${error.message}`), budget);
  }
});

function staleCursor(cause: TranscriptsError): TranscriptsError {
  const problem = `the index that it points into cannot be read. ${cause.message}`;
  return fieldError("stale_cursor", "cursor", problem, "Leave out the cursor to search the files instead.", { cause });
}

function kindOf(cursor: string | undefined): "index" | "files" | undefined {
  const kind = cursor?.charAt(0);
  if (kind === undefined) return undefined;
  if (kind === INDEX_CURSOR || kind === REST_CURSOR) return "index";
  if (kind === SCAN_CURSOR) return "files";
  throw badCursor("not a cursor of this tool");
}

async function findWithIndex(asked: PageAsked, context: ToolContext, cursor: string | undefined): Promise<Found> {
  const { where } = context;
  if (cursor !== undefined) return indexedPage(await context.openStore("question"), asked, { cursor, where }, []);
  const { store, changed, left } = await updatedIndex(context);
  if (left?.reason === "none") return findInAll(asked, context);
  const found = await indexedPage(store, asked, { cursor, where }, changed);
  if (left === undefined || changed.length === 0) return found;
  let why = left.reason === "failed" && isStoreError(left.error) ? ` ${left.error.message}` : "";
  if (left.reason === "shared") why = " `transcripts index` completes it, so that others' sessions are found too.";
  return withNote(found, `The index lacks ${changed.length} sessions, which were read and come last.${why}`);
}

/** Searches the files alone. */
async function findInAll(asked: PageAsked, { where }: ToolContext, cursor?: string): Promise<Found> {
  const { changed, unreadable } = await withoutIndex(where);
  const { unindexed: sessions, rest } = await findInIndex(undefined, where, asked, changed);
  const files = { sessions, unreadable: unreadable.length };
  return scannedPage(asked, cursor === undefined ? { ...files, rest } : { ...files, cursor });
}

function withNote(found: Found, note: string): Found {
  return { ...found, notes: [...found.notes, note] };
}
