/** Builds the row of a session from its place, its head and its content. */
import { agentOf, placeOf, type SessionRef } from "../sessions/session-ref.ts";
import type { StoredSession } from "../store/stored-model.ts";
import { storableTime } from "../store/storable.ts";
import type { Machine } from "../store/store-place.ts";
import { wholeLine } from "../parse/titles.ts";
import { NO_COUNTS, shortLine, type SessionFacts } from "./session-facts.ts";

export type SessionRow = Omit<StoredSession, "state" | "figures">;

/** Returns the words of a session's place and head, to be redacted before they are stored. */
export function wordsInRow({ title, project, projectLabel, parentId, agentId }: SessionRef): (string | null)[] {
  return [title, project, projectLabel, parentId, agentId];
}

/**
 * Returns the row of a session. `facts` come from its content, if it was read; `clean` redacts a word of `wordsInRow`.
 */
export function rowOf(
  sessionId: string,
  ref: SessionRef,
  facts: SessionFacts | undefined,
  clean: (word: string | null) => string | null,
  machine: Machine,
): SessionRow {
  // The head of a file has the first title, its content the latest.
  const head = wholeLine(clean(ref.title));
  const given = facts?.given ?? (head === null ? null : { text: head, isMessage: false, line: 0, offset: 0 });
  const prompt = facts?.prompt ?? null;
  const first = facts?.firstTime ?? null;
  return {
    session_id: sessionId,
    source: ref.source === "stdin" ? "file" : ref.source,
    agent: agentOf(ref) ?? "",
    machine_id: machine.id,
    host: machine.host,
    path: placeOf(ref),
    project: clean(ref.project) ?? facts?.cwd ?? clean(ref.projectLabel || null),
    parent_id: clean(ref.parentId) ?? facts?.parentId ?? null,
    agent_id: clean(ref.agentId),
    title: shortLine(given?.text ?? prompt),
    given_title: given?.text ?? null,
    title_is_message: given?.isMessage ?? false,
    title_line: given?.line ?? 0,
    title_offset: given?.offset ?? 0,
    first_prompt: prompt,
    cwd: facts?.cwd ?? null,
    git_branch: facts?.gitBranch ?? null,
    agent_version: facts?.version ?? null,
    started_at: first === null ? timeOf(ref.startedMs) : storableTime(first),
    ended_at: storableTime(facts?.lastTime ?? null),
    active_ms: facts?.activeMs ?? 0,
    modified_at: timeOf(ref.modifiedMs || null),
    counts: facts?.counts ?? NO_COUNTS,
  };
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : storableTime(new Date(ms));
}
