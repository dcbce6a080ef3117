/** What a search gives, from the index or from the files themselves. */
import { createRedactor, type Redactor } from "../../redact/redactor.ts";
import type { HitSession } from "../../search/search-all.ts";
import type { SessionAccess } from "../../search/session-access.ts";
import type { EventRole } from "../../store/model.ts";
import { argumentOf, shownSource, shownTitle, type SourceName } from "../session-heading.ts";

/** A passage with its place: keys as in `transcripts find --json`, with a call in place of a command. */
export interface PassageRow {
  session_id: string;
  source: SourceName;
  path: string | null;
  project: string | null;
  title: string | null;
  /** 0 of a title that is on no line of its own. */
  line_number: number;
  byte_offset: number;
  timestamp: string | null;
  role: string;
  block_type: string;
  tool_name: string | null;
  tool_use_id: string | null;
  passage: string;
  matches: (readonly [start: number, end: number])[];
  match_count: number;
  /** Of `words`: those that it lacks. */
  missing?: string[];
  /** Whether the session's file is not there any more: only the index has what it held. */
  gone: boolean;
  /** Not recorded on this machine, as far as that can be told. */
  is_foreign: boolean;
  /** Why there is no `read_session`: a clause. */
  unavailable?: string;
  /** Arguments of `read_session` that show it with what is around it; null if the session cannot be read. */
  read_session: ReadArguments | null;
}

export interface ReadArguments {
  session: string;
  around_line?: number;
  with_tools?: true;
  with_thinking?: true;
}

/** What a row says of its block. */
export type RowHit = Omit<PassageRow, keyof RowSession>;

type RowSession = Pick<
  PassageRow,
  "session_id" | "source" | "path" | "project" | "title" | "is_foreign" | keyof RowAccess
>;
type RowAccess = Pick<PassageRow, "gone" | "unavailable" | "read_session">;

let shared: Redactor | undefined;

/** What stands in the index has no secrets; of a session that was read they are taken out now. */
export async function rowOf({ ref, stored, access }: HitSession, hit: RowHit): Promise<PassageRow> {
  const isRead = stored === undefined;
  shared ??= createRedactor();
  const [redacted] = isRead ? await shared.redact([{ text: hit.passage, cut: true }]) : [{ text: hit.passage }];
  const passage = redacted?.text ?? "";
  // Of several files with one id only the path names the one that is meant.
  const isOneOfSeveral = stored !== undefined && stored.session_id !== ref.id;
  const argument = isOneOfSeveral && ref.path !== null ? ref.path : argumentOf(ref);
  return {
    session_id: stored?.session_id ?? ref.id,
    source: shownSource(ref),
    path: ref.path,
    project: ref.project ?? (ref.projectLabel || null),
    title: await shownTitle(ref.title),
    is_foreign: ref.isForeign,
    ...hit,
    passage,
    matches: passage === hit.passage ? hit.matches : [],
    ...rowAccess(access, readArguments(argument, hit.line_number, hit.block_type)),
  };
}

function rowAccess(access: SessionAccess, read_session: ReadArguments): RowAccess {
  if (access.kind === "here") return { gone: false, read_session };
  return { gone: access.kind === "gone", unavailable: whyUnavailable(access), read_session: null };
}

function whyUnavailable(access: Exclude<SessionAccess, { kind: "here" }>): string {
  if (access.kind === "gone") return "its file is gone: only the index still has this";
  if (access.kind === "elsewhere") return `its file is on ${access.host}`;
  return `its file cannot be read: ${access.reason}`;
}

/** Those that show a block of this kind. */
function readArguments(session: string, line: number, blockType: string): ReadArguments {
  const isTool = blockType === "tool_use" || blockType === "tool_result";
  const isThinking = blockType === "thinking" || blockType === "redacted_thinking";
  return {
    session,
    ...(blockType === "title" ? {} : { around_line: line }),
    ...(isTool ? { with_tools: true } : {}),
    ...(isThinking ? { with_thinking: true } : {}),
  };
}

/** So many passages from where the cursor points, and how to get those that come after the first few of them. */
export interface Found {
  rows: PassageRow[];
  /** The cursor behind the first `count` rows; null if nothing comes after them. */
  cursorAfter: (count: number) => Promise<string | null>;
  /** How many there were on the pages before. */
  passed: number;
  /** How many there are in all, those of the pages before too, for people: `12`, or `more than 600`. */
  total: string;
  /** What the reader should know of the search. */
  notes: string[];
}

/** Of a search for words where no entry has all: what those that were found have. */
export function wordsNote(wanted: readonly string[], had: number): string {
  return `No entry has all of ${wanted.join(", ")}: these have ${had} of them.`;
}

export interface Asked {
  query: string;
  match: "phrase" | "words";
  since: Date | undefined;
  until: Date | undefined;
  project: string | undefined;
  role: EventRole | undefined;
  tool: string | undefined;
  errorsOnly: boolean;
  limit: number;
  cursor: string | undefined;
}

/** The filters that a search has, in the form that it takes them. */
export function filtersOf({ since, until, role, tool, errorsOnly }: Asked): {
  since?: Date;
  until?: Date;
  role?: EventRole;
  tool?: string;
  errorsOnly?: true;
} {
  return {
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(role === undefined ? {} : { role }),
    ...(tool === undefined ? {} : { tool }),
    ...(errorsOnly ? { errorsOnly } : {}),
  };
}
