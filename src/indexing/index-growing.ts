/** A session file that is only appended to: read on from where the last run ended. */
import { needsAgentProgress } from "../sessions/agent-progress.ts";
import { outputReader } from "../sessions/output-reader.ts";
import { isSubagent } from "../sessions/session-ref.ts";
import { EntrySource } from "./entry-source.ts";
import type { GrowingSource, GrowthStart } from "./growing-source.ts";
import type { IndexLimits } from "./limits.ts";
import { LineSource } from "./line-source.ts";
import { packMemory, textsInMemory, unpackMemory, type Mark } from "./memory.ts";
import { noProgress, SessionEvents, withText, type Progress } from "./session-events.ts";
import type { Indexed, OpenFile, SessionJob } from "./session-job.ts";
import { SessionWriter, type Part } from "./session-writer.ts";
import { edgesOf, packCheck, type SourceCheck, type SourceKind } from "./source-check.ts";

export type GrowingKind = Exclude<SourceKind, "whole">;

/** How far the session is indexed already. */
export interface Resumed {
  mark: Mark;
  check: SourceCheck;
  memory: Uint8Array | null;
  /** Events that are stored. */
  events: number;
  /** Something behind the mark was read too, which is read again. */
  hadTail: boolean;
}

const BEGINNING: GrowthStart = { mark: { bytes: 0, lines: 0 }, crc: 0, agentProgress: null };

/** Indexes what is new; from the start if nothing is known. Rejects with `Overtaken`. */
export async function indexGrowing(
  job: SessionJob,
  file: OpenFile,
  kind: GrowingKind,
  resumed?: Resumed,
): Promise<Indexed> {
  const growing = { job, file, kind };
  if (resumed === undefined) return new Run(growing, BEGINNING, noProgress(), job.rewriting).index();
  const { mark, check, memory, events, hadTail } = resumed;
  const start = { mark, crc: check.all, agentProgress: check.agentProgress };
  const known = memory === null ? undefined : unpackMemory(memory, mark);
  const progress = known ?? (await replayed(growing, start));
  const rewriting = events > progress.events ? { removeFrom: progress.events } : {};
  const run = new Run(growing, start, progress, rewriting);
  if (hadTail) run.reopen();
  return run.index();
}

/** A file and how it is read. */
interface Growing {
  job: SessionJob;
  file: OpenFile;
  kind: GrowingKind;
}

/** What stands before the start tells, read again. */
async function replayed(growing: Growing, { mark, agentProgress }: GrowthStart): Promise<Progress> {
  const { file } = growing;
  const events = eventsOf(growing, noProgress());
  const known = { ...growing, file: { ...file, size: mark.bytes } };
  const source = sourceOf(known, events, { ...BEGINNING, agentProgress }, async () => false);
  for await (const _ of source.parts()) events.take();
  return events.progress;
}

function eventsOf({ job, kind }: Growing, progress: Progress): SessionEvents {
  const { sessionId } = job;
  const isOurs = kind !== "lines";
  return new SessionEvents({ sessionId, repeats: !isOurs, idsBy: isOurs ? "name" : "place" }, progress);
}

/** `needsProgress` is asked once a line depends on it. */
function sourceOf(
  { job, file: { file, size }, kind }: Growing,
  events: SessionEvents,
  start: GrowthStart,
  needsProgress: () => Promise<boolean>,
): GrowingSource {
  const options = { start, size, signal: job.signal, chunkBytes: job.limits.chunkBytes };
  if (kind === "lines") return new LineSource(file, events, { ...options, needsAgentProgress: needsProgress });
  return new EntrySource(file, events, { ...options, format: kind, readOutput: outputReader(job.ref) });
}

/** Of a session at the top alone: subagents' messages may stand nowhere but in its file. */
export async function takesAgentProgress({ ref }: Pick<SessionJob, "ref">): Promise<boolean> {
  return ref.source === "claude-code" && !isSubagent(ref) && (await needsAgentProgress(ref));
}

class Run {
  readonly #events: SessionEvents;
  readonly #growing: Growing;
  readonly #source: GrowingSource;
  readonly #writer: SessionWriter;
  readonly #from: number;
  readonly #limits: IndexLimits;

  constructor(growing: Growing, start: GrowthStart, progress: Progress, rewriting: SessionJob["rewriting"]) {
    const { job } = growing;
    this.#growing = growing;
    this.#limits = job.limits;
    this.#from = start.mark.bytes;
    this.#events = eventsOf(growing, progress);
    this.#source = sourceOf(growing, this.#events, start, () => takesAgentProgress(job));
    this.#writer = new SessionWriter({ ...job, ...rewriting });
  }

  /** What the last run made of what stood behind the mark holds no more. */
  reopen(): void {
    this.#events.reopen();
    this.#source.reopen();
  }

  async index(): Promise<Indexed> {
    const source = this.#source;
    const { file } = this.#growing;
    for await (const _ of source.parts()) {
      const isDue = this.#events.size >= this.#limits.textChars || this.#events.count >= this.#limits.events;
      // A time of zero: whoever comes next sees that the file is not read to its end.
      if (isDue) await this.#writer.write(await this.#part(source.mark.bytes, 0), false);
    }
    const hasTail = source.end > source.mark.bytes;
    const memory = this.#memory();
    const whole = await this.#part(source.mark.bytes, hasTail ? 0 : file.modifiedMs);
    await this.#writer.write({ ...whole, ...memory }, true);
    if (hasTail) {
      await source.readTail();
      const tail = await this.#part(source.end, file.modifiedMs);
      await this.#writer.write({ ...tail, memory: memory.memory }, true);
    }
    return { events: this.#writer.written, bytes: source.end - this.#from };
  }

  async #part(sourceBytes: number, modifiedMs: number): Promise<Part> {
    const { mark, crc, agentProgress } = this.#source;
    const { progress } = this.#events;
    const { kind, file } = this.#growing;
    return {
      ...(await this.#taken()),
      facts: progress.facts,
      state: {
        source_bytes: sourceBytes,
        source_modified_ms: modifiedMs,
        done_bytes: mark.bytes,
        done_lines: mark.lines,
        events: progress.events,
        check: packCheck({ kind, agentProgress, all: crc, ...edgesOf(file.file, mark.bytes) }),
      },
    };
  }

  /** The events that are ready, and those given away before that have another text now. */
  async #taken(): Promise<Pick<Part, "events" | "late" | "amended">> {
    const amended = await this.#source.amended();
    const { events, late } = this.#events.take();
    const first = this.#events.progress.events - events.length;
    for (const { ordinal, text } of amended) {
      const event = events[ordinal - first];
      if (event !== undefined) events[ordinal - first] = withText(event, text);
    }
    return { events, late, amended: amended.filter(({ ordinal }) => ordinal < first) };
  }

  /** What is known at the mark: packed with the first write, and the same for the next. */
  #memory(): Pick<Part, "memory" | "memoryTexts"> {
    const { mark } = this.#source;
    if (mark.bytes < this.#limits.memoryFromBytes) return {};
    const { progress } = this.#events;
    let packed: Uint8Array | undefined;
    return {
      memory: (clean) => (packed ??= packMemory(progress, mark, clean)),
      memoryTexts: [...textsInMemory(progress)],
    };
  }
}
