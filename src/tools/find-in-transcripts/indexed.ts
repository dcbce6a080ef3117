/** Searching the index, which is brought up to date first. */
import { basename, resolve, sep } from "node:path";
import { updateIndex } from "../../indexing/update-index.ts";
import { search, type SearchHit, type SearchQuery, type SearchResult } from "../../search/search.ts";
import type { StoredSession } from "../../store/model.ts";
import type { Store } from "../../store/store.ts";
import { shownTitle } from "../session-heading.ts";
import type { ToolContext } from "../tool.ts";
import { readArguments, type Asked, type Found, type PassageRow } from "./passages.ts";

/** Cursors of the index begin so, those of a scan otherwise. */
export const INDEX_CURSOR = "i";

/** Whether the index has all that the sessions have by now. False: it took longer than `maxMs`, or it cannot be written. */
export async function isBroughtUpToDate(
  store: Store,
  { where, signal }: Pick<ToolContext, "where" | "signal">,
  maxMs: number,
): Promise<boolean> {
  const late = AbortSignal.timeout(maxMs);
  try {
    await updateIndex(store, where, { signal: AbortSignal.any([signal, late]) });
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted) return false;
    throw error;
  }
}

/** Rejects with a `SearchError` or a `StoreError`. */
export async function findInIndex(store: Store, asked: Asked, context: ToolContext): Promise<Found> {
  const sessions = new Map((await store.sessions()).map((session) => [session.session_id, session]));
  const query = queryOf(asked, sessions, context);
  const result = await search(store, query);
  const rows = await Promise.all(result.hits.map((hit) => rowOf(hit, sessions.get(hit.session_id))));
  return {
    rows,
    total: result.isTotalExact ? String(result.total) : `more than ${result.total}`,
    notes: notesOf(result),
    cursorAfter: async (count) => {
      if (count === 0) return asked.cursor ?? null;
      const { cursor } = count === rows.length ? result : await search(store, { ...query, limit: count });
      return cursor === null ? null : INDEX_CURSOR + cursor;
    },
  };
}

function queryOf(
  { query, match, since, project, role, tool, errorsOnly, limit, cursor }: Asked,
  sessions: ReadonlyMap<string, StoredSession>,
  { where, signal, now }: { where: ToolContext["where"]; signal: AbortSignal; now: () => Date },
): SearchQuery {
  const ofProject = [...sessions.values()].filter((session) => isOfProject(session, project, where));
  return {
    term: query,
    match,
    limit,
    signal,
    now: now(),
    errorsOnly,
    ...(since === undefined ? {} : { since }),
    ...(role === undefined ? {} : { role }),
    ...(tool === undefined ? {} : { tool }),
    ...(project === undefined ? {} : { sessionIds: ofProject.map(({ session_id }) => session_id) }),
    ...(cursor === undefined ? {} : { cursor: cursor.slice(INDEX_CURSOR.length) }),
  };
}

/** The project's folder, one above it, or its last name in any case. */
function isOfProject(
  { project }: StoredSession,
  wanted: string | undefined,
  { cwd, home }: ToolContext["where"],
): boolean {
  if (wanted === undefined || project === null) return wanted === undefined;
  if (!/[\\/]|^~?$|^\.\.?$/.test(wanted)) return basename(project).toLowerCase() === wanted.toLowerCase();
  const folder = resolve(cwd, wanted.replace(/^~(?=$|[\\/])/, home));
  return project === folder || project.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

async function rowOf(hit: SearchHit, session: StoredSession | undefined): Promise<PassageRow> {
  const { session_id, line_number, byte_offset, occurred_at, role, block_type, tool_name, tool_use_id } = hit;
  const { passage, matches, match_count, missing } = hit;
  const isFile = session !== undefined && session.source !== "opencode-store";
  const path = isFile ? session.path : null;
  // Of several files with one id, and of a file in no known place, only the path names the one that is meant.
  const isNamedByPath = path !== null && (session_id.includes("@") || session?.source === "file");
  return {
    session_id,
    source: session === undefined ? "file" : session.source === "opencode-store" ? "opencode" : session.source,
    path,
    project: session?.project ?? null,
    title: await shownTitle(session?.title ?? null),
    line_number,
    byte_offset,
    timestamp: occurred_at,
    role,
    block_type,
    tool_name,
    tool_use_id,
    passage,
    matches,
    match_count,
    ...(missing.length === 0 ? {} : { missing }),
    read_session: readArguments(isNamedByPath ? path : session_id, line_number, block_type),
  };
}

function notesOf({ words, hits }: SearchResult): string[] {
  if (words === null || hits.length === 0 || words.required === words.wanted.length) return [];
  return [`No entry has all of ${words.wanted.join(", ")}: these have ${words.required} of them.`];
}
