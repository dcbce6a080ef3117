/** Finds errors of earlier sessions that resemble a given one, and what fixed them. */
import { resolve } from "node:path";
import { given } from "../given.ts";
import { fixesOf, type ToolFix } from "../fixes/find-fixes.ts";
import { allTools } from "../agents/all-tools.ts";
import { targetOf } from "../fixes/targets.ts";
import { ErrorLikeness, errorSignature } from "../fixes/signature.ts";
import type { ToolCall } from "../parse/model.ts";
import { openConversation } from "../sessions/open-conversation.ts";
import { filterByProject } from "../sessions/project-filter.ts";
import { currentProject } from "../places/project-folder.ts";
import { hostOf, type SessionRef, type Where } from "../places/session-ref.ts";
import type { FailureCount, Store } from "../store/store.ts";
import { TranscriptsError } from "../transcripts-error.ts";
import type { CurrentIndex } from "./current-index.ts";
import { failureGroups } from "./failure-groups.ts";
import { filterOf, type SessionsQuery } from "./listed-sessions.ts";
import { archivedSession } from "./stored-session.ts";
import { callKeys, isError, stepRow } from "./session-errors.ts";
import { pageOf } from "./session-part.ts";

/** Errors below this likeness are others. */
const MIN_LIKENESS = 0.65;
/** Errors with at least this likeness, both ways, count as one. */
const SAME_LIKENESS = 0.85;
/** Maximum number of sessions that are read for their fixes; more copies of an error add little. */
const MOST_SESSIONS = 30;
/** Number of messages that are read before and after a failed result. A fix is at most 200 calls later. */
const MESSAGES_BEFORE = 100;
const MESSAGES_AFTER = 1_000;
/** Maximum number of calls between a failure and its fix that are returned, and of texts of the assistant. */
const MOST_STEPS = 3;
const MOST_WORDS = 2;

export interface PastFixesQuery extends Wanted {
  /** Message of the error, or a part of it. */
  error: string;
  /** Only errors that differ at most in paths, numbers and the like; not those that are merely similar. */
  isSame?: boolean;
  signal: AbortSignal;
}

type Asked = Pick<CurrentIndex, "store" | "elsewhere">;

/** Sessions whose errors count. */
type Wanted = Pick<SessionsQuery, "project" | "agent" | "tags">;

/** Keys as in `transcripts fixes --json`, where each is described. */
export type PastError = ReturnType<typeof pastError>;
export type PastFix = ReturnType<typeof pastFix>;

/** Frequency of one error in one session. */
interface Failure extends FailureCount {
  session: SessionRef;
  likeness: number;
  isInProject: boolean;
}

/** A failed call with its session. */
interface Occurrence {
  session: SessionRef;
  found: ToolFix;
  signature: string;
  /** See `callKey`. */
  key: string | null;
}

/**
 * Returns errors like the given one, those of this project first, then the most similar. The sessions are read from the
 * store. Throws a `TranscriptsError` if the text says nothing that can be compared.
 */
export async function pastFixes(index: Asked, where: Where, query: PastFixesQuery): Promise<PastError[]> {
  const { store } = index;
  const asked = errorSignature(query.error);
  if (asked === "") {
    const next = "Give the line of the message that describes the problem.";
    throw new TranscriptsError("bad_arguments", "The text does not say what failed.", next);
  }
  const known = query.isSame === true ? [asked] : await store.failureSignatures();
  const likeness = new ErrorLikeness(known);
  const degrees = new Map(known.map((each) => [each, likeness.likeness(asked, each)]));
  const failures = await likeFailures(index, where, query, degrees);
  const sessions = [...new Set(failures.map(({ session }) => session))].slice(0, MOST_SESSIONS);
  const signatures = new Set(failures.map(({ signature }) => signature));
  const read: Occurrence[] = [];
  for (const session of sessions) {
    for (const occurrence of await occurrencesIn(store, session, signatures, query.signal)) read.push(occurrence);
  }
  const occurrences = withoutCopies(read);
  const isSame = (a: string, b: string): boolean =>
    a === b || (likeness.likeness(a, b) >= SAME_LIKENESS && likeness.likeness(b, a) >= SAME_LIKENESS);
  const copies = read.filter((each) => !occurrences.has(each));
  return grouped(withoutCopied(failures, copies), isSame).map((group) => {
    const signatures = new Set(group.map(({ signature }) => signature));
    return pastError(
      group,
      [...occurrences].filter(({ signature }) => signatures.has(signature)),
    );
  });
}

