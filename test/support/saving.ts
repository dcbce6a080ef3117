/** A recorder and save_conversation on a folder of their own, as the plugin wires them, with a host that is played. */
import { readFile } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { judgedEnd } from "../../src/agents/opencode/opencode-endings.ts";
import { parseOptions } from "../../src/config.ts";
import type { FileSystem } from "../../src/transcript/files/file-system.ts";
import { writeNewFile } from "../../src/transcript/files/new-file.ts";
import { nodeFileSystem } from "../../src/transcript/files/node-file-system.ts";
import { saveConversation } from "../../src/tools/save-conversation/save.ts";
import { createRecorder, createRedaction, formatsOf, NO_REDACTION } from "../../src/transcript/create-recorder.ts";
import { transcriptsFolder } from "../../src/transcript/recording-folder.ts";
import type { HostRecord } from "../../src/transcript/records.ts";
import type { Recorder } from "../../src/transcript/recorder.ts";

export interface SavingOptions {
  /** The folder of all data. */
  dataFolder: string;
  format?: "markdown" | "jsonl" | "both";
  redact?: boolean;
  /** What the host has stored, by session; a session that is not here has no history. */
  history?: ReadonlyMap<string, readonly HostRecord[]>;
  /** For the saved files; transcripts are written by the real one. */
  fs?: FileSystem;
  now?: () => Date;
}

export interface Saving {
  readonly recorder: Recorder;
  /** Sessions that the host was asked to summarize. */
  readonly summaries: string[];
  /** Takes records in and waits until they are on the disk. */
  record(records: readonly HostRecord[]): Promise<void>;
  save(sessionID: string, args?: unknown): Promise<string>;
  /** Saves and reads the file that the answer names. */
  saved(sessionID: string, args?: unknown): Promise<{ path: string; text: string; answer: string }>;
}

export function startSaving(options: SavingOptions): Saving {
  const { dataFolder, format = "markdown", redact = false } = options;
  const { fs = nodeFileSystem, now = () => new Date(), history = new Map<string, HostRecord[]>() } = options;
  const { options: settings } = parseOptions({ format, redact });
  const recorder = createRecorder({
    dataFolder,
    judgeEnd: judgedEnd,
    options: settings,
    queries: {
      session: async (sessionID) => ({ kind: "session", sessionID, isNew: false }),
      history: async (sessionID) => [...(history.get(sessionID) ?? [])],
    },
    onFault: () => undefined,
    onFailure: (error) => {
      throw error;
    },
  });
  const summaries: string[] = [];
  const save = (sessionID: string, args: unknown = {}): Promise<string> =>
    saveConversation(sessionID, args, {
      recorder,
      redaction: redact ? createRedaction() : NO_REDACTION,
      dataFolder,
      transcriptsFolder: transcriptsFolder(dataFolder),
      formats: formatsOf(settings.format),
      fs,
      writeNew: (path, data) => writeNewFile(fs, path, data),
      now,
      shown: (path) => path,
      fileName: (path) => path,
      summarizeLater: (id) => void summaries.push(id),
    });
  return {
    recorder,
    summaries,
    save,
    async record(records) {
      for (const record of records) recorder.accept(record);
      await recorder.flush(10_000, "all", "soon");
    },
    async saved(sessionID, args) {
      const answer = await save(sessionID, args);
      const path = /^Saved as (.+\.md):/.exec(answer)?.[1];
      if (path === undefined || !isAbsolute(path)) throw new Error(`not saved: ${answer}`);
      return { path, text: await readFile(path, "utf8"), answer };
    },
  };
}
