/** Redacts and stores a snippet once, with what it cites. */
import { given } from "../given.ts";
import { isFields, textOf } from "../parse/json-fields.ts";
import { redactJson } from "../redact/redact-json.ts";
import { createRedactor } from "../redact/redactor.ts";
import { checkedMetadata, invalid, unknownEvent } from "../store/snippet-values.ts";
import type { SnippetType, StoredSnippet } from "../store/stored-model.ts";
import type { NewSnippet } from "../store/store.ts";

import { type Excerpt, type SectionRange, sessionExcerpt } from "./excerpt.ts";
import { identicalSnippet, type SimilarSnippet, similarSnippets } from "./near-duplicates.ts";
import { openableSession, type SnippetSetting, storedSessionId } from "./session-lookup.ts";
import { type ExtractSnippetInput, readExtractInput } from "./snippet-input.ts";
import { detectSnippetType, type TypeHint } from "./snippet-type.ts";

export interface ExtractSnippetOutput {
  success: true;
  snippet_id: string;
  /** Full id of the session. */
  session_id: string;
  snippet_type: SnippetType;
  title: string;
  created_at: string;
  /** The session already had a snippet with this content, which is returned; nothing was stored. */
  already_stored?: true;
  similar?: SimilarSnippet[];
  type_hint?: TypeHint;
  /** Number of damaged lines in the range that were skipped. */
  lines_skipped?: number;
  /** Number of entries in the range that did not fit. */
  entries_left_out?: number;
}

/** Minimum confidence for a hint. */
const SURE = 0.6;

/**
 * Checks and stores a snippet. Its content is given, or taken from lines or turns of the session; cited lines and turns
 * must exist in both cases. A session that exists only on this machine is added to the store. The same content of the
 * same session is stored once. Throws a `TranscriptsError`, which names the field unless the store fails.
 */
export async function extractSnippet(setting: SnippetSetting, raw: ExtractSnippetInput): Promise<ExtractSnippetOutput> {
  const { store } = setting;
  const input = readExtractInput(raw);
  const sessionId = await storedSessionId(setting, input.session_id);
  if (input.event_id !== undefined && (await store.event(sessionId, input.event_id)) === undefined)
    throw unknownEvent(input.event_id);
  const excerpt = await excerptOf(setting, sessionId, input);
  const snippet: NewSnippet = {
    session_id: sessionId,
    event_id: input.event_id ?? null,
    snippet_type: input.snippet_type,
    ...(await redactedTexts({
      title: input.title,
      content: input.content ?? excerpt?.content ?? "",
      tags: input.tags ?? [],
      metadata: {
        ...input.metadata,
        ...(excerpt === undefined ? {} : { citation: { ...excerpt.citation, session_id: sessionId } }),
      },
    })),
    source_file: excerpt?.citation.file ?? null,
    source_line_start: excerpt?.lineStart ?? null,
    source_line_end: excerpt?.lineEnd ?? null,
  };
  const same = await identicalSnippet(store, snippet);
  if (same !== undefined) return { ...outputOf(same), already_stored: true };
  const similar = await similarSnippets(store, snippet);
  const { lines_skipped, entries_left_out } = excerpt?.citation ?? {};
  return {
    ...outputOf(await store.insertSnippet(snippet)),
    ...(similar.length === 0 ? {} : { similar }),
    ...hintFor(snippet),
    ...given({ lines_skipped, entries_left_out }),
  };
}

function outputOf({ snippet_id, session_id, snippet_type, title, created_at }: StoredSnippet): ExtractSnippetOutput {
  return { success: true, snippet_id, session_id, snippet_type, title, created_at };
}

/** Resolves to undefined if neither lines nor turns are given. */
async function excerptOf(
  setting: SnippetSetting,
  sessionId: string,
  input: ExtractSnippetInput,
): Promise<Excerpt | undefined> {
  const range = rangeOf(input);
  if (range === undefined) return undefined;
  const ref = await openableSession(setting, sessionId);
  const excerpt = await sessionExcerpt(ref, range, { signal: setting.signal });
  if (input.content === undefined) return excerpt;
  // If the content was given, it does not matter what does not fit into the excerpt.
  const { entries_left_out: _, lines_skipped: __, ...citation } = excerpt.citation;
  return { ...excerpt, citation };
}

function rangeOf(input: ExtractSnippetInput): SectionRange | undefined {
  const line = input.source_line_start ?? input.source_line_end;
  if (line !== undefined) return { unit: "line", start: line, end: input.source_line_end ?? line };
  const turn = input.source_turn_start ?? input.source_turn_end;
  return turn === undefined ? undefined : { unit: "turn", start: turn, end: input.source_turn_end ?? turn };
}

function hintFor({ snippet_type: type, content }: NewSnippet): Pick<ExtractSnippetOutput, "type_hint"> {
  const hint = detectSnippetType(content);
  if (hint === undefined || hint.snippet_type === type || hint.confidence < SURE) return {};
  return { type_hint: hint };
}

type SnippetTexts = Pick<NewSnippet, "title" | "content" | "tags" | "metadata">;

/**
 * Returns redacted copies: each secret becomes `[REDACTED:kind]`. Removes duplicate tags, and adds word count and reading
 * time to the metadata.
 */
export async function redactedTexts({ title, content, tags, metadata }: SnippetTexts): Promise<SnippetTexts> {
  const redactor = createRedactor();
  const notes = checkedMetadata(metadata);
  if (/(?<!\\)(?:\\\\)*\\u0000/.test(JSON.stringify(metadata)))
    throw invalid("metadata", "The metadata contain a NUL character (U+0000).", "Leave it out.");
  const [texts, ...tagged] = await redactJson(redactor, [{ title, content }, ...tags]);
  const [about] = await redactJson(redactor, [notes]);
  const stored = textOf(texts?.value, "content") ?? "";
  return {
    title: textOf(texts?.value, "title") ?? "",
    content: stored,
    tags: [...new Set(tagged.map(({ value }) => String(value)))],
    metadata: { ...(isFields(about?.value) ? about.value : {}), ...readingFigures(stored) },
  };
}

/** Words per minute of a careful reader. */
const READING_PACE = 200;
const WORDS = /[\p{L}\p{N}_]+(?:['’.-][\p{L}\p{N}_]+)*/gu;
/** Scripts without spaces between words, in which two characters are about a word. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu;

/** Returns the number of words, and the reading time in whole seconds, at least 1. */
function readingFigures(content: string): { word_count: number; read_time_seconds: number } {
  const unspaced = content.match(UNSPACED)?.length ?? 0;
  const spaced = content.replaceAll(UNSPACED, " ").match(WORDS)?.length ?? 0;
  const words = spaced + Math.ceil(unspaced / 2);
  return { word_count: words, read_time_seconds: Math.max(1, Math.ceil((words * 60) / READING_PACE)) };
}
