/** Storing a snippet: checked, free of secrets, enriched, once. */
import { SNIPPET_TYPES, type SnippetType, type StoredSnippet } from "../store/model.ts";
import { StoreError } from "../store/store-error.ts";
import type { NewSnippet } from "../store/store.ts";
import { eventIdsOn } from "./cited-events.ts";
import { readingFigures } from "./enrichment.ts";
import { readExtractInput, type ExtractSnippetInput } from "./input.ts";
import { signatureOf } from "./likeness.ts";
import { identicalSnippet, similarSnippets, type SimilarSnippet } from "./near-duplicates.ts";
import { sessionExcerpt, type Citation, type Excerpt } from "./section/excerpt.ts";
import type { SectionRange } from "./section/read-section.ts";
import { openableSession, storedSessionId } from "./session-lookup.ts";
import { redactorOf, type SnippetSetting } from "./setting.ts";
import { SnippetError } from "./snippet-error.ts";
import { storableTexts } from "./snippet-text.ts";
import { detectSnippetType, type TypeHint } from "./snippet-type.ts";

export interface ExtractSnippetOutput {
  success: true;
  snippet_id: string;
  /** The full id. */
  session_id: string;
  snippet_type: SnippetType;
  title: string;
  created_at: string;
  /** The session had this content already: that snippet is the answer, and nothing was stored. */
  already_stored?: true;
  /** Snippets that say nearly the same. */
  similar?: SimilarSnippet[];
  /** The content looks like one of another type. */
  type_hint?: TypeHint;
  /** Damaged lines in the range that were passed over. */
  lines_skipped?: number;
  /** Entries in the range for which there was no room. */
  entries_left_out?: number;
}

/** Below this a hint is no more than a guess. */
const SURE = 0.6;
const MAX_EVENTS = 50;

/**
 * Checks and stores a snippet. Its content is given, or taken from lines or turns of the session. Lines and turns that
 * are cited must be there in either case. A session that is only on this machine is entered into the store. The same
 * content of the same session is stored once.
 *
 * Throws a `SnippetError` that names the field, or a `StoreError`.
 */
export async function extractSnippet(setting: SnippetSetting, raw: ExtractSnippetInput): Promise<ExtractSnippetOutput> {
  return (await keepSnippet(setting, raw)).output;
}

/** The same, with the row that is in the store then. */
export async function keepSnippet(
  setting: SnippetSetting,
  raw: ExtractSnippetInput,
): Promise<{ snippet: StoredSnippet; output: ExtractSnippetOutput }> {
  const { snippet, same, input, excerpt } = await prepared(setting, raw);
  if (same !== undefined) return { snippet: same, output: { ...outputOf(same), already_stored: true } };
  const similar = await similarSnippets(setting.store, snippet, signatureOf(snippet.content));
  const stored = await inserting(() => setting.store.insertSnippet(snippet));
  const output = {
    ...outputOf(stored),
    ...(similar.length === 0 ? {} : { similar }),
    ...hintFor(input.snippet_type, snippet.content),
    ...leftOut(excerpt),
  };
  return { snippet: stored, output };
}

/**
 * Stores a snippet that nobody asked for, once for its type and lines. They were read in the session just now, so they
 * are not looked for again; `metadata` says what is cited. Undefined if there is one or ever was, or if the
 * session has its content already.
 */
export async function keepSuggestion(
  setting: SnippetSetting,
  raw: ExtractSnippetInput,
): Promise<StoredSnippet | undefined> {
  const { snippet, same } = await prepared(setting, raw, { isFromSession: true });
  return same === undefined ? inserting(() => setting.store.insertSuggestion(snippet)) : undefined;
}

interface Prepared {
  input: ExtractSnippetInput;
  /** Checked and free of secrets. */
  snippet: NewSnippet;
  /** The one that the session has already. */
  same: StoredSnippet | undefined;
  /** What the snippet cites, if lines or turns were given and had to be read. */
  excerpt: Excerpt | undefined;
}

async function prepared(
  setting: SnippetSetting,
  raw: ExtractSnippetInput,
  { isFromSession = false }: { isFromSession?: boolean } = {},
): Promise<Prepared> {
  const input = readExtractInput(raw);
  const sessionId = await storedSessionId(setting, input.session_id);
  await checkEvent(setting, sessionId, input.event_id);
  const excerpt = isFromSession ? undefined : await excerptOf(setting, sessionId, input);
  const { metadata, ...texts } = await storableTexts(redactorOf(setting), {
    title: input.title,
    content: input.content ?? excerpt?.content ?? "",
    tags: input.tags ?? [],
    metadata: { ...input.metadata, ...(await cited(setting, sessionId, excerpt)) },
  });
  const snippet = {
    session_id: sessionId,
    event_id: input.event_id ?? null,
    snippet_type: input.snippet_type,
    ...texts,
    metadata: { ...metadata, ...readingFigures(texts.content), signature: signatureOf(texts.content) },
    source_file: await sourceFile(setting, sessionId, input, excerpt),
    source_line_start: excerpt?.lineStart ?? input.source_line_start ?? input.source_line_end ?? null,
    source_line_end: excerpt?.lineEnd ?? input.source_line_end ?? input.source_line_start ?? null,
  };
  return { input, snippet, same: await identicalSnippet(setting.store, snippet), excerpt };
}

