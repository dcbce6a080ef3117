/** What `transcripts find` was asked for. */
import type { FindQuery, Hit } from "../scan/find.ts";
import type { HitRole } from "../scan/find-hit.ts";
import type { SessionAccess } from "../search/session-access.ts";
import type { SessionRef } from "../sessions/session-ref.ts";
import { CliError, type CommandContext, type CommandOptions } from "./command.ts";
import { date, flag, integer, text } from "./option-values.ts";
import type { FindRow } from "./schemas/find.ts";
import { isRedacted } from "./redaction.ts";
import { shownSource } from "./shown-source.ts";

/** Passages that a terminal gets unless --limit says otherwise. */
const SCREENFUL = 20;

export interface FindRequest {
  query: FindQuery;
  project: string | undefined;
  /** Infinity: all. */
  limit: number;
  isJson: boolean;
  /** Each of the words, not the term as it stands. */
  isWords: boolean;
  options: CommandOptions;
}

/** Throws a `CliError` for an empty term. */
export function findRequest(context: CommandContext, args: readonly string[], options: CommandOptions): FindRequest {
  const [term = ""] = args;
  if (term === "") throw new CliError("TERM is empty.", "Give at least one character.");
  const isJson = flag(options, "json");
  return {
    query: queryOf(term, options),
    project: text(options, "project"),
    limit: integer(options, "limit") ?? (context.isTerminal && !isJson ? SCREENFUL : Infinity),
    isJson,
    isWords: flag(options, "words"),
    options,
  };
}

function queryOf(term: string, options: CommandOptions): FindQuery {
  const since = date(options, "since");
  const until = date(options, "until");
  const role = text(options, "role");
  const tool = text(options, "tool");
  return {
    term,
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(isRole(role) ? { role } : {}),
    ...(tool === undefined ? {} : { tool }),
    ...(flag(options, "errors") ? { errorsOnly: true } : {}),
    ...(isRedacted(options) ? {} : { raw: true }),
  };
}

function isRole(role: string | undefined): role is HitRole {
  return role === "user" || role === "assistant" || role === "tool" || role === "system";
}

/** How to open a session: by an argument, or not at all, and why. */
export type OpenBy = { kind: "here"; argument: string } | Exclude<SessionAccess, { kind: "here" }>;

/** What a row says besides what its hit says. */
export interface RowSetting {
  open: OpenBy;
  rank: number | null;
  eventId: string | null;
}

export function findRow(ref: SessionRef, hit: Hit, { open, rank, eventId }: RowSetting): FindRow {
  const { line_number, role, block_type } = hit;
  return {
    version: 1,
    session_id: ref.id,
    source: shownSource(ref),
    path: ref.source === "opencode-store" ? null : ref.path,
    project: ref.project ?? (ref.projectLabel || null),
    line_number: line_number === 0 ? null : line_number,
    byte_offset: hit.byte_offset,
    timestamp: hit.timestamp,
    role,
    block_type,
    tool_name: hit.tool_name,
    tool_use_id: hit.tool_use_id,
    passage: hit.passage,
    matches: hit.matches.map(([start, end]) => [start, end]),
    match_count: hit.match_count,
    open: openCommand(ref, hit, open),
    gone: open.kind === "gone",
    is_foreign: ref.isForeign,
    rank,
    event_id: eventId,
  };
}

/** A comment where nothing can be opened: pasted into a shell it does nothing. */
function openCommand(ref: SessionRef, { role, block_type, line_number, is_sidechain }: Hit, open: OpenBy): string {
  const place = (ref.path ?? ref.database ?? ref.id).replaceAll(/\s/g, " ");
  if (open.kind === "gone") return `# only the index still has this: ${place} is gone`;
  if (open.kind === "unreadable") return `# ${place} cannot be read: ${open.reason}`;
  if (open.kind === "elsewhere") return `# on ${open.host}: ${place}`;
  if (block_type === "title") return `transcripts show ${open.argument}`;
  const isInner = role === "tool" ? " --with-tools" : block_type === "thinking" ? " --with-thinking" : "";
  const isBelow = is_sidechain === true ? " --subagents" : "";
  return `transcripts show ${open.argument} --line ${line_number}${isInner}${isBelow}`;
}
