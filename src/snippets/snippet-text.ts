/** Prepares the texts of a snippet for storage: redacts them and checks their sizes. */
import { given } from "../given.ts";
import { isFields, textOf } from "../parse/json-fields.ts";
import { isDeeper } from "../transcript/format/json-text.ts";
import { redactJson } from "../redact/redact-json.ts";
import type { Redactor } from "../redact/redactor.ts";
import { MAX_CONTENT_BYTES, MAX_TITLE_CHARS, MIN_CONTENT_BYTES } from "../store/stored-model.ts";
import { storableText } from "../store/storable.ts";
import { MAX_TAG_CHARS } from "./snippet-input.ts";
import { type TranscriptsError, fieldError } from "../transcripts-error.ts";

/** Maximum bytes of metadata as JSON: notes about a snippet, not another snippet. */
const MAX_METADATA_BYTES = 16_384;
/** Maximum nesting of metadata; databases refuse very deep JSON. */
const MAX_DEPTH = 20;

export interface SnippetTexts {
  title: string;
  content: string;
  tags: string[];
  metadata: Record<string, unknown>;
}

/**
 * Returns redacted copies: each secret becomes `[REDACTED:kind]`, lone surrogates become U+FFFD, and duplicate tags are
 * removed. Throws a `TranscriptsError` (`invalid`) if a text is then too long or too short. Titles count in code
 * points, everything else in bytes.
 */
export async function storableTexts(redactor: Redactor, given: SnippetTexts): Promise<SnippetTexts> {
  const notes = asJson(given.metadata);
  const [plain, ...tagged] = await redactJson(redactor, [
    { title: storableText(given.title.trim()), content: storableText(given.content) },
    ...given.tags.map((tag) => storableText(tag.trim())),
  ]);
  const [about] = await redactJson(redactor, [notes]);
  const title = textOf(plain?.value, "title") ?? "";
  const content = textOf(plain?.value, "content") ?? "";
  const tags = [...new Set(tagged.map(({ value }) => (typeof value === "string" ? value : "")))];
  const metadata = isFields(about?.value) ? { ...about.value } : {};
  checkTitle(title);
  checkContent(content);
  for (const [index, tag] of tags.entries()) checkTag(tag, index);
  checkMetadata(metadata);
  return { title, content, tags, metadata };
}

function checkTitle(title: string): void {
  const chars = [...title].length;
  if (title === "") throw fieldError("invalid", "title", "it is empty.", "Say in a few words what it is about.");
  if (chars <= MAX_TITLE_CHARS) return;
  const problem = `it has ${chars} characters, ${MAX_TITLE_CHARS} are allowed.`;
  throw fieldError("invalid", "title", problem, "Shorten it; put the rest in the content.");
}

function checkContent(content: string): void {
  const bytes = Buffer.byteLength(content);
  if (bytes >= MIN_CONTENT_BYTES && content.trim() === "") {
    throw fieldError("invalid", "content", "it is blank.", "Say what happened, why, and what came of it.");
  }
  const problem = `it has ${bytes} bytes after redaction; ${MIN_CONTENT_BYTES} to ${MAX_CONTENT_BYTES} are allowed.`;
  if (bytes < MIN_CONTENT_BYTES) {
    throw fieldError("invalid", "content", problem, "Say more: what happened, why, and what came of it.");
  }
  if (bytes > MAX_CONTENT_BYTES) {
    throw fieldError("invalid", "content", problem, "Shorten it, or make several snippets of it.");
  }
}

function checkTag(tag: string, index: number): void {
  const next = `A tag has 1 to ${MAX_TAG_CHARS} characters, such as deployment.`;
  if (tag === "") throw fieldError("invalid", `tags.${index}`, "it is empty.", next);
  if (tag.length > MAX_TAG_CHARS) throw fieldError("invalid", `tags.${index}`, "it is too long.", next);
}

function checkMetadata(metadata: Record<string, unknown>): void {
  const json = JSON.stringify(metadata);
  const bytes = Buffer.byteLength(json);
  if (/(?<!\\)(?:\\\\)*\\u0000/.test(json)) {
    throw fieldError("invalid", "metadata", "it has a NUL character (U+0000).", "Leave it out.");
  }
  if (bytes > MAX_METADATA_BYTES) throw tooLarge(bytes);
}

/** Returns a copy with only JSON values. */
function asJson(metadata: Record<string, unknown>): unknown {
  let json: string;
  try {
    json = JSON.stringify(metadata).toWellFormed();
  } catch (cause) {
    if (cause instanceof RangeError) throw tooDeep(cause);
    // Caused by a cycle or a BigInt.
    const problem = "it cannot be written as JSON.";
    throw fieldError("invalid", "metadata", problem, "Give plain texts, numbers, lists and objects.", { cause });
  }
  if (json.length > 2 * MAX_METADATA_BYTES) throw tooLarge(Buffer.byteLength(json));
  const copy: unknown = JSON.parse(json);
  if (isDeeper(copy, MAX_DEPTH)) throw tooDeep();
  return copy;
}

/** `cause`: the runtime's error, if its limit was reached. */
function tooDeep(cause?: unknown): TranscriptsError {
  const problem = `it is nested more than ${MAX_DEPTH} deep.`;
  return fieldError("invalid", "metadata", problem, "Keep it flat.", given({ cause }));
}

function tooLarge(bytes: number): TranscriptsError {
  const problem = `as JSON it has ${bytes} bytes; ${MAX_METADATA_BYTES} are allowed.`;
  return fieldError("invalid", "metadata", problem, "Keep only what you will look for.");
}
