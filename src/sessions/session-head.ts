import { MAX_LINE_BYTES } from "../parse/message-draft.ts";
import { givenTitle } from "../parse/titles.ts";
import { msOf } from "../parse/times.ts";
import { recordIn, textOf } from "../parse/json-fields.ts";
import { isAbsent, reasonOf } from "../places/reasons.ts";
import type { SessionFiles } from "../places/session-files.ts";
import type { Unreadable } from "../places/session-ref.ts";

/** Session fields from the beginning of a file. */
export interface SessionHead {
  /** `file`: neither a transcript nor a session of Claude Code. */
  source: "claude-code" | "transcript" | "file";
  /** Session named in the file. A subagent's file of Claude Code names its parent. */
  sessionId: string | null;
  /** Only for a transcript. */
  parentId: string | null;
  /** Folder of the project. */
  cwd: string | null;
  /** Only for a transcript: other sources may set a new title later in the file. */
  title: string | null;
  startedMs: number | null;
}

/** Bytes read, in steps, until the head is complete. The first is enough for most files; images can make a first line far longer. */
const HEAD_BYTES = [16 * 1024, 1024 * 1024, MAX_LINE_BYTES];

/** Reads the beginning of a file. Rejects with the file system's error; no content makes it reject. */
export async function readSessionHead(path: string, files: Pick<SessionFiles, "openRead">): Promise<SessionHead> {
  const handle = await files.openRead(path);
  try {
    let head = nothingKnown();
    for (const length of HEAD_BYTES) {
      const bytes = await handle.read(0, length);
      head = await headIn(bytes);
      if (bytes.byteLength < length || isEnough(head)) break;
    }
    return head;
  } finally {
    await handle.close();
  }
}

/** Like `readSessionHead`, but notes in `unreadable` why a file cannot be read, unless it is gone. */
export async function tryReadHead(
  path: string,
  files: SessionFiles,
  unreadable: Unreadable[],
): Promise<SessionHead | undefined> {
  try {
    return await readSessionHead(path, files);
  } catch (error) {
    if (!isAbsent(error)) unreadable.push({ path, reason: reasonOf(error) });
    return undefined;
  }
}

/** Sources of files that name their session. */
const KINDS: Readonly<Record<string, SessionHead["source"]>> = {
  "claude-code": "claude-code",
  markdown: "transcript",
  jsonl: "transcript",
  "opencode-export": "file",
};

/** Collects fields from several units, since the first lines are often notes without time or folder. */
async function headIn(bytes: Uint8Array): Promise<SessionHead> {
  // Loaded here: most heads need not be read.
  const { detectFormat } = await import("../agents/formats.ts");
  const { detectTranscriptFormat } = await import("../transcript/format/formats.ts");
  const head = nothingKnown();
  const text = new TextDecoder().decode(bytes);
  const source = detectFormat(text);
  const kind = source && KINDS[source.name];
  if (source === undefined || kind === undefined) return head;
  // Lines of ours without the header say nothing about the session.
  if (source.name === "jsonl" && detectTranscriptFormat(text) === undefined) return head;
  head.source = kind;
  for await (const units of source.read(only(bytes), {})) {
    for (const { session, timestamp } of units) {
      // Only the header of a transcript has fields of the session.
      if (kind === "transcript" && session?.sessionId === undefined) continue;
      head.startedMs ??= msOf(timestamp);
      head.sessionId ??= session?.sessionId ?? null;
      head.cwd ??= session?.cwd ?? null;
      head.parentId ??= session?.parentSessionId ?? null;
      if (kind === "transcript") head.title ??= givenTitle(session?.title);
    }
  }
  if (kind === "claude-code" && head.cwd === null) addNoted(head, text);
  return head;
}

/** Adds what lines that are not of the conversation name, since a session may have no others. */
function addNoted(head: SessionHead, text: string): void {
  for (const line of text.split("\n")) {
    const fields = recordIn(line);
    if (textOf(fields, "sessionId") === undefined || textOf(fields, "type") === undefined) continue;
    head.sessionId ??= textOf(fields, "sessionId") ?? null;
    head.cwd ??= textOf(fields, "cwd") ?? null;
  }
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function isEnough({ source, cwd, startedMs }: SessionHead): boolean {
  return source === "transcript" || (cwd !== null && startedMs !== null);
}

function nothingKnown(): SessionHead {
  return { source: "file", sessionId: null, parentId: null, cwd: null, title: null, startedMs: null };
}
