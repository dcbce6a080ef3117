import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Options } from "../config.ts";
import { refuseLinkOut, unignoredTranscripts } from "../files/data-folder.ts";
import type { FaultEvent } from "../files/fault-episode.ts";
import type { FileSystem } from "../files/file-system.ts";
import { writeNewFile } from "../files/new-file.ts";
import { nodeFileSystem } from "../files/node-file-system.ts";
import { createRedactor } from "../redact/redactor.ts";
import { redactJson } from "../redact/redact-json.ts";
import { layTemplates } from "../templates/lay-templates.ts";
import { VERSION } from "../version.ts";
import { given } from "./draft.ts";
import { KeptFiles } from "./kept-files.ts";
import type { TranscriptFormat } from "./paths.ts";
import { Preparation, type Redaction } from "./preparation.ts";
import { RecordedSessions } from "./recorded-sessions.ts";
import { Recorder, type RecorderQueries } from "./recorder.ts";

export interface CreateRecorderOptions {
  /** The folder of all data, e.g. `/project/.openfleet`. */
  dataFolder: string;
  options: Pick<Options, "format" | "maxInlineChars" | "redact" | "reasoning" | "events">;
  /** Folder of the project that no symbolic link may lead out of. Default: links are followed. */
  project?: string;
  /** File that lists the sessions recorded on this machine (see `recordedListPath`). Default: none. */
  recordedList?: string;
  queries: RecorderQueries;
  /** Told when writing begins to fail and when it works again. */
  onFault: (event: FaultEvent) => void;
  /** Told of failures of ours. */
  onFailure: (error: unknown) => void;
  /** Told what a person should know. The same may come again. */
  onWarning?: (message: string) => void;
  /** Default: the real file system. */
  fs?: FileSystem;
  /** Milliseconds since 1970. Default: the clock. */
  nowMs?: () => number;
}

/** The transcripts folder in a folder of data. */
export function transcriptsFolder(dataFolder: string): string {
  return join(dataFolder, "transcripts");
}

export function formatsOf(format: Options["format"]): TranscriptFormat[] {
  return format === "both" ? ["markdown", "jsonl"] : [format];
}

/** A recorder on the real disk and the real clock. */
export function createRecorder(settings: CreateRecorderOptions): Recorder {
  const { dataFolder, options, queries, onFault, onFailure, onWarning, project, recordedList } = settings;
  const { fs = nodeFileSystem, nowMs = Date.now } = settings;
  const root = transcriptsFolder(dataFolder);
  const formats = formatsOf(options.format);
  const redaction = options.redact ? createRedaction() : NO_REDACTION;
  const checkFolder = async (): Promise<void> => {
    if (project !== undefined) await refuseLinkOut(project, dataFolder, ["transcripts", "sessions"]);
  };
  const prepareFolder = async (): Promise<void> => {
    await checkFolder();
    await layTemplates(dataFolder, { fs, join });
  };
  const writeNew = async (path: string, data: Uint8Array): Promise<"written" | "exists"> => {
    // What keeps a template from being written is reported for the file itself.
    await prepareFolder().catch(() => undefined);
    return writeNewFile(fs, path, data);
  };
  const preparation = new Preparation({
    files: new KeptFiles({ fs, root, join, writeNew }),
    redaction,
    include: { reasoning: options.reasoning, events: options.events },
    maxInlineChars: formats.includes("markdown") ? options.maxInlineChars : undefined,
  });
  const recorded = new RecordedSessions({ fs, path: recordedList, nowMs });
  return new Recorder({
    root,
    formats,
    maxInlineChars: options.maxInlineChars,
    fs,
    preparation,
    queries,
    redactText: (text) => redaction.text(text),
    checkFolder,
    noteSession: (sessionID) => recorded.add(sessionID),
    warn: async () => {
      const warning = await unignoredTranscripts(root);
      if (warning !== undefined) onWarning?.(warning);
    },
    prepareFolder,
    join,
    nowMs,
    delay: pause,
    soon: (step) => void setImmediate(step),
    onFault,
    onFailure,
    recorder: `opencode-transcripts ${VERSION}`,
  });
}

export const NO_REDACTION: Redaction = {
  values: async (values) => [...values],
  text: async (text) => text,
};

/** Redaction with the detector, which is loaded with its first use. */
export function createRedaction(): Redaction {
  const redactor = createRedactor();
  return {
    values: async (values) => (await redactJson(redactor, values)).map(({ value }) => value),
    text: async (text, before) => (await redactor.redact([{ text, ...given({ before }) }]))[0]?.text ?? "",
  };
}

async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, signal ? { signal } : {});
  } catch {
    // The signal was given: the wait is over.
  }
}
