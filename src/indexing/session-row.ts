/** Builds the row of a session from its place, its head and its content. */
import { pathOf, type SessionRef } from "../places/session-ref.ts";
import type { StoredSession } from "../store/stored-model.ts";
import { storableTime } from "../store/storable.ts";
import type { Machine } from "../store/store-place.ts";
import { wholeLine } from "../parse/titles.ts";
import { shortened } from "../neutral-text.ts";
import type { SessionFacts } from "./session-facts.ts";

export type SessionRow = Omit<StoredSession, "state" | "figures">;

const LINE_CHARS = 200;

/** Returns the text on one line, cut to `LINE_CHARS`; null if it is only white space. */
function shortLine(text: string | null): string | null {
  const flat = wholeLine(text);
  return flat === null || flat.length <= LINE_CHARS ? flat : shortened(flat, LINE_CHARS - 1);
}

/** Returns the words of a session's place and head, to be redacted before they are stored. */
export function wordsInRow({ title, project, projectLabel, parentId, agentId }: SessionRef): (string | null)[] {
  return [title, project, projectLabel, parentId, agentId];
}

/**
 * Returns the row of a session. `facts` come from its content; `clean` redacts a word of `wordsInRow` and of the facts;
 * `prompt` is the redacted first prompt.
 */
export function rowOf(
  sessionId: string,
  ref: SessionRef,
  { facts, prompt }: { facts: SessionFacts; prompt: string | null },
  clean: (word: string | null) => string | null,
  machine: Machine,
): SessionRow {
  // The head of a file has the first title, its content the latest.
  const title = wholeLine(clean(facts.given?.text ?? ref.title));
  const cwd = clean(facts.cwd);
  return {
    session_id: sessionId,
    place: ref.place === "stdin" ? "file" : ref.place,
    agent: ref.agent ?? "",
    machine_id: machine.id,
    host: machine.host,
    path: pathOf(ref),
    project: clean(ref.project) ?? cwd ?? clean(ref.projectLabel || null),
    parent_id: clean(ref.parentId ?? facts.parentId),
    agent_id: clean(ref.agentId),
    label_title: null,
    title: shortLine(title ?? prompt),
    given_title: title,
    title_is_message: facts.given?.isMessage ?? false,
    title_line: facts.given?.line ?? 0,
    title_offset: facts.given?.offset ?? 0,
    first_prompt: prompt,
    cwd,
    git_branch: clean(facts.gitBranch),
    agent_version: clean(facts.version),
    started_at: facts.firstTime === null ? timeOf(ref.startedMs) : storableTime(facts.firstTime),
    ended_at: storableTime(facts.lastTime),
    active_ms: facts.activeMs,
    modified_at: timeOf(ref.modifiedMs || null),
    counts: facts.counts,
  };
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : storableTime(new Date(ms));
}
