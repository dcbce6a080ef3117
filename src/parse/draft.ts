/** What a source makes of its input, before messages are put together. A new source yields these and nothing else. */
import type {
  BlockMetadata,
  BlockType,
  MessageMetadata,
  MessageType,
  ParseError,
  SessionMetadata,
  SourceName,
  ToolStatus,
  UserKind,
} from "./model.ts";

export interface BlockDraft {
  type: BlockType;
  /** Of text, and of a result: its text. Of thinking: the thinking. */
  text?: string | undefined;
  toolName?: string | undefined;
  /** Of a call and of a result: the call's id. */
  toolUseId?: string | undefined;
  input?: unknown;
  /** Of a result: whether the host itself reported an error. */
  isError?: boolean | undefined;
  /** Of a result: how the call ended, by `endingOf`. */
  status?: ToolStatus | undefined;
  /** Of a result: exit code of the command that the call ran. */
  exitCode?: number | undefined;
  /** What tells it from other blocks of its message, if its text does not: the signature of withheld thinking. */
  identity?: string | undefined;
  metadata?: BlockMetadata | undefined;
}

export interface UsageDraft {
  tokensIn: number;
  tokensOut: number;
  cacheRead: number;
  cacheWrite: number;
  /** Model calls behind the answer, where the source lists them; otherwise the answer was one call. */
  calls?: readonly CallUsage[];
}

/** Tokens of one model call. `model` is undefined if it is the answer's. */
export interface CallUsage {
  model?: string | undefined;
  tokensIn: number;
  tokensOut: number;
  cacheRead: number;
  cacheWrite: number;
  cacheWrite1h: number;
}

/** One message, or one of several pieces of it that share `sourceId`. */
export interface MessageDraft {
  type: MessageType;
  role: "user" | "assistant" | null;
  userKind?: UserKind | undefined;
  /** Pieces of `assistant` type with the same id become one message, wherever they stand. */
  sourceId?: string | undefined;
  uuid?: string | undefined;
  parentUuid?: string | undefined;
  requestId?: string | undefined;
  model?: string | undefined;
  provider?: string | undefined;
  timestamp?: string | undefined;
  cwd?: string | undefined;
  /** Of pieces that share an id the last one holds, if its output is not smaller (SPEC P3). */
  usage?: UsageDraft | undefined;
  /** Cost that the host recorded, in US dollars. */
  costUsd?: number | undefined;
  isSidechain?: boolean | undefined;
  agentId?: string | undefined;
  blocks: BlockDraft[];
  metadata?: MessageMetadata | undefined;
}

/** One line of the input, or one entry of a source whose entries have several. */
export interface SourceUnit {
  line: number;
  offset: number;
  /** Lines that it covers. */
  lines: number;
  /** What became of it: see `LineAccount`. `skipped` and `unknown` name their kind. */
  outcome:
    | { as: "used" | "blank" | "failed" }
    | { as: "skipped"; kind: string }
    | { as: "unknown"; type: string; raw: unknown };
  messages: readonly MessageDraft[];
  problems: readonly ParseError[];
  /** What it says of the session; earlier units win, except for `title`, where later ones do. */
  session?: Partial<Omit<SessionMetadata, "firstTimestamp" | "lastTimestamp">> | undefined;
  /** A time that counts for the session's duration though there is no message. */
  timestamp?: string | undefined;
}

export interface SourceOptions {
  /** Lines longer than this many bytes are passed over. */
  maxLineBytes: number;
  /** Take the subagents' messages that Claude Code copies into `progress` lines. */
  agentProgress: boolean;
  /** Reads an output that is kept in a file of its own; undefined if it is not there. Path relative to the transcript. */
  readOutput?: (path: string) => Promise<string | undefined>;
  /**
   * Lines for which a source may hold a unit back because later lines can change it, as the rest of a text that was
   * written in pieces does. 0: every unit comes as soon as it is read, as of a file that still grows. Default 1,000.
   */
  windowLines?: number;
}

export interface Source {
  name: SourceName;
  /**
   * Its files may repeat what they have said already, under the same ids, and call ids are unique in the world: what
   * comes again is left out. Elsewhere a call id may be used for many calls.
   */
  repeats?: boolean;
  /** Whether an input is of this source, from its first bytes (64 KiB, or all of a shorter input) as text. */
  detect(head: string): boolean;
  /** Reads the chunks of an input, which may end anywhere, into batches of units in input order. Never throws of content. */
  read(chunks: AsyncIterable<Uint8Array>, options: SourceOptions): AsyncGenerator<SourceUnit[]>;
  /** The same of a whole text, where that is quicker than by way of its bytes. */
  readText?(text: string, options: SourceOptions): Generator<SourceUnit[]>;
}
