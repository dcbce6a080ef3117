import type { TokenCounts } from "../format/entries.ts";
import type { JsonValue } from "./json-value.ts";

/**
 * What a host tells the recorder, in no host's own words. One adapter per host makes these
 * (see src/host/); the recorder knows nothing else of the host. Times are milliseconds since 1970.
 * Ids of parts ascend in conversation order; records need not arrive in it.
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

interface OfSession {
  sessionID: string;
}

interface OfPart extends OfSession {
  messageID: string;
  partID: string;
}

/** A session was made or changed. `parentID` is decided: absent means that it has no parent. */
export interface SessionRecord extends OfSession {
  kind: "session";
  /** The host said just now that it made the session: there is no history before this. */
  isNew: boolean;
  parentID?: string;
  title?: string;
  directory?: string;
  createdMs?: number;
  host?: string;
  /** The user went back to before this message; nothing is removed until the next prompt. */
  revertedTo?: string;
  /** The host's id of the event that told of it. */
  eventID?: string;
}

/** A message was made or changed. */
export interface MessageRecord extends OfSession {
  kind: "message";
  messageID: string;
  role: "user" | "assistant";
  agent?: string;
  model?: string;
  createdMs?: number;
  /** The message is whole: nothing of it will change but late ends. */
  completed?: boolean;
  /** It ended because the user or the process stopped it. */
  aborted?: boolean;
}

/** A prompt is about to be saved: all its parts, before the records that confirm them. */
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

/** One part of a user's message. `raw` is the host's own object, copied. */
export interface UserPart {
  /** The text that the user sees; absent for files, agents and what the host added by itself. */
  visibleText?: string;
  raw: { [key: string]: JsonValue };
  /** The file that the part brings; `raw` then lacks its address. */
  file?: HostFile;
}

export interface UserPartRecord extends OfPart {
  kind: "user_part";
  part: UserPart;
}

/** The assistant's text or reasoning as it stands now, whole. */
export interface TextRecord extends OfPart {
  kind: "text";
  reasoning: boolean;
  text: string;
  startMs?: number;
  endMs?: number;
  /** No more is streamed into it. */
  done: boolean;
}

/** More of a text that was announced by a `text` record. */
export interface TextDeltaRecord extends OfPart {
  kind: "text_delta";
  delta: string;
}

export interface CallEnd {
  status: "completed" | "error" | "interrupted";
  output: JsonValue;
  title?: string;
  metadata?: JsonValue;
  /** Files that the tool gave back, as the host has them. */
  files?: readonly HostFile[];
  /** A file of the host's with the whole output, of which `output` is a part. */
  wholeOutputPath?: string;
  endMs?: number;
}

/** A file by address: `data:`, `file:` or `http(s):`. */
export interface HostFile {
  mime: string;
  url: string;
  filename?: string;
}

/** A tool call as it stands now. */
export interface CallRecord extends OfPart {
  kind: "call";
  callID: string;
  tool: string;
  /** Known once the call runs; absent while its arguments are still streamed. */
  input?: JsonValue;
  startMs?: number;
  /** The session that the call started. */
  subagentID?: string;
  /** The call starts a session: worth a short wait for its id. */
  startsSubagent?: boolean;
  end?: CallEnd;
}

/** A hook saw a call begin; the host's own record of it follows, or does not. */
export interface CallHintRecord extends OfSession {
  kind: "call_hint";
  callID: string;
  tool: string;
  input: JsonValue;
}

/** A hook saw a call end; the host's own record of it follows, or does not. */
export interface ResultHintRecord extends OfSession {
  kind: "result_hint";
  callID: string;
  tool: string;
  input?: JsonValue;
  end: CallEnd;
}

/** The end of one model call, with what it used. */
export interface UsageRecord extends OfPart {
  kind: "usage";
  tokens?: TokenCounts;
  cost?: number;
  reason?: string;
}

/** A session event that has its place among the parts: compaction, patch, retry. */
export interface PartEventRecord extends OfPart {
  kind: "part_event";
  name: string;
  text?: string;
  data?: JsonValue;
  atMs?: number;
}

/** A session event that stands where it arrives. */
export interface EventRecord extends OfSession {
  kind: "event";
  name: string;
  text?: string;
  data?: JsonValue;
  /** The host's id of the event, if the same event may be told twice. */
  eventID?: string;
  /** The call that it is about, which should stand before it. */
  callID?: string;
  /** The host's id of the request that it makes or answers. An answer stands behind its request. */
  requestID?: string;
}

/** The host took messages or parts back. */
export interface RemovalRecord extends OfSession {
  kind: "removal";
  messageID: string;
  partID?: string;
  /** The host's id of the event that told of it. */
  eventID?: string;
}

/** The session started or stopped working. After `idle` late ends of parts may still come. `deleted` is the end. */
export interface ActivityRecord extends OfSession {
  kind: "activity";
  state: "busy" | "idle" | "retrying" | "aborting" | "deleted";
}
