/** Refuses what is no session that can be read, by its content, before anything is made of it. */
import { isTranscriptBeginning } from "../format/index.ts";
import { foreignAgent } from "../parse/sources/foreign.ts";
import { detectSource } from "../parse/sources/index.ts";
import { SessionError } from "./session-error.ts";
import type { SessionFiles } from "./session-files.ts";

/** What every reader looks at to tell what it reads. */
const HEAD_BYTES = 64 * 1024;
/** A file may begin with damage: so much of it is looked through for a line that can be read. */
const DAMAGE_BYTES = 1024 * 1024;
/** Lines that are tried together. */
const LINES = 50;

const READABLE = "Sessions of Claude Code and opencode can be read, and the transcripts of this program.";

/** Looks at the beginning of a session's file. Throws a `SessionError`, or the file system's error. */
export async function refuseFile(path: string, files: Pick<SessionFiles, "openRead">): Promise<void> {
  const handle = await files.openRead(path);
  try {
    const head = Buffer.from(await handle.read(0, HEAD_BYTES));
    if (detectSource(head.toString("utf8")) === undefined) {
      refuseContent(Buffer.from(await handle.read(0, DAMAGE_BYTES)), path);
    }
  } finally {
    await handle.close();
  }
}

export interface RefusalOptions {
  /** An empty input is a session that has just begun. Default: it is refused. */
  mayBeEmpty?: boolean;
  /** An input that looks like no session may be damaged, or have just begun: only other agents' are refused. */
  mayBeUnknown?: boolean;
}

/**
 * All chunks of an input; throws a `SessionError` in place of the first if it cannot be read. Holds back no more than
 * it takes to tell, since a stream may go on for long.
 */
export async function* refusingContent(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  options: RefusalOptions = {},
): AsyncGenerator<Uint8Array> {
  const held: Uint8Array[] = [];
  let size = 0;
  let isKnown = false;
  for await (const chunk of chunks) {
    if (!isKnown) {
      held.push(chunk);
      size += chunk.length;
      const head = Buffer.concat(held, Math.min(size, HEAD_BYTES)).toString("utf8");
      isKnown = detectSource(head) !== undefined;
      if (!isKnown && (size >= DAMAGE_BYTES || foreignAgent(head) !== undefined)) {
        refuseContent(Buffer.concat(held), name, options);
        isKnown = true;
      }
      if (isKnown) yield* held.splice(0);
    } else yield chunk;
  }
  if (isKnown) return;
  const all = Buffer.concat(held);
  refuseContent(all, name, options);
  yield* held;
}

/** `head`: the first bytes, all of a shorter input. Throws a `SessionError`. */
function refuseContent(head: Buffer, name: string, { mayBeEmpty, mayBeUnknown }: RefusalOptions = {}): void {
  const text = head.toString("utf8");
  const start = head.toString("utf8", 0, HEAD_BYTES);
  if (detectSource(start) !== undefined) return;
  // The tables of a database may be named anywhere in it.
  const agent = foreignAgent(text);
  if (agent === "opencode") {
    const next = "Name one of its sessions: `transcripts list` shows them.";
    throw new SessionError("not_a_session", `${name} is opencode's database, not a session.`, next, { path: name });
  }
  if (agent !== undefined) {
    throw new SessionError("unsupported", `${name} is from ${agent}: it cannot be read yet.`, READABLE, { path: name });
  }
  if (mayBeEmpty === true && text.trim() === "") return;
  if (text.trim() === "") throw new SessionError("empty", `${name} is empty.`, READABLE, { path: name });
  if (mayBeUnknown === true || hasRecord(text) || isTranscriptBeginning(text)) return;
  const problem = `${name} is not a session of any agent that is known here.`;
  throw new SessionError("not_a_session", problem, READABLE, { path: name });
}

/** Whether any line is one that can be read. */
function hasRecord(text: string): boolean {
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at += LINES) {
    if (detectSource(lines.slice(at, at + LINES).join("\n")) !== undefined) return true;
  }
  return false;
}
