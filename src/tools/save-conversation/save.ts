import type { FileSystem } from "../../files/file-system.ts";
import { describeFault } from "../../files/fault.ts";
import { openTranscript } from "../../format/index.ts";
import type { TranscriptFormat } from "../../transcript/paths.ts";
import type { Redaction } from "../../transcript/preparation.ts";
import type { Recorder } from "../../transcript/recorder.ts";
import { digestOf, type Digest } from "./digest.ts";
import { slugOf, writeNumbered, type NumberedFileOptions } from "./numbered-file.ts";
import { localDate, sessionFile, titleOf } from "./session-file.ts";
import { readSaveArgs } from "./tool.ts";

/** How long the save waits for the session's transcript to be written, in milliseconds. */
const FLUSH_MS = 10_000;
const READ_CHUNK_BYTES = 256 * 1024;

export interface SaveConversationOptions extends NumberedFileOptions {
  recorder: Pick<Recorder, "flush" | "recall" | "path">;
  redaction: Redaction;
  /** The folder of all data, e.g. `/project/.openfleet`. */
  dataFolder: string;
  transcriptsFolder: string;
  formats: readonly TranscriptFormat[];
  fs: FileSystem;
  now: () => Date;
  /** Shortens a path for the answer. */
  shown: (path: string) => string;
  /** Asks the host to summarize the session; never awaited. Undefined: this host cannot. */
  summarize?: (sessionID: string) => void;
}

/**
 * Saves a session's digest beside its transcript and answers with one plain text for the model.
 * Never rejects: a failure is a sentence that says what happened and what to do.
 */
export async function saveConversation(
  sessionID: string,
  rawArgs: unknown,
  options: SaveConversationOptions,
): Promise<string> {
  const args = readSaveArgs(rawArgs);
  if ("problem" in args) return `The conversation was not saved. Correct the arguments: ${args.problem}`;
  try {
    return await save(sessionID, args, options);
  } catch (error) {
    return `The conversation was not saved. ${describeFault(error).message}`;
  }
}

async function save(
  sessionID: string,
  { note, compact }: { note?: string | undefined; compact?: boolean | undefined },
  options: SaveConversationOptions,
): Promise<string> {
  const { recorder, dataFolder, join, redaction, now, shown } = options;
  await recorder.recall(sessionID);
  const flushed = await recorder.flush(FLUSH_MS, sessionID);
  const found = await findTranscript(sessionID, options);
  if (!found || found.digest.userMessages + found.digest.assistantMessages === 0) {
    return flushed.waiting > 0
      ? "The conversation was not saved: its transcript cannot be written at the moment. Check the disk and try again."
      : "There is nothing to save yet: this session has no messages.";
  }
  const { digest } = found;
  const savedAt = now();
  const facts = {
    sessionID,
    digest,
    savedAt,
    note: note === undefined ? undefined : await redaction.text(note),
    transcript: found.path,
    format: found.format,
    otherFormat: await otherFormat(sessionID, found.format, options),
    subagents: digest.subagents.flatMap((subagent) =>
      subagent.path === undefined
        ? []
        : [{ sessionID: subagent.sessionID, path: join(options.transcriptsFolder, subagent.path) }],
    ),
  };
  const folder = join(dataFolder, "sessions", localDate(savedAt));
  const name = await writeNumbered(folder, slugOf(titleOf(digest)), () => sessionFile(facts), options);
  const lines = [
    `Saved as ${shown(join(folder, name))}: ${digest.userMessages + digest.assistantMessages} messages, ${digest.toolCalls} tool calls, ${digest.failedCalls} failed.`,
    `The full transcript is ${shown(found.path)}; the saved file has commands to search it.`,
  ];
  if (!flushed.complete) lines.push("Some of the latest entries are not on disk yet; they follow when writing works again.");
  if (compact === true) lines.push(askForSummary(sessionID, options));
  return lines.join("\n");
}

function askForSummary(sessionID: string, { summarize }: SaveConversationOptions): string {
  if (!summarize) return "This host cannot be asked to summarize; do it by hand.";
  summarize(sessionID);
  return "The host was asked to summarize the conversation.";
}

interface FoundTranscript {
  path: string;
  format: TranscriptFormat;
  digest: Digest;
}

async function findTranscript(
  sessionID: string,
  options: SaveConversationOptions,
): Promise<FoundTranscript | undefined> {
  const { recorder, formats, transcriptsFolder, join } = options;
  for (const format of formats) {
    const path = join(transcriptsFolder, await recorder.path(sessionID, format));
    if (!(await exists(path, options))) continue;
    const digest = await digestOf(openTranscript(format, bytesOf(path, options)));
    return { path, format, digest };
  }
  return undefined;
}

async function otherFormat(
  sessionID: string,
  found: TranscriptFormat,
  options: SaveConversationOptions,
): Promise<string | undefined> {
  const other = options.formats.find((format) => format !== found);
  if (other === undefined) return undefined;
  const path = options.join(options.transcriptsFolder, await options.recorder.path(sessionID, other));
  return (await exists(path, options)) ? path : undefined;
}

function exists(path: string, { fs }: SaveConversationOptions): Promise<boolean> {
  return fs.stat(path).then(
    () => true,
    () => false,
  );
}

async function* bytesOf(path: string, { fs }: SaveConversationOptions): AsyncGenerator<Uint8Array> {
  const handle = await fs.openRead(path);
  try {
    for (let at = 0; ; ) {
      const chunk = await handle.read(at, READ_CHUNK_BYTES);
      if (chunk.byteLength === 0) return;
      at += chunk.byteLength;
      yield chunk;
    }
  } finally {
    await handle.close();
  }
}
