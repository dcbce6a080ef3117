/** Tells transcripts of this machine's recorder from those that came with a clone or a copy. */
import { readRecordedList, recordedListPath, safeSegment } from "../transcript/paths.ts";
import { scanOpencodeStore } from "./opencode-store.ts";
import { isAbsent } from "./reasons.ts";
import { nodeSessionFiles, type SessionFiles } from "./session-files.ts";
import type { SessionRef, Where } from "./session-ref.ts";
import { sessionRoots } from "./session-roots.ts";
import { textOfFile } from "./text-file.ts";

/** Some millions of sessions. */
const MAX_LIST_BYTES = 256 * 1024 * 1024;

/**
 * The same refs, with `isForeign` set of each transcript whose session is neither in the list that recorders keep nor in
 * opencode's own store. A file that was last written before there was a list may be anybody's, and is not marked: git
 * gives the files of a clone the time of the clone, whatever their content says.
 *
 * `stored`: ids in opencode's store, where they are known. Never rejects: where the list cannot be read, nothing is marked.
 */
export async function markForeign(
  refs: readonly SessionRef[],
  where: Where,
  { files = nodeSessionFiles, stored }: { files?: SessionFiles; stored?: ReadonlySet<string> } = {},
): Promise<SessionRef[]> {
  const transcripts = refs.filter(({ source, path }) => source === "transcript" && path !== null);
  if (transcripts.length === 0) return [...refs];
  const { ids, sinceMs } = await listedSessions(where, files);
  const suspects = transcripts.filter(({ id, modifiedMs }) => modifiedMs >= sinceMs && !ids.has(safeSegment(id)));
  if (suspects.length === 0) return [...refs];
  const known = stored ?? (await storedIds(where, files));
  const foreign = new Set(suspects.filter(({ id }) => !known.has(id)));
  return refs.map((ref) => (foreign.has(ref) ? { ...ref, isForeign: true } : ref));
}

/** Without a list no recorder has run here, and every transcript is from elsewhere unless opencode knows the session. */
async function listedSessions(
  where: Where,
  files: SessionFiles,
): Promise<{ ids: ReadonlySet<string>; sinceMs: number }> {
  try {
    const text = await textOfFile(recordedListPath(where), files, MAX_LIST_BYTES);
    return text === undefined ? { ids: new Set(), sinceMs: Infinity } : readRecordedList(text);
  } catch (error) {
    return { ids: new Set(), sinceMs: isAbsent(error) ? 0 : Infinity };
  }
}

async function storedIds({ env, home, cwd }: Where, files: SessionFiles): Promise<ReadonlySet<string>> {
  const roots = await sessionRoots({ env, home, cwd }, files);
  const stores = roots.filter(({ source }) => source === "opencode-store");
  const found = await Promise.all(stores.map(({ path }) => scanOpencodeStore(path, files)));
  return new Set(found.flatMap(({ sessions }) => sessions.map(({ id }) => id)));
}
