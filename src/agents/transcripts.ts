import { basename, dirname, extname } from "node:path";
import { DATA_FOLDER, safeSegment } from "../transcript/transcript-paths.ts";
import type { ScannedSessions } from "./claude-code/claude-sessions.ts";
import { mapFiles, type SessionFiles } from "../sessions/session-files.ts";
import { joinForms } from "../sessions/session-forms.ts";
import { tryReadHead } from "../sessions/session-head.ts";
import { type SessionRef, sessionRef, type SessionRoot, type Unreadable } from "../sessions/session-ref.ts";
import { walk, type WalkedFile } from "../sessions/walk.ts";

/** Depth of `{session}.md` and `{parent}/{session}.md`; outputs and attachments are deeper. */
const DEPTH = 1;
const EXTENSIONS = new Set([".jsonl", ".md"]);
/** Matches an id of opencode, which is used as the file's name. */
const PLAIN_ID = /^ses_[A-Za-z0-9]+$/;

/** Finds the sessions recorded in a `transcripts` folder; both formats together are one session. */
export async function scanTranscripts(
  { path: root, within }: Pick<SessionRoot, "path" | "within">,
  files: SessionFiles,
): Promise<ScannedSessions> {
  const accepts = (name: string): boolean => EXTENSIONS.has(extname(name)) && name.toLowerCase() !== "readme.md";
  const { files: found, unreadable } = await walk(root, {
    files,
    depth: DEPTH,
    accepts,
    ...(within === undefined ? {} : { within }),
  });
  const refs = await mapFiles(found, (file) => transcriptRef(root, file, files, unreadable));
  return { sessions: joinForms(refs.filter((ref) => ref !== undefined)), unreadable };
}

/** Recognizes names of opencode's form; a file with another name is a transcript if it begins like one. */
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
  const head = await tryReadHead(path, files, unreadable);
  if (head?.source !== "transcript") return undefined;
  return sessionRef({
    ...known,
    id: head.sessionId ?? id,
    parentId: head.parentId ?? parent ?? null,
    title: head.title,
  });
}

/** Returns the project of a transcripts folder; null if it is not in one. */
export function projectOf(transcriptsFolder: string): string | null {
  const data = dirname(transcriptsFolder);
  return basename(data) === DATA_FOLDER ? dirname(data) : null;
}

/** Returns the transcripts folder of a transcript. */
export function transcriptsFolderOf(path: string, parentId: string | null): string {
  const folder = dirname(path);
  return parentId !== null && basename(folder) === safeSegment(parentId) ? dirname(folder) : folder;
}