/** Returns the most frequent errors, each with what fixed it. `limit`: maximum number of errors. */
export async function frequentFixes(
  index: Asked,
  where: Where,
  { limit, signal, ...wanted }: Wanted & { limit: number; signal: AbortSignal },
): Promise<PastError[]> {
  const found: PastError[] = [];
  for (const { example } of await failureGroups(index, where, { ...wanted, limit }))
    found.push(...(await pastFixes(index, where, { ...wanted, error: example.content, isSame: true, signal })));
  return found;
}

/** Returns those of the failures that are like the error asked for, in the order of the answer. */
async function likeFailures(
  index: Asked,
  where: Where,
  { project, agent, tags }: PastFixesQuery,
  degrees: ReadonlyMap<string, number>,
): Promise<Failure[]> {
  const { store } = index;
  const alike = [...degrees].flatMap(([signature, degree]) => (degree >= MIN_LIKENESS ? [signature] : []));
  const like = await store.failures(alike, await filterOf(index, where, { project, agent, ...given({ tags }) }));
  const ids = [...new Set(like.map(({ session_id: id }) => id))];
  const stored = new Map((await store.sessions({ ids })).map((session) => [session.session_id, session]));
  const refs = new Map<string, SessionRef>();
  const failures = like.flatMap((failure) => {
    const { session_id: id, signature } = failure;
    const degree = degrees.get(signature) ?? 0;
    const row = stored.get(id);
    const session = refs.get(id) ?? (row && archivedSession(store, row));
    if (session === undefined) return [];
    refs.set(id, session);
    return [{ ...failure, session, likeness: degree }];
  });
  const sessions = [...refs.values()];
  const here = new Set(await filterByProject(sessions, resolve(currentProject(where)), where));
  return failures
    .map((failure) => ({ ...failure, isInProject: here.has(failure.session) }))
    .toSorted(
      (a, b) =>
        Number(b.isInProject) - Number(a.isInProject) || b.likeness - a.likeness || compareText(b.latest, a.latest),
    );
}

function grouped(failures: readonly Failure[], isSame: (a: string, b: string) => boolean): Failure[][] {
  const groups: [Failure, ...Failure[]][] = [];
  for (const failure of failures) {
    const group = groups.find(([first]) => isSame(first.signature, failure.signature));
    if (group) group.push(failure);
    else groups.push([failure]);
  }
  return groups;
}

function compareText(a: string | null, b: string | null): number {
  return (a ?? "") < (b ?? "") ? -1 : Number((a ?? "") > (b ?? ""));
}

