/**
 * A session that can only be read as a whole: from its start each time, writing what differs from what is stored.
 *
 * These are exports, and sessions in opencode's own store. That store has no log to go on from: opencode changes rows in
 * place (a call gets its output, a compaction marks old ones) and deletes them, and `time_updated` is the time of a clock
 * in milliseconds, in which two changes may fall and which may be set back. And what an event cites, its line and byte in
 * the export, moves with every turn: the export begins with the session's costs and counts.
 */
import { crc32 } from "node:zlib";
import { detectSource } from "../parse/sources/index.ts";
import { claudeCode } from "../parse/sources/claude-code.ts";
import { begin } from "../scan/find-input.ts";
import { sourceOptions } from "../scan/find-units.ts";
import { openReadable } from "../sessions/open-session.ts";
import { outputReader } from "../sessions/output-reader.ts";
import type { SessionRef } from "../sessions/session-ref.ts";
import { noProgress, SessionEvents } from "./session-events.ts";
import type { Indexed, SessionJob } from "./session-job.ts";
import { SessionWriter, type WrittenState } from "./session-writer.ts";
import { packCheck } from "./source-check.ts";

/** A state from which the next run reads the session again. */
const UNFINISHED = { source_bytes: 0, source_modified_ms: 0, done_bytes: 0, done_lines: 0, check: "" } as const;

/** `source`: its size and time before it is read. Rejects with `Overtaken`, and with a `SessionError`. */
export async function indexWhole(
  job: SessionJob,
  source: Pick<WrittenState, "source_bytes" | "source_modified_ms">,
): Promise<Indexed> {
  const sum = new Sum();
  const { head, chunks } = await begin(sum.of(openReadable(job.ref)));
  const format = detectSource(head) ?? claudeCode;
  const repeats = format.repeats ?? false;
  const events = new SessionEvents({ sessionId: job.sessionId, repeats, idsBy: "name" }, noProgress());
  const writer = new SessionWriter({ ...job, ...job.rewriting });
  const { facts } = events.progress;
  for await (const units of format.read(chunks, sourceOptions(optionsOf(job.ref)))) {
    job.signal?.throwIfAborted();
    for (const unit of units) events.add(unit);
    if (events.size < job.limits.textChars && events.count < job.limits.events) continue;
    const part = events.take();
    await writer.write({ ...part, facts, state: { ...UNFINISHED, events: events.progress.events } }, false);
  }
  const check = packCheck({ kind: "whole", agentProgress: null, head: 0, last: 0, all: sum.crc });
  const done_bytes = source.source_bytes === 0 ? 0 : sum.bytes;
  const state = { ...source, done_bytes, done_lines: 0, events: events.progress.events, check };
  await writer.write({ ...events.take(), facts, state }, true);
  return { events: writer.written, bytes: sum.bytes };
}

function optionsOf(ref: SessionRef): Parameters<typeof sourceOptions>[0] {
  const readOutput = outputReader(ref);
  return readOutput === undefined ? {} : { readOutput };
}

/** Size and CRC-32 of what goes by. */
class Sum {
  bytes = 0;
  crc = 0;

  async *of(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.bytes += chunk.length;
      this.crc = crc32(chunk, this.crc);
      yield chunk;
    }
  }
}
