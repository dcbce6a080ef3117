import { givenTitle } from "../parse/titles.ts";
import { detectTranscriptFormat, openTranscript } from "../transcript/format/formats.ts";
import { recordIn, textOf } from "../parse/json-fields.ts";
import type { SessionFiles } from "./session-files.ts";

/** Session fields from the beginning of a file. */
export interface SessionHead {
  /** `file`: neither a transcript nor a session of Claude Code. */
  source: "claude-code" | "transcript" | "file";
  /** Session named in the file. A subagent's file of Claude Code names its parent. */
  sessionId: string | null;
  /** For a transcript. */
  parentId: string | null;
  /** For a subagent of Claude Code. */
  agentId: string | null;
  /** Folder of the project. */
  cwd: string | null;
  title: string | null;
  startedMs: number | null;
}

/** Enough for nearly every file, though a first line may be far longer (a pasted text, an image). */
const HEAD_BYTES = [16 * 1024, 1024 * 1024];

/** Reads the beginning of a file. Rejects with the file system's error; no content makes it reject. */
export async function readSessionHead(path: string, files: Pick<SessionFiles, "openRead">): Promise<SessionHead> {
  const handle = await files.openRead(path);
  try {
    let head = nothingKnown();
    for (const length of HEAD_BYTES) {
      const bytes = await handle.read(0, length);
      head = await headOf(new TextDecoder().decode(bytes), bytes.byteLength < length);
      if (bytes.byteLength < length || isEnough(head)) break;
    }
    return head;
  } finally {
    await handle.close();
  }
}

async function headOf(text: string, isWhole: boolean): Promise<SessionHead> {
  const format = detectTranscriptFormat(text);
  if (format !== undefined) return transcriptHead(format, text);
  const exported = EXPORT_ID.exec(text)?.[1];
  return exported === undefined ? claudeHead(text, isWhole) : { ...nothingKnown(), sessionId: exported };
}

/** Matches the beginning of an export of opencode, to the id of the session. */
const EXPORT_ID =
  /^\ufeff?\s*\{\s*"info"\s*:\s*\{(?:\s*"\w+"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[\w.+-]+)\s*,)*\s*"id"\s*:\s*"([\w-]+)"/;

async function transcriptHead(format: "markdown" | "jsonl", text: string): Promise<SessionHead> {
  const head: SessionHead = { ...nothingKnown(), source: "transcript" };
  for await (const item of openTranscript(format, text)) {
    if (item.kind !== "header") continue;
    const { sessionID, parentID, directory, title, created } = item.header;
    head.sessionId = sessionID;
    head.parentId = parentID ?? null;
    head.cwd = directory ?? null;
    head.title = givenTitle(title);
    head.startedMs = timeOf(created);
    break;
  }
  return head;
}

/** Collects fields from several lines, since the first are often notes without time or folder. */
function claudeHead(text: string, isWhole: boolean): SessionHead {
  const head = nothingKnown();
  const lines = text.replace(/^\ufeff/, "").split("\n");
  // The last line may be cut.
  if (!isWhole) lines.pop();
  for (const line of lines) {
    const fields = recordIn(line);
    const sessionId = textOf(fields, "sessionId");
    if (sessionId === undefined || textOf(fields, "type") === undefined) continue;
    head.source = "claude-code";
    head.sessionId ??= sessionId;
    head.agentId ??= textOf(fields, "agentId") ?? null;
    head.cwd ??= textOf(fields, "cwd") ?? null;
    head.startedMs ??= timeOf(textOf(fields, "timestamp"));
    if (isEnough(head)) break;
  }
  return head;
}

function isEnough({ source, cwd, startedMs }: SessionHead): boolean {
  return source === "transcript" || (cwd !== null && startedMs !== null);
}

function timeOf(timestamp: string | undefined): number | null {
  const ms = timestamp === undefined ? Number.NaN : Date.parse(timestamp);
  return Number.isNaN(ms) ? null : ms;
}

function nothingKnown(): SessionHead {
  return { source: "file", sessionId: null, parentId: null, agentId: null, cwd: null, title: null, startedMs: null };
}
