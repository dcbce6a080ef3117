/** Detects sessions whose subagents are only in the session's own file. */
import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isAbsent } from "../../places/reasons.ts";
import { mapFiles, nodeSessionFiles } from "../../places/session-files.ts";
import type { SessionRef } from "../../places/session-ref.ts";
import type { Format } from "../agent.ts";
import { readFileHead } from "../session-head.ts";
import { claudeCode } from "./claude-formats.ts";

const AGENT_FILE = /^agent-.*\.jsonl$/;

/** Sessions named in subagent files of older versions, by the file's path. Cached, as they do not change. */
const knownParents = new Map<string, string>();

/** Contents of folders, for calls that look at many sessions at one time. */
export type FolderListings = Map<string, FolderListing>;

interface FolderListing {
  names: ReadonlySet<string>;
  /** Returns the ids of the sessions that have subagent files in this folder, where older versions put them. */
  parents: () => Promise<ReadonlySet<string | null>>;
}

/**
 * Returns whether to read a session with `agentProgress`: a top-level session of Claude Code without subagent files. Older
 * versions kept subagents only as copies in `progress` lines; with files, the copies would be duplicates. False for
 * standard input, and if a folder cannot be read. For an archived session, that was decided when it was indexed.
 */
export async function needsAgentProgress(
  ref: Pick<SessionRef, "place" | "path" | "agentId" | "parentId" | "archived">,
  listings: FolderListings = new Map(),
): Promise<boolean> {
  const { place, path, agentId, parentId, archived } = ref;
  if (archived !== null) return true;
  if (place !== "claude-code" || path === null || agentId !== null || parentId !== null) return false;
  const folder = dirname(path);
  const id = basename(path, ".jsonl");
  try {
    let listing = listings.get(folder);
    if (listing === undefined) listings.set(folder, (listing = listingOf(folder)));
    const { names, parents } = listing;
    if (names.has(id) && hasAgents(join(folder, id, "subagents"))) return false;
    return !(await parents()).has(id);
  } catch {
    return false;
  }
}

/** Looks into the folder itself first, where the files of most sessions are. */
function hasAgents(folder: string): boolean {
  return [false, true].some((deep) => namesIn(folder, deep).some((name) => AGENT_FILE.test(basename(name))));
}

function listingOf(folder: string): FolderListing {
  const names = namesIn(folder, false);
  const agents = names.filter((name) => AGENT_FILE.test(name)).map((name) => join(folder, name));
  let parents: Promise<ReadonlySet<string | null>> | undefined;
  return {
    names: new Set(names),
    parents: () => (parents ??= mapFiles(agents, parentIn).then((ids) => new Set(ids))),
  };
}

function namesIn(folder: string, recursive: boolean): string[] {
  try {
    return readdirSync(folder, { recursive, encoding: "utf8" });
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

async function parentIn(path: string): Promise<string | null> {
  const known = knownParents.get(path);
  if (known !== undefined) return known;
  const detect = (head: string): Format | undefined => (claudeCode.detect(head) ? claudeCode : undefined);
  const { sessionId } = (await readFileHead(path, nodeSessionFiles, detect)).head;
  if (sessionId !== null) knownParents.set(path, sessionId);
  return sessionId;
}
