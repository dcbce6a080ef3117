/** Brings one session up to date, in the way that its source and what is known of it allow. */
import { closeSync, fstatSync, readSync } from "node:fs";
import { openReadSync } from "../files/node-file-system.ts";
import { standsLineByLine } from "../scan/find-units.ts";
import { detectSource } from "../parse/sources/index.ts";
import { readHead } from "../sessions/file-ref.ts";
import type { SessionRef } from "../sessions/session-ref.ts";
import type { IndexState, StoredSession } from "../store/model.ts";
import { storableTime } from "../store/storable.ts";
import { indexGrowing, takesAgentProgress, type Resumed } from "./index-growing.ts";
import { indexWhole } from "./index-whole.ts";
import { ReplacedCall } from "./open-texts.ts";
import type { Indexed, OpenFile, SessionJob } from "./session-job.ts";
import { placeOf, thisHost } from "./session-row.ts";
import { Overtaken } from "./session-writer.ts";
import { INDEX_RULES } from "./rules.ts";
import { isSameStart, unpackCheck, type SourceCheck, type SourceKind } from "./source-check.ts";

/** What the source is told by. */
const HEAD_BYTES = 64 * 1024;

export interface IndexRequest extends Pick<SessionJob, "store" | "redactor" | "signal" | "sessionId" | "limits"> {
  ref: SessionRef;
  /** Reads and writes it anew, whatever is stored. */
  rebuild: boolean;
}

export type SessionOutcome = Indexed & { as: "new" | "changed" | "unchanged" };

/** Whether a session was read to the end that it has now. */
export function isCurrent(ref: SessionRef, stored: StoredSession | undefined): boolean {
  if (stored === undefined) return false;
  const { revision, rules, source_bytes, source_modified_ms } = stored.state;
  if (revision === 0 || rules !== INDEX_RULES || stored.path !== placeOf(ref) || stored.source !== ref.source)
    return false;
  // Of a database the time may have been taken from a part, which tells more than the session's own.
  if (ref.source === "opencode-store") return source_modified_ms >= ref.modifiedMs;
  return source_bytes === (ref.bytes ?? 0) && source_modified_ms === ref.modifiedMs;
}

/** Rejects with `Overtaken`, with a `StoreError`, and with what reading it fails with. */
export async function indexSession(request: IndexRequest): Promise<SessionOutcome> {
  const { store, sessionId, rebuild } = request;
  const stored = await store.session(sessionId);
  if (!rebuild && isCurrent(request.ref, stored)) return { as: "unchanged", events: 0, bytes: 0 };
  const as = stored === undefined || stored.state.revision === 0 ? "new" : "changed";
  const job = jobOf(request, await readHead(request.ref), stored);
  if (job.ref.path === null || job.ref.bytes === null) {
    const time = { source_bytes: 0, source_modified_ms: job.ref.modifiedMs };
    return { as, ...(await indexWhole(job, time)) };
  }
  const file = openReadSync(job.ref.path);
  try {
    const { size, mtimeMs } = fstatSync(file);
    const open = { file, size, modifiedMs: mtimeMs };
    const dated = { ...job, ref: { ...job.ref, bytes: size, modifiedMs: mtimeMs } };
    const indexed = await indexFile(dated, open, rebuild ? undefined : stored).catch(async (error: unknown) => {
      if (!(error instanceof ReplacedCall)) throw error;
      // Some of it may be written already.
      const { revision = 0 } = (await store.session(sessionId))?.state ?? {};
      return indexOnce({ ...dated, revision, rewriting: revision > 0 ? { compares: true } : {} }, open);
    });
    return { as, ...indexed };
  } finally {
    closeSync(file);
  }
}

function jobOf(request: IndexRequest, ref: SessionRef, stored: StoredSession | undefined): SessionJob {
  const { rebuild, ...given } = request;
  const hasEvents = (stored?.state.revision ?? 0) > 0;
  const rewriting = !hasEvents ? {} : rebuild ? { removeFrom: 0 } : { compares: true };
  return { ...given, ref, revision: stored?.state.revision ?? 0, rewriting };
}

async function indexFile(job: SessionJob, open: OpenFile, stored: StoredSession | undefined): Promise<Indexed> {
  const kind = await kindOf(headOf(open.file));
  const isKnown = stored?.state.rules === INDEX_RULES && stored.source === job.ref.source;
  const check = isKnown ? unpackCheck(stored.state.check) : undefined;
  if (isKnown && check !== undefined && (await continues(job, open, stored.state, check, kind))) {
    const { done_bytes: done, source_bytes: was, source_modified_ms: time } = stored.state;
    // Without a time the last run was not finished, though it may have read all lines.
    if (open.size === done && was === done && time !== 0) return touched(job, open, stored);
    if (kind !== "whole") return indexGrowing(job, open, kind, resumedFrom(stored.state, check));
  }
  if (kind !== "whole") return indexGrowing(job, open, kind);
  return indexOnce(job, open);
}

function indexOnce(job: SessionJob, { size, modifiedMs }: OpenFile): Promise<Indexed> {
  return indexWhole(job, { source_bytes: size, source_modified_ms: modifiedMs });
}

async function kindOf(head: string): Promise<SourceKind> {
  if (await standsLineByLine(head)) return "lines";
  const name = detectSource(head)?.name;
  return name === "markdown" || name === "jsonl" ? name : "whole";
}

/** Whether the file begins with what was read of it, and is to be read in the same way. */
async function continues(
  job: SessionJob,
  { file, size }: OpenFile,
  { done_bytes: done, source_bytes: was }: IndexState,
  check: SourceCheck,
  kind: SourceKind,
): Promise<boolean> {
  if (size < done || check.kind !== kind) return false;
  if (!isSameStart(file, done, check, size === was)) return false;
  return check.agentProgress === null || check.agentProgress === (await takesAgentProgress(job));
}

function resumedFrom(
  { done_bytes, done_lines, memory, events, source_bytes }: IndexState,
  check: SourceCheck,
): Resumed {
  return { mark: { bytes: done_bytes, lines: done_lines }, check, memory, events, hadTail: source_bytes > done_bytes };
}

/** The same bytes, under another time or at another place. */
async function touched(job: SessionJob, { modifiedMs }: OpenFile, stored: StoredSession): Promise<Indexed> {
  const { store, ref, revision } = job;
  const session = {
    ...stored,
    host: thisHost(),
    path: placeOf(ref),
    modified_at: storableTime(new Date(modifiedMs)),
    state: { ...stored.state, source_modified_ms: modifiedMs, revision: revision + 1 },
  };
  if (!(await store.writeSession({ session, expected: revision, events: [] }))) throw new Overtaken(stored.session_id);
  return { events: 0, bytes: 0 };
}

function headOf(file: number): string {
  const buffer = Buffer.alloc(HEAD_BYTES);
  let size = 0;
  for (let read = -1; read !== 0 && size < HEAD_BYTES; size += read)
    read = readSync(file, buffer, size, HEAD_BYTES - size, size);
  return buffer.toString("utf8", 0, size);
}
