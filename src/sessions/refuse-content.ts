/** Refuses content that is not a readable session, before it is parsed. */
import { AGENT_TITLES, AGENTS } from "../agents/registry.ts";
import { isTranscriptBeginning } from "../transcript/format/formats.ts";
import { foreignAgent, isUtf16 } from "../agents/foreign.ts";
import { again, detectFormat, HEAD_BYTES, type Refusal } from "../agents/detect.ts";
import { TranscriptsError } from "../transcripts-error.ts";

/** Number of bytes searched for a readable line, as a file may begin with damage. */
const DAMAGE_BYTES = 1024 * 1024;
/** Number of lines tried together. */
const LINES = 50;

const READABLE = `Pass a session of ${AGENT_TITLES.slice(0, -1).join(", ")} or ${AGENT_TITLES.at(-1)}, or a transcript of this program.`;

export interface RefusalOptions {
  /**
   * Refuses only sessions of other agents: where an agent has its sessions, an empty file or unknown content may be one that
   * has just begun, or is damaged. Default: false.
   */
  mayBeUnknown?: boolean;
}

/** Returns a check of content of no known format, which rejects with a `TranscriptsError`. `name`: the content in its message. */
export function refusalOf(name: string, options: RefusalOptions = {}): Refusal {
  return async (chunks) => {
    const held: Uint8Array[] = [];
    let size = 0;
    try {
      while (size < DAMAGE_BYTES) {
        const { done, value } = await chunks.next();
        if (done === true) break;
        held.push(value);
        size += value.length;
        const head = Buffer.concat(held, Math.min(size, HEAD_BYTES)).toString("utf8");
        if (isUtf16(head) || foreignAgent(head) !== undefined) break;
      }
      refuseContent(Buffer.concat(held), name, options);
    } catch (error) {
      await chunks.return(undefined);
      throw error;
    }
    return again(held, chunks);
  };
}

/** `head`: the first `DAMAGE_BYTES`, or all of a shorter input. */
function refuseContent(head: Buffer, name: string, { mayBeUnknown = false }: RefusalOptions): void {
  const text = head.toString("utf8");
  if (isUtf16(text)) {
    const next = "Convert it: iconv -f UTF-16 -t UTF-8.";
    throw new TranscriptsError("unsupported", `${name} is in UTF-16, and only UTF-8 is read.`, next, { path: name });
  }
  // Table names can be anywhere in a database.
  const agent = foreignAgent(text);
  if (AGENTS.some(({ displayName }) => displayName === agent)) {
    const next = "Name one of its sessions: `transcripts list` shows them.";
    throw new TranscriptsError("not_a_session", `${name} is ${agent}'s database, not a session.`, next, { path: name });
  }
  if (agent !== undefined) {
    throw new TranscriptsError("unsupported", `${name} is a session of ${agent}, which cannot be read yet.`, READABLE, {
      path: name,
    });
  }
  if (mayBeUnknown) return;
  if (text.trim() === "") throw new TranscriptsError("empty", `${name} is empty.`, READABLE, { path: name });
  if (hasRecord(text) || isTranscriptBeginning(text)) return;
  const problem = `${name} is not a session of any known agent.`;
  throw new TranscriptsError("not_a_session", problem, READABLE, { path: name });
}

/** Returns whether any line is readable. */
function hasRecord(text: string): boolean {
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at += LINES) {
    if (detectFormat(lines.slice(at, at + LINES).join("\n")) !== undefined) return true;
  }
  return false;
}
