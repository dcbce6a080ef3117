/** Detects transcripts that were not recorded on this machine, but came with a clone or a copy. */
import { readRecordedList, recordedListPath, safeSegment } from "../transcript/transcript-paths.ts";
import { scanOpencodeStore } from "./opencode-store.ts";
import { isAbsent } from "./reasons.ts";
import { nodeSessionFiles, type SessionFiles, textOfFile } from "./session-files.ts";
import type { SessionRef, Where } from "./session-ref.ts";
import { sessionRoots } from "./session-roots.ts";

/** Maximum size of the list: millions of sessions. */
const MAX_LIST_BYTES = 256 * 1024 * 1024;

/**
 * Sets `isForeign` for each transcript whose session is neither in the recorders' list nor in opencode's own store. Files
 * last written before the list existed are not marked; files of a clone are newer, since git sets their time to that of
 * the clone.
 *
 * `stored`: ids in opencode's store, if known. Never rejects: if the list cannot be read, nothing is marked.
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

/** Reads the list. Without one no recorder has run here, so every transcript is foreign unless opencode has the session. */
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
