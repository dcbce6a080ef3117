/**
 * Figures of sessions in a form that can be kept: bytes with no more of the conversation than its title and first prompt, and a key that is another
 * one as soon as the file or the rules are.
 */
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { redactJson } from "../redact/redact-json.ts";
import type { Redactor } from "../redact/redactor.ts";
import { needsAgentProgress } from "../sessions/agent-progress.ts";
import type { SessionRef } from "../sessions/session-ref.ts";
import { VERSION } from "../version.ts";
import { scanAlone } from "./scan-session.ts";
import { sessionSums, type SessionSums } from "./session-scan.ts";
import { cells, recordsOf, type Cells } from "./session-usage.ts";

/** Under which a store keeps them. */
export const KEPT_SCANS = "scan";

/** To be raised when the figures of the same file change: another rule, another form of these bytes. */
const RULES = 4;
/** A file that was written a moment ago may be written again with the same time and size. */
const SETTLED_MS = 2_000;
/** Two lengths of four bytes. */
const HEAD_BYTES = 8;

export interface KeptScan {
  key: string;
  value: Uint8Array;
}

/** Undefined of a session whose figures hang on more than one file. */
export function scanKey({ source, path, bytes, modifiedMs }: SessionRef): string | undefined {
  if (source !== "claude-code" || path === null || bytes === null) return undefined;
  return `${VERSION}.${RULES} ${bytes} ${modifiedMs} ${path}`;
}

/** Whether the figures of a file as it is now can be kept: it is not being written. `now` in milliseconds since 1970. */
export function mayBeKept(ref: SessionRef, now: number): boolean {
  return scanKey(ref) !== undefined && now - ref.modifiedMs >= SETTLED_MS;
}

/**
 * Scans a session to keep its figures; undefined if they cannot be kept, or not yet. Rejects with a `SessionError` if
 * it cannot be read.
 */
export async function scanToKeep(ref: SessionRef, redactor: Redactor, now = Date.now()): Promise<KeptScan | undefined> {
  const key = scanKey(ref);
  if (key === undefined || !mayBeKept(ref, now)) return undefined;
  const { scan, agentProgress } = await scanAlone(ref);
  return { key, value: await keptBytes(sessionSums(scan, agentProgress), redactor) };
}

/** All texts are redacted: the title and the first prompt, folders, names of tools and models, ids. */
export async function keptBytes({ usage, ...figures }: SessionSums, redactor: Redactor): Promise<Uint8Array> {
  const { ids, sums, records } = usage;
  const metadata = { ...figures.metadata, gitBranch: null };
  const [{ value } = { value: null }] = await redactJson(redactor, [{ ...figures, metadata, sums: sums.map(cells) }]);
  const text = Buffer.from(JSON.stringify(value));
  const [answers] = await redactor.redact([{ text: Buffer.from(records).toString("utf8") }]);
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(ids.length, 0);
  head.writeUInt32LE(text.length, 4);
  return Buffer.concat([
    head,
    Buffer.from(ids.buffer, ids.byteOffset, ids.byteLength),
    text,
    deflateRawSync(answers?.text ?? "[]"),
  ]);
}

/**
 * The figures that were kept, with texts redacted; undefined if the bytes are none, or if other files
 * have changed on which they depend.
 */
export async function keptScan(bytes: Uint8Array, ref: SessionRef): Promise<SessionSums | undefined> {
  const parts = partsOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  if (!parts) return undefined;
  const { sums, ...figures } = parts.figures;
  const { agentProgress } = figures;
  if (agentProgress !== null && (await needsAgentProgress(ref)) !== agentProgress) return undefined;
  const { ids, packed } = parts;
  const usage = {
    ids,
    sums: recordsOf(sums),
    // Only of sessions that share answers with others these are asked for.
    get records() {
      return inflateRawSync(packed);
    },
  };
  return { ...figures, usage };
}

interface Parts {
  ids: Int32Array;
  figures: Omit<SessionSums, "usage"> & { sums: Cells[] };
  packed: Uint8Array;
}

function partsOf(bytes: Buffer): Parts | undefined {
  if (bytes.length < HEAD_BYTES) return undefined;
  const idsEnd = HEAD_BYTES + bytes.readUInt32LE(0) * Int32Array.BYTES_PER_ELEMENT;
  const textEnd = idsEnd + bytes.readUInt32LE(4);
  if (bytes.length < textEnd) return undefined;
  // Numbers must begin at a multiple of their size, which the bytes of a database need not.
  const ids = new Int32Array(bytes.buffer.slice(bytes.byteOffset + HEAD_BYTES, bytes.byteOffset + idsEnd));
  try {
    return { ids, figures: JSON.parse(bytes.toString("utf8", idsEnd, textEnd)), packed: bytes.subarray(textEnd) };
  } catch {
    return undefined;
  }
}
