/** The tool save_conversation: saves a digest of a session beside its transcript. */
import { join } from "node:path";
import { describeFault, errorCode } from "../../transcript/files/fault.ts";
import { type TranscriptFormat, safeSegment } from "../../transcript/transcript-paths.ts";
import type { Redaction } from "../../transcript/entry-redactor.ts";
import type { Digest } from "./conversation-digest.ts";
import { type NumberedFileOptions, slugOf, writeNumbered } from "./numbered-file.ts";
import { type SessionFileFacts, type SubagentFacts, sessionFile, savedTitle } from "./session-file.ts";
import { readArguments } from "../arguments.ts";
import { withArgument } from "../failure.ts";
import { TranscriptsError } from "../../transcripts-error.ts";
import type { ToolArguments } from "../tool.ts";
import { SAVE_CONVERSATION } from "../tool-definitions.ts";
import { readChunks, type FileSystem } from "../../transcript/files/file-system.ts";
import { localTime } from "../../quantities.ts";
import type { Recorder } from "../../transcript/recorder.ts";

/** Maximum wait for the transcripts of the session and its subagents to be written, in milliseconds. */
const FLUSH_MS = 5_000;

export interface SaveConversationOptions extends NumberedFileOptions, TranscriptSources {
  recorder: Pick<Recorder, "flush" | "recall" | "path">;
  redaction: Redaction;
  /** Folder of all data, e.g. `/project/.openfleet`. */
  dataFolder: string;
  now: () => Date;
  shown: (path: string) => string;
  /** Makes the host summarize the session when its turn ends; never awaited. Undefined if this host cannot. */
  summarizeLater?: (sessionID: string) => void;
}

/**
 * Saves a session's digest beside its transcript and returns one plain text for the model. Never rejects: a failure is
 * described with what happened and what to do.
 */
export async function saveConversation(
  sessionID: string,
  rawArgs: unknown,
  options: SaveConversationOptions,
): Promise<string> {
  try {
    return await save(sessionID, readArguments(SAVE_CONVERSATION, rawArgs), options);
  } catch (error) {
    const isOurs = error instanceof TranscriptsError;
    return `The conversation was not saved. ${isOurs ? withArgument(error, error.message) : describeFault(error).message}`;
  }
}

async function save(
  sessionID: string,
  args: ToolArguments<typeof SAVE_CONVERSATION.args>,
  options: SaveConversationOptions,
): Promise<string> {
  const { recorder, dataFolder, shown } = options;
  await recorder.recall(sessionID);
  const flushed = await recorder.flush(FLUSH_MS);
  const found = await findTranscript(sessionID, options);
  if (!found || messagesOf(found.digest) === 0) {
    return flushed.waiting > 0
      ? "The conversation was not saved: its transcript cannot be written at the moment. Check the disk and try again."
      : "There is nothing to save yet: this session has no messages.";
  }
  const facts = await factsOf(sessionID, args.note, found, options);
  const { digest } = facts;
  const { tool_use_count, tool_error_count } = digest.stats;
  const folder = join(dataFolder, "sessions", localTime(facts.savedAt).slice(0, 10));
  const name = await writeNumbered(folder, slugOf(savedTitle(digest)), sessionFile(facts), options);
  const lines = [
    `Saved as ${shown(join(folder, name))}: ${messagesOf(digest)} messages, ${tool_use_count} tool calls, ${tool_error_count} failed.`,
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
  const { redaction, fs, transcriptsFolder, now } = options;
  const subagents = await subagentsOf(sessionID, found.digest, options);
  const folder = join(transcriptsFolder, safeSegment(sessionID));
  return {
    sessionID,
    digest: await redactedDigest(found.digest, redaction),
    note: note === undefined ? undefined : await redaction.text(note),
    savedAt: now(),
    transcript: found.path,
    format: found.format,
    folder: (await exists(folder, fs)) ? folder : undefined,
    subagents: await Promise.all(
      subagents.map(async (each) => ({ ...each, title: each.title && (await redaction.text(each.title)) })),
    ),
  };
}

function messagesOf({ userMessages, stats }: Digest): number {
  return userMessages + stats.assistant_messages;
}

function askForSummary(sessionID: string, { summarizeLater }: SaveConversationOptions): string {
  if (!summarizeLater) return "The conversation cannot be summarized from here; run /compact by hand.";
  summarizeLater(sessionID);
  return "The conversation will be summarized when this turn ends.";
}

/**
 * Returns a digest without secrets. The transcript is usually redacted already, unless it was started with redaction
 * off; redacting twice changes nothing.
 */
async function redactedDigest(digest: Digest, redaction: Redaction): Promise<Digest> {
  const { title, lastTexts, hostSummary, prompts, errors, files } = digest;
  const redacted = await redaction.value({ title, lastTexts, hostSummary, prompts, errors, files });
  return Object.assign({ ...digest }, redacted);
}

interface TranscriptSources {
  recorder: Pick<Recorder, "path">;
  fs: FileSystem;
  transcriptsFolder: string;
  /** Recorded formats, preferred one first. */
  formats: readonly TranscriptFormat[];
  /** Returns the display name of a touched file, or undefined to leave it out. */
  fileName: (path: string) => string | undefined;
}

interface FoundTranscript {
  path: string;
  format: TranscriptFormat;
  digest: Digest;
}

/** Finds the transcript of a session and reads it; undefined if there is none in any format. */
async function findTranscript(sessionID: string, sources: TranscriptSources): Promise<FoundTranscript | undefined> {
  for (const format of sources.formats) {
    const path = join(sources.transcriptsFolder, await sources.recorder.path(sessionID, format));
    if (!(await exists(path, sources.fs))) continue;
    // Loads the parser, which hosts do not need at their start.
    const { digestOf } = await import("./conversation-digest.ts");
    return { path, format, digest: await digestOf(readChunks(sources.fs, path), sources.fileName) };
  }
  return undefined;
}

/** Rejects if the file system cannot tell. */
async function exists(path: string, fs: FileSystem): Promise<boolean> {
  try {
    await fs.stat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return false;
    throw error;
  }
}

/** Maximum number of subagents; of more, only the first are listed. */
const MAX_SUBAGENTS = 200;

/** Reads the subagents of a session, and their subagents, from their transcripts. */
async function subagentsOf(sessionID: string, digest: Digest, sources: TranscriptSources): Promise<SubagentFacts[]> {
  const subagents = new Map<string, SubagentFacts>();
  const waiting = [...digest.subagents];
  for (let child = waiting.shift(); child !== undefined; child = waiting.shift()) {
    if (child === sessionID || subagents.has(child) || subagents.size >= MAX_SUBAGENTS) continue;
    // An unreadable transcript is treated as missing: the saved session itself is readable.
    const { path, digest } = (await findTranscript(child, sources).catch(() => undefined)) ?? {};
    subagents.set(child, { sessionID: child, path, title: digest?.title ?? null, stats: digest?.stats });
    waiting.push(...(digest?.subagents ?? []));
  }
  return [...subagents.values()];
}
