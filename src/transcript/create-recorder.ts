import type { Options } from "../config.ts";
import type { FileSystem } from "./files/file-system.ts";
import { nodeFileSystem } from "./files/node-file-system.ts";
import { given } from "../given.ts";
import { KeptFiles } from "./kept-files.ts";
import { RecordingFolder, type RecordingFolderOptions } from "./recording-folder.ts";
import type { Formats } from "./transcript-paths.ts";
import { Timeouts } from "./timeouts.ts";
import { SessionPlaces } from "./session-place.ts";
import type { RecordingContext } from "./session-recording.ts";
import { WritePool } from "./files/write-pool.ts";
import { EntryRedactor, type JudgeEnd, type Redaction } from "./entry-redactor.ts";
import { Recorder } from "./recorder.ts";

type RecordingOptions = Pick<Options, "format" | "maxInlineChars" | "redact">;

export interface CreateRecorderOptions
  extends Omit<RecordingFolderOptions, "fs">, Pick<RecordingContext, "queries" | "onFault" | "onFailure"> {
  options: RecordingOptions;
  judgeEnd: JudgeEnd;
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
  const entryRedactor = new EntryRedactor({
    files: new KeptFiles(fs, folder, settings.hostOutputs),
    redaction,
    judgeEnd: settings.judgeEnd,
    maxInlineChars: options.format === "jsonl" ? undefined : maxInlineChars,
  });
  const timeouts = new Timeouts();
  const places = new SessionPlaces({ fs, root, format: formats[0], queries, timeouts });
  const pool = new WritePool();
  const shared = { folder, formats, maxInlineChars, fs, pool, places, entryRedactor, timeouts, redaction };
  return new Recorder({ ...shared, queries, onFault, onFailure });
}

function redactionFor({ redact }: RecordingOptions): Redaction {
  return redact ? createRedaction() : NO_REDACTION;
}

export const NO_REDACTION: Redaction = {
  value: async (value) => value,
  text: async (text) => text,
};

/** Redaction with the detector, which is loaded on first use: a host waits for its plugins when it starts. */
export function createRedaction(): Redaction {
  let loaded: ReturnType<typeof loadRedactor> | undefined;
  const load = (): ReturnType<typeof loadRedactor> => (loaded ??= loadRedactor());
  return {
    value: async (value) => {
      const { redactor, redactJson } = await load();
      return (await redactJson(redactor, [value]))[0]?.value;
    },
    text: async (text, before) => {
      const { redactor } = await load();
      return (await redactor.redact([{ text, ...given({ before }) }]))[0]?.text ?? "";
    },
  };
}

async function loadRedactor() {
  const [{ createRedactor }, { redactJson }] = await Promise.all([
    import("../redact/redactor.ts"),
    import("../redact/redact-json.ts"),
  ]);
  return { redactor: createRedactor(), redactJson };
}
