/** Searching the files themselves: where there is no index, or none that can be brought up to date in time. */
import { createRedactor } from "../../redact/redactor.ts";
import { fileInput } from "../../scan/find-input.ts";
import type { FindQuery, Hit } from "../../scan/find.ts";
import { findInSessions, type Searched } from "../../scan/find-sessions.ts";
import { wordsOf } from "../../search/words.ts";
import { needsAgentProgress } from "../../sessions/agent-progress.ts";
import { readHead } from "../../sessions/file-ref.ts";
import { findSessions } from "../../sessions/find-sessions.ts";
import { openSession } from "../../sessions/open-session.ts";
import { outputReader } from "../../sessions/output-reader.ts";
import { isSubagent, type SessionRef } from "../../sessions/session-ref.ts";
import { shortHash } from "../conversation/entries.ts";
import { inOrder, isAfter, type Place } from "../page-of.ts";
import { argumentOf, shownSource, shownTitle } from "../session-heading.ts";
import { ToolError } from "../tool-error.ts";
import type { ToolContext } from "../tool.ts";
import { readArguments, type Asked, type Found, type PassageRow } from "./passages.ts";

export const SCAN_CURSOR = "s";

/** The newest sessions first, in each the entries as they stand. Stops when the page is full. */
export async function findInFiles(asked: Asked, context: ToolContext): Promise<Found> {
  const { where, signal } = context;
  const { project, cursor, limit } = asked;
  const found = await findSessions(where, { all: true, ...(project === undefined ? {} : { project }) });
  const key = keyOf(asked);
  const after = cursor === undefined ? undefined : readPlace(cursor, key);
  const items = inOrder(
    found.sessions.map((ref) => ({ id: `${ref.id} ${ref.path ?? ""}`, timeMs: ref.modifiedMs, ref })),
  ).filter((item) => after === undefined || isAfter(item, after) || shortHash(item.id, 8) === after.id);
  const places: string[] = [];
  const rows: PassageRow[] = [];
  let unreadable = found.unreadable.length;
  let isMore = false;
  for await (const { index, hits, failure } of findAll(
    items.map(({ ref }) => ref),
    asked,
  )) {
    signal.throwIfAborted();
    const item = items[index];
    if (item === undefined) continue;
    if (failure !== undefined) unreadable += 1;
    const id = shortHash(item.id, 8);
    const left = hits.slice(id === after?.id ? after.passed : 0);
    const shown = left.slice(0, limit - rows.length);
    rows.push(...(await rowsOf(item.ref, shown)));
    for (const [at] of shown.entries()) {
      places.push(`${SCAN_CURSOR}${key}~${item.timeMs}~${id}~${hits.length - left.length + at + 1}`);
    }
    if (shown.length < left.length) isMore = true;
    else if (rows.length >= limit) isMore = index < items.length - 1;
    if (rows.length >= limit) break;
  }
  return {
    rows,
    total: isMore ? `at least ${rows.length}` : String(rows.length),
    notes: unreadable === 0 ? [] : [`${unreadable} sessions or places could not be read.`],
    cursorAfter: async (count) => (count < rows.length || isMore ? (places[count - 1] ?? cursor ?? null) : null),
  };
}

interface SessionHits {
  index: number;
  hits: readonly Hit[];
  failure?: unknown;
}

async function* findAll(refs: readonly SessionRef[], asked: Asked): AsyncGenerator<SessionHits> {
  const sessions = await Promise.all(refs.map(searched));
  const terms = asked.match === "words" ? wordsOf(asked.query) : [asked.query];
  const [first = asked.query, ...others] = terms.toSorted((a, b) => b.length - a.length);
  for await (const found of findInSessions(sessions, findQuery(first, asked))) {
    const session = sessions[found.index];
    if (others.length === 0 || found.hits.length === 0 || session === undefined) yield found;
    else yield { ...found, hits: await withAll(found.hits, session, others, asked) };
  }
}

/** Those of the hits whose entries have the other words too. */
async function withAll(
  hits: readonly Hit[],
  session: Searched,
  words: readonly string[],
  asked: Asked,
): Promise<readonly Hit[]> {
  let left = hits;
  for (const word of words) {
    if (left.length === 0) break;
    const places = new Set<string>();
    // A file can be read again; anything else was read by now, and a search for one word is the best there is.
    if (!("path" in session)) return left;
    for await (const { hits: others } of findInSessions([session], findQuery(word, asked)))
      for (const hit of others) places.add(placeOf(hit));
    left = left.filter((hit) => places.has(placeOf(hit)));
  }
  return left;
}

function placeOf({ line_number, block_type, tool_use_id }: Hit): string {
  return `${line_number} ${block_type} ${tool_use_id ?? ""}`;
}

function findQuery(term: string, { since, role, tool, errorsOnly }: Asked): FindQuery {
  return {
    term,
    ...(since === undefined ? {} : { since }),
    ...(role === undefined ? {} : { role }),
    ...(tool === undefined ? {} : { tool }),
    ...(errorsOnly ? { errorsOnly } : {}),
  };
}

/** Files of Claude Code need nothing but themselves to be read. */
async function searched(ref: SessionRef): Promise<Searched> {
  const { source, path, bytes } = ref;
  if (source === "claude-code" && path !== null && bytes !== null) return { path, bytes, isTop: !isSubagent(ref) };
  const readOutput = outputReader(ref);
  const input = path !== null && bytes !== null ? fileInput(path) : openSession(ref);
  const agentProgress = await needsAgentProgress(ref);
  return { input, options: { agentProgress, ...(readOutput === undefined ? {} : { readOutput }) } };
}

async function rowsOf(ref: SessionRef, hits: readonly Hit[]): Promise<PassageRow[]> {
  if (hits.length === 0) return [];
  const { title, project, projectLabel } = await readHead(ref).catch(() => ref);
  const passages = await createRedactor().redact(hits.map(({ passage }) => ({ text: passage, cut: true })));
  const name = await shownTitle(title);
  return hits.map((hit, at) => {
    const { line_number, byte_offset, timestamp, role, block_type, tool_name, tool_use_id, match_count } = hit;
    const passage = passages[at]?.text ?? "";
    return {
      session_id: ref.id,
      source: shownSource(ref),
      path: ref.path,
      project: project ?? (projectLabel || null),
      title: name,
      line_number,
      byte_offset,
      timestamp,
      role,
      block_type,
      tool_name,
      tool_use_id,
      passage,
      matches: passage === hit.passage ? hit.matches : [],
      match_count,
      read_session: readArguments(argumentOf(ref), line_number, block_type),
    };
  });
}

interface FoundPlace extends Place {
  /** Passages of that session that were shown. */
  passed: number;
}

function keyOf({ query, match, since, project, role, tool, errorsOnly }: Asked): string {
  return shortHash(JSON.stringify([query, match, since !== undefined, project, role, tool, errorsOnly]), 6);
}

function readPlace(cursor: string, key: string): FoundPlace {
  const [, ofKey, time, id, passed] = /^s([\w-]{6})~(\d{1,15}(?:\.\d{1,20})?)~([\w-]{8})~(\d{1,9})$/.exec(cursor) ?? [];
  const next = "Pass the one of the page before with the same arguments, or leave it out to start anew.";
  if (time === undefined || id === undefined || ofKey !== key) {
    throw new ToolError("bad_cursor", "cursor: it is none of this search.", next, { field: "cursor" });
  }
  return { timeMs: Number(time), id, passed: Number(passed) };
}
