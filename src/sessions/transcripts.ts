import { basename, dirname, extname } from "node:path";
import { DATA_FOLDER, safeSegment } from "../transcript/paths.ts";
import type { ScannedSessions } from "./claude-code.ts";
import { limitedMap } from "./limited-map.ts";
import { isAbsent, reasonOf } from "./reasons.ts";
import type { SessionFiles } from "./session-files.ts";
import { readSessionHead, type SessionHead } from "./session-head.ts";
import { type SessionRef, sessionRef, type SessionRoot, type Unreadable } from "./session-ref.ts";
import { walk, type WalkedFile } from "./walk.ts";

/** `{session}.md` and `{parent}/{session}.md`; what lies deeper are outputs and attachments. */
const DEPTH = 1;
/** The formats, the one to read first: JSONL holds outputs whole. */
const EXTENSIONS = [".jsonl", ".md"];
/** An id of opencode, which is a file's name as it stands. */
const PLAIN_ID = /^ses_[A-Za-z0-9]+$/;
const HEADS_AT_ONCE = 16;

/** The sessions that were recorded in a `transcripts` folder; one in both formats is one session. */
export async function scanTranscripts(
  { path: root, within }: Pick<SessionRoot, "path" | "within">,
  files: SessionFiles,
): Promise<ScannedSessions> {
  const accepts = (name: string): boolean => EXTENSIONS.includes(extname(name)) && name.toLowerCase() !== "readme.md";
  const { files: found, unreadable } = await walk(root, {
    files,
    depth: DEPTH,
    accepts,
    ...(within === undefined ? {} : { within }),
  });
  const refs = await limitedMap(found, HEADS_AT_ONCE, (file) => transcriptRef(root, file, files, unreadable));
  return { sessions: joinFormats(refs.filter((ref) => ref !== undefined)), unreadable };
}

/** Names of opencode's form say all; a file with another name is one of ours if it begins like one. */
async function transcriptRef(
  root: string,
  { path, segments, bytes, modifiedMs }: WalkedFile,
  files: SessionFiles,
  unreadable: Unreadable[],
): Promise<SessionRef | undefined> {
  const [parent] = segments.slice(0, -1);
  const id = basename(path, extname(path));
  const known = { source: "transcript", path, bytes, modifiedMs, project: projectOf(root) } as const;
  if (PLAIN_ID.test(id) && (parent === undefined || PLAIN_ID.test(parent))) {
    return sessionRef({ ...known, id, parentId: parent ?? null });
  }
  const head = await headOf(path, files, unreadable);
  if (head?.source !== "transcript") return undefined;
  return sessionRef({
    ...known,
    id: head.sessionId ?? id,
    parentId: head.parentId ?? parent ?? null,
    title: head.title,
  });
}

async function headOf(path: string, files: SessionFiles, unreadable: Unreadable[]): Promise<SessionHead | undefined> {
  try {
    return await readSessionHead(path, files);
  } catch (error) {
    if (!isAbsent(error)) unreadable.push({ path, reason: reasonOf(error) });
    return undefined;
  }
}

function joinFormats(refs: readonly SessionRef[]): SessionRef[] {
  const rank = (ref: SessionRef): number => EXTENSIONS.indexOf(extname(ref.path ?? ""));
  const byId = Map.groupBy(refs, ({ id }) => id);
  return [...byId.values()].flatMap((same) => {
    const [first, ...alternatives] = same.toSorted((a, b) => rank(a) - rank(b));
    return first === undefined ? [] : [{ ...first, alternatives }];
  });
}

/** The project that a transcripts folder is in; null if it is somewhere else. */
export function projectOf(transcriptsFolder: string): string | null {
  const data = dirname(transcriptsFolder);
  return basename(data) === DATA_FOLDER ? dirname(data) : null;
}

/** The transcripts folder that a transcript is in. */
export function transcriptsFolderOf(path: string, parentId: string | null): string {
  const folder = dirname(path);
  return parentId !== null && basename(folder) === safeSegment(parentId) ? dirname(folder) : folder;
}
