/**
 * The entries of a transcript: what was said and done in one session, one record each.
 *
 * Both file formats carry exactly these fields, and both readers give them back equal.
 * All values are JSON values; `timestamp` is ISO 8601 in UTC with milliseconds, the host's own time where it has one.
 */

interface BaseEntry {
  /** When it happened, e.g. `2026-01-05T10:30:00.000Z`. */
  timestamp: string;
  /** The host's id of the message that this entry belongs to (opencode: `msg_…`). */
  messageID?: string;
  /** The host's id of the part that this entry was made from (opencode: `prt_…`). */
  partID?: string;
}

/** Tokens of one model call, as the host counted them. `input` leaves out what came from the cache. */
export interface TokenCounts {
  input: number;
  output: number;
  reasoning?: number;
  cacheRead?: number;
  cacheWrite?: number;
}

/** A file that came with a message or a tool's result, kept beside the transcript. */
export interface Attachment {
  /** Media type, e.g. `image/png`. */
  mime: string;
  /** The name that the host gave it. */
  filename?: string;
  /** Where the bytes are: a path relative to the transcripts folder. Absent if they could not be kept. */
  path?: string;
  /** The host's own address of it (`file://…`, `https://…`); never a `data:` URL. */
  url?: string;
  /** Size in bytes. */
  bytes?: number;
  /** Why the bytes are not here. */
  missing?: string;
}

/** What a person, a slash command or the host itself put before the model. */
export interface UserMessageEntry extends BaseEntry {
  type: "user";
  /** The visible text of the message: its text parts that are not synthetic, joined with a newline. */
  content: string;
  /** All parts of the message as the host has them; bytes of attachments stand in files. */
  parts: unknown[];
  attachments?: Attachment[];
  agent?: string;
  /** `provider/model` that was asked. */
  model?: string;
}

/** Fields that the assistant's text and its reasoning share. */
interface AssistantText extends BaseEntry {
  content: string;
  agent?: string;
  /** `provider/model` that wrote it. */
  model?: string;
  /** Usage of the model call that ended with this text. A call that ended otherwise has a `usage` session event. */
  tokens?: TokenCounts;
  /** Cost of that call in US dollars, as the host reckons it. */
  cost?: number;
  /** The text was cut off: the user aborted, the stream broke or the process ended. */
  interrupted?: boolean;
  /**
   * Written before the host said how the text ends. The rest follows in an entry with `continues`, or is not known: then
   * the process ended first.
   */
  unfinished?: boolean;
  /**
   * This text belongs to an earlier entry with the same `partID`, which had to be written before its text was whole.
   * `append`: put it after that text. `replace`: it stands in place of that text.
   */
  continues?: "append" | "replace";
}

/** Text that the model addressed to the user. */
export interface AssistantMessageEntry extends AssistantText {
  type: "assistant";
}

/** The model's reasoning, where the provider shows it. */
export interface ReasoningEntry extends AssistantText {
  type: "reasoning";
}

/** A tool call, written when its input is known. */
export interface ToolUseEntry extends BaseEntry {
  type: "tool_use";
  tool: string;
  /** The provider's id of the call. Unique neither across sessions nor always within one. */
  callID: string;
  input: unknown;
  /** The session of the subagent that this call started. */
  subagent?: SubagentLink;
  /** The recorder made this input: the session stopped before the arguments were whole. */
  unfinished?: boolean;
  /** The call as it ran in the end. It stands in place of the earlier entry with the same `partID`. */
  continues?: "replace";
}

/** A session that a tool call started, and where its transcript is. */
export interface SubagentLink {
  sessionID: string;
  /** Path of its transcript, relative to the transcripts folder. */
  path?: string;
}

/** How a tool call ended. */
export interface ToolResultEntry extends BaseEntry {
  type: "tool_result";
  tool: string;
  callID: string;
  /** The input of the call, from the cache by call id. */
  input: unknown;
  /** What the tool gave back; of a failed call the error's text. */
  output: unknown;
  /** Whether the call failed, by one rule for all hosts (`src/calls/ending.ts`). Absent means completed. */
  status?: "completed" | "error" | "interrupted";
  /** What the host itself reported, where that differs from `status`. */
  hostStatus?: "completed";
  /** Exit code of the command that the call ran, if it ran one. */
  exitCode?: number;
  /** The recorder made this ending: the session stopped before the host said how the call ended. */
  unfinished?: boolean;
  /** How the call ended, after an ending that the recorder had made. It stands in place of that entry. */
  continues?: "replace";
  title?: string;
  metadata?: unknown;
  attachments?: Attachment[];
  subagent?: SubagentLink;
  /** `output` is only the beginning: the file with the whole text was not found when the transcript was read. */
  outputMissing?: string;
}

/** Something that happened to the session itself. */
export interface SessionEventEntry extends BaseEntry {
  type: "session_event";
  /** The host's id of the event, where the event is of no part. */
  eventID?: string;
  /** `title`, `compaction`, `retry`, `error`, `permission asked`, `usage`, …: see docs/format.md. */
  name: string;
  /** One sentence for the person who reads. */
  text?: string;
  data?: unknown;
}

export type TranscriptEntry =
  | UserMessageEntry
  | AssistantMessageEntry
  | ReasoningEntry
  | ToolUseEntry
  | ToolResultEntry
  | SessionEventEntry;

/** What stands once at the head of a transcript. */
export interface TranscriptHeader {
  /** Version of the file format. */
  version: 1;
  sessionID: string;
  /** The session that started this one, if it is a subagent's. */
  parentID?: string;
  /** Path of the parent's transcript, relative to the transcripts folder. */
  parentPath?: string;
  title?: string;
  /** The project's folder. */
  directory?: string;
  /** When the session began, ISO 8601. */
  created?: string;
  /** Program and version that was recorded, e.g. `opencode 1.18.33`. */
  host?: string;
  /** Program and version that recorded. */
  recorder?: string;
}

/** A place in a file that could not be read as an entry, with the reason. Reading goes on after it. */
export interface TranscriptProblem {
  code: "torn_entry" | "damaged_entry" | "unknown_entry" | "no_header" | "newer_version" | "missing_output";
  /** 1-based line in the file. */
  line: number;
  /** Byte offset in the file. */
  offset: number;
  /** What is wrong, and what to do next. */
  message: string;
  /** Of an `unknown_entry`: the JSON of its line, or of its section's comment. */
  value?: unknown;
}

/** One thing that a reader met, in file order. */
export type TranscriptItem =
  | { kind: "header"; header: TranscriptHeader; line: number; offset: number; endOffset: number }
  | { kind: "entry"; entry: TranscriptEntry; line: number; offset: number; endOffset: number }
  | { kind: "problem"; problem: TranscriptProblem };
