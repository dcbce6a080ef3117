/** A recorder on a folder, told of what a host does, and what it left there. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { judgedEnd } from "../../../src/agents/opencode/opencode-endings.ts";
import { parseOptions, type Options } from "../../../src/config.ts";
import type { FaultEvent } from "../../../src/transcript/files/fault.ts";
import type { FileSystem } from "../../../src/transcript/files/file-system.ts";
import type { TranscriptEntry, TranscriptHeader, TranscriptItem } from "../../../src/transcript/format/entry-types.ts";
import { EventTranslator } from "../../../src/host/opencode-1/events.ts";
import { createRecorder } from "../../../src/transcript/create-recorder.ts";
import type { TranscriptFormat } from "../../../src/transcript/transcript-paths.ts";
import type { Redaction } from "../../../src/transcript/entry-redactor.ts";
import type { Recorder } from "../../../src/transcript/recorder.ts";
import type { RecorderQueries } from "../../../src/transcript/records.ts";
import { recordsOf, type HostStep } from "./host-steps.ts";
import { shortForm } from "./timeline-driver.ts";
import { mergeContinuations, openTranscript } from "../read-entries.ts";

/** A host that knows nothing. */
const NO_ANSWERS: RecorderQueries = { session: async () => undefined, history: async () => [] };

export interface RecordingOptions extends Partial<Options> {
  queries?: RecorderQueries;
  fs?: FileSystem;
  redaction?: Redaction;
  /** Folders in which the host keeps whole outputs. */
  hostOutputs?: readonly string[];
}

/** One life of the plugin: its recorder and what it had to tell. */
export class Recording {
  readonly recorder: Recorder;
  readonly failures: unknown[] = [];
  readonly faults: FaultEvent[] = [];
  readonly #translator = new EventTranslator();

  /** Without `redact` nothing is redacted: it takes a while to load, and is tested elsewhere. */
  constructor(dataFolder: string, given: RecordingOptions = {}) {
    const { queries = NO_ANSWERS, fs, redaction, hostOutputs = [], ...options } = given;
    this.recorder = createRecorder({
      dataFolder,
      judgeEnd: judgedEnd,
      options: { ...parseOptions({ redact: false }).options, ...options },
      queries,
      hostOutputs,
      onFault: (event) => void this.faults.push(event),
      onFailure: (error) => void this.failures.push(error),
      ...(fs ? { fs } : {}),
      ...(redaction ? { redaction } : {}),
    });
  }

  does(...steps: HostStep[]): this {
    for (const step of steps) {
      for (const record of recordsOf(this.#translator, step)) this.recorder.accept(record);
    }
    return this;
  }

  /** The process ends in good order. */
  async end(timeoutMs = 20_000): Promise<void> {
    const report = await this.recorder.flush(timeoutMs, "all", "now");
    assert.deepEqual(this.failures, []);
    assert.deepEqual(report, { complete: true, waiting: 0, missing: 0 });
  }
}

export interface ReadTranscript {
  headers: TranscriptHeader[];
  /** As they stand in the file. */
  raw: TranscriptEntry[];
  /** Those that were written in pieces put together. */
  entries: TranscriptEntry[];
  problems: string[];
  /** Short forms of the entries, but for session events. */
  told: string[];
}

/** Reads a transcript by its path relative to the transcripts folder. */
export async function readTranscript(dataFolder: string, path: string): Promise<ReadTranscript> {
  const root = join(dataFolder, "transcripts");
  const format: TranscriptFormat = path.endsWith(".jsonl") ? "jsonl" : "markdown";
  const readOutput = async (output: string): Promise<string | undefined> => {
    const file = join(root, output);
    return existsSync(file) ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(readFileSync(file)) : undefined;
  };
  const items: TranscriptItem[] = [];
  for await (const item of openTranscript(format, readFileSync(join(root, path)), { readOutput })) items.push(item);
  const raw = items.flatMap((item) => (item.kind === "entry" ? [item.entry] : []));
  const entries = mergeContinuations(raw);
  return {
    headers: items.flatMap((item) => (item.kind === "header" ? [item.header] : [])),
    raw,
    entries,
    problems: items.flatMap((item) =>
      item.kind === "problem" ? [`${item.problem.code}: ${item.problem.message}`] : [],
    ),
    told: entries.filter(({ type }) => type !== "session_event").map(shortForm),
  };
}

/** Reads a transcript that must be sound. */
export async function readSound(dataFolder: string, path: string): Promise<ReadTranscript> {
  const transcript = await readTranscript(dataFolder, path);
  assert.deepEqual(transcript.problems, [], path);
  assert.equal(transcript.headers.length, 1, `${path} has one header`);
  return transcript;
}

/** All names below a folder that are no folders, relative to it, with forward slashes, sorted. */
export function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const found = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = found.filter((each) => !each.isDirectory());
  return files.map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join("/")).toSorted();
}

/** The transcripts of a data folder, without the templates. */
export function transcriptsIn(dataFolder: string): string[] {
  return filesIn(join(dataFolder, "transcripts")).filter((name) => /\.(md|jsonl)$/.test(name) && name !== "README.md");
}
