/**
 * Entries of a transcript: messages, calls, results and events of one session.
 *
 * Both file formats contain exactly these fields, and both readers return them unchanged. All values are JSON values;
 * `timestamp` is ISO 8601 in UTC with milliseconds, the host's own time if it has one.
 */

interface BaseEntry {
  /** Time of the entry: `2026-01-05T10:30:00.000Z`. */
  timestamp: string;
  /** The host's id of the message that this entry belongs to (opencode: `msg_…`). */
  messageID?: string;
  /** The host's id of the part that this entry was made from (opencode: `prt_…`). */
  partID?: string;
}

/**
 * Tokens of one model call, as counted by the host, in the data of its `usage` event. `input` excludes tokens read from
 * the cache.
 */
export interface TokenCounts {
  input: number;
  output: number;
  reasoning?: number;
  cacheRead?: number;
  cacheWrite?: number;
}

/** File that came with a message or a tool's result, saved beside the transcript. */
export interface Attachment {
  /** Media type: `image/png`. */
  mime: string;
  /** Name given by the host. */
  filename?: string;
  /** Path of the saved file, relative to the transcripts folder. Absent if it could not be saved. */
  path?: string;
  /** URL from the host (`file://…`, `https://…`); never a `data:` URL. */
  url?: string;
  /** Size in bytes. */
  bytes?: number;
  /** Reason why the file was not saved. */
  missing?: string;
}

/** Message to the model from a person, a slash command or the host itself. */
export interface UserMessageEntry extends BaseEntry {
  type: "user";
  /** Visible text of the message: its text parts that are not synthetic, joined with newlines. */
  content: string;
  /** All parts of the message as the host has them, without the bytes of attachments. */
  parts: unknown[];
  attachments?: Attachment[];
  agent?: string;
  /** `provider/model` that the message was sent to. */
  model?: string;
}

/** Fields shared by the assistant's text and reasoning. */
interface AssistantText extends BaseEntry {
  content: string;
  agent?: string;
  /** `provider/model` that wrote it. */
  model?: string;
  /** The text was cut off: the user aborted, the stream broke or the process ended. */
  interrupted?: boolean;
  /**
   * Written before the host reported the end of the text. The rest follows in an entry with `continues`, unless the
   * process ended first.
   */
  unfinished?: boolean;
  /**
   * Continues an earlier entry with the same `partID`, which was written before its text was complete. `append`: the text
   * follows the earlier one. `replace`: it replaces the earlier one.
   */
  continues?: "append" | "replace";
}

/** Text of the model for the user. */
export interface AssistantMessageEntry extends AssistantText {
  type: "assistant";
}

/** The model's reasoning, if the provider returns it. */
export interface ReasoningEntry extends AssistantText {
  type: "reasoning";
}

/** Tool call, written when its input is known. */
export interface ToolUseEntry extends BaseEntry {
  type: "tool_use";
  tool: string;
  /** The provider's id of the call. Not unique across sessions, and not always within one. */
  callID: string;
  input: unknown;
  /** The session of the subagent that this call started. */
  subagent?: SubagentLink;
  /** The recorder supplied the input, because the session stopped before the arguments were complete. */
  unfinished?: boolean;
  /** The call as it finally ran; replaces the earlier entry with the same `partID`. */
  continues?: "replace";
}

/** Session started by a tool call, and its transcript. */
export interface SubagentLink {
  sessionID: string;
  /** Path of its transcript, relative to the transcripts folder. */
  path?: string;
}

/** Result of a tool call. */
export interface ToolResultEntry extends BaseEntry {
  type: "tool_result";
  tool: string;
  callID: string;
  /** Input of the call. */
  input: unknown;
  /** Output of the tool; for a failed call, the error message. */
  output: unknown;
  /** Outcome by one rule for all hosts (`src/calls/ending.ts`). Absent means completed. */
  status?: "completed" | "error" | "interrupted" | "rejected";
  /** Status reported by the host, if it differs from `status`. */
  hostStatus?: "completed";
  /** Exit code of the command, if the call ran one. */
  exitCode?: number;
  /** The recorder ended the call, because the session stopped before the host did. */
  unfinished?: boolean;
  /** The real result; replaces the earlier entry with the same `partID`. */
  continues?: "replace";
  title?: string;
  metadata?: unknown;
  attachments?: Attachment[];
  subagent?: SubagentLink;
  /** `output` is only the beginning, because the file with the full text was not found when the transcript was read. */
  outputMissing?: string;
}

/** Event of the session itself. */
export interface SessionEventEntry extends BaseEntry {
  type: "session_event";
  /** The host's event id, if the event does not belong to a part. */
  eventID?: string;
  /** `title`, `compaction`, `retry`, `error`, `permission asked`, `usage`, …: see docs/format.md. */
  name: string;
  /** Description for people. */
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

/** Header of a transcript. */
export interface TranscriptHeader {
  /** Version of the file format. */
  version: 1;
  sessionID: string;
  /** Session that started this one, for a subagent. */
  parentID?: string;
  /** Path of the parent's transcript, relative to the transcripts folder. */
  parentPath?: string;
  title?: string;
  /** Folder of the project. */
  directory?: string;
  /** Start of the session, ISO 8601. */
  created?: string;
  /** Recorded program and version: `opencode 1.18.33`. */
  host?: string;
  /** Recording program and version. */
  recorder?: string;
}

/** Position in a file that could not be read as an entry, with the reason. Reading continues after it. */
export interface TranscriptProblem {
  code: "torn_entry" | "damaged_entry" | "unknown_entry" | "no_header" | "newer_version" | "missing_output";
  /** 1-based line in the file. */
  line: number;
  /** Byte offset in the file. */
  offset: number;
  /** The problem, and what to do about it. */
  message: string;
  /** For `unknown_entry`: the JSON of its line or of its section's comment. */
  value?: unknown;
}

/**
 * Item returned by a reader, in file order. `lastLine`: the line of its last byte. `chars`: length of an entry's text as it
 * was written.
 */
export type TranscriptItem =
  | { kind: "header"; header: TranscriptHeader; line: number; offset: number; endOffset: number }
  | {
      kind: "entry";
      entry: TranscriptEntry;
      line: number;
      lastLine: number;
      offset: number;
      endOffset: number;
      chars?: number;
    }
  | { kind: "problem"; problem: TranscriptProblem };
