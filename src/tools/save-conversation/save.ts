import { describeFault } from "../../files/fault.ts";
import { safeSegment } from "../../transcript/paths.ts";
import type { Redaction } from "../../transcript/preparation.ts";
import type { Recorder } from "../../transcript/recorder.ts";
import type { Digest } from "./digest.ts";
import { familyOf } from "./family.ts";
import {
  exists,
  findTranscript,
  transcriptFile,
  type FoundTranscript,
  type TranscriptSources,
} from "./found-transcript.ts";
import { slugOf, writeNumbered, type NumberedFileOptions } from "./numbered-file.ts";
import { redactedDigest } from "./redacted-digest.ts";
import { localDate, sessionFile, titleOf, type SessionFileFacts } from "./session-file.ts";
import { readSaveArgs, type SaveConversationArgs } from "./tool.ts";

/** How long the save waits for the session's transcript to be written, in milliseconds. */
const FLUSH_MS = 5_000;

export interface SaveConversationOptions extends NumberedFileOptions, TranscriptSources {
  recorder: Pick<Recorder, "flush" | "recall" | "path">;
  redaction: Redaction;
  /** Whether session events, which carry most of the usage, are recorded. */
  recordsEvents: boolean;
  /** The folder of all data, e.g. `/project/.openfleet`. */
  dataFolder: string;
  now: () => Date;
  /** Shortens a path for the answer. */
  shown: (path: string) => string;
  /** Has the host summarize the session when its turn ends; never awaited. Undefined: this host cannot. */
  summarizeLater?: (sessionID: string) => void;
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
  try {
    const args = readSaveArgs(rawArgs);
    if ("problem" in args) return `The conversation was not saved. Correct the arguments: ${args.problem}.`;
    return await save(sessionID, args, options);
  } catch (error) {
    return `The conversation was not saved. ${describeFault(error).message}`;
  }
}

async function save(sessionID: string, args: SaveConversationArgs, options: SaveConversationOptions): Promise<string> {
  const { recorder, dataFolder, join, shown } = options;
  await recorder.recall(sessionID);
  const flushed = await recorder.flush(FLUSH_MS, sessionID);
  const found = await findTranscript(sessionID, options);
  if (!found || messagesOf(found.digest) === 0) {
    return flushed.waiting > 0
      ? "The conversation was not saved: its transcript cannot be written at the moment. Check the disk and try again."
      : "There is nothing to save yet: this session has no messages.";
  }
  const facts = await factsOf(sessionID, args.note, found, options);
  const { digest } = facts;
  const folder = join(dataFolder, "sessions", localDate(facts.savedAt));
  const name = await writeNumbered(folder, slugOf(titleOf(digest)), sessionFile(facts), options);
  const lines = [
    `Saved as ${shown(join(folder, name))}: ${messagesOf(digest)} messages, ${digest.toolCalls} tool calls, ${digest.failedCalls} failed.`,
    `The full transcript is ${shown(found.path)}; the saved file has commands to search it.`,
  ];
  if (!flushed.complete)
    lines.push("Some of the latest entries are not on disk yet; they follow when writing works again.");
  if (args.compact === true) lines.push(askForSummary(sessionID, options));
  return lines.join("\n");
}

async function factsOf(
  sessionID: string,
  note: string | undefined,
  found: FoundTranscript,
  options: SaveConversationOptions,
): Promise<SessionFileFacts> {
  const { redaction, fs, join, transcriptsFolder, formats, now } = options;
  const family = await familyOf(sessionID, found.digest, options);
  const folder = join(transcriptsFolder, safeSegment(sessionID));
  const other = formats.find((format) => format !== found.format);
  const otherPath = other === undefined ? undefined : await transcriptFile(sessionID, other, options);
  return {
    sessionID,
    digest: await redactedDigest(found.digest, redaction),
    note: note === undefined ? undefined : await redaction.text(note),
    savedAt: now(),
    transcript: found.path,
    format: found.format,
    otherFormat: otherPath !== undefined && (await exists(otherPath, fs)) ? otherPath : undefined,
    folder: (await exists(folder, fs)) ? folder : undefined,
    subagents: await Promise.all(
      family.subagents.map(async ({ title, ...rest }) => ({
        ...rest,
        title: title === undefined ? undefined : await redaction.text(title),
      })),
    ),
    familyUsage: family.usage,
    usageIsPartial: !options.recordsEvents,
  };
}

function messagesOf(digest: Digest): number {
  return digest.userMessages + digest.assistantMessages;
}

function askForSummary(sessionID: string, { summarizeLater }: SaveConversationOptions): string {
  if (!summarizeLater) return "This host cannot be asked to summarize; do it by hand.";
  summarizeLater(sessionID);
  return "The host will be asked to summarize the conversation when this turn ends.";
}
