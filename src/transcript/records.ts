import type { TokenCounts } from "./format/entry-types.ts";

/**
 * Records that a host adapter (see src/host/) passes to the recorder, which knows nothing else about the host.
 * Values typed `unknown` are plain JSON, copied from the host's objects. Times are milliseconds since 1970. Part ids
 * ascend in conversation order and records may arrive in any order, except where `inOrder` is set.
 */
export type HostRecord =
  | SessionRecord
  | MessageRecord
  | PromptRecord
  | UserPartRecord
  | TextRecord
  | TextDeltaRecord
  | CallRecord
  | CallHintRecord
  | ResultHintRecord
  | UsageRecord
  | PartEventRecord
  | EventRecord
  | RemovalRecord
  | ActivityRecord;

/** Queries of the recorder to a host. They may fail, and are never made inside the host's hooks. */
export interface RecorderQueries {
  /** Returns the host's data on a session; undefined if there is no such session. Rejects if the query fails. */
  session(sessionID: string): Promise<SessionRecord | undefined>;
  /** Returns records for the last `limit` stored messages of a session, or for all without a limit. */
  history(sessionID: string, limit?: number): Promise<HostRecord[]>;
}

interface OfSession {
  sessionID: string;
}

interface OfPart extends OfSession {
  messageID: string;
  partID: string;
  /** The first records of the session's parts arrive in conversation order, and their ids do not ascend. */
  inOrder?: boolean;
}

/** A session was created or changed. Without `parentID` it has no parent. */
export interface SessionRecord extends OfSession {
  kind: "session";
  /** The host has just created the session, so it has no history. */
  isNew: boolean;
  parentID?: string;
  title?: string;
  directory?: string;
  createdMs?: number;
  host?: string;
  /** The user reverted to before this message; nothing is removed until the next prompt. */
  revertedTo?: string;
  /** Id of the host's event. */
  eventID?: string;
}

/** A message was created or changed. */
export interface MessageRecord extends OfSession {
  kind: "message";
  messageID: string;
  role: "user" | "assistant";
  agent?: string;
  model?: string;
  createdMs?: number;
  /** The message is complete; only late ends of its parts may still come. */
  completed?: boolean;
  /** The user or the process stopped it. */
  aborted?: boolean;
}

/** A prompt with all its parts, before the host saves it and sends the records of the parts. */
export interface PromptRecord extends OfSession {
  kind: "prompt";
  messageID: string;
  parts: readonly PromptPart[];
  agent?: string;
  model?: string;
}

export interface PromptPart {
  partID: string;
  part: UserPart;
}

/** Part of a user's message. `raw` is a copy of the host's object. */
export interface UserPart {
  /** Text that the user sees; absent for files, agents and text added by the host. */
  visibleText?: string;
  raw: Readonly<Record<string, unknown>>;
  /** Attached file; `raw` then lacks its URL. */
  file?: HostFile;
}

export interface UserPartRecord extends OfPart {
  kind: "user_part";
  part: UserPart;
  /** All parts of the message have come. */
  isLast?: boolean;
}

/** The assistant's full text or reasoning so far. */
export interface TextRecord extends OfPart {
  kind: "text";
  reasoning: boolean;
  /** Absent if the host left it out: the text is then what was streamed. */
  text?: string;
  startMs?: number;
  endMs?: number;
  /** No more text follows. */
  done: boolean;
}

/** More text of a part, which a `text` record announced unless that was lost. */
export interface TextDeltaRecord extends OfPart {
  kind: "text_delta";
  /** False if unknown. Decides only where no `text` record came before. */
  reasoning: boolean;
  delta: string;
}

export interface CallEnd {
  status: "completed" | "error" | "interrupted";
  output: unknown;
  title?: string;
  metadata?: unknown;
  /** Files returned by the tool. */
  files?: readonly HostFile[];
  /** Host file with the full output, if `output` is only part of it. */
  wholeOutputPath?: string;
  endMs?: number;
}

/** File with a `data:`, `file:` or `http(s):` URL. */
export interface HostFile {
  mime: string;
  url: string;
  filename?: string;
}

/** Current state of a tool call. */
export interface CallRecord extends OfPart {
  kind: "call";
  callID: string;
  tool: string;
  /** Absent while the arguments are still being streamed. */
  input?: unknown;
  startMs?: number;
  /** Session started by the call. */
  subagentID?: string;
  /** The call starts a session, so its entry waits briefly for the session's id. */
  startsSubagent?: boolean;
  end?: CallEnd;
}

/** A hook saw a call begin. The host's own record may or may not follow. */
export interface CallHintRecord extends OfSession {
  kind: "call_hint";
  callID: string;
  tool: string;
  input: unknown;
}

/** A hook saw a call end. The host's own record may or may not follow. */
export interface ResultHintRecord extends OfSession {
  kind: "result_hint";
  callID: string;
  tool: string;
  input?: unknown;
  end: CallEnd;
}

/** Usage of one model call, at its end. */
export interface UsageRecord extends OfPart {
  kind: "usage";
  tokens?: TokenCounts;
  cost?: number;
  reason?: string;
}

/** Session event with a position among the parts: compaction, patch, retry. */
export interface PartEventRecord extends OfPart {
  kind: "part_event";
  name: string;
  text?: string;
  data?: unknown;
  atMs?: number;
}

/** Session event recorded in order of arrival. */
export interface EventRecord extends OfSession {
  kind: "event";
  name: string;
  text?: string;
  data?: unknown;
  /** The host's event id, if the same event may arrive twice. */
  eventID?: string;
  /** Call that the event is about, which should come first in the transcript. */
  callID?: string;
  /** The host's id of the request that it makes or answers. An answer comes after its request. */
  requestID?: string;
}

/** The host removed messages or parts. */
export interface RemovalRecord extends OfSession {
  kind: "removal";
  messageID: string;
  partID?: string;
  /** Id of the host's event. */
  eventID?: string;
}

/** The session started or stopped working. Late ends of parts may come after `idle`, but nothing comes after `deleted`. */
export interface ActivityRecord extends OfSession {
  kind: "activity";
  state: "busy" | "idle" | "retrying" | "aborting" | "deleted";
}
