/** Storing a snippet: checked, free of secrets, enriched, once. */
import { SNIPPET_TYPES, type SnippetType, type StoredSnippet } from "../store/model.ts";
import { StoreError } from "../store/store-error.ts";
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
 * Checks and stores a snippet. Its content is given, or taken from lines or turns of the session; a session that is only
 * on this machine is entered into the store. The same content of the same session is stored once.
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
  const input = readExtractInput(raw);
  const sessionId = await storedSessionId(setting, input.session_id);
  await checkEvent(setting, sessionId, input.event_id);
  const excerpt = input.content === undefined ? await excerptOf(setting, sessionId, input) : undefined;
  const { store } = setting;
  const { metadata, ...texts } = await storableTexts(redactorOf(setting), {
    title: input.title,
    content: input.content ?? excerpt?.content ?? "",
    tags: input.tags ?? [],
    metadata: { ...input.metadata, ...(await cited(setting, sessionId, excerpt)) },
  });
  const same = await identicalSnippet(store, { session_id: sessionId, content: texts.content });
  if (same !== undefined) return { snippet: same, output: { ...outputOf(same), already_stored: true } };
  const snippet = {
    session_id: sessionId,
    event_id: input.event_id ?? null,
    snippet_type: input.snippet_type,
    ...texts,
    source_file: await sourceFile(setting, sessionId, input, excerpt),
    source_line_start: excerpt?.lineStart ?? input.source_line_start ?? input.source_line_end ?? null,
    source_line_end: excerpt?.lineEnd ?? input.source_line_end ?? input.source_line_start ?? null,
  };
  const signature = signatureOf(texts.content);
  const similar = await similarSnippets(store, snippet, signature);
  const figures = readingFigures(texts.content);
  const stored = await insert(setting, { ...snippet, metadata: { ...metadata, ...figures, signature } });
  const output = {
    ...outputOf(stored),
    ...(similar.length === 0 ? {} : { similar }),
    ...hintFor(input.snippet_type, texts.content),
    ...leftOut(excerpt),
  };
  return { snippet: stored, output };
}

/** All that a store can refuse was checked before; what changed since then is told in the same words. */
async function insert(
  { store }: SnippetSetting,
  snippet: Parameters<typeof store.insertSnippet>[0],
): Promise<StoredSnippet> {
  try {
    return await store.insertSnippet(snippet);
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

async function excerptOf(setting: SnippetSetting, sessionId: string, input: ExtractSnippetInput): Promise<Excerpt> {
  const ref = await openableSession(setting, sessionId);
  return sessionExcerpt(ref, rangeOf(input), { redactor: redactorOf(setting), signal: setting.signal });
}

function rangeOf(input: ExtractSnippetInput): SectionRange {
  const line = input.source_line_start ?? input.source_line_end;
  if (line !== undefined) return { unit: "line", start: line, end: input.source_line_end ?? line };
  const turn = input.source_turn_start ?? input.source_turn_end ?? 1;
  return { unit: "turn", start: turn, end: input.source_turn_end ?? turn };
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
