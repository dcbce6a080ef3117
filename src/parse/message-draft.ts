/** Output of a format's reader, before messages are assembled. A new format yields only these. */
import type { Fields } from "./json-fields.ts";
import type {
  BlockMetadata,
  BlockType,
  MessageMetadata,
  MessageType,
  ParseError,
  ParseErrorCode,
  SessionMetadata,
  ToolStatus,
  UserKind,
} from "./model.ts";

export interface BlockDraft {
  type: BlockType;
  /** Text of a text or result block; thinking of a thinking block. */
  text?: string | undefined;
  toolName?: string | undefined;
  /** Call id of a call or result. */
  toolUseId?: string | undefined;
  input?: unknown;
  /** For a result: the host reported an error. */
  isError?: boolean | undefined;
  /** For a result: status of the call, by `endingOf`. */
  status?: ToolStatus | undefined;
  /** For a result: exit code of the command. */
  exitCode?: number | undefined;
  /** Distinguishes it from other blocks of its message if its text does not: the signature of withheld thinking. */
  identity?: string | undefined;
  metadata?: BlockMetadata | undefined;
}

export interface UsageDraft {
  tokensIn: number;
  tokensOut: number;
  cacheRead: number;
  cacheWrite: number;
  /** Model calls of the answer, if the source lists them; otherwise the answer was one call. */
  calls?: readonly CallUsage[];
}

/** Tokens of one model call. `model` is undefined if it is that of the answer. */
export interface CallUsage {
  model?: string | undefined;
  tokensIn: number;
  tokensOut: number;
  cacheRead: number;
  cacheWrite: number;
  cacheWrite1h: number;
}

/** Message, or one of several pieces of it that share `sourceId`. */
export interface MessageDraft {
  type: MessageType;
  role: "user" | "assistant" | null;
  userKind?: UserKind | undefined;
  /** Pieces of `assistant` type with the same id become one message, wherever they are. */
  sourceId?: string | undefined;
  /** Takes the place of `sourceId` for that, if several messages may have one `sourceId`: it, a line feed and a uuid. */
  answerId?: string | undefined;
  uuid?: string | undefined;
  parentUuid?: string | undefined;
  requestId?: string | undefined;
  model?: string | undefined;
  provider?: string | undefined;
  timestamp?: string | undefined;
  cwd?: string | undefined;
  /** Usage; of pieces that share an id the last counts, if its output is not smaller. */
  usage?: UsageDraft | undefined;
  /** Cost recorded by the host, in US dollars. */
  costUsd?: number | undefined;
  isSidechain?: boolean | undefined;
  agentId?: string | undefined;
  blocks: BlockDraft[];
  metadata?: MessageMetadata | undefined;
}

/** Session fields of a line; undefined if it does not have them. */
export type SessionDraft = {
  [Field in Exclude<keyof SessionMetadata, "firstTimestamp" | "lastTimestamp">]?: SessionMetadata[Field] | undefined;
};

/** One line of the input, or one entry of a source whose entries have several lines. */
export interface InputUnit {
  line: number;
  offset: number;
  /** Number of lines. */
  lines: number;
  /** Outcome: see `LineAccount`. `skipped` and `unknown` name their kind. */
  outcome:
    | { as: "used" | "blank" | "failed" }
    | { as: "skipped"; kind: string }
    | { as: "unknown"; type: string; raw: unknown };
  messages: readonly MessageDraft[];
  problems: readonly ParseError[];
  /** Session fields. Those of earlier units take precedence, except for `title`, where later ones do. */
  session?: SessionDraft | undefined;
  /** Time that counts for the session's duration without a message. */
  timestamp?: string | undefined;
  /** Record of a line that is one. */
  record?: Fields | undefined;
  /** Identifies the entry of a format with `hasStableIds`, to recognize a repeat. */
  identity?: string | undefined;
}

/** Position in an input: the 1-based line that begins at a byte offset. */
export interface InputPlace {
  line: number;
  offset: number;
}

/** Returns an entry of `errors`. `recovered`: nothing was lost. */
export function problemAt(
  { line, offset }: InputPlace,
  code: ParseErrorCode,
  reason: string,
  recovered = false,
): ParseError {
  return { code, line_number: line, byte_offset: offset, reason, recovered };
}
