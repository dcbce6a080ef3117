/** Finds passages in all sessions, within a budget. */
import { given } from "../../given.ts";
import { withoutIndex } from "../../queries/current-index.ts";
import { wantedFile } from "../../fixes/touched-files.ts";
import { storePlace } from "../../store/store-place.ts";
import { execution } from "../execution.ts";
import { updatedIndex } from "../updated-index.ts";
import { agentNamed, betweenOf } from "../arguments.ts";
import type { ToolContext } from "../tool.ts";
import { answerOf } from "./answer.ts";
import { checkMadeWith } from "../page-of.ts";
import { type Cursor, keyOf, readCursor } from "./find-cursor.ts";
import { pageOf, readBefore } from "./find-page.ts";
import type { Found, PageAsked } from "./passages.ts";
import { DEFAULT_FIND_TOKENS, FIND_IN_TRANSCRIPTS } from "../tool-definitions.ts";
import { fieldError, isStoreError, type TranscriptsError } from "../../transcripts-error.ts";

const DEFAULT_LIMIT = 10;

export const execute = execution(FIND_IN_TRANSCRIPTS, async (args, context) => {
  const { query = "", file, match = "phrase", limit = DEFAULT_LIMIT, project, role, tool, cursor } = args;
  if (query === "" && file === undefined) {
    const problem = "it is missing; it must be a text, or there must be a file.";
    throw fieldError("bad_arguments", "query", problem, 'For example: {"query":"connection refused"}.');
  }
  const at = cursor === undefined ? undefined : readCursor(cursor);
  const now = at?.now ?? context.now();
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
  if (at !== undefined) checkMadeWith(at.key, keyOf(asked));
  const budget = { maxTokens: args.max_tokens ?? DEFAULT_FIND_TOKENS, showsData: context.showsData };
  // A later page uses the same search as the first.
  if (at?.isIndexed === false || (at === undefined && !storePlace(context.where).exists)) {
    return answerOf(await findInAll(asked, context, at), budget);
  }
  try {
    return answerOf(await findWithIndex(asked, context, at), budget);
  } catch (error) {
    if (!isStoreError(error)) throw error;
    if (at !== undefined) throw staleCursor(error);
    const found = await findInAll(asked, context);
    return answerOf(withNote(found, `The files were searched, not the index. ${error.message}`), budget);
  }
});

function staleCursor(cause: TranscriptsError): TranscriptsError {
  const problem = `the index that it points into cannot be read. ${cause.message}`;
  return fieldError("stale_cursor", "cursor", problem, "Leave out the cursor to search the files instead.", { cause });
}

async function findWithIndex(asked: PageAsked, context: ToolContext, cursor: Cursor | undefined): Promise<Found> {
  const { where } = context;
  if (cursor !== undefined) {
    const store = await context.openStore("question");
    return pageOf(asked, { store, where, changed: await readBefore(store, where, cursor), unreadable: 0 }, cursor);
  }
  const { store, changed, left } = await updatedIndex(context);
  if (left?.reason === "none") return findInAll(asked, context);
  const found = await pageOf(asked, { store, where, changed, unreadable: 0 }, cursor);
  if (left === undefined || changed.length === 0) return found;
  let why = left.reason === "failed" && isStoreError(left.error) ? ` ${left.error.message}` : "";
  if (left.reason === "shared") why = " `transcripts index` completes it, so that others' sessions are found too.";
  return withNote(found, `The index lacks ${changed.length} sessions, which were read and come last.${why}`);
}

/** Searches the files alone. */
async function findInAll(asked: PageAsked, { where }: ToolContext, cursor?: Cursor): Promise<Found> {
  const { changed, unreadable } = await withoutIndex(where);
  return pageOf(asked, { store: undefined, where, changed, unreadable: unreadable.length }, cursor);
}

function withNote(found: Found, note: string): Found {
  return { ...found, notes: [...found.notes, note] };
}
