/** Passages of a search, from the index or from files. */
import { sharedRedactor } from "../../redact/redactor.ts";
import { given } from "../../given.ts";
import type { FindAsked, FoundPassage } from "../../queries/find-in-files.ts";
import type { SessionAccess } from "../../queries/stored-session.ts";
import { argumentOf, shownSource } from "../../sessions/session-ref.ts";
import { shownTitle } from "../session-heading.ts";

/** A passage with its place. Keys as in `transcripts find --json`, where each is described. */
export type PassageRow = Awaited<ReturnType<typeof rowOf>>;

/** Returns the row of a passage. Text from the index has no secrets; that of a session just read is redacted here. */
export async function rowOf(found: FoundPassage) {
  const { ref, stored, access } = found.session;
  const { line_number, byte_offset, timestamp, role, block_type, tool_name, tool_use_id } = found;
  const { match_count, missing, superseded } = found;
  const isRead = stored === undefined;
  const [redacted] = isRead
    ? await sharedRedactor().redact([{ text: found.passage, cut: true }])
    : [{ text: found.passage }];
  const passage = redacted?.text ?? "";
  // If several files share an id, only the path identifies this one.
  const isOneOfSeveral = stored !== undefined && stored.session_id !== ref.id;
  const named = isOneOfSeveral && ref.path !== null ? ref.path : argumentOf(ref);
  const storedId = access.kind === "elsewhere" ? access.id : stored?.session_id;
  const argument = access.kind === "here" ? named : (storedId ?? named);
  return {
    session_id: stored?.session_id ?? ref.id,
    source: shownSource(ref),
    path: ref.path,
    project: ref.project ?? (ref.projectLabel || null),
    title: await shownTitle(ref.title),
    line_number,
    byte_offset,
    timestamp,
    role,
    block_type,
    tool_name,
    tool_use_id,
    passage,
    matches: passage === found.passage ? found.matches : [],
    match_count,
    superseded,
    ...given({ missing: missing.length === 0 ? undefined : missing }),
    ...rowAccess(access, superseded, readArguments(argument, line_number, block_type)),
  };
}

/** Returns how to read on. `unavailable`: reason why `read_session` is null, as a clause. */
function rowAccess(access: SessionAccess, superseded: boolean, read_session: ReturnType<typeof readArguments>) {
  const from = { gone: access.kind === "gone", host: access.kind === "elsewhere" ? access.host : null };
  const unread = access.kind === "unreadable" ? `its file cannot be read: ${access.reason}` : undefined;
  const unavailable = superseded ? "the session dropped this: only the index still has it" : unread;
  return { ...from, ...given({ unavailable }), read_session: unavailable === undefined ? read_session : null };
}

/** Returns the arguments of `read_session` that show the passage in context. */
function readArguments(session: string, line: number, blockType: string) {
  const isTool = blockType === "tool_use" || blockType === "tool_result";
  const isThinking = blockType === "thinking" || blockType === "redacted_thinking";
  return {
    session,
    ...(blockType === "title" ? {} : { around_line: line }),
    ...(isTool ? { with_tools: true } : {}),
    ...(isThinking ? { with_thinking: true } : {}),
  };
}

/** `now`: the time of the first page. */
export type PageAsked = FindAsked & { limit: number; now: Date };

/** Passages from the cursor on, and a way to continue after the first few of them. */
export interface Found {
  rows: PassageRow[];
  /** Returns the cursor after the first `count` rows; null if nothing follows. */
  cursorAfter: (count: number) => string | null;
  /** Number of passages on earlier pages. */
  passed: number;
  /** Total number, including earlier pages, as text: `12`, or `more than 600`. */
  total: string;
  notes: string[];
}