/** All that a store can refuse was checked before; what changed since then is told in the same words. */
async function inserting<T>(insert: () => Promise<T>): Promise<T> {
  try {
    return await insert();
  } catch (error) {
    if (!(error instanceof StoreError) || error.field === undefined) throw error;
    const code = error.code === "unknown_session" || error.code === "unknown_event" ? error.code : "invalid";
    throw new SnippetError(code, error.field, error.message, "", { cause: error });
  }
}

function outputOf(snippet: StoredSnippet): ExtractSnippetOutput {
  const { snippet_id, session_id, snippet_type, title, created_at } = snippet;
  return { success: true, snippet_id, session_id, snippet_type, title, created_at };
}

async function checkEvent({ store }: SnippetSetting, sessionId: string, eventId: string | undefined): Promise<void> {
  if (eventId === undefined) return;
  const event = await store.event(eventId);
  if (event?.session_id === sessionId) return;
  const problem =
    event === undefined
      ? `there is no event ${JSON.stringify(eventId.slice(0, 80))} in the index.`
      : `event ${eventId} belongs to another session, ${event.session_id}.`;
  const next = "Run `transcripts index` if the session was not indexed yet, or leave event_id out.";
  throw new SnippetError("unknown_event", "event_id", problem, next);
}

/** Undefined if neither lines nor turns are given. */
async function excerptOf(
  setting: SnippetSetting,
  sessionId: string,
  input: ExtractSnippetInput,
): Promise<Excerpt | undefined> {
  const range = rangeOf(input);
  if (range === undefined) return undefined;
  const ref = await openableSession(setting, sessionId);
  const excerpt = await sessionExcerpt(ref, range, { redactor: redactorOf(setting), signal: setting.signal });
  if (input.content === undefined) return excerpt;
  // What the excerpt has no room for is nothing to a content that was given.
  const { entries_left_out: _, lines_skipped: __, ...citation } = excerpt.citation;
  return { ...excerpt, citation };
}

function rangeOf(input: ExtractSnippetInput): SectionRange | undefined {
  const line = input.source_line_start ?? input.source_line_end;
  if (line !== undefined) return { unit: "line", start: line, end: input.source_line_end ?? line };
  const turn = input.source_turn_start ?? input.source_turn_end;
  return turn === undefined ? undefined : { unit: "turn", start: turn, end: input.source_turn_end ?? turn };
}

async function cited(
  { store }: SnippetSetting,
  sessionId: string,
  excerpt: Excerpt | undefined,
): Promise<{ citation?: Citation }> {
  if (excerpt === undefined) return {};
  const events = await eventIdsOn(store, sessionId, { ...excerpt, limit: MAX_EVENTS });
  return {
    citation: { ...excerpt.citation, session_id: sessionId, ...(events.length === 0 ? {} : { event_ids: events }) },
  };
}

/** The file of the session, if the snippet says which lines of it. */
async function sourceFile(
  { store }: SnippetSetting,
  sessionId: string,
  { source_line_start: start, source_line_end: end }: ExtractSnippetInput,
  excerpt: Excerpt | undefined,
): Promise<string | null> {
  if (excerpt !== undefined) return excerpt.citation.file;
  if (start === undefined && end === undefined) return null;
  return (await store.session(sessionId))?.path ?? null;
}

function hintFor(given: SnippetType, content: string): Pick<ExtractSnippetOutput, "type_hint"> {
  const hint = detectSnippetType(content);
  if (hint === undefined || hint.snippet_type === given || hint.confidence < SURE) return {};
  return SNIPPET_TYPES.includes(hint.snippet_type) ? { type_hint: hint } : {};
}

function leftOut(excerpt: Excerpt | undefined): Pick<ExtractSnippetOutput, "lines_skipped" | "entries_left_out"> {
  const { lines_skipped, entries_left_out } = excerpt?.citation ?? {};
  return {
    ...(lines_skipped === undefined ? {} : { lines_skipped }),
    ...(entries_left_out === undefined ? {} : { entries_left_out }),
  };
}
