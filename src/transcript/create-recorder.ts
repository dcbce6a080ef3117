import type { Options } from "../config.ts";
import type { FileSystem } from "./files/file-system.ts";
import { nodeFileSystem } from "./files/node-file-system.ts";
import { createRedactor } from "../redact/redactor.ts";
import { redactJson } from "../redact/redact-json.ts";
import { given } from "../given.ts";
import { KeptFiles } from "./kept-files.ts";
import { RecordingFolder, type RecordingFolderOptions } from "./recording-folder.ts";
import type { Formats } from "./transcript-paths.ts";
import type { Draft } from "./entry-draft.ts";
import { Timeouts } from "./timeouts.ts";
import { Presence } from "./presence.ts";
import { SessionPlaces } from "./session-place.ts";
import type { RecordingContext } from "./session-recording.ts";
import { WritePool } from "./files/write-pool.ts";
import { EntryRedactor, type PreparedEntry, type Redaction } from "./entry-redactor.ts";
import type { HostRecord } from "./records.ts";
import { Recorder } from "./recorder.ts";
import { EntryEncoder } from "./entry-encoder.ts";
import { Timeline } from "./timeline/session-timeline.ts";
import type { TranscriptHeader } from "./format/entry-types.ts";

type RecordingOptions = Pick<Options, "format" | "maxInlineChars" | "redact" | "reasoning" | "events">;

export interface CreateRecorderOptions
  extends Omit<RecordingFolderOptions, "fs">, Pick<RecordingContext, "queries" | "onFault" | "onFailure"> {
  options: RecordingOptions;
  /** Folders in which the host keeps the full text of outputs that it shortened. Default: none. */
  hostOutputs?: readonly string[];
  /** Default: the real file system. */
  fs?: FileSystem;
  /** Default: by `options.redact`. */
  redaction?: Redaction;
}

export function formatsOf(format: Options["format"]): Formats {
  return format === "both" ? ["markdown", "jsonl"] : [format];
}

/** Creates a recorder, by default on the real disk. */
export function createRecorder(settings: CreateRecorderOptions): Recorder {
  const { options, queries, onFault, onFailure, fs = nodeFileSystem } = settings;
  const { redaction = redactionFor(options) } = settings;
  const { maxInlineChars } = options;
  const formats = formatsOf(options.format);
  const folder = new RecordingFolder({ ...settings, fs });
  const root = folder.transcripts;
  const entryRedactor = entryRedactorFor(options, new KeptFiles(fs, folder, settings.hostOutputs), redaction);
  setImmediate(() => void rehearse(options, entryRedactor).catch(onFailure));
  const timeouts = new Timeouts();
  const places = new SessionPlaces({ fs, root, format: formats[0], queries, timeouts });
  const presence = new Presence(fs, root);
  const pool = new WritePool();
  const shared = { folder, formats, maxInlineChars, fs, pool, places, presence, entryRedactor, timeouts, redaction };
  return new Recorder({ ...shared, queries, onFault, onFailure });
}

function entryRedactorFor(options: RecordingOptions, files: KeptFiles, redaction: Redaction): EntryRedactor {
  return new EntryRedactor({
    files,
    redaction,
    include: { reasoning: options.reasoning, events: options.events },
    maxInlineChars: options.format === "jsonl" ? undefined : options.maxInlineChars,
  });
}

/**
 * Prepares, encodes and scans a made-up call without writing it, so that the first entries do not wait until all of
 * this is loaded and compiled, which takes longer than a killed process may lose.
 */
export async function rehearse(options: RecordingOptions, entryRedactor = rehearsing(options)): Promise<void> {
  const sessionID = "ses_rehearsal";
  const drafts: Draft[] = [];
  new Timeline(Date.now, (draft) => drafts.push(draft)).accept(rehearsedCall(sessionID));
  const prepared: PreparedEntry[] = [];
  // The short form, because it never becomes a file.
  for (const draft of drafts) prepared.push(...(await entryRedactor.prepareShort(sessionID, draft, 0)));
  for (const format of formatsOf(options.format)) {
    const header = (): TranscriptHeader => ({ version: 1, sessionID });
    const { maxInlineChars } = options;
    const encoder = new EntryEncoder({ format, linkFormat: format, sessionID, filePath: "", maxInlineChars, header });
    const scanner = encoder.scanner(0);
    for (const entry of prepared) scanner.push(Buffer.from(encoder.record(entry).data));
  }
}

/** Prepares entries for a recorder that is not created yet. */
function rehearsing(options: RecordingOptions): EntryRedactor {
  const folder = new RecordingFolder({ fs: nodeFileSystem, dataFolder: "" });
  return entryRedactorFor(options, new KeptFiles(nodeFileSystem, folder), redactionFor(options));
}

function rehearsedCall(sessionID: string): HostRecord {
  // Of the usual size, so that loops over characters and lines are compiled too.
  const output = "a line of output\n".repeat(50);
  return {
    kind: "call",
    sessionID,
    messageID: "msg_rehearsal",
    partID: "prt_rehearsal",
    callID: "call_rehearsal",
    tool: "bash",
    input: { command: "npm test", timeout: 1000 },
    end: { status: "completed", output, metadata: { exit: 0 } },
  };
}

function redactionFor({ redact }: RecordingOptions): Redaction {
  return redact ? createRedaction() : NO_REDACTION;
}

export const NO_REDACTION: Redaction = {
  values: async (values) => [...values],
  text: async (text) => text,
};

/** Redaction with the detector, which is loaded on first use. */
export function createRedaction(): Redaction {
  const redactor = createRedactor();
  return {
    values: async (values) => (await redactJson(redactor, values)).map(({ value }) => value),
    text: async (text, before) => (await redactor.redact([{ text, ...given({ before }) }]))[0]?.text ?? "",
  };
}
