/** Detects sessions whose subagents are only in the session's own file. */
import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isAbsent } from "../../places/reasons.ts";
import { mapFiles, nodeSessionFiles } from "../../places/session-files.ts";
import type { SessionRef } from "../../places/session-ref.ts";
import type { FolderListing, FolderListings, Format } from "../agent.ts";
import { readFileHead } from "../session-head.ts";
import { claudeCode } from "./claude-formats.ts";

const AGENT_FILE = /^agent-.*\.jsonl$/;

/** Sessions named in subagent files of older versions, by the file's path. Cached, as they do not change. */
const knownParents = new Map<string, string>();

/**
 * See `Agent.hasSubagentCopies`: a top-level session without subagent files. Older versions kept subagents only as copies in
 * `progress` lines. False if a folder cannot be read.
 */
export async function hasSubagentCopies(ref: SessionRef, listings: FolderListings): Promise<boolean> {
  const { path, agentId, parentId } = ref;
  if (path === null || agentId !== null || parentId !== null) return false;
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
