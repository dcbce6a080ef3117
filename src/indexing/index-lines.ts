/** A session file of which each line stands for itself: read from where the last run ended, line by line. */
import { needsAgentProgress } from "../sessions/agent-progress.ts";
import { isSubagent } from "../sessions/session-ref.ts";
import type { IndexLimits } from "./limits.ts";
import { LineSource, type LineStart } from "./line-source.ts";
import { packMemory, textsInMemory, unpackMemory, type Mark } from "./memory.ts";
import { noProgress, SessionEvents, type Progress } from "./session-events.ts";
import type { Indexed, OpenFile, SessionJob } from "./session-job.ts";
import { SessionWriter, type Part } from "./session-writer.ts";
import { edgesOf, packCheck, type SourceCheck } from "./source-check.ts";

/** How far the session is indexed already. */
export interface Resumed {
  mark: Mark;
  check: SourceCheck;
  memory: Uint8Array | null;
  /** Events that are stored. */
  events: number;
  /** The last line had no end, so that it is read again. */
  hadTail: boolean;
}

/** Indexes what is new; from the start if nothing is known. Rejects with `Overtaken`. */
export async function indexLines(job: SessionJob, file: OpenFile, resumed?: Resumed): Promise<Indexed> {
  if (resumed === undefined) {
    const start = { mark: { bytes: 0, lines: 0 }, crc: 0, agentProgress: null };
    return new LineRun(job, file, noProgress(), start, job.rewriting).index();
  }
  const { mark, check, memory, events, hadTail } = resumed;
  const start = { mark, crc: check.all, agentProgress: check.agentProgress };
  const known = memory === null ? undefined : unpackMemory(memory, mark);
  const progress = known ?? (await replayed(job, file, start));
  const rewriting = events > progress.events ? { removeFrom: progress.events } : {};
  const run = new LineRun(job, file, progress, start, rewriting);
  if (hadTail) run.events.reopen();
  return run.index();
}

/** What the lines before the start tell, read again. */
async function replayed(job: SessionJob, { file }: OpenFile, { mark, agentProgress }: LineStart): Promise<Progress> {
  const events = eventsOf(job, noProgress());
  const source = new LineSource(file, events, {
    start: { mark: { bytes: 0, lines: 0 }, crc: 0, agentProgress },
    size: mark.bytes,
    needsAgentProgress: () => Promise.resolve(false),
    signal: job.signal,
    chunkBytes: job.limits.chunkBytes,
  });
  for await (const _ of source.parts()) events.take();
  return events.progress;
}

function eventsOf({ sessionId }: SessionJob, progress: Progress): SessionEvents {
  return new SessionEvents({ sessionId, repeats: true, idsBy: "place" }, progress);
}

/** Of a session at the top alone: subagents' messages may stand nowhere but in its file. */
export async function takesAgentProgress({ ref }: Pick<SessionJob, "ref">): Promise<boolean> {
  return ref.source === "claude-code" && !isSubagent(ref) && (await needsAgentProgress(ref));
}

class LineRun {
  readonly events: SessionEvents;
  readonly #file: OpenFile;
  readonly #source: LineSource;
  readonly #writer: SessionWriter;
  readonly #from: number;
  readonly #limits: IndexLimits;

  constructor(
    job: SessionJob,
    file: OpenFile,
    progress: Progress,
    start: LineStart,
    rewriting: SessionJob["rewriting"],
  ) {
    this.events = eventsOf(job, progress);
    this.#file = file;
    this.#limits = job.limits;
    this.#from = start.mark.bytes;
    this.#source = new LineSource(file.file, this.events, {
      start,
      size: file.size,
      needsAgentProgress: () => takesAgentProgress(job),
      signal: job.signal,
      chunkBytes: job.limits.chunkBytes,
    });
    this.#writer = new SessionWriter({ ...job, ...rewriting });
  }

  async index(): Promise<Indexed> {
    const source = this.#source;
    for await (const _ of source.parts()) {
      const isDue = this.events.size >= this.#limits.textChars || this.events.count >= this.#limits.events;
      // A time of zero: whoever comes next sees that the file is not read to its end.
      if (isDue) await this.#writer.write(this.#part(source.mark.bytes, 0), false);
    }
    const hasTail = source.end > source.mark.bytes;
    const memory = this.#memory();
    const whole = this.#part(source.mark.bytes, hasTail ? 0 : this.#file.modifiedMs);
    await this.#writer.write({ ...whole, ...memory }, true);
    if (hasTail) {
      await source.readTail();
      const tail = this.#part(source.end, this.#file.modifiedMs);
      await this.#writer.write({ ...tail, memory: memory.memory }, true);
    }
    return { events: this.#writer.written, bytes: source.end - this.#from };
  }

  #part(sourceBytes: number, modifiedMs: number): Part {
    const { mark, crc, agentProgress } = this.#source;
    const { progress } = this.events;
    return {
      ...this.events.take(),
      facts: progress.facts,
      state: {
        source_bytes: sourceBytes,
        source_modified_ms: modifiedMs,
        done_bytes: mark.bytes,
        done_lines: mark.lines,
        events: progress.events,
        check: packCheck({ kind: "lines", agentProgress, all: crc, ...edgesOf(this.#file.file, mark.bytes) }),
      },
    };
  }

  /** What is known at the mark: packed with the first write, and the same for the next. */
  #memory(): Pick<Part, "memory" | "memoryTexts"> {
    const { mark } = this.#source;
    if (mark.bytes < this.#limits.memoryFromBytes) return {};
    const { progress } = this.events;
    let packed: Uint8Array | undefined;
    return {
      memory: (clean) => (packed ??= packMemory(progress, mark, clean)),
      memoryTexts: [...textsInMemory(progress)],
    };
  }
}