/** Returns the failures of a session that have one of the signatures. */
async function occurrencesIn(
  store: Store,
  session: SessionRef,
  signatures: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Occurrence[]> {
  const signatureOf = ({ result_text: text }: ToolCall): string => errorSignature(text ?? "");
  const occurrences: Occurrence[] = [];
  const ordinals = await store.failureOrdinals(session.archived?.sessionId ?? session.id, [...signatures]);
  for (const { first, end } of partsAround(ordinals)) {
    const reader = await openConversation(session, { signal, pricing: "flat" });
    const { messages, content_blocks, tool_calls } = await pageOf(reader, { first, count: end - first });
    const isHere = ({ result }: ToolCall): boolean =>
      result !== null && result.message_ordinal >= first && result.message_ordinal < end;
    const failed = tool_calls.filter((call) => isError(call) && isHere(call) && signatures.has(signatureOf(call)));
    const keyOf = callKeys(session, messages);
    for (const found of fixesOf(messages, content_blocks, tool_calls, allTools, failed))
      occurrences.push({ session, found, signature: signatureOf(found.failed), key: keyOf(found.failed) });
  }
  return occurrences;
}

/** Returns the parts of a session around some messages, in order and without overlap. */
function partsAround(ordinals: readonly number[]): { first: number; end: number }[] {
  const parts: { first: number; end: number }[] = [];
  for (const ordinal of ordinals) {
    const [first, end] = [Math.max(0, ordinal - MESSAGES_BEFORE), ordinal + MESSAGES_AFTER];
    const last = parts.at(-1);
    if (last !== undefined && first <= last.end) last.end = end;
    else parts.push({ first, end });
  }
  return parts;
}

/** Keeps one of the copies of a call in forks, branches and asides: one that was fixed, if there is any. */
function withoutCopies(read: readonly Occurrence[]): Set<Occurrence> {
  const kept = new Map<string | Occurrence, Occurrence>();
  for (const each of read) {
    const key = each.key ?? each;
    const known = kept.get(key);
    if (known === undefined || (known.found.fix === null && each.found.fix !== null)) kept.set(key, each);
  }
  return new Set(kept.values());
}

function withoutCopied(failures: readonly Failure[], copies: readonly Occurrence[]): Failure[] {
  return failures.flatMap((failure) => {
    const isCopied = ({ session, signature }: Occurrence): boolean =>
      session === failure.session && signature === failure.signature;
    const count = failure.count - copies.filter(isCopied).length;
    return count > 0 ? [{ ...failure, count }] : [];
  });
}

function pastError(failures: readonly Failure[], occurrences: readonly Occurrence[]) {
  const byTime = occurrences.toSorted((a, b) => compareText(timeOf(b), timeOf(a)));
  const [newest] = byTime;
  const fixed = byTime.filter(({ found }) => found.fix !== null);
  // What helped in several sessions says more than what one agent did again and again.
  const sessionsOf = (group: readonly Occurrence[]): number => new Set(group.map(({ session }) => session)).size;
  const fixes = [...Map.groupBy(fixed, fixKey).values()].toSorted(
    (a, b) => sessionsOf(b) - sessionsOf(a) || b.length - a.length,
  );
  return {
    error: newest?.found.failed.error ?? failures[0]?.signature ?? "",
    tool_name: newest?.found.failed.tool_name ?? null,
    likeness: Math.round(Math.max(...failures.map(({ likeness }) => likeness)) * 100) / 100,
    count: failures.reduce((sum, { count }) => sum + count, 0),
    session_count: new Set(failures.map(({ session_id }) => session_id)).size,
    latest:
      failures
        .map(({ latest }) => latest)
        .toSorted(compareText)
        .at(-1) ?? null,
    projects: [...new Set(failures.flatMap(({ session }) => session.projectLabel || []))].toSorted(),
    is_in_project: failures.some(({ isInProject }) => isInProject),
    checked: occurrences.length,
    unfixed: occurrences.length - fixed.length,
    fixes: fixes.flatMap(([latest, ...more]) => (latest === undefined ? [] : [pastFix(latest, more.length + 1)])),
  };
}

function timeOf({ found }: Occurrence): string | null {
  return found.failed.result?.timestamp ?? null;
}

/** Identifies what was done: the same change made twice is one fix. Which file was read does not matter. */
function fixKey({ found: { fix, steps, diff } }: Occurrence): string {
  const done = steps.map(({ call, diff: change }) => [
    call.tool_name,
    change === "" && isRead(call) ? "" : call.tool_input,
  ]);
  return JSON.stringify([done, diff === "" ? "same call" : [fix?.tool_name, fix?.tool_input]]);
}

function isRead({ tool_name: name, tool_input: input }: ToolCall): boolean {
  return targetOf(allTools, name, input, null).steps.every(({ purpose }) => purpose.kind === "read");
}

function pastFix(occurrence: Occurrence, count: number) {
  const { session, found } = occurrence;
  const { fix, failed, words } = found;
  return {
    count,
    latest: fix?.result?.timestamp ?? null,
    session_id: session.archived?.sessionId ?? session.id,
    host: hostOf(session),
    error_line: failed.result?.line_number ?? null,
    line_number: fix?.use?.line_number ?? null,
    tool_name: fix?.tool_name ?? null,
    input: fix?.tool_input,
    diff: found.diff,
    words: words.slice(0, MOST_WORDS),
    steps: found.steps.slice(-MOST_STEPS).map(stepRow),
  };
}
