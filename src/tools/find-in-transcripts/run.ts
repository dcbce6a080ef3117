/** Finding passages in all sessions, within a budget. */
import { currentIndex } from "../../search/current-index.ts";
import { storePlace } from "../../store/store-place.ts";
import { StoreError } from "../../store/store-error.ts";
import type { Store } from "../../store/store.ts";
import { execution } from "../execution.ts";
import { betweenOf } from "../since.ts";
import { ToolError } from "../tool-error.ts";
import type { ToolAnswer, ToolArguments, ToolContext } from "../tool.ts";
import { answerOf } from "./answer.ts";
import { findInIndex, INDEX_CURSOR } from "./indexed.ts";
import type { Asked, Found } from "./passages.ts";
import { SCAN_CURSOR } from "./scan-cursor.ts";
import { findInFiles } from "./scanned.ts";
import { DEFAULT_FIND_TOKENS, FIND_IN_TRANSCRIPTS } from "./tool.ts";

const DEFAULT_LIMIT = 10;
/** How long bringing the index up to date may hold up a search. Reading the files takes less than that. */
const UPDATE_MS = 5_000;
/** So many sessions are read beside the index, as a cursor has to name them. Where it lacks more, all files are. */
const MOST_READ = 20;

export const execute = execution(FIND_IN_TRANSCRIPTS, find);

async function find(
  given: ToolArguments<(typeof FIND_IN_TRANSCRIPTS)["args"]>,
  context: ToolContext,
): Promise<ToolAnswer> {
  const { query, match = "phrase", project, role, tool, errors = false, limit = DEFAULT_LIMIT, cursor } = given;
  const { since, until } = betweenOf(given, context.now());
  const asked: Asked = { query, match, since, until, project, role, tool, errorsOnly: errors, limit, cursor };
  const budget = { maxTokens: given.max_tokens ?? DEFAULT_FIND_TOKENS, showsData: context.showsData === true };
  const kind = kindOf(cursor);
  // A page goes on as its list began.
  if (kind === SCAN_CURSOR || (kind === undefined && !storePlace(context.where).exists)) {
    return answerOf(await findInFiles(asked, context), budget);
  }
  try {
    // Damage may show only when the cursor is made.
    return await answerOf(await findWithIndex(asked, context), budget);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (kind === INDEX_CURSOR) throw staleCursor(error);
    const found = await findInFiles(asked, context);
    return answerOf(withNote(found, `The files were searched, not the index. ${error.message}`), budget);
  }
}

function staleCursor(cause: StoreError): ToolError {
  const problem = `cursor: the index that it goes on in cannot be read. ${cause.message}`;
  return new ToolError("stale_cursor", problem, "Without the cursor the files are searched.", {
    cause,
    field: "cursor",
  });
}

function kindOf(cursor: string | undefined): typeof INDEX_CURSOR | typeof SCAN_CURSOR | undefined {
  const kind = cursor?.charAt(0);
  if (kind === undefined || kind === INDEX_CURSOR || kind === SCAN_CURSOR) return kind;
  const next = "Pass the cursor of the page before, or leave it out to start anew.";
  throw new ToolError("bad_cursor", "cursor: it is none of this tool.", next, { field: "cursor" });
}

async function findWithIndex(asked: Asked, context: ToolContext): Promise<Found> {
  const store = await context.openStore();
  if (asked.cursor !== undefined) return findInIndex(store, asked, context, []);
  const { signal, where } = context;
  const options = { signal, maxMs: UPDATE_MS, onWritable: (work: (store: Store) => Promise<void>) => work(store) };
  const { changed, left } = await currentIndex(store, where, options);
  if (changed.length <= MOST_READ) return findInIndex(store, asked, context, changed);
  let why = left?.reason === "failed" && left.error instanceof StoreError ? ` ${left.error.message}` : "";
  if (left?.reason === "shared") why = " `transcripts index` completes it, so that others' sessions are found too.";
  const found = await findInFiles(asked, context);
  return withNote(found, `The index is not complete yet, so the files were searched.${why}`);
}

function withNote(found: Found, note: string): Found {
  return { ...found, notes: [...found.notes, note] };
}
