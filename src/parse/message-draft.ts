/**
 * Output of a format's reader, before messages are assembled. A new format yields only these: for each line a unit with the pieces of
 * messages on it, most of which `drafts.ts` makes. How to say what is not simply a message:
 *
 * - An answer in several records: pieces with the same `sourceId`, anywhere in the file. Each has only its new blocks, which
 *   `SeenBlocks` (seen-blocks.ts) finds where records repeat them.
 * - Usage in a record of its own: a draft of type `system` with `usage`, without blocks, and with the `sourceId` (or
 *   `answerId`) of its answer, which may come before or after it. Without an answer it is a message of its own. Its
 *   `sourceId` should be the provider's response or call id, because usage with the same id counts once, in all files.
 *   If only a later record names that id, give the pieces an `answerId` of your own until then.
 * - An answer of several model calls, each with its usage: `MessageDraft.usageId`.
 * - Counters of tokens: `countedTokens` (counted-tokens.ts), by their names and what they include.
 * - Cumulative totals: `CumulativeUsage` (cumulative-usage.ts) returns what a total has beyond what was counted.
 * - Messages that the agent itself dropped: `InputUnit.supersedes`, on the line that says so; or, if records form a tree, of
 *   which one branch is the conversation, `ReadRecord.node`. They stay, with the label; they count in no figure but usage.
 * - A subagent in the file of the session that started it: `InputUnit.part`; `readRecords`, or else `onlyPart`, then
 *   leaves out the units of the other sessions.
 * - Copies in forks: an answer that keeps its `sourceId` counts once, whatever its time. Prompts are copies if they have the
 *   time of the original. Leave out what a file copies with new ids or new times.
 */
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
  /** Part of `tokensOut`. */
  reasoning?: number | undefined;
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
  /**
   * The provider's or host's id. Pieces with the same id that are of type `assistant`, or have usage, become one message,
   * wherever they are; it is an answer if one of them is.
   */
  sourceId?: string | undefined;
  /**
   * Takes the place of `sourceId` for that, if several messages may have one `sourceId`, or if only a later piece has it; and
   * joins pieces of any type. Any text that is unique in the file.
   */
  answerId?: string | undefined;
  uuid?: string | undefined;
  parentUuid?: string | undefined;
  requestId?: string | undefined;
  model?: string | undefined;
  provider?: string | undefined;
  timestamp?: string | undefined;
  cwd?: string | undefined;
  /** Identifies the answer in all files, if neither `sourceId` nor it with `requestId` does. */
  copyKey?: string | undefined;
  /** Usage; of pieces that share an id the last counts, if its output is not smaller. */
  usage?: UsageDraft | undefined;
  /** Id of the model call with this usage and cost, if an answer took several: they are added up. Default: one for the whole answer. */
  usageId?: string | undefined;
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

/** One line of the input, or one entry of a format whose entries have several lines. */
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
  /** `uuid` or `sourceId` of earlier messages that the agent dropped from the conversation; another piece brings one back. */
  supersedes?: readonly string[] | undefined;
  /** Id of the subagent whose session the unit is part of, if it is in the file of another session. */
  part?: string | undefined;
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

/** Returns the unit without its content if it is of another session in the same file. `part`: see `ReadOptions`. */
export function onlyPart(unit: InputUnit, part: string | undefined): InputUnit {
  if (unit.part === part) return unit;
  const { line, offset, lines } = unit;
  const kind = unit.part === undefined ? "other session" : "subagent";
  return { line, offset, lines, outcome: { as: "skipped", kind }, messages: [], problems: [] };
}
